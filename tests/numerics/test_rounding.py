"""Rounding goes to the stated side; the proved intervals hold the vectorised answers."""

from __future__ import annotations

import math
import random
import sys
from decimal import Decimal
from fractions import Fraction

import pytest
from flint import arb, ctx

from dpframe.errors import InvalidArgument
from dpframe.numerics import (
    Interval,
    arb_float,
    arb_lower,
    arb_upper,
    holds,
    next_down,
    next_up,
    to_float,
)
from dpframe.numerics.fast import (
    classical_constants,
    gaussian_delta,
    gaussian_delta_interval,
    gaussian_epsilon,
    gaussian_epsilon_interval,
    gaussian_mu,
    gaussian_mu_interval,
    gaussian_sigma,
    gaussian_sigma_interval,
)

# ------------------------------------------ Rounding goes to the stated side, by at most one double
LARGEST = Fraction(sys.float_info.max)
SMALLEST = Fraction(5e-324)
random.seed(20)
DOUBLES = [0.0, 1.0, 0.1, 5e-324, 2.2250738585072014e-308, 1e308] + [
    random.uniform(1, 2) * 2.0 ** random.randint(-1070, 1020) for _ in range(300)
]
VALUES = [
    sign * (Fraction(x) + SMALLEST * Fraction(offset, 3))
    for x in DOUBLES
    for offset in (-1, 0, 1, 2)
    for sign in (1, -1)
]


def test_doubles_are_kept() -> None:
    """A rational that is a double is returned unchanged, in both directions."""
    for x in DOUBLES:
        assert to_float(Fraction(x), up=True) == to_float(Fraction(x), up=False) == x


def test_rounding_is_to_the_next_double() -> None:
    """Up and down are neighbours of the value, and mirror images."""
    for value in VALUES:
        up, down = to_float(value, up=True), to_float(value, up=False)
        assert Fraction(up) >= value > Fraction(next_down(up))
        assert Fraction(down) <= value < Fraction(next_up(down))
        assert to_float(-value, up=True) == -down


@pytest.mark.parametrize("apart", [0, 1e-14, 1e-9, 1e-3, 0.5, 1])
def test_a_printed_interval_holds_the_interval(apart: float) -> None:
    """Its ends as written: the number is at least the upper end, and so far above the lower one."""
    for _ in range(200):
        upper = 10 ** random.uniform(-20, 20)
        lower = upper * (1 - apart)
        words = str(Interval(lower, upper)).removesuffix(")").split(" ")
        if words[0] == "between":
            low, high = Decimal(words[1]), Decimal(words[3])
        elif words[0] == "at":
            assert lower == 0
            low, high = Decimal(0), Decimal(words[2])
        else:
            high = Decimal(words[0])
            low = high - Decimal(words[2]) if len(words) > 1 else high
        assert low <= Decimal(repr(lower)) <= Decimal(repr(upper)) <= high


@pytest.mark.parametrize("beyond", [LARGEST + SMALLEST, LARGEST * 2, Fraction(10) ** 5000])
def test_overflow_is_outward(beyond: Fraction) -> None:
    """Beyond the largest double, outward is infinite and inward is the largest double."""
    assert to_float(beyond, up=True) == math.inf
    assert to_float(beyond, up=False) == sys.float_info.max
    assert to_float(-beyond, up=False) == -math.inf
    assert to_float(-beyond, up=True) == -sys.float_info.max


def test_underflow_is_outward() -> None:
    """Below the smallest double, up is that double and down is a zero without a sign."""
    tiny = Fraction(1, 10**5000)
    assert to_float(tiny, up=True) == 5e-324
    assert math.copysign(1, to_float(tiny, up=False)) == 1
    assert math.copysign(1, to_float(-tiny, up=True)) == 1
    assert to_float(-tiny, up=False) == -5e-324


def test_neighbours() -> None:
    """next_up and next_down step over exactly one double, also at zero and the largest."""
    assert next_up(0.0) == 5e-324
    assert next_down(0.0) == -5e-324
    assert next_up(1.0) == 1 + 2**-52
    assert next_down(1.0) == 1 - 2**-53
    assert next_up(sys.float_info.max) == math.inf


@pytest.mark.parametrize("precision", [2, 53, 300])
def test_ends_of_balls_are_exact(precision: int) -> None:
    """End points are exact rationals, whatever the caller's working precision."""
    with ctx.workprec(200):
        third = arb(1) / 3
    with ctx.workprec(precision):
        lower, upper = arb_lower(third), arb_upper(third)
    assert lower < Fraction(1, 3) < upper
    assert upper - lower < Fraction(1, 2**195)
    assert arb_lower(arb(5, 2)) <= 3
    assert arb_lower(arb(-7)) == arb_upper(arb(-7)) == -7
    assert arb_lower(arb(0)) == arb_upper(arb(0)) == 0


def test_ends_of_balls_as_doubles() -> None:
    """The doubles of the two ends enclose the ball."""
    for _ in range(200):
        with ctx.workprec(random.choice([30, 53, 200])):
            ball = (arb(random.uniform(-9, 9)) / 3 + arb(0, random.random())) / 7
            low, high = arb_float(ball, up=False), arb_float(ball, up=True)
        assert Fraction(low) <= arb_lower(ball) <= arb_upper(ball) <= Fraction(high)
        assert arb_lower(ball) < Fraction(next_up(low))
        assert arb_upper(ball) > Fraction(next_down(high))


def test_balls_of_extreme_size() -> None:
    """Ends far outside the doubles go outward, and quickly."""
    tiny, huge = arb((1, -(10**30))), arb((1, 10**30))
    assert arb_float(tiny, up=True) == 5e-324
    assert arb_float(tiny, up=False) == 0
    assert arb_float(-tiny, up=False) == -5e-324
    assert arb_float(-tiny, up=True) == 0
    assert 0 == arb_lower(tiny) < arb_upper(tiny)
    assert arb_float(huge, up=True) == math.inf
    assert 0 <= arb_float(huge, up=False)
    assert arb_float(-huge, up=False) == -math.inf
    assert arb_float(-huge, up=True) <= 0
    assert arb_float(arb(1, huge), up=False) == -math.inf
    assert arb_float(arb(1, tiny), up=True) == next_up(1.0)
    assert arb_float(arb(1, tiny), up=False) == next_down(1.0)


@pytest.mark.parametrize("ball", [arb("nan"), arb(0, "inf"), arb("inf") - arb("inf")])
def test_unbounded_balls(ball: arb) -> None:
    """A ball without bounds has infinite ends as doubles; as rationals it and one beyond 2^131072
    are refused.
    """
    assert arb_float(ball, up=True) == math.inf
    assert arb_float(ball, up=False) == -math.inf
    for end in (arb_lower, arb_upper):
        with pytest.raises(InvalidArgument, match=r"^ball must be finite"):
            end(ball)
        with pytest.raises(InvalidArgument, match=r"^ball must be below"):
            end(arb((1, 10**30)))


# ------- The proved intervals hold the vectorised answers, and the classical constants their limits
POINTS = [(0.1, 1e-6), (1, 1e-300), (3, 0.5), (1e4, 1e-12), (1e-8, 0.9), (0, 0.1)]


@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
def test_intervals_are_one_double_wide(epsilon: float, delta: float) -> None:
    """(lower, upper) are neighbours, decided on both sides; the fast answer is just outside."""
    low, high = gaussian_sigma_interval(epsilon, delta, 3)
    assert next_up(low) == high
    exact = Fraction(str(epsilon)), Fraction(str(delta))  # a float is its shortest decimal
    assert holds(*exact, 3 / Fraction(high)) is True
    assert holds(*exact, 3 / Fraction(low)) is False
    assert high <= gaussian_sigma(epsilon, delta, 3) <= high + 16 * math.ulp(high)

    low, high = gaussian_mu_interval(epsilon, delta)
    assert next_up(low) == high
    assert holds(*exact, low) is True
    assert holds(*exact, high) is False
    assert low - 16 * math.ulp(low) <= gaussian_mu(epsilon, delta) <= low

    mu = 1.5 * low
    low, high = gaussian_delta_interval(epsilon, mu)
    assert low <= high <= gaussian_delta(epsilon, mu)
    low, high = gaussian_epsilon_interval(delta, mu)
    assert low <= high <= gaussian_epsilon(delta, mu)
    assert next_up(low) == high


def test_degenerate_intervals() -> None:
    """No shift, an infinite shift, a satisfied delta; an error where no double is enough. A
    rational means itself, not a double near it.
    """
    assert gaussian_sigma_interval(1, 0.1, 0) == (0, 0)
    assert gaussian_delta_interval(1, 0) == gaussian_epsilon_interval(0.1, 0) == (0, 0)
    assert gaussian_delta_interval(1, math.inf) == (1, 1)
    assert gaussian_epsilon_interval(0.1, math.inf) == (math.inf, math.inf)
    assert gaussian_epsilon_interval(0.5, 1) == (0, 0)
    with pytest.raises(ValueError, match=r"^delta must be large enough"):
        gaussian_sigma_interval(0, 5e-324)
    third = Fraction(1, 3)
    low, high = gaussian_sigma_interval(third, third, third)
    assert holds(third, third, third / Fraction(high)) is True
    assert holds(third, third, third / Fraction(low)) is False


@pytest.mark.parametrize("bad", [math.nan, True, "one", None, -1])
def test_bad_arguments(bad: object) -> None:
    """Refused by name."""
    for name, interval, arguments in (
        ("epsilon", gaussian_sigma_interval, (bad, 0.1)),
        ("epsilon", gaussian_mu_interval, (bad, 0.1)),
        ("epsilon", gaussian_delta_interval, (bad, 0.1)),
        ("epsilon", gaussian_delta_interval, (bad, math.inf)),
        ("sensitivity", gaussian_sigma_interval, (1, 0.1, bad)),
        ("mu", gaussian_epsilon_interval, (0.1, bad)),
        ("delta", gaussian_epsilon_interval, (bad, 1)),
    ):
        with pytest.raises(ValueError, match=rf"^{name} must be"):
            interval(*arguments)


@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-6, 1e-9, 1e-30])
def test_classical_constants_suffice_exactly_up_to_their_limit(delta: float) -> None:
    """At the limit the std suffices; a little further it does not; below it always does."""
    constants = classical_constants(delta)
    assert set(constants) == {"DworkRoth", "KamathUllman", "Wang"}
    assert constants["Wang"].epsilon_limit < constants["DworkRoth"].epsilon_limit
    assert constants["DworkRoth"].epsilon_limit < constants["KamathUllman"].epsilon_limit
    for constant, limit in constants.values():
        for share in (1e-6, 0.5, 1 - 1e-12):
            assert holds(limit * share, delta, Fraction(limit * share) / Fraction(constant)) is True
        further = Fraction(limit * (1 + 1e-9))
        assert holds(further, delta, further / Fraction(constant)) is False
