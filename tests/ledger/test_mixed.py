"""Runs of mixed kinds against plain Fractions, and why the rules themselves are not mixed."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from dpframe.budgets.ledger.accounts import chord
from tests.ledger.curves import MILLIONTH, bisect, bisect_mu, mpf, profile

KINDS = {
    "pure": lambda rng: dp.PureDP(Fraction(rng.randint(1, 40), 200)),
    "approx": lambda rng: dp.ApproxDP(
        Fraction(rng.randint(1, 40), 200), Fraction(rng.randint(1, 40), 10**8)
    ),
    "zcdp": lambda rng: dp.ZeroConcentratedDP(Fraction(rng.randint(1, 40), 2000)),
    "gaussian": lambda rng: dp.GaussianDP(Fraction(rng.randint(1, 40), 400)),
}


def offers(guarantee, kind):
    """What a guarantee takes from a total, from the textbook; None without a theorem."""
    own, numbers = guarantee.kind, [part.value for part in guarantee.amounts]
    if own == kind:
        return numbers
    if own == "pure":
        (epsilon,) = numbers
        mu = chord(epsilon)
        return {"approx": [epsilon, Fraction(0)], "zcdp": [epsilon**2 / 2], "gaussian": [mu * mu]}[
            kind
        ]
    return [numbers[0] / 2] if (own, kind) == ("gaussian", "zcdp") else None


class ByHand:
    """A budget by Fractions: alternatives compared, totals dropped when a run does not fit them."""

    def __init__(self, ceilings):
        self.left = {kind: list(amounts) for kind, amounts in ceilings.items()}

    def admit(self, guarantees):
        """Whether it fits: some total holds the cheapest alternative."""
        kept = {}
        for kind, left in self.left.items():
            found = [one for one in (offers(g, kind) for g in guarantees) if one is not None]
            ranked = sorted(found, key=lambda one: self._part(one, left))
            if ranked and all(a <= b for a, b in zip(ranked[0], left, strict=True)):
                kept[kind] = [b - a for a, b in zip(ranked[0], left, strict=True)]
        self.left = kept or self.left
        return bool(kept)

    @staticmethod
    def _part(offer, left):
        over = any(a > b for a, b in zip(offer, left, strict=True))
        return over, max([a / b for a, b in zip(offer, left, strict=True) if b], default=0)


PLANS = {
    "pure": (dp.PureDP(1), None),
    "approx": (dp.ApproxDP(1, MILLIONTH), dp.ApproxDP),
    "zcdp": (dp.ZeroConcentratedDP("0.1"), None),
    "gaussian": (dp.GaussianDP("0.4"), None),
    "approx by zcdp": (dp.ApproxDP(1, MILLIONTH), dp.ZeroConcentratedDP),
    "approx by gaussian": (dp.ApproxDP(1, MILLIONTH), dp.GaussianDP),
}


@pytest.mark.parametrize("name", PLANS)
def test_mixed_runs_against_sums_by_hand(ledger, cost, name):
    """Random runs with one to three alternatives of random kinds: the same are admitted, and the
    same is left, as by plain Fractions.
    """
    rng, (budget, by) = random.Random(name), PLANS[name]
    account = ledger.create(name, budget, relation=dp.ADD_REMOVE, by=by)
    ceilings = {one.kind.kind: one.state.remaining for one in account.totals}
    by_hand, verdicts = ByHand(ceilings), set()
    for _ in range(40):
        kinds = rng.sample(sorted(KINDS), rng.randint(1, 3))
        run = cost(*(KINDS[kind](rng) for kind in kinds))
        expected, admitted = by_hand.admit(run.guarantees), True
        try:
            with ledger.charging(name, run):
                pass
        except (dp.BudgetExceeded, dp.InvalidArgument):
            admitted = False
        assert admitted is expected
        verdicts.add(admitted)
    left = {one.kind.kind: list(one.state.remaining) for one in ledger.account(name).totals}
    assert left == by_hand.left
    assert verdicts == {True, False}


@pytest.mark.slow
def test_the_best_rule_chosen_late_exceeds_the_budget():
    """After one Gaussian release, go on by sums where the loss was small and by mu^2 where it was
    large: each branch fits its own rule inside (1, 1e-6), and delta at epsilon = 1 is above 1e-6.
    By either rule alone it is not (the controls). Integrated at 30 digits.
    """
    with mpmath.workdps(30):
        delta, first, share = mpmath.mpf("1e-6"), mpmath.mpf("0.1"), mpmath.mpf("0.5")
        second = mpmath.sqrt(bisect_mu() ** 2 - first**2)
        confess = delta - profile(share, first)

        def by_sums(epsilon):
            if epsilon >= 1 - share:
                return confess
            top = mpmath.exp(1 - share)
            answer = (top - mpmath.exp(epsilon)) / (1 + top)
            return confess + (1 - confess) * max(answer, 1 - mpmath.exp(epsilon))

        def by_squares(epsilon):
            return profile(epsilon, second)

        def total(choose):
            loss = first**2 / 2
            nodes = [loss + first * k / 2 for k in range(-16, 24)]
            nodes = sorted({*nodes, share})
            weight = lambda x: mpmath.npdf(x, loss, first) * choose(1 - x)  # noqa: E731
            return mpmath.quad(weight, nodes, maxdegree=5)

        assert total(by_sums) <= delta * (1 + mpmath.mpf("1e-9"))
        assert abs(total(by_squares) / delta - 1) < mpmath.mpf("1e-9")
        assert total(lambda x: max(by_sums(x), by_squares(x))) > delta * mpmath.mpf("1.2")


def test_so_the_first_run_settles_the_rule(ledger, spend, cost):
    """Begun by mu^2, a run that only sums could hold is refused, with the way out; in a data set
    begun by sums it fits.
    """
    budget, only = dp.ApproxDP(1, MILLIONTH), dp.ApproxDP("0.1", "1e-8")
    both = (only, dp.GaussianDP("0.02"))
    for name in ("squares", "sums"):
        ledger.create(name, budget, relation=dp.ADD_REMOVE)
    spend(ledger, "squares", *both)
    spend(ledger, "sums", only)
    with pytest.raises(dp.InvalidArgument, match="counted in mu\\^2, fixed by its first charge"):
        ledger.fits("squares", cost(only))
    assert ledger.fits("sums", cost(*both))
    assert [one.kind for one in ledger.account("squares").totals] == [dp.GaussianDP]
    assert [one.kind for one in ledger.account("sums").totals] == [dp.ApproxDP]


def test_gaussian_runs_fit_more_often_by_squares(ledger, cost):
    """(1/4, 2.5e-7) each with its mu: 4 by sums, floor(mu*^2 / mu^2) by squares."""
    part = (Fraction(1, 4), MILLIONTH / 4)
    mu = bisect(lambda m: profile(mpf(part[0]), m) <= mpf(part[1]), mpmath.mpf("1e-3"), 1)
    stated = Fraction(int(mu * 10**12), 10**12)
    run = cost(dp.ApproxDP(*part), dp.GaussianDP(stated))
    expected = int(bisect_mu() ** 2 / mpf(stated) ** 2)
    for by, count in ((dp.ApproxDP, 4), (None, expected)):
        ledger.create(str(by), dp.ApproxDP(1, MILLIONTH), relation=dp.ADD_REMOVE, by=by)
        admitted = 0
        while ledger.fits(str(by), run):
            with ledger.charging(str(by), run):
                admitted += 1
        assert admitted == count
    assert expected > 10


def test_of_two_alternatives_the_lighter_is_taken(ledger, spend):
    """By the part of what is left, epsilon and delta together: exhaustively over pairs."""
    budget = dp.ApproxDP(1, MILLIONTH)
    sizes = [(Fraction(1, 2), 0), (Fraction(1, 4), MILLIONTH / 3), (Fraction(1, 8), MILLIONTH)]
    for pair in itertools.permutations(sizes, 2):
        name = str(pair)
        ledger.create(name, budget, relation=dp.ADD_REMOVE, by=dp.ApproxDP)
        stated = [dp.ApproxDP(e, d) if d else dp.PureDP(e) for e, d in pair]
        charge = spend(ledger, name, *stated)
        lightest = min(pair, key=lambda one: max(one[0], one[1] / MILLIONTH))
        assert charge.prices == {"approx": lightest}
