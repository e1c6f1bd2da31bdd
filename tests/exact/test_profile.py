"""Bounds on the Gaussian privacy profile against Arb and mpmath, out to extreme numbers."""

from fractions import Fraction
from random import Random

import flint
import mpmath
import pytest

from dpframe.exact import profile as bounds
from dpframe.exact.interval import FAR, Interval, Unbounded
from dpframe.numerics import arb_lower, arb_upper

MANY = [
    200,
    pytest.param(1_500, marks=pytest.mark.slow),
    pytest.param(20_000, marks=pytest.mark.exhaustive),
]
SCALES = [Fraction(10) ** k for k in (-40, -20, -6, -3, -1, 0, 1, 2, 6)]


def claims(count):
    """(e, mu): every extreme with every other, then random ones, most of them near e = mu^2/2."""
    random = Random(7)
    yield from ((Fraction(e), mu) for e in (0, 1, 700, 10_000) for mu in SCALES)
    for _ in range(count):
        e = Fraction(random.choice((random.random(), random.uniform(0, 700))))
        near = Fraction(random.uniform(-70, 70))  # e/mu - mu/2, whatever mu
        mu = random.choice((random.choice(SCALES) * random.randint(1, 9), Fraction(2)))
        if random.random() < 0.7:
            e = min(max((near + mu / 2) * mu, Fraction(0)), Fraction(700))
        yield e, mu


def exact(e, mu):
    """Rational bounds by Arb's erfc, with bits enough for all that cancels."""
    with flint.ctx.workprec(20_000 if max(e, mu) > 700 else 9_000):
        at, by = (flint.arb(flint.fmpq(x.numerator, x.denominator)) for x in (e, mu))
        root = flint.arb(2).sqrt()
        near, far = ((at / by + sign * by / 2) / root for sign in (-1, 1))
        value = (near.erfc() - at.exp() * far.erfc()) / 2
        return arb_lower(value), min(arb_upper(value), Fraction(1))


def contains(found, true):
    """Whether an interval contains a narrower enclosure."""
    return found.lower <= true[0] <= true[1] <= found.upper


@pytest.mark.parametrize("count", MANY)
def test_the_profile_is_enclosed_narrowly_wherever_it_is_not_far_out(count):
    """Twelve digits of delta; beyond 64 stds it is 0 or 1 to within 2^-2900."""
    for e, mu in claims(count):
        found, true = bounds.profile(e, mu), exact(e, mu)
        if e / mu - mu / 2 > 64:
            assert true[1] <= FAR, (e, mu)
            assert found == (0, FAR), (e, mu)
        else:
            assert contains(found, true), (e, mu)
            assert found.upper - found.lower <= found.upper / 2**44, (e, mu)


def test_mpmath_agrees_with_the_profile():
    """A second library's erfc, to 50 digits and more."""
    for e, mu in claims(15):
        if e <= 100 and e / mu - mu / 2 <= 64 and mu < 100:
            with mpmath.workdps(1600):
                at, by = (mpmath.mpf(x.numerator) / x.denominator for x in (e, mu))
                near, far = (mpmath.ncdf(sign * by / 2 - at / by) for sign in (1, -1))
                value = near - mpmath.exp(at) * far
                true = Fraction(*map(int, mpmath.libmp.to_rational(value._mpf_)))
            assert contains(bounds.profile(e, mu), (true, true)), (e, mu)


def test_the_profile_grows_with_mu_and_falls_with_epsilon():
    """Bounds of ordered claims never exclude the order."""
    random = Random(8)
    for e, mu in claims(150):
        more = 1 + Fraction(random.random())
        assert bounds.profile(e, mu).lower <= bounds.profile(e, mu * more).upper
        assert bounds.profile(e + more, mu).lower <= bounds.profile(e, mu).upper


def test_no_shift_costs_nothing():
    """Where no table moves the statistic, delta is 0."""
    assert bounds.profile(Fraction(1), Fraction(0)) == (0, 0)


@pytest.mark.parametrize("bits", [40, 100, 300])
@pytest.mark.some(3)
def test_mills_ratio_is_enclosed_on_both_sides_of_its_cuts(bits):
    """Series below 4, continued fraction above, and reflection below -4."""
    near = [Fraction(s) * (4 + Fraction(d, 10**9)) for s in (-1, 1) for d in (-1, 0, 1)]
    for x in [*near, *map(Fraction, (0, "1e-30", -1, "3.99", 5, 16, 64, -64))]:
        with flint.ctx.workprec(9_000):
            at = flint.arb(flint.fmpq(x.numerator, x.denominator))
            whole = (flint.arb.pi() / 2).sqrt() * (at * at / 2).exp()
            ratio = whole * (at / flint.arb(2).sqrt()).erfc()
            true = arb_lower(ratio), arb_upper(ratio)
        found = bounds.mills(x, bits)
        assert contains(found, true), x
        assert found.upper - found.lower <= Fraction(1, 2**bits), x


@pytest.mark.parametrize("x", [10**3, 10**9], ids=str)
@pytest.mark.some(2)
def test_mills_ratio_far_out_lies_between_its_classical_bounds(x):
    """x/(x^2 + 1) < R(x) < 1/x. [Gordon41]"""
    found = bounds.mills(Fraction(x), 100)
    assert Fraction(x, x * x + 1) <= found.upper
    assert found.lower <= Fraction(1, x)
    assert found.upper - found.lower <= Fraction(1, 2**100)


@pytest.mark.parametrize("e", ["0", "1e-30", "1/3", "5", "700"])
@pytest.mark.parametrize("d", ["1e-300", "1e-6", "1/2", "999/1000"])
@pytest.mark.some(4)
def test_the_largest_mu_lies_between_two_whose_profiles_say_so(e, d):
    """Decided by Arb at both ends, which are 13 digits apart at most."""
    at, target = Fraction(e), Fraction(d)
    a, b = bounds.most_mu(at, target)
    assert exact(at, a)[1] <= target < exact(at, b)[0]
    assert 0 < b - a <= a / 2**43


def test_the_least_std_of_intervals_covers_that_of_members():
    """It falls with epsilon and with delta, so opposite ends give the ends."""
    e = Interval(Fraction(1), Fraction(2))
    d = Interval(Fraction(1, 10**6), Fraction(1, 10**5))
    low, high = bounds.least_std(e, d)
    assert exact(e.upper, 1 / low)[1] > d.upper
    assert exact(e.lower, 1 / high)[0] <= d.lower
    inside = bounds.least_std(Interval(e.upper, e.upper), Interval(d.lower, d.lower))
    assert low <= inside.lower <= inside.upper <= high


@pytest.mark.parametrize("d", [0, 1])
def test_no_std_is_found_where_delta_is_zero_or_one(d):
    """Gaussian noise of no size would do, or of none."""
    with pytest.raises(Unbounded):
        bounds.least_std(Interval(Fraction(1), Fraction(1)), Interval(Fraction(d), Fraction(d)))
