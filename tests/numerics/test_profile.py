"""The Gaussian privacy profile and the normal tail are enclosed, sharply at points."""

from __future__ import annotations

import itertools
import random
import sys
import threading
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx

from dpframe.errors import InvalidArgument
from dpframe.numerics import (
    at_rising_precision,
    ball,
    certainly_above,
    certainly_at_most,
    delta_ball,
    holds,
    profile_delta,
    profile_delta_lower,
    working,
)
from dpframe.numerics.profile import mills, upper_tail

# ------------ The Gaussian privacy profile is enclosed, sharply at points and fully over wide balls
Oracle = Callable[[Fraction, Fraction], mpmath.mpf]
Ends = Callable[[arb], tuple[mpmath.mpf, mpmath.mpf]]

EPSILONS = ["1e-8", "1e-4", ".1", ".9", "1", "3", "10", "100", "1e4"]
MUS = ["1e-10", "1e-6", "1e-3", ".03", ".2367", "1", "5", "37", "140", "1e3"]
GRID = [(Fraction(e), Fraction(m)) for e, m in itertools.product(EPSILONS, MUS)]
random.seed(22)


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize(("epsilon", "mu"), GRID)
def test_points_against_the_definition(
    epsilon: Fraction, mu: Fraction, profile_oracle: Oracle, ends: Ends
) -> None:
    """At a point the enclosure holds the 450-digit value and has a relative radius < 2^-80."""
    enclosure = delta_ball(epsilon, mu)
    low, high = ends(enclosure)
    with mpmath.workdps(450):
        true = profile_oracle(epsilon, mu)
        slack = true * mpmath.mpf(10) ** -60
        assert low <= true + slack
        assert high >= true - slack
        assert high - low < true * mpmath.mpf(2) ** -79


@pytest.mark.some(1, most=12)
@pytest.mark.parametrize(
    ("epsilon", "mu"),
    [(e, m) for e, m in GRID if Fraction(1, 100) <= e / m <= 200 and m < 200],
)
def test_points_against_the_integral(
    epsilon: Fraction, mu: Fraction, integral_oracle: Oracle, ends: Ends
) -> None:
    """The same number is int_0^mu phi(x/2 - epsilon/x) dx, where nothing cancels."""
    low, high = ends(delta_ball(epsilon, mu))
    true = integral_oracle(epsilon, mu)
    assert abs(low / true - 1) < 1e-15
    assert abs(high / true - 1) < 1e-15


@pytest.mark.parametrize("mu", [Fraction(m) for m in MUS] + [Fraction(1, 10**400)])
def test_epsilon_zero(mu: Fraction, ends: Ends) -> None:
    """At epsilon = 0 the profile is the total variation distance, erf(mu / sqrt 8)."""
    low, high = ends(delta_ball(0, mu))
    with mpmath.workdps(400):
        true = mpmath.erf(mpmath.mpf(mu.numerator) / mu.denominator / mpmath.sqrt(8))
        assert low <= true <= high
        assert high - low < true * mpmath.mpf(2) ** -79


def test_mu_zero() -> None:
    """Without a shift nothing is lost: delta = 0 for every epsilon >= 0, also 0."""
    for epsilon in (0, 1e-300, 1, 10**6):
        assert delta_ball(epsilon, 0).is_zero()
        assert profile_delta(epsilon, 0) == 0


def test_extreme_arguments_stay_sharp() -> None:
    """Far outside any use the enclosure is still sharp, positive and below 1."""
    points = [(1, 1e-300), (1e4, 1e-10), (1e300, 1e-300), (1e300, 1e150), (1e-300, 1e-290)]
    for epsilon, mu in [*points, (Fraction(1, 10**400), Fraction(1, 10**399))]:
        enclosure = delta_ball(epsilon, mu)
        assert enclosure.rel_accuracy_bits() > 80
        assert 0 < enclosure < 1


def test_wide_balls_hold_every_point() -> None:
    """The enclosure over two wide balls contains the enclosure at each point inside."""
    for _ in range(200):
        e, m = random.choice([1e-6, 0.3, 2, 30]), random.choice([1e-3, 0.2, 1, 9])
        low_e, high_e, low_m, high_m = (x * random.uniform(0.5, 2) for x in (e, e, m, m))
        with working(128):
            wide_e, wide_m = arb(low_e).union(high_e), arb(low_m).union(high_m)
        enclosure = delta_ball(wide_e, wide_m)
        for _ in range(5):
            share, other = random.random(), random.random()
            point = delta_ball(low_e + (high_e - low_e) * share, low_m + (high_m - low_m) * other)
            assert enclosure.contains(point)


def test_wide_balls_are_cut_at_their_domain() -> None:
    """A ball that rounding pushed below 0 is read as its part at 0 and above."""
    with working(128):
        assert delta_ball(arb(0, 1e-9), arb(1)).contains(delta_ball(0, 1))
        assert delta_ball(1, arb(0, 1)).contains(delta_ball(1, 1))
        assert delta_ball(1, arb(0, 1)).contains(0)
        assert delta_ball(arb("nan"), arb("nan")).contains(1)
        assert delta_ball(1, arb(0, "inf")).contains(1)
        assert delta_ball(1, arb(0, "inf")).contains(0)


def test_decisions_have_three_answers() -> None:
    """Proved, refuted, or open when a wide ball lies on both sides."""
    assert holds(1, Fraction(1, 10**6), Fraction("0.2367")) is True
    assert holds(1, Fraction(1, 10**6), Fraction("0.2368")) is False
    with working(128):
        assert holds(1, Fraction(1, 10**6), arb("0.2367", 0.001)) is None
        assert holds(1, Fraction(1, 10**6), arb("0.2357", 0.001)) is True
        assert holds(1, Fraction(1, 10**6), arb("0.2378", 0.001)) is False
        assert holds(arb(1, 0.5), Fraction(1, 10**6), arb(0, "inf")) is None
        assert holds(arb(1, 0.5), Fraction(1, 10**6), Fraction("0.2367")) is None
        assert holds(arb(1.5, 0.499), Fraction(1, 10**6), Fraction("0.2367")) is True
        assert holds(arb(0.5, 0.499), Fraction(1, 10**6), Fraction("0.2368")) is False


def test_decisions_at_the_ends_of_delta() -> None:
    """delta >= 1 always holds; delta = 0 holds only without a shift; below 0 nothing does."""
    assert holds(0, Fraction(1), 10**6) is True
    assert holds(1, Fraction(0), 0) is True
    assert holds(1, Fraction(0), 1e-10) is False
    assert holds(1, Fraction(-1), 0) is False
    for bad in (float("nan"), "0.1", True):
        with pytest.raises(InvalidArgument, match=r"^delta must be"):
            holds(1, bad, 1)  # type: ignore[arg-type]


def test_a_recipe_is_evaluated_at_each_precision() -> None:
    """A recipe decides what a fixed ball of few bits leaves open."""
    tight = Fraction(profile_delta(1, 1))
    with ctx.workprec(20):
        fixed = arb(2).sqrt() / arb(2).sqrt()
    assert holds(1, tight, fixed) is None
    assert holds(1, tight, lambda: arb(2).sqrt() / arb(2).sqrt()) is True


def test_bounds_on_balls_are_exact() -> None:
    """Comparisons with rationals do not depend on the caller's precision."""
    with working(128):
        third = arb(1) / 3
    nearby = Fraction(1, 3) + Fraction(1, 10**30)
    with ctx.workprec(10):
        assert certainly_at_most(third, nearby)
        assert certainly_above(third, Fraction(1, 3) - Fraction(1, 10**30))
        assert not certainly_at_most(third, Fraction(1, 3))
        assert not certainly_above(third, Fraction(1, 3))
    assert certainly_at_most(arb(2), 2)
    assert not certainly_above(arb(2), 2)
    assert not certainly_at_most(arb("nan"), 2)
    assert not certainly_above(arb("nan"), 2)


def test_balls_of_numbers() -> None:
    """A float is its exact binary value, a fraction is enclosed, a recipe is called."""
    with working(128):
        assert ball(0.1).is_exact()
        assert not ball(0.1).overlaps(ball(Fraction("0.1")))
        assert ball(2**300 + 1).overlaps(arb(2) ** 300 + 1)
        assert (ball(Fraction(1, 3)) * 3).contains(1)
        assert ball(lambda: arb(7)) == 7


@pytest.mark.parametrize("value", ["0.1", True, float("nan"), None])
def test_other_balls_are_refused(value: object) -> None:
    """Text, booleans and nan are not numbers."""
    with pytest.raises(InvalidArgument, match="must be an exact number"):
        ball(value)  # type: ignore[arg-type]


def test_negative_arguments_are_refused() -> None:
    """epsilon and mu below 0 are refused by name, as numbers and as balls."""
    for bad in (-1, Fraction(-1, 3), arb(-1)):
        with pytest.raises(InvalidArgument, match=r"^epsilon must be"):
            delta_ball(bad, 1)
        with pytest.raises(InvalidArgument, match=r"^mu must be"):
            holds(1, Fraction(1, 2), bad)
    for bad in (lambda: arb(-1), lambda: -arb(3).sqrt()):
        with pytest.raises(InvalidArgument, match=r"^epsilon, mu must be"):
            delta_ball(bad, 1)
        with pytest.raises(InvalidArgument, match=r"^epsilon, mu must be"):
            holds(1, Fraction(1, 2), bad)
    for bad in (-1, float("nan"), "1", True):
        with pytest.raises(InvalidArgument, match=r"must be"):
            holds(1, Fraction(1, 2), bad)  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match=r"^mu must be"):
            profile_delta(1, bad)  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match=r"^epsilon must be"):
            profile_delta_lower(bad, 1)  # type: ignore[arg-type]


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize(("epsilon", "mu"), GRID)
def test_doubles_around_delta(epsilon: Fraction, mu: Fraction, profile_oracle: Oracle) -> None:
    """The two doubles enclose the oracle's delta, and are at most four doubles apart."""
    low, high = profile_delta_lower(epsilon, mu), profile_delta(epsilon, mu)
    with mpmath.workdps(450):
        true = profile_oracle(epsilon, mu)
        assert low <= true * (1 + mpmath.mpf(10) ** -60)
        assert high >= true * (1 - mpmath.mpf(10) ** -60)
    assert 0 <= low <= high <= 1
    assert high - low <= max(high * 2**-51, 5e-324)


def test_precision_is_restored() -> None:
    """The caller's working precision is as it was, also after an error inside."""
    before = ctx.prec
    delta_ball(Fraction(1, 3), Fraction(1, 7))
    with pytest.raises(ZeroDivisionError):
        next(at_rising_precision(lambda: 1 // 0))
    assert ctx.prec == before


def test_threads_get_the_same_answers() -> None:
    """flint's precision is global: threads must not disturb each other's enclosures."""
    expected = [profile_delta(e, m) for e, m in GRID]
    before, answers, interval = ctx.prec, [], sys.getswitchinterval()

    def work() -> None:
        answers.append([profile_delta(e, m) for e, m in GRID])

    threads = [threading.Thread(target=work) for _ in range(8)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert answers == [expected] * 8
    assert ctx.prec == before


# ----------------------------------- The normal tail and its Mills ratio are enclosed, near and far
NEAR = [0.0, 1e-20, 0.7, 8.0, 40.0, 500.0, 511.9999, 512.0, 512.0001, 3e3, 1e6]
FAR = [1e9, 2.0**40, 1e14, 1e40]  # at 2^40 no rounding hides the remainder of the series


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("bits", [128, 1024])
@pytest.mark.parametrize("x", NEAR + FAR)
def test_mills_ratio(x: float, bits: int, ends: Ends) -> None:
    """R(x) = sqrt(pi/2) e^(x^2/2) erfc(x/sqrt 2) lies in a sharp enclosure."""
    with working(bits):
        ball = mills(arb(x))
    assert ball.rel_accuracy_bits() > bits - 40
    with mpmath.workdps(400):
        far = mpmath.mpf(x)
        true = (
            mpmath.sqrt(mpmath.pi / 2) * mpmath.exp(far**2 / 2) * mpmath.erfc(far / mpmath.sqrt(2))
        )
        low, high = ends(ball)
        assert low <= true <= high


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("x", [*NEAR, *(-x for x in NEAR), *FAR])
def test_upper_tail(x: float, ends: Ends) -> None:
    """1 - Phi(x) lies in an enclosure that is sharp on both sides of zero and far out."""
    with working(512):
        ball = upper_tail(arb(x))
    assert ball.rel_accuracy_bits() > 128
    with mpmath.workdps(400):
        low, high = ends(ball)
        assert low <= mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2)) / 2 <= high


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 3), (500, 520), (512, 9000), (1e5, 1e9)])
def test_wide_arguments(low: float, high: float) -> None:
    """Over a wide ball the enclosure holds the value at each of its points."""
    with working(128):
        wide = arb(low).union(high)
        for k in range(11):
            point = low + (high - low) * k / 10
            assert mills(wide).contains(mills(arb(point)))
            assert upper_tail(wide).contains(upper_tail(arb(point)))


@pytest.mark.parametrize("x", [arb("inf"), arb("nan"), arb(0, "inf")])
def test_unbounded_arguments_end(x: arb) -> None:
    """Infinite arguments neither loop nor give a wrong number."""
    with working(128):
        assert not mills(x) < 0
        assert not mills(x) > 0
        assert upper_tail(x).contains(0) or not upper_tail(x).is_finite()
