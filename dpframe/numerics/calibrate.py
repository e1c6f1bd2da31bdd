"""Inverses of the Gaussian privacy profile, each rounded to the side its name states.

Arguments are exact (a Fraction, an int, or a float for its exact binary value). Every answer is
proved by an enclosure of the profile. The search starts from a guess by Newton's method on
log delta, which is concave in mu and in epsilon, from a closed-form bound on the root. A bad guess
costs time only, and a proof that fails moves the answer outward.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

from flint import arb

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, nonnegative, open_unit, positive

from .profile import Quantity, Terms, ball, delta_ball, holds, sharp_terms
from .rounding import LEAST_BITS, arb_float, arb_lower, arb_upper, at_rising_precision, working

_INFINITY = 0x7FF0000000000000


def boundary(test: Callable[[float], bool], guess: float) -> tuple[float, float]:
    """Neighbouring doubles (below, above): `test` is false at `below` and true at `above`.

    `test` is monotone on the positive doubles, from false to true; it is never called at 0, which
    counts as false, nor at infinity, which counts as true. `guess` changes the time only. For a
    test that is not monotone near the boundary ("not proved") the ends still have these answers.
    """
    start = _ordinal(guess) if 0 < guess < math.inf else _ordinal(1.0)
    false, true = _bracket(test, min(max(start, 1), _INFINITY - 1))
    while true - false > 1:
        middle = (false + true) // 2
        false, true = (false, middle) if test(_double(middle)) else (middle, true)
    return _double(false), _double(true)


def newton(gap_and_slope: Callable[[float], tuple[float, float]], start: float) -> float:
    """An unproved double near the positive root of `gap`: at most 40 Newton steps from `start`."""
    point = start
    for _ in range(40):
        gap, slope = gap_and_slope(point)
        if not (math.isfinite(gap) and math.isfinite(slope) and slope != 0):
            break
        following = point - gap / slope
        if not 0 < following < math.inf:
            following = point / 8
        if abs(following - point) <= 1e-9 * point:
            return following
        point = following
    return point


def _bracket(test: Callable[[float], bool], start: int) -> tuple[int, int]:
    """Ordinals of a false and a true double around `start`, at distances that double."""
    stride, rising = 1, not test(_double(start))
    near = start
    while True:
        far = min(start + stride, _INFINITY) if rising else max(start - stride, 0)
        if far in (0, _INFINITY) or test(_double(far)) == rising:
            return (near, far) if rising else (far, near)
        near, stride = far, 2 * stride


def _ordinal(value: float) -> int:
    """The rank of a double >= 0 among the doubles >= 0."""
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def _double(ordinal: int) -> float:
    """The double >= 0 of this rank."""
    return float(struct.unpack("<d", struct.pack("<q", ordinal))[0])


def guess_mu(epsilon: Fraction, delta: Fraction) -> float:
    """Near the mu with delta(epsilon; mu) = delta; Newton from below."""

    def gap(mu: float) -> tuple[float, float]:
        return _gap(sharp_terms(epsilon, arb(mu)), delta, lambda at: at.density)

    return _or_one(
        gap, lambda: max(_mu_of_one_tail(float(epsilon), _quantile(delta)), _mu_at_zero(delta))
    )


def guess_epsilon(delta: Fraction, mu: Fraction) -> float:
    """Near the epsilon with delta(epsilon; mu) = delta; Newton from above."""

    def gap(epsilon: float) -> tuple[float, float]:
        return _gap(sharp_terms(arb(epsilon), mu), delta, lambda at: -at.tail)

    return _or_one(gap, lambda: max(float(mu) * _quantile(delta), 0.0) + float(mu) ** 2 / 2)


def guess_limit(constant_squared: Quantity, delta: Fraction) -> float:
    """Near the epsilon with delta(epsilon; epsilon/C) = delta; Newton from below."""
    constant = ball(constant_squared).sqrt()

    def gap(epsilon: float) -> tuple[float, float]:
        at = sharp_terms(arb(epsilon), lambda: arb(epsilon) / ball(constant_squared).sqrt())
        return _gap(at, delta, lambda at: at.density / constant - at.tail)

    return _or_one(gap, lambda: _limit_of_one_tail(float(constant), delta))


def _gap(at: Terms, delta: Fraction, slope: Callable[[Terms], arb]) -> tuple[float, float]:
    """log(delta at the point / delta), and its derivative."""
    with working(LEAST_BITS):
        return float((at.delta / ball(delta)).log()), float(slope(at) / at.delta)


def _quantile(delta: Fraction) -> float:
    """About the z with Pr[Z > z] = delta."""
    if delta > Fraction(1, 2):
        return -_quantile(1 - delta)
    if delta > Fraction(1, 10**300):
        return -NormalDist().inv_cdf(float(delta))
    return math.sqrt(2 * (math.log(delta.denominator) - math.log(delta.numerator)))


def _mu_of_one_tail(epsilon: float, z: float) -> float:
    """The mu with Pr[Z > epsilon/mu - mu/2] = Pr[Z > z]: at most the root."""
    root = math.sqrt(z * z + 2 * epsilon)
    return 2 * epsilon / (z + root) if z > 0 else root - z


def _mu_at_zero(delta: Fraction) -> float:
    """At most the root at epsilon = 0, where delta = 2 Phi(mu/2) - 1."""
    if delta > Fraction(1, 2):
        return 2 * _quantile((1 - delta) / 2)
    return float(delta) * math.sqrt(2 * math.pi)


def _limit_of_one_tail(constant: float, delta: Fraction) -> float:
    """2C(C - z) if C exceeds the quantile z; else from the slope of the profile at 0."""
    z = _quantile(delta)
    if constant > z:
        return 2 * constant * (constant - z)
    slope = math.exp(-constant * constant / 2) / max(constant, 1) ** 2
    return float(delta) * constant / slope


def _or_one(
    gap_and_slope: Callable[[float], tuple[float, float]], start: Callable[[], float]
) -> float:
    """The root by Newton's method, or 1 where the arithmetic of doubles fails."""
    try:
        number = newton(gap_and_slope, start())
    except (ArithmeticError, ValueError):
        return 1.0
    return number if 0 < number < math.inf else 1.0


def analytic_sigma(epsilon: Exact, delta: Exact) -> float:
    """The least std sigma with delta(epsilon; 1/sigma) <= delta, at sensitivity 1. [BalleW18]

    epsilon >= 0 and 0 < delta < 1. Rounded up: the smallest double that is proved to suffice.
    """
    sigma = _sigma(nonnegative("epsilon", epsilon), open_unit("delta", delta))
    if math.isinf(sigma):
        wanted = "large enough for a provable std below 1.8e308"
        raise InvalidArgument("delta", wanted, delta, "Raise delta or epsilon.")
    return sigma


def analytic_mu(epsilon: Exact, delta: Exact) -> float:
    """The largest mu with delta(epsilon; mu) <= delta; epsilon >= 0, 0 < delta < 1.

    Rounded down: the largest double that is proved to suffice.
    """
    return _mu(nonnegative("epsilon", epsilon), open_unit("delta", delta))


def profile_delta(epsilon: Exact, mu: Exact) -> float:
    """delta(epsilon; mu), rounded up; epsilon >= 0, mu >= 0."""
    return min(arb_float(_profile(epsilon, mu), up=True), 1.0)


def profile_delta_lower(epsilon: Exact, mu: Exact) -> float:
    """delta(epsilon; mu), rounded down; epsilon >= 0, mu >= 0."""
    return max(arb_float(_profile(epsilon, mu), up=False), 0.0)


def profile_epsilon(delta: Exact, mu: Exact) -> float:
    """The least epsilon >= 0 with delta(epsilon; mu) <= delta; 0 < delta < 1, mu >= 0.

    Rounded up: the smallest double that is proved to suffice (an infinity beyond the doubles).
    """
    return _epsilon(open_unit("delta", delta), nonnegative("mu", mu))


def profile_epsilon_lower(delta: Exact, mu: Exact) -> float:
    """The least epsilon >= 0 with delta(epsilon; mu) <= delta; 0 < delta < 1, mu >= 0.

    Rounded down: every smaller epsilon is proved to be violated.
    """
    return _epsilon_lower(open_unit("delta", delta), nonnegative("mu", mu))


def epsilon_limit(constant_squared: Quantity, delta: Exact) -> float:
    """The largest epsilon up to which sigma = C Delta / epsilon is (epsilon, delta)-private.

    C does not depend on epsilon, so delta(epsilon; epsilon/C) increases in epsilon and one number
    decides every smaller epsilon. C^2 > 0 is exact, or a function such as `lambda: 2 *
    arb(3).log()`; a fixed ball means its lower end. Rounded down: proved at the answer.
    """
    target, squared = open_unit("delta", delta), _positive_recipe(constant_squared)

    def violated(epsilon: float) -> bool:
        point = arb(epsilon)
        return holds(point, target, lambda: point / ball(squared).sqrt()) is not True

    return boundary(violated, guess_limit(squared, target))[0]


def analytic_sigma_ball(epsilon: arb, delta: arb) -> arb:
    """An enclosure of the exact least std over all epsilon >= 0 and 0 < delta < 1 in the balls.

    The std decreases in both, so two corners decide. At a point it is one double wide; it is not a
    number where the balls lie wholly outside the domain, as with arb's own functions.
    """
    if epsilon < 0 or delta <= 0 or delta >= 1:
        return arb("nan")
    if not (epsilon.is_finite() and delta.is_finite()):
        return arb(0).union(arb("inf"))
    loose = arb_upper(epsilon), arb_upper(delta)
    strict = max(arb_lower(epsilon), Fraction(0)), arb_lower(delta)
    least = _sigma_lower(*loose) if loose[1] < 1 else 0.0
    most = _sigma(*strict) if strict[1] > 0 else math.inf
    with working(LEAST_BITS):
        return arb(least).union(arb(most))


def _sigma_holds(epsilon: Fraction, delta: Fraction, sigma: float) -> bool | None:
    return holds(epsilon, delta, lambda: 1 / arb(sigma))


@lru_cache(maxsize=4096)
def _sigma(epsilon: Fraction, delta: Fraction) -> float:
    guess = 1 / guess_mu(epsilon, delta)
    return boundary(lambda sigma: _sigma_holds(epsilon, delta, sigma) is True, guess)[1]


@lru_cache(maxsize=4096)
def _sigma_lower(epsilon: Fraction, delta: Fraction) -> float:
    guess = _sigma(epsilon, delta)
    return boundary(lambda sigma: _sigma_holds(epsilon, delta, sigma) is not False, guess)[0]


@lru_cache(maxsize=4096)
def _mu(epsilon: Fraction, delta: Fraction) -> float:
    guess = guess_mu(epsilon, delta)
    return boundary(lambda mu: holds(epsilon, delta, arb(mu)) is not True, guess)[0]


@lru_cache(maxsize=4096)
def _epsilon(delta: Fraction, mu: Fraction) -> float:
    if holds(0, delta, mu):
        return 0.0
    guess = guess_epsilon(delta, mu)
    return boundary(lambda epsilon: holds(arb(epsilon), delta, mu) is True, guess)[1]


@lru_cache(maxsize=4096)
def _epsilon_lower(delta: Fraction, mu: Fraction) -> float:
    if holds(0, delta, mu) is not False:
        return 0.0
    guess = _epsilon(delta, mu)
    return boundary(lambda epsilon: holds(arb(epsilon), delta, mu) is not False, guess)[0]


def _profile(epsilon: Exact, mu: Exact) -> arb:
    return delta_ball(nonnegative("epsilon", epsilon), nonnegative("mu", mu))


def _positive_recipe(constant_squared: Quantity) -> Quantity:
    """The same quantity, certainly positive and without a fixed radius."""
    if isinstance(constant_squared, arb):
        constant_squared = arb_lower(constant_squared)
    if not callable(constant_squared):
        return positive("constant_squared", constant_squared)
    if not any(value > 0 for value in at_rising_precision(constant_squared)):
        raise InvalidArgument("constant_squared", "above 0", constant_squared())
    return constant_squared
