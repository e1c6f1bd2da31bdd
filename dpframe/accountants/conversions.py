"""One guarantee as (epsilon, delta): what the additive accountants answer in numbers.

Both ends are about the guarantee: `upper` is enough for every mechanism that has it, and some
mechanism that has it needs `lower`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dpframe.errors import InvalidArgument
from dpframe.numerics import Interval, fast
from dpframe.pld import composition
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP, number
from dpframe.symbols import Expression, Number

_BITS = 256


def epsilon_of(guarantee: Guarantee, delta: Fraction) -> Interval:
    """The least epsilon >= 0 at which all that has the guarantee is (epsilon, delta)-DP.

    0 < delta < 1. Pure, approximate and Gaussian: exact, by the worst mechanism. zCDP: from above
    at the best order [CanonneKS20, Prop 12], from below by Gaussian noise. Raises InvalidArgument
    for any other guarantee, and while a parameter is no number.
    """
    match guarantee:
        case PureDP() | ApproxDP():
            loss = guarantee.loss
            return composition.response_epsilon([(loss.epsilon, loss.delta, 1)], delta)
        case ZeroConcentratedDP(rho):
            from .orders import orders

            exact = number("rho", rho)
            low, _ = _mu(2 * exact)
            least = fast.gaussian_epsilon_interval(delta, low)[0]
            return Interval(least, max(least, orders(exact, {}).epsilon(delta)))
        case GaussianDP():
            low, high = _mu(_squared(guarantee))
            lower = fast.gaussian_epsilon_interval(delta, low)[0]
            return Interval(lower, fast.gaussian_epsilon_interval(delta, high)[1])
    raise _unknown(guarantee)


def delta_of(guarantee: Guarantee, epsilon: Fraction) -> Interval:
    """The least delta at which all that has the guarantee is (epsilon, delta)-DP. epsilon >= 0.

    As `epsilon_of`.
    """
    match guarantee:
        case PureDP() | ApproxDP():
            loss = guarantee.loss
            return composition.response_delta([(loss.epsilon, loss.delta, 1)], epsilon)
        case ZeroConcentratedDP(rho):
            from .orders import orders

            exact = number("rho", rho)
            low, _ = _mu(2 * exact)
            least = fast.gaussian_delta_interval(epsilon, low)[0]
            return Interval(least, max(least, orders(exact, {}).delta(epsilon)))
        case GaussianDP():
            low, high = _mu(_squared(guarantee))
            lower = fast.gaussian_delta_interval(epsilon, low)[0]
            return Interval(lower, fast.gaussian_delta_interval(epsilon, high)[1])
    raise _unknown(guarantee)


def _squared(guarantee: GaussianDP) -> Fraction:
    """mu^2: rational where mu is the root of a rational, as after composition."""
    value: Expression = guarantee.amounts[0]
    return number("mu", guarantee.mu) ** 2 if not isinstance(value, Number) else value.value


def _mu(squared: Fraction) -> tuple[Fraction, Fraction]:
    """The root of `squared`, from both sides: exact, or to 256 bits."""
    top, bottom = squared.numerator, squared.denominator
    if math.isqrt(top) ** 2 == top and math.isqrt(bottom) ** 2 == bottom:
        root = Fraction(math.isqrt(top), math.isqrt(bottom))
        return root, root
    places = max(0, _BITS + (bottom.bit_length() - top.bit_length()) // 2)
    whole = math.isqrt((top << 2 * places) // bottom)
    return Fraction(whole, 1 << places), Fraction(whole + 1, 1 << places)


def _unknown(guarantee: Guarantee) -> InvalidArgument:
    way_out = "Give the numeric accountant its privacy loss."
    required = "a pure, approximate, zero-concentrated or Gaussian guarantee"
    return InvalidArgument("guarantee", required, guarantee, way_out)
