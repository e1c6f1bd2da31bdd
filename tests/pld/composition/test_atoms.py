"""Sums of atoms against every outcome: laws from the outputs of the mechanisms, summed in mpmath
at 60 digits or in integers; both ends one-sided.
"""

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb

import dpframe as dp
from dpframe.accountants import parts_of
from dpframe.numerics import Interval, arb_lower, arb_upper, working
from dpframe.pld.composition import (
    atomic,
    delta_interval,
    epsilon_interval,
    lattice,
    mixed,
    profile,
    total_loss,
)
from dpframe.pld.composition.atomic import response_epsilon
from dpframe.pld.composition.lattice import FixedPointLaw, fixed
from tests.support.oracles import mpf

DIGITS = 60
MILLIONTH = Fraction(1, 10**6)


def outputs(loss):
    """(P, Q, outputs) of the mechanism: masses of each output under two neighbours."""
    match loss:
        case dp.pld.ResponseLoss(epsilon=e):
            odds, k = mpmath.exp(mpf(e)), 2
        case dp.pld.CategoricalLoss(epsilon=e, categories=k):
            odds = mpmath.exp(mpf(e))
        case dp.pld.OddsLoss(excess=x, categories=k):
            odds = mpf(1 + x)
        case dp.pld.DiscreteLaplaceLoss(rate=r, shift=s):
            return noise(lambda x: mpmath.exp(-mpf(r) * abs(x)), s, int(160 / r) + 2)
        case dp.pld.DiscreteGaussianLoss(variance=v, shift=s):
            reach = int(19 * mpmath.sqrt(mpf(v))) + 9 * s + 2
            return noise(lambda x: mpmath.exp(-mpf(x * x) / (2 * mpf(v))), s, reach)
    rest = [mpf(1)] * (k - 2)
    total = odds + k - 1
    return [w / total for w in (odds, 1, *rest)], [w / total for w in (1, odds, *rest)]


def noise(weight, shift, reach):
    """Masses of x and of x - shift for whole x; beyond the reach they are below 1e-69."""
    total = weight(0) + 2 * mpmath.fsum(weight(x) for x in range(1, 2 * reach))
    xs = range(-reach, reach + shift + 1)
    return [weight(x) / total for x in xs], [weight(x - shift) / total for x in xs]


def law(loss):
    """{loss: mass}, equal losses (to 50 digits) together; the finite part."""
    found = {}
    for p, q in zip(*outputs(loss), strict=True):
        key = mpmath.nint(mpmath.log(p / q) * mpf(10) ** 50)
        found[key] = found.get(key, 0) + p * (1 - mpf(loss.infinite))
    return {key / mpf(10) ** 50: mass for key, mass in found.items()}


def summed(counts):
    """The law of a sum, loss by loss."""
    total = {mpf(0): mpf(1)}
    for loss, count in counts.items():
        one = law(loss)
        for _ in range(count):
            parts = {}
            for a, p in total.items():
                for b, q in one.items():
                    key = mpmath.nint((a + b) * mpf(10) ** 45) / mpf(10) ** 45
                    parts[key] = parts.get(key, 0) + p * q
            total = parts
    return total


def curve(counts):
    """delta as a function of epsilon, by its definition."""
    atoms = summed(counts)
    lost = 1 - mpmath.fprod((1 - mpf(loss.infinite)) ** n for loss, n in counts.items())
    return lambda x: (
        lost + mpmath.fsum(p * -mpmath.expm1(mpf(x) - at) for at, p in atoms.items() if at > mpf(x))
    )


def check(counts, exact, epsilon, delta):
    """Both ends of both answers, and the two intervals."""
    total = total_loss(counts)
    deltas, epsilons = delta_interval(total, epsilon), epsilon_interval(total, delta)
    assert mpf(deltas.lower) <= exact(epsilon) * (1 + mpf(1e-38))
    assert mpf(deltas.upper) >= exact(epsilon) * (1 - mpf(1e-38))
    if math.isfinite(epsilons.upper):
        assert exact(Fraction(epsilons.upper)) <= mpf(delta) * (1 + mpf(1e-38))
    if epsilons.lower > 0:
        assert exact(Fraction(math.nextafter(epsilons.lower, 0))) >= mpf(delta) * (1 - mpf(1e-38))
    return deltas, epsilons


R, C, Odds = dp.pld.ResponseLoss, dp.pld.CategoricalLoss, dp.pld.OddsLoss
DL, DG = dp.pld.DiscreteLaplaceLoss, dp.pld.DiscreteGaussianLoss
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

SUMS = [
    {C(1, 3): 4},
    {C(2, 1000): 3},
    {Odds(2, 3): 4},
    {Odds(Fraction(1, 5), 2): 3},
    {DL(THIRD, 1): 4},
    {DL(HALF, 5): 3},
    {DL(Fraction(1, 40), 30): 2},
    {DG(Fraction(1, 7), 3): 3},
    {DG(4, 1): 3},
    {DG(9, 7): 2},
    {DG(Fraction(1, 100), 1): 2},
    {R(HALF): 3, R(THIRD): 4, C(Fraction(7, 10), 4): 2},
    {R(1, Fraction(1, 1000)): 2, R(Fraction(math.pi)): 2, Odds(2, 5): 2},
    {Odds(2, 5): 2, Odds(2, 9): 1, Odds(3, 3): 2},
    {DL(HALF, 2): 2, DG(2, 1): 1, C(1, 3): 1},
]
every = pytest.mark.parametrize("counts", SUMS, ids=str)


@every
def test_sums_against_every_outcome(counts):
    """Laws from the outputs, convolved in mpmath: both ends of both answers; 1e-12 wide."""
    with mpmath.workdps(DIGITS):
        exact = curve(counts)
        for epsilon, delta in ((0, Fraction(1, 20)), (1, MILLIONTH), (THIRD, Fraction(1, 10**15))):
            deltas, epsilons = check(counts, exact, Fraction(epsilon), delta)
            assert deltas.width <= 1e-12 * deltas.upper
            assert epsilons.width <= 1e-12 * max(1, epsilons.upper) or math.isinf(epsilons.upper)


@pytest.mark.some(1, most=12)
@every
@pytest.mark.parametrize("tilt", [0.0, 0.3, 7.5])
def test_the_support_is_the_tilted_law(counts, tilt):
    """Atoms and tilted masses enclose those of the outputs; the moment is their sum."""
    with mpmath.workdps(DIGITS), working(192):
        for loss in counts:
            support, own = loss.support(tilt), law(loss)
            if loss.infinite == 0 and loss.atoms is not None:
                assert len(support.masses) <= loss.atoms
            moment = mpmath.fsum(p * mpmath.exp(mpf(tilt) * at) for at, p in own.items())
            near(support.log_moment, mpmath.log(moment))
            for place, mass in zip(atoms_of(support), support.masses, strict=True):
                size = next((p for x, p in own.items() if abs(x - place) < mpf(1e-40)), mpf(0))
                near(mass, size * mpmath.exp(mpf(tilt) * place) / moment)


def atoms_of(support):
    """The atoms as mpf."""
    unit = mpf(1) if support.odds is None else mpmath.log(mpf(support.odds))
    count = len(support.masses)
    return [unit * mpf(support.first + i * support.stride) for i in range(count)]


def near(ball, value):
    """A ball that contains a number that is known to 1e-45."""
    assert mpf(arb_lower(ball)) - mpf(1e-42) * (1 + abs(value)) <= value
    assert mpf(arb_upper(ball)) + mpf(1e-42) * (1 + abs(value)) >= value


def trinomial(weights, count):
    """The powers of an integer law: {place: whole weight}, by plain multiplication."""
    total = [1]
    for _ in range(count):
        longer = [0] * (len(total) + len(weights) - 1)
        for i, a in enumerate(total):
            for j, b in enumerate(weights):
                longer[i + j] += a * b
        total = longer
    return total


@pytest.mark.parametrize(("excess", "categories", "count"), [(1, 3, 200), (2, 7, 300), (99, 2, 60)])
def test_odds_against_whole_numbers(excess, categories, count):
    """(1 + (k - 2) y + odds y^2)^n in integers; deltas down to 1e-300."""
    loss, odds = Odds(excess, categories), 1 + excess
    whole = trinomial([1, categories - 2, odds], count)
    bottom = (odds + categories - 1) ** count
    with mpmath.workdps(DIGITS):

        def exact(x):
            size = mpmath.exp(mpf(x))
            parts = (
                mpf(Fraction(weight, bottom)) * (1 - size / mpf(odds) ** (j - count))
                for j, weight in enumerate(whole)
                if mpf(odds) ** (j - count) > size
            )
            return mpmath.fsum(parts)

        top = count * math.log(odds)
        for share, power in ((0, 1), (0.1, 6), (0.3, 30), (0.6, 100), (0.9, 300)):
            _, found = check({loss: count}, exact, Fraction(share * top), Fraction(1, 10**power))
            assert found.width <= 1e-12 * max(found.upper, 1)


def test_a_power_in_fixed_point_is_below_the_true_one():
    """Random rational laws: every stored mass is at most the integer power's, and what all lack
    to 1 is what is declared missing.
    """
    draw = random.Random(1)
    for count in (1, 2, 7, 40):
        weights = [draw.randint(0, 9) for _ in range(6)] + [1]
        bottom = sum(weights)
        with working(192):
            power = fixed([arb(w) / bottom for w in weights]).power(count)
        exact = trinomial(weights, count)
        kept = Fraction(0)
        for place, mass in enumerate(power.masses, start=power.first):
            assert Fraction(int(mass), 2**128) <= Fraction(exact[place], bottom**count)
            kept += Fraction(int(mass), 2**128)
        assert 1 - kept <= Fraction(power.missing) <= Fraction(count, 2**98)


def test_spaced_doubles_are_near_the_rational_ones():
    """start + i step in rationals, at 2000 random places."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        start = Fraction(rng.normal() * 10.0 ** rng.integers(-5, 8))
        step = Fraction(rng.uniform(0, 3)) / 7
        with working(128):
            losses, error = lattice.spaced(arb(1), start, step, 50_000)
        for i in rng.integers(0, 50_000, 50):
            assert abs(Fraction(losses[i]) - (start + int(i) * step)) <= Fraction(error)
        assert error <= 2e-16 * np.abs(losses).max() + 1e-18 * abs(float(start))


@pytest.mark.parametrize("way", ["merged", "multiples", "lattice"])
@pytest.mark.parametrize("seed", range(3))
def test_every_way_of_adding_kinds(way, seed, monkeypatch):
    """Kinds with a common step as one, by doubles, and split onto a lattice: true and near."""
    draw = random.Random(seed)
    counts = {
        C(Fraction(draw.randint(1, 30), 20), 4): 2,
        DL(Fraction(draw.randint(1, 9), 20), 4): 2,
        R(Fraction(draw.randint(1, 30), 20)): 3,
    }
    monkeypatch.setattr(mixed, "MOST_ATOMS", 1)
    if way != "merged":
        monkeypatch.setattr(mixed, "_COMMON", 1)
    if way == "lattice":
        monkeypatch.setattr(lattice, "LONGEST", 20_000)
        monkeypatch.setattr(mixed, "_common_step", lambda kinds, least: None)
    monkeypatch.setattr(profile, "_SHARP", 1.0)
    width = 1e-4 if way == "lattice" else 1e-12
    with mpmath.workdps(DIGITS):
        exact = curve(counts)
        for epsilon, delta in ((0, Fraction(1, 20)), (2, Fraction(1, 10**4))):
            deltas, epsilons = check(counts, exact, Fraction(epsilon), delta)
            assert deltas.width <= width * deltas.upper
            assert epsilons.width <= width * max(epsilons.upper, 1)


def test_binomials_and_powers_agree(monkeypatch):
    """A million responses by ball arithmetic and in fixed point: two ways, one number."""
    counts = {R(Fraction(1, 1000)): 10**6}
    for delta in (Fraction(1, 5), MILLIONTH, Fraction(1, 10**300)):
        sharp = epsilon_interval(total_loss(counts), delta)
        with monkeypatch.context() as patch:
            patch.setattr(atomic, "_equal_responses", lambda counts: None)
            powers = epsilon_interval(total_loss(counts), delta)
        assert powers.lower <= sharp.upper
        assert sharp.lower <= powers.upper
        assert powers.width <= 1e-12 * max(1, powers.upper)


@pytest.mark.parametrize(
    "counts", [{DG(100, 1): 20}, {DG(100, 30): 50}, {DL(Fraction(1, 50), 50): 30}]
)
def test_atoms_and_the_contour_agree(counts):
    """Many atoms a standard deviation: an integral along a line, and a sum of atoms."""
    total = total_loss(counts)
    for delta in (Fraction(1, 10), MILLIONTH, Fraction(1, 10**30)):
        atoms, line = epsilon_interval(total, delta), profile._epsilon(total, delta)
        assert atoms.lower <= line.upper
        assert line.lower <= atoms.upper
        assert atoms.width <= 1e-12 * max(1, atoms.upper)


def test_what_is_infinite_decides_at_the_ends():
    """delta below D: infinite; equal to it: the largest loss, where there is one."""
    half = R(1, HALF)
    assert epsilon_interval(total_loss({half: 1, C(1, 3): 2}), THIRD).lower == math.inf
    assert epsilon_interval(total_loss({half: 1, C(1, 3): 2}), HALF) == Interval(3.0, 3.0)
    mixed_units = epsilon_interval(total_loss({half: 1, Odds(1, 3): 2}), HALF)
    with mpmath.workdps(DIGITS):
        assert mpf(mixed_units.lower) <= 1 + 2 * mpmath.log(2) <= mpf(mixed_units.upper)
    assert mixed_units.width <= 1e-15
    assert epsilon_interval(total_loss({half: 1, DG(1, 1): 2}), HALF).lower == math.inf
    assert delta_interval(total_loss({half: 1, C(1, 3): 2}), Fraction(3)) == Interval(0.5, 0.5)


@pytest.mark.slow
def test_too_many_atoms_fall_back_to_the_contour():
    """Wide supports and long sums: no power is tried, and the answer is an interval still."""
    for counts in (
        {DL(Fraction(1, 2**40), 2**40): 3},
        {DG(10**12, 10**6): 5},
        {C(1, 3): 10**14},
        {C(THIRD, 4): 10**11},
    ):
        found = epsilon_interval(total_loss(counts), MILLIONTH)
        assert 0 <= found.lower <= found.upper < math.inf
    with pytest.raises(dp.InvalidArgument, match="numeric"):
        response_epsilon([(Fraction(1), 0, 10**14), (Fraction(1, 3), 0, 10**14)], MILLIONTH)


@pytest.mark.parametrize("loss", [R(Fraction(2**400)), C(Fraction(1, 2**400), 3), Odds(2**400, 9)])
def test_extreme_sizes_stay_true(loss):
    """Losses of 2^400, 2^-400, and log(1 + 2^400): at most the largest loss; the trivial delta."""
    found = dp.accountants.NumericAccountant().epsilon(parts_of((loss, 3)), MILLIONTH)
    assert 0 <= found.lower <= found.upper <= 3.0001 * float(loss.largest)
    deltas = dp.accountants.NumericAccountant().delta(parts_of((loss, 3)), 0)
    with mpmath.workdps(DIGITS):
        kept = mpf(1) if loss.largest > 1 else mpf(0)
        assert mpf(deltas.lower) <= kept + mpf(1e-30)
        assert mpf(deltas.upper) >= kept * (1 - mpf(1e-30))


def test_a_law_without_masses_is_given_up():
    """Balls that say nothing: everything is missing."""
    with working(192):
        assert fixed([arb("nan"), arb(0, 1)]).missing == 1
    assert isinstance(fixed([arb(1)]), FixedPointLaw)


@pytest.mark.parametrize(("large", "small"), [(10**9, "1e-6"), (10**12, "1e-3"), (100, "1e-13")])
def test_a_loss_too_far_out_for_a_lattice_is_never_misplaced(large, small):
    """One loss of A beside hundreds of tiny ones: delta(A - 1) is 1 - 1/e, or nothing is said."""
    tiny = [Fraction(small) * (1 + Fraction(1, q)) for q in (10007, 10009, 10037, 10039)]
    counts = {dp.pld.ResponseLoss(large): 1, **{dp.pld.ResponseLoss(e): 50 for e in tiny}}
    found = delta_interval(total_loss(counts), Fraction(large - 1))
    with mpmath.workdps(30):
        truth = 1 - mpmath.exp(-1)
    assert found.lower <= truth * (1 + mpmath.mpf("1e-3"))
    assert found.upper >= truth * (1 - mpmath.mpf("1e-3"))
    assert found.lower <= found.upper
