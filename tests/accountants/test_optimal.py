"""Optimal composition against every outcome at 60 digits, and its guarantee as (epsilon, delta)."""

import math
import random
from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from dpframe.accountants import parts_of
from dpframe.accountants.conversions import delta_of, epsilon_of
from dpframe.pld.composition import lattice, mixed
from dpframe.pld.composition.atomic import response_delta, response_epsilon
from dpframe.privacy import Guarantee
from tests.support.oracles import delta_of as gaussian_delta
from tests.support.oracles import mpf

# -------- Optimal composition against every outcome, one by one, and against binomials at 60 digits
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
def test_responses_with_infinite_losses_against_every_outcome(seed, brute):
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


@pytest.mark.some(1, most=6)
@pytest.mark.parametrize("size", [Fraction(1, 100), Fraction(1, 3), 4])
@pytest.mark.parametrize("count", [1, 2, 9, 500, 10_000])
def test_equal_responses_are_a_double_wide(size, count, binomial):
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
    """No responses, or responses with epsilon = 0: only their infinite losses."""
    assert response_epsilon([], MILLIONTH).upper == 0
    assert response_delta([], Fraction(0)).upper == 0
    instant = [(Fraction(0), Fraction(1, 10), 2)]
    assert response_delta(instant, Fraction(0)).upper == pytest.approx(0.19, rel=1e-15)
    assert response_epsilon(instant, Fraction(1, 5)).upper == 0


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


# ---------------------------------------------------------------- One guarantee as (epsilon, delta)
def one_response(epsilon, own, at):
    """own + (1 - own)(e^epsilon0 - e^epsilon)_+/(1 + e^epsilon0): the worst (epsilon0, own)-DP."""
    with mpmath.workdps(60):
        e, d, x = mpf(epsilon), mpf(own), mpf(at)
        return d + (1 - d) * max(mpmath.exp(e) - mpmath.exp(x), 0) / (1 + mpmath.exp(e))


@pytest.mark.parametrize("own", [Fraction(0), MILLIONTH, Fraction(1, 3)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(1), Fraction(20)])
def test_pure_and_approximate_are_exact(epsilon, own):
    """A double wide, around the closed form of one response."""
    guarantee = dp.ApproxDP(epsilon, own) if own else dp.PureDP(epsilon)
    for at in (Fraction(0), epsilon / 3, epsilon, 2 * epsilon):
        found = delta_of(guarantee, at)
        assert mpf(found.lower) <= one_response(epsilon, own, at) <= mpf(found.upper)
        assert found.upper <= math.nextafter(found.lower, 1)
    for delta in (MILLIONTH, Fraction(1, 100), Fraction(1, 2)):
        found = epsilon_of(guarantee, delta)
        if delta < own:
            assert found.lower == math.inf
            continue
        assert one_response(epsilon, own, Fraction(found.upper)) <= mpf(delta)
        if found.lower:
            below = Fraction(math.nextafter(found.lower, 0))
            assert one_response(epsilon, own, below) > mpf(delta)


def test_epsilon_is_rounded_up():
    """1/3 is no double: the answer at delta near 0 is at least it."""
    found = epsilon_of(dp.PureDP("1/3"), Fraction(1, 10**40))
    assert Fraction(found.lower) <= Fraction(1, 3) <= Fraction(found.upper)
    accountant = dp.accountants.BasicAccountant()
    for tenths in range(1, 40):
        upper = accountant.epsilon(parts_of((dp.ApproxDP("1/10", "1e-9"), tenths)), 1e-9 * tenths)
        assert Fraction(upper.upper) >= Fraction(tenths, 10) or math.isfinite(upper.upper)


@pytest.mark.parametrize("squared", [2, 3, "1/7", "1e-9", 10**6, 4])
def test_irrational_mu_after_composition(squared):
    """GaussianDP(sqrt(q)): what q unit releases are; against the profile at 50 digits."""
    guarantee = dp.GaussianDP(dp.sqrt(Fraction(squared)))
    with mpmath.workdps(50):
        mu = mpmath.sqrt(mpf(Fraction(squared)))
        found = epsilon_of(guarantee, MILLIONTH)
        assert gaussian_delta(found.upper, mu) <= mpf(MILLIONTH)
        if found.lower:
            assert gaussian_delta(found.lower * (1 - 1e-15), mu) > mpf(MILLIONTH)
        deltas = delta_of(guarantee, Fraction(1, 2))
        assert mpf(deltas.lower) <= gaussian_delta(Fraction(1, 2), mu) <= mpf(deltas.upper)
        assert deltas.upper <= 2e-323 or deltas.width <= 4e-16 * deltas.upper


@pytest.mark.parametrize("rho", ["1e-10", "1/100", 1, 50])
def test_zcdp_between_gaussian_noise_and_bun_steinke(rho):
    """At least what Gaussian noise with this rho needs; at most rho + 2 sqrt(rho log(1/delta))."""
    guarantee = dp.ZeroConcentratedDP(rho)
    for delta in (Fraction(1, 10), MILLIONTH, Fraction(1, 10**20)):
        found = epsilon_of(guarantee, delta)
        with mpmath.workdps(50):
            r, mu = mpf(Fraction(rho)), mpmath.sqrt(2 * mpf(Fraction(rho)))
            assert mpf(found.upper) <= r + 2 * mpmath.sqrt(-r * mpmath.log(mpf(delta)))
            assert gaussian_delta(found.upper, mu) <= mpf(delta)
            if found.lower:
                assert gaussian_delta(found.lower * (1 - 1e-15), mu) > mpf(delta)
        deltas = delta_of(guarantee, Fraction(1))
        assert mpf(deltas.lower) <= gaussian_delta(1, mu) <= mpf(deltas.upper)


def test_an_unknown_guarantee_is_refused_with_a_way_out():
    """Not a TypeError."""

    class Other(Guarantee):
        kind = "other"
        currency = parameters = ()
        amounts = ()

    for answer in (epsilon_of, delta_of):
        with pytest.raises(dp.InvalidArgument, match="privacy loss"):
            answer(Other(), MILLIONTH)


def test_a_lower_end_is_claimed_only_where_parts_may_need_it():
    """Basic composition of several parts is not tight: 0 below; of one, or of Gaussians, it is."""
    basic, zcdp = dp.accountants.BasicAccountant(), dp.accountants.ConcentratedAccountant()
    assert basic.epsilon(parts_of((dp.PureDP(1), 100)), MILLIONTH).lower == 0
    assert basic.epsilon(parts_of((dp.PureDP(1), 100)), MILLIONTH).upper > 99.9
    assert basic.epsilon(parts_of(dp.PureDP(1)), MILLIONTH).lower > 0.9
    gaussian = dp.accountants.GaussianAccountant()
    assert gaussian.epsilon(parts_of((dp.GaussianDP(1), 2)), MILLIONTH).lower > 7
    assert zcdp.epsilon(parts_of(dp.PureDP(1)), MILLIONTH).lower == 0
    assert zcdp.epsilon(parts_of((dp.ZeroConcentratedDP(1), 3)), MILLIONTH).lower > 10


def test_deltas_that_reach_one_guarantee_nothing():
    """(1, 1/2)-DP three times: no epsilon by basic composition, and no error."""
    parts = parts_of((dp.ApproxDP(1, "1/2"), 3))
    assert dp.accountants.BasicAccountant().epsilon(parts, MILLIONTH).upper == math.inf
    assert dp.accountants.BasicAccountant().delta(parts, 1).upper == 1


def test_a_billion_parts_are_one_multiplication():
    """times(g, n) is total([g] * n); and n = 10^9 has the closed form."""
    gaussian = dp.accountants.GaussianAccountant()
    for accountant, guarantee in (
        (dp.accountants.BasicAccountant(), dp.ApproxDP("1/7", "1e-9")),
        (dp.accountants.BasicAccountant(), dp.PureDP("1/7")),
        (gaussian, dp.GaussianDP("1/7")),
        (dp.accountants.ConcentratedAccountant(), dp.ZeroConcentratedDP("1/7")),
    ):
        for n in (1, 2, 7):
            assert accountant.times(guarantee, n) == accountant.total([guarantee] * n)
    many = parts_of((dp.GaussianDP("1e-4"), 10**9))
    one = parts_of(dp.GaussianDP(dp.sqrt(10)))
    assert gaussian.epsilon(many, MILLIONTH) == gaussian.epsilon(one, MILLIONTH)
