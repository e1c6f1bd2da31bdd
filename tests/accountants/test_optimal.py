"""Optimal composition against every outcome, one by one, and against binomials at 60 digits."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from dpframe.accountants import parts_of
from dpframe.pld.composition import lattice, mixed
from dpframe.pld.composition.responses import response_delta, response_epsilon
from tests.support.oracles import mpf

MILLIONTH = Fraction(1, 10**6)


def groups(responses):
    """Each response once."""
    return [(epsilon, delta, 1) for epsilon, delta in responses]


def check(responses, curve, epsilon, target):
    """Both ends of both answers, against the exact curve; the two intervals."""
    deltas = response_delta(groups(responses), epsilon)
    assert mpf(deltas.lower) <= curve(epsilon) <= mpf(deltas.upper)
    epsilons = response_epsilon(groups(responses), target)
    if math.isfinite(epsilons.upper):
        assert curve(Fraction(epsilons.upper)) <= mpf(target)
    if math.isinf(epsilons.lower):
        assert curve(sum(e for e, _ in responses)) > mpf(target)
    elif epsilons.lower > 0:
        assert curve(Fraction(math.nextafter(epsilons.lower, 0))) >= mpf(target)
    return deltas, epsilons


def some(seed, k, unit=1000, most=3000):
    """k random pure responses, and a point."""
    draw = random.Random(seed)
    sizes = [Fraction(draw.randint(1, most), unit) for _ in range(k)]
    return [(size, Fraction(0)) for size in sizes], Fraction(draw.randint(0, most), 2 * unit)


@pytest.mark.parametrize("seed", range(8))
def test_pure_responses_against_every_outcome(seed, brute):
    """Up to 10 different responses: 2^k outcomes; 1e-12 wide."""
    responses, epsilon = some(seed, 3 + seed)
    for target in (Fraction(1, 3), Fraction(1, 20), Fraction(1, 10**4)):
        deltas, epsilons = check(responses, brute(responses), epsilon, target)
        assert deltas.width <= 1e-12 * deltas.upper
        assert epsilons.width <= 1e-11


@pytest.mark.parametrize("seed", range(6))
def test_responses_that_confess_against_every_outcome(seed, brute):
    """Atoms at infinity: 3^k outcomes."""
    draw = random.Random(seed)
    pure, epsilon = some(seed, 2 + seed % 4)
    responses = [(e, Fraction(draw.choice([0, 1, 7]), 100)) for e, _ in pure]
    for target in (Fraction(1, 2), Fraction(1, 10), Fraction(1, 1000)):
        check(responses, brute(responses), epsilon, target)


@pytest.mark.some(1)
@pytest.mark.parametrize("seed", range(6))
def test_the_lattice_against_every_outcome(seed, brute, monkeypatch):
    """Losses without a common step, split between lattice points: both ends hold, and are near."""
    monkeypatch.setattr(mixed, "MOST_ATOMS", 1)
    draw = random.Random(seed)
    responses = [(Fraction(draw.uniform(0.05, 2)), Fraction(0)) for _ in range(6 + seed)]
    curve = brute(responses)
    for work, width in ((2e4, 1.0), (1e6, 2e-3), (3e7, 1e-5)):
        monkeypatch.setattr(lattice, "WORK", work)
        for epsilon in (Fraction(0), Fraction(1), Fraction(7, 3)):
            deltas, _ = check(responses, curve, epsilon, Fraction(1, 100))
            assert deltas.width <= width


@pytest.mark.parametrize("seed", range(4))
def test_multiples_of_one_step_against_every_outcome(seed, brute, monkeypatch):
    """Decimal epsilons share a step: no splitting, so as sharp as every sum."""
    monkeypatch.setattr(mixed, "MOST_ATOMS", 1)
    responses, epsilon = some(seed, 10, unit=100, most=300)
    deltas, _ = check(responses, brute(responses), epsilon, Fraction(1, 1000))
    assert deltas.width <= 1e-12 * deltas.upper


@pytest.mark.slow
def test_many_responses_lie_between_more_and_less_private_ones(binomial):
    """300 random epsilons in [0.1, 0.11]: between 300 of either end, by binomials."""
    draw = random.Random(7)
    responses = [(Fraction(draw.uniform(0.1, 0.11)), Fraction(0), 1) for _ in range(300)]
    for epsilon in (Fraction(2), Fraction(9)):
        found = response_delta(responses, epsilon)
        assert mpf(found.upper) >= binomial(Fraction(1, 10), 300, epsilon)
        assert mpf(found.lower) <= binomial(Fraction(11, 100), 300, epsilon)
        assert found.width <= 1e-3 * found.upper


def test_the_lattice_and_the_binomials_agree(binomial, monkeypatch):
    """Two groups whose epsilons differ by 1e-15: between the binomials of either."""
    monkeypatch.setattr(mixed, "MOST_ATOMS", 1)
    close = Fraction(1, 10) + Fraction(1, 10**15)
    found = response_delta([(Fraction(1, 10), 0, 200), (close, Fraction(0), 200)], Fraction(4))
    exact = binomial(Fraction(1, 10), 400, 4)
    assert found.lower < exact * (1 + mpf(1e-9))
    assert found.upper > exact * (1 - mpf(1e-9))
    assert found.width <= 1e-5 * found.upper


@pytest.mark.parametrize(
    ("size", "count", "epsilon"),
    [(1, 100, 83.5307), (3, 20, 60.0), (2, 50, 99.9994), (math.log(3), 100, 94.2899)],
)
def test_known_values(size, count, epsilon, binomial):
    """At delta = 1e-6, to the digits known; and the binomial sum on both sides of the answer."""
    found = response_epsilon([(Fraction(size), Fraction(0), count)], MILLIONTH)
    assert found.upper == pytest.approx(epsilon, abs=6e-5)
    assert binomial(Fraction(size), count, Fraction(found.upper)) <= mpf(MILLIONTH)
    below = Fraction(math.nextafter(found.lower, 0))
    assert binomial(Fraction(size), count, below) > mpf(MILLIONTH)


@pytest.mark.some(1, most=6)
@pytest.mark.parametrize("size", [Fraction(1, 100), Fraction(1, 3), 4])
@pytest.mark.parametrize("count", [1, 2, 9, 500, 10_000])
def test_alike_responses_are_a_double_wide(size, count, binomial):
    """delta and epsilon of up to 10,000 equal responses, against KOV's sum at 60 digits."""
    own = [(Fraction(size), Fraction(0), count)]
    for epsilon in (Fraction(0), Fraction(1, 7), Fraction(size * count, 2)):
        deltas = response_delta(own, epsilon)
        assert mpf(deltas.lower) <= binomial(size, count, epsilon) <= mpf(deltas.upper)
        assert deltas.upper <= math.nextafter(deltas.lower, 1)
    for target in (Fraction(1, 5), MILLIONTH, Fraction(1, 10**30)):
        found = response_epsilon(own, target)
        assert found.upper <= math.nextafter(found.lower, math.inf)
        assert binomial(size, count, Fraction(found.upper)) <= mpf(target)
        if found.lower:
            below = Fraction(math.nextafter(found.lower, 0))
            assert binomial(size, count, below) > mpf(target)


def test_a_billion_responses():
    """sqrt(n) terms decide: near the Gaussian limit mu = sqrt(n) epsilon. [DongRS22]"""
    found = response_epsilon([(Fraction(1, 10**5), Fraction(0), 10**9)], MILLIONTH)
    limit = dp.gaussian_epsilon(1e-6, math.sqrt(10**9) * 1e-5)
    assert found.upper == pytest.approx(limit, rel=1e-4)
    with pytest.raises(dp.InvalidArgument, match="numeric"):
        response_epsilon([(Fraction(1, 10**5), Fraction(0), 10**11)], MILLIONTH)


def test_one_guarantee_costs_itself_where_delta_is_its_own():
    """(1, 1e-6)-DP at delta 1e-6 is epsilon 1; below, nothing is enough; above, less is."""
    one = [(Fraction(1), MILLIONTH, 1)]
    assert response_epsilon(one, MILLIONTH) == dp.accountants.base.Interval(1.0, 1.0)
    assert response_epsilon(one, MILLIONTH / 2).lower == math.inf
    assert response_epsilon(one, 2 * MILLIONTH).upper < 1
    several = [(Fraction(1), Fraction(1, 100), 3), (Fraction(2), Fraction(1, 50), 1)]
    lost = 1 - Fraction(99, 100) ** 3 * Fraction(49, 50)
    assert response_epsilon(several, lost).upper == 5.0
    assert response_epsilon(several, lost - Fraction(1, 10**30)).upper == math.inf
    assert response_delta(several, Fraction(6)).upper == pytest.approx(float(lost), rel=1e-15)


def test_nothing_is_free():
    """No responses, or responses with epsilon = 0: only what they confess."""
    assert response_epsilon([], MILLIONTH).upper == 0
    assert response_delta([], Fraction(0)).upper == 0
    mute = [(Fraction(0), Fraction(1, 10), 2)]
    assert response_delta(mute, Fraction(0)).upper == pytest.approx(0.19, rel=1e-15)
    assert response_epsilon(mute, Fraction(1, 5)).upper == 0


def test_deep_tails_keep_their_digits(brute):
    """delta far below the doubles' unit: 1e-9 relatively at epsilon near the largest loss."""
    responses = [(Fraction(k + 3, 2), Fraction(0)) for k in range(9)]
    top = sum(e for e, _ in responses)
    for gap in (Fraction(1, 10), Fraction(1, 10**6)):
        found = response_delta(groups(responses), top - gap)
        exact = brute(responses)(top - gap)
        assert mpf(found.lower) <= exact <= mpf(found.upper)
        assert mpf(found.width) <= exact * mpmath.mpf(1e-7)


@pytest.mark.parametrize(
    "part",
    [dp.GaussianDP(1), dp.ZeroConcentratedDP(1), dp.pld.GaussianLoss(1), dp.pld.LaplaceLoss(1)],
)
def test_other_costs_are_refused_with_a_way_out(part):
    """Only pure and approximate guarantees have responses as their worst case."""
    with pytest.raises(dp.InvalidArgument, match="numeric accountant"):
        dp.accountants.OptimalAccountant().epsilon(parts_of(part), MILLIONTH)
