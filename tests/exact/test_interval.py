"""Rational intervals contain what Arb and mpmath compute with far more digits, and are narrow."""

import math
from fractions import Fraction
from itertools import islice
from random import Random

import flint
import mpmath
import pytest

from dpframe.exact import interval
from dpframe.exact.interval import FAR, Interval, Unbounded
from dpframe.numerics import arb_lower, arb_upper
from tests.support.checking import cos_sin

PRECISE = 2600  # bits: 1 + 1e-300 and pi/2 at 1e12 keep 60 digits and more
MANY = [
    200,
    pytest.param(4_000, marks=pytest.mark.slow),
    pytest.param(100_000, marks=pytest.mark.exhaustive),
]
EXTREMES = [
    *(Fraction(s * 10**k) for s in (1, -1) for k in (-300, -40, -1, 0, 1, 4, 12, 300)),
    *(1 + Fraction(s, 10**k) for s in (1, -1) for k in (300, 100, 40, 16, 1)),
    *(Fraction(n, d) for n, d in ((1, 3), (2, 3), (4, 3), (-1, 3), (3, 2), (10**30 + 1, 10**30))),
    *(Fraction(n) * Fraction(10) ** k for n in (20_000, -20_000, 745) for k in (0, -5)),
]


def points(count):
    """Extremes, then rationals of every size, neighbours of 1, doubles, neighbours of k pi/2."""
    random = Random(20_000)
    with flint.ctx.workprec(PRECISE):
        half = arb_lower(flint.arb.pi() / 2)
    kinds = [
        lambda: Fraction(random.randint(-(10**9), 10**9), random.randint(1, 10**6)),
        lambda: (
            Fraction(random.choice((1, -1)) * random.randint(1, 10**20), random.randint(1, 99))
            * Fraction(10) ** random.randint(-300, 300)
        ),
        lambda: 1 + Fraction(random.randint(-99, 99), 7 * 10 ** random.randint(3, 300)),
        lambda: Fraction(random.uniform(-50, 50)),
        lambda: Fraction(math.exp(random.uniform(-690, 690))),
        lambda: random.randint(-(10**12), 10**12) * half,
    ]
    yield from EXTREMES
    for _ in range(count):
        yield random.choice(kinds)()


def arb(x):
    """An enclosure of a rational."""
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


def truth(name, x):
    """Rational ends of Arb's enclosure."""
    with flint.ctx.workprec(PRECISE):
        value = flint.arb.pi() if name == "pi" else getattr(arb(x), name)()
        return arb_lower(value), arb_upper(value)


def rational(value):
    """A number of mpmath, exactly."""
    return Fraction(*map(int, mpmath.libmp.to_rational(value._mpf_)))


ENCLOSED = {
    "exp": interval.exp,
    "log": interval.log,
    "cos": lambda x, bits: cos_sin(x, bits)[0],
    "sin": lambda x, bits: cos_sin(x, bits)[1],
}


def fits(found, true):
    """Whether an interval contains a narrower enclosure of the value."""
    return found.lower <= true[0] <= true[1] <= found.upper


@pytest.mark.parametrize("count", MANY)
@pytest.mark.parametrize("bits", [53, 128, 300])
@pytest.mark.some(3)
def test_exp_and_log_contain_the_value_within_two_units_of_the_last_bit(count, bits):
    """The relative width is at most 2^(2 - bits), also of log(1 + 1e-300)."""
    for x in points(count):
        if abs(x) <= 20_000:
            found = interval.exp(x, bits)
            assert fits(found, truth("exp", x)), x
            assert found.upper - found.lower <= found.upper / 2 ** (bits - 2), x
        if x > 0:
            found = interval.log(x, bits)
            assert fits(found, truth("log", x)), x
            assert found.upper - found.lower <= max(map(abs, found)) / 2 ** (bits - 2), x


@pytest.mark.parametrize("count", MANY)
@pytest.mark.parametrize("bits", [53, 128, 300])
@pytest.mark.some(3)
def test_cos_and_sin_contain_the_value_within_an_absolute_width(count, bits):
    """Also next to multiples of pi/2, where one of the two is tiny."""
    for x in points(count):
        if abs(x) < 2**40:
            for name, found in zip(("cos", "sin"), cos_sin(x, bits), strict=True):
                assert fits(found, truth(name, x)), x
                assert found.upper - found.lower <= Fraction(4, 2**bits), x


@pytest.mark.parametrize("name", ["exp", "log", "cos", "sin"])
@pytest.mark.some(4)
def test_mpmath_agrees(name):
    """A second library, at 400 digits."""
    for x in points(300):
        if abs(x) > 20_000 or (name == "log" and x <= 0):
            continue
        with mpmath.workdps(400):
            value = rational(getattr(mpmath, name)(mpmath.mpf(x.numerator) / x.denominator))
        found = ENCLOSED[name](x, 160)
        close = Fraction(1, 10**90)  # mpmath rounds x first: 1 + 1e-300 loses 300 digits
        assert found.lower - close * abs(value) <= value <= found.upper + close * abs(value), x


@pytest.mark.parametrize("bits", [24, 96, 160, 1000])
@pytest.mark.some(4)
def test_pi_is_enclosed_in_two_units_of_the_last_bit(bits):
    """At every precision that is asked for."""
    found = interval.pi(bits)
    assert fits(found, truth("pi", None))
    assert found.upper - found.lower <= Fraction(4 * 4, 2**bits)


def test_log_of_one_is_exact():
    """The one logarithm of a rational that is rational. [Lindemann]"""
    assert interval.log(Fraction(1), 96) == (0, 0)


def test_exp_far_below_zero_is_small_and_far_above_unbounded():
    """No number of 30,000 bits is formed."""
    assert interval.exp(Fraction(-20_001), 96) == (0, FAR)
    assert interval.exp(Fraction(-10) ** 301, 96) == (0, FAR)
    assert truth("exp", Fraction(-2048))[1] < FAR
    with pytest.raises(Unbounded):
        interval.exp(Fraction(20_001), 96)


@pytest.mark.parametrize("x", [0, -1])
def test_log_wants_a_positive_number(x):
    """There is no enclosure at or below 0."""
    with pytest.raises(Unbounded):
        interval.log(Fraction(x), 96)


@pytest.mark.parametrize("x", [2**40, -(2**40)])
def test_cos_and_sin_of_a_large_number_are_unbounded(x):
    """Beyond 2^40 the bits for pi would not do."""
    with pytest.raises(Unbounded):
        cos_sin(Fraction(x), 96)


@pytest.mark.parametrize(
    "x", [Fraction(1, 7), Fraction(-3), Fraction(10**6, 3), Fraction(1, 10**9)], ids=str
)
@pytest.mark.some(4)
def test_phases_lie_on_the_circle_at_equal_angles(x):
    """The bound on the error holds at each step, and grows no faster than the steps."""
    scale = 180
    for k, (cosine, sine, error) in enumerate(islice(interval.phases(x, scale), 500)):
        assert error < 2**70 // 2**20 * (k + 1)
        for name, n in (("cos", cosine), ("sin", sine)):
            found = Interval(Fraction(n - error, 2**scale), Fraction(n + error, 2**scale))
            assert fits(found, truth(name, k * x)), k


def significant(x):
    """The bits of the odd part of a numerator."""
    n = abs(x.numerator)
    return (n // (n & -n)).bit_length() if n else 0


def test_a_number_rounded_down_is_at_most_itself_and_short():
    """A number that was short is kept."""
    for x in points(300):
        for bits in (24, 96):
            low = interval.floor_to(x, bits)
            assert low <= x <= low + abs(x) / 2 ** (bits - 2)
            if low != x:
                assert significant(low) <= bits + 1


def between(random):
    """An interval and a number in it."""
    low, high = sorted(Fraction(random.randint(-99, 99), random.randint(1, 99)) for _ in "ab")
    return Interval(low, high), low + (high - low) * Fraction(random.randint(0, 8), 8)


@pytest.mark.parametrize("count", [300, pytest.param(3_000, marks=pytest.mark.slow)])
def test_sums_products_and_whole_powers_contain_those_of_members(count):
    """The inclusion property, with few bits and with many."""
    random = Random(1)
    for _ in range(count):
        (a, x), (b, y) = between(random), between(random)
        for bits in (8, 96):
            total = interval.added(a, b, bits)
            assert total.lower <= x + y <= total.upper
            product = interval.multiplied(a, b, bits)
            assert product.lower <= x * y <= product.upper
            for e in (0, 1, 2, 3, 4, -1, -2, -3):
                if e < 0 and a.lower <= 0 <= a.upper:
                    with pytest.raises(Unbounded):
                        interval.raised(a, e, bits)
                else:
                    power = interval.raised(a, e, bits)
                    assert power.lower <= x**e <= power.upper


def test_ends_of_sums_products_and_powers_are_attained():
    """With many bits nothing is rounded: the interval is the range."""
    a, b = Interval(Fraction(-2), Fraction(3)), Interval(Fraction(-5), Fraction(7))
    assert interval.added(a, b, 96) == (-7, 10)
    assert interval.multiplied(a, b, 96) == (-15, 21)
    assert interval.raised(a, 2, 96) == (0, 9)
    assert interval.raised(a, 3, 96) == (-8, 27)
    assert interval.raised(Interval(Fraction(-3), Fraction(-2)), -2, 96) == (
        Fraction(1, 9),
        Fraction(1, 4),
    )


@pytest.mark.parametrize("q", [2, 3, 5, 12])
@pytest.mark.some(4)
def test_roots_are_exact_where_rational_and_else_narrow(q):
    """The ends, raised again, lie on both sides."""
    for x in points(200):
        found = interval.root_ends(abs(x), q, 96)
        assert found.lower**q <= abs(x) <= found.upper**q
        assert found.upper - found.lower <= found.upper / 2**94
        exact = interval.root_ends(abs(x) ** q, q, 96)
        assert exact == (abs(x), abs(x))


@pytest.mark.parametrize("q", [2, 3, 7])
@pytest.mark.some(3)
def test_a_whole_root_is_the_largest_whole_number_below(q):
    """On both sides of perfect powers."""
    values = [*range(300), *(n**q + d for n in (10**9, 2**64, 3**50) for d in (-1, 0, 1))]
    for value in values:
        root = interval.whole_root(value, q)
        assert root**q <= value < (root + 1) ** q


def test_a_fractional_power_is_of_the_nonnegative_part():
    """A negative one does not exist where that part reaches 0."""
    half = Fraction(1, 2)
    assert interval.raised(Interval(Fraction(-4), Fraction(9)), half, 96) == (0, 3)
    assert interval.raised(Interval(Fraction(4), Fraction(9)), -half, 96) == (1 / Fraction(3), half)
    for span in (Interval(Fraction(-4), Fraction(9)), Interval(Fraction(-4), Fraction(-1))):
        with pytest.raises(Unbounded):
            interval.raised(span, -half, 96)
