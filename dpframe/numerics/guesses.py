"""Where the proofs start looking: Newton on log delta, from a closed-form bound on the root.

log delta bends downwards in mu and in epsilon, so that Newton hardly overshoots from the stated
side. Nothing here is trusted: a bad guess costs time, never safety.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist

from flint import arb

from .profile import Quantity, Terms, ball, sharp_terms
from .rounding import LEAST_BITS, working
from .search import newton


def guess_mu(epsilon: Fraction, delta: Fraction) -> float:
    """Near the mu with delta(epsilon; mu) = delta; Newton from below."""
    return _or_one(
        lambda: newton(
            lambda mu: _gap(sharp_terms(epsilon, arb(mu)), delta, lambda at: at.density),
            max(_mu_of_one_tail(float(epsilon), _quantile(delta)), _mu_at_zero(delta)),
        )
    )


def guess_epsilon(delta: Fraction, mu: Fraction) -> float:
    """Near the epsilon with delta(epsilon; mu) = delta; Newton from above."""
    shift = float(mu)
    return _or_one(
        lambda: newton(
            lambda epsilon: _gap(sharp_terms(arb(epsilon), mu), delta, lambda at: -at.tail),
            max(shift * _quantile(delta), 0.0) + shift * shift / 2,
        )
    )


def guess_limit(constant_squared: Quantity, delta: Fraction) -> float:
    """Near the epsilon with delta(epsilon; epsilon/C) = delta; Newton from below."""
    constant = ball(constant_squared).sqrt()

    def gap_and_slope(epsilon: float) -> tuple[float, float]:
        at = sharp_terms(arb(epsilon), lambda: arb(epsilon) / ball(constant_squared).sqrt())
        return _gap(at, delta, lambda at: at.density / constant - at.tail)

    return _or_one(lambda: newton(gap_and_slope, _limit_of_one_tail(float(constant), delta)))


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


def _or_one(guess: Callable[[], float]) -> float:
    """The guess, or 1 where the arithmetic of doubles gives up."""
    try:
        number = guess()
    except (ArithmeticError, ValueError):
        return 1.0
    return number if 0 < number < math.inf else 1.0
