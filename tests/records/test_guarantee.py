"""The guarantee itself, by integration: adaptive games of two Gaussian releases, in which the
second one's cost depends on the first one's outcome, against the profile of one Gaussian.

Record 0 is there under P and absent under Q. The filter decides in each branch of the game.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import integrate

import dpframe as dp
from dpframe.budgets.records import IndividualFilter, gaussian_cost
from tests.support.oracles import delta_of

EPSILONS = [0.0, 0.3, 1.0, 2.0]


def never_out(norms):
    """What goes wrong: everybody contributes, whatever they have spent."""
    return np.ones(len(norms), bool)


class Game:
    """First g(x_0) = `first` with std `stds[0]`; then, where the outcome is in the branch of a
    cut, `branches[k]` with std `stds[1]`. `moves` are what is left of them by the filter.
    """

    def __init__(self, budget, first, cuts, branches, stds=(1.0, 1.0), *, filtered=True, kind=None):
        """Ask a filter anew in every branch, as one history would."""
        self.cuts = cuts
        self.first, self.moves = None, []
        for branch in branches:
            gate = IndividualFilter(
                [budget, 5.0, 0.001], kind=kind or dp.GaussianDP, relation=dp.ADD_REMOVE
            )
            admitted = []
            for norm, std in zip((first, branch), stds, strict=True):
                cost = gaussian_cost([norm, 1.0, 1.0], std, kind=gate.kind)
                mask = gate.admit(cost) if filtered else never_out(cost)
                admitted.append(norm / std if mask[0] else 0.0)
            self.moves.append(admitted[1])
            self.first = admitted[0]

    def second(self, y):
        """The move of the second release after the outcome y of the first, in stds."""
        return self.moves[int(np.searchsorted(self.cuts, y))]

    def integral(self, inner):
        """The integral of inner(y, density under Q, ratio P/Q, second move) over outcomes y."""
        ends = [-12.0, *self.cuts, self.first + 12.0]
        total = 0.0
        for low, high in itertools.pairwise(ends):
            m = self.second((low + high) / 2)

            def at(y, m=m):
                density = math.exp(-y * y / 2) / math.sqrt(2 * math.pi)
                return inner(density, math.exp(self.first * y - self.first**2 / 2), m)

            total += integrate.quad(at, low, high, limit=400, epsabs=1e-13, epsrel=1e-11)[0]
        return total

    def delta(self, epsilon, *, forward):
        """sup over events of P - e^epsilon Q, or of Q - e^epsilon P."""

        def inner(density, ratio, m):
            ahead = math.log(ratio)
            if forward:  # r E(N(m) - (e^eps / r) N(0))_+
                return density * ratio * hockey(epsilon - ahead, m)
            return density * hockey(epsilon + ahead, m)

        return self.integral(inner)

    def renyi(self, order):
        """The Renyi divergence of P from Q."""

        def inner(density, ratio, m):
            return density * ratio**order * math.exp(order * (order - 1) * m * m / 2)

        return math.log(self.integral(inner)) / (order - 1)


def hockey(threshold, m):
    """sup over events of N(m, 1) - e^threshold N(0, 1): the same in both directions."""
    if m == 0:
        return max(0.0, -math.expm1(threshold))

    def tail(x):
        return math.erfc(x / math.sqrt(2)) / 2

    return tail(threshold / m - m / 2) - math.exp(threshold) * tail(threshold / m + m / 2)


JUST = 1 + 1e-9  # 0.36 + 0.64, and what rounding up adds to costs
# budget in mu^2, first norm, cuts of the first outcome, norm after each, stds
GAMES = {
    "more where it looks present": (JUST, 0.6, [0.5], [0.1, 0.8], (1.0, 1.0)),
    "more where it looks absent": (JUST, 0.6, [0.5], [0.8, 0.1], (1.0, 1.0)),
    "out where it looks present": (JUST, 0.6, [0.5], [0.8, 1.5], (1.0, 1.0)),
    "out where it looks absent": (JUST, 0.6, [0.5], [1.5, 0.8], (1.0, 1.0)),
    "four branches, other stds": (2.25, 2.4, [-1.0, 0.2, 1.4], [1.0, 2.7, 4.5, 0.3], (2.0, 3.0)),
    "nearly spent at once": (0.25, 0.49, [0.0, 1.0], [0.09, 0.11, 3.0], (1.0, 1.0)),
}
OVERSPENT = {
    "out where it looks present",
    "out where it looks absent",
    "four branches, other stds",
    "nearly spent at once",
}


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", GAMES)
def test_the_filter_keeps_the_profile_of_its_budget(name, epsilon):
    """In both directions, for every game."""
    budget, first, cuts, branches, stds = GAMES[name]
    game = Game(budget, first, cuts, branches, stds)
    profile = float(delta_of(epsilon, mpmath.sqrt(budget)))
    for forward in (True, False):
        assert game.delta(epsilon, forward=forward) <= profile + 1e-11


@pytest.mark.parametrize("name", sorted(OVERSPENT))
def test_without_the_filter_the_profile_is_exceeded(name):
    """The same games, by far, at some epsilon: they are no idle ones."""
    budget, first, cuts, branches, stds = GAMES[name]
    game = Game(budget, first, cuts, branches, stds, filtered=False)
    excess = [
        game.delta(epsilon, forward=True) / float(delta_of(epsilon, mpmath.sqrt(budget)))
        for epsilon in EPSILONS
    ]
    assert max(excess) > 1.1


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_budgets_that_are_used_up_attain_the_profile(epsilon):
    """Where every branch spends exactly the budget, the two are equal: nothing is lost, and the
    integration is right.
    """
    game = Game(JUST, 0.6, [0.5], [0.8, 0.8])
    assert game.moves == [0.8, 0.8]
    for forward in (True, False):
        assert game.delta(epsilon, forward=forward) == pytest.approx(
            float(delta_of(epsilon, 1)), abs=1e-11
        )


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("order", [1.5, 2.0, 4.0, 8.0])
@pytest.mark.parametrize("name", GAMES)
def test_the_filter_keeps_zcdp(name, order):
    """In rho: the divergence of every order is at most the order times the budget; without the
    filter it is more, where the game overspends.
    """
    budget, first, cuts, branches, stds = GAMES[name]
    kind = dp.ZeroConcentratedDP
    game = Game(budget / 2, first, cuts, branches, stds, kind=kind)
    assert game.renyi(order) <= order * budget / 2 * (1 + 1e-9)
    if name in OVERSPENT and order >= 4:
        free = Game(budget / 2, first, cuts, branches, stds, kind=kind, filtered=False)
        assert free.renyi(order) > order * budget / 2 * 1.04


def test_a_mean_over_those_admitted_would_show_who_left():
    """Why a mask is private: where the number of admitted records is released, both tables are
    told apart at once, by the record's own leaving.
    """
    with_record = IndividualFilter([1.0, 1.0], kind=dp.GaussianDP, relation=dp.ADD_REMOVE)
    without = IndividualFilter([1.0], kind=dp.GaussianDP, relation=dp.ADD_REMOVE)
    counts = [
        int(with_record.admit([2.0, 0.5]).sum()),
        int(with_record.admit([0.2, 0.1]).sum()),
        int(without.admit([0.5]).sum()),
        int(without.admit([0.1]).sum()),
    ]
    assert counts[:2] != counts[2:]


@pytest.mark.parametrize("seed", range(5))
def test_others_are_admitted_alike_in_both_tables(seed):
    """What the proof rests on: the masks of all others do not depend on a record's presence."""
    rng = np.random.default_rng(seed)
    budgets, stay = rng.uniform(0.5, 2, 8), np.arange(8) != 3
    kind = {"kind": dp.ZeroConcentratedDP, "relation": dp.ADD_REMOVE}
    present, absent = IndividualFilter(budgets, **kind), IndividualFilter(budgets[stay], **kind)
    for _ in range(12):
        cost = rng.exponential(0.2, 8)
        assert (present.admit(cost)[stay] == absent.admit(cost[stay])).all()
