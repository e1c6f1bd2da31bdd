"""One guarantee as (epsilon, delta), for the additive accountants.

`upper` is enough for every mechanism with the guarantee, and some mechanism with it needs `lower`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from dpframe.errors import InvalidArgument
from dpframe.numerics import Interval, fast
from dpframe.pld import composition
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP, number
from dpframe.symbols import Expression, Number

if TYPE_CHECKING:
    from .orders import Orders

_BITS = 256


def epsilon_of(guarantee: Guarantee, delta: Fraction) -> Interval:
    """The least epsilon >= 0 at which every mechanism with the guarantee is (epsilon, delta)-DP.

    0 < delta < 1. Pure, approximate and Gaussian: exact, by the worst mechanism. zCDP: from above
    at the best order [CanonneKS20, Prop 12], from below by Gaussian noise. Raises InvalidArgument
    for any other guarantee, and while a parameter is no number.
    """
    return _converted(
        guarantee,
        lambda groups: composition.response_epsilon(groups, delta),
        lambda mu: fast.gaussian_epsilon_interval(delta, mu),
        lambda orders: orders.epsilon(delta),
    )


def delta_of(guarantee: Guarantee, epsilon: Fraction) -> Interval:
    """The least delta at which every mechanism with the guarantee is (epsilon, delta)-DP.

    epsilon >= 0. Exact where `epsilon_of` is.
    """
    return _converted(
        guarantee,
        lambda groups: composition.response_delta(groups, epsilon),
        lambda mu: fast.gaussian_delta_interval(epsilon, mu),
        lambda orders: orders.delta(epsilon),
    )


def _converted(
    guarantee: Guarantee,
    by_response: Callable[[list[tuple[Fraction, Fraction, int]]], Interval],
    by_mu: Callable[[Fraction], tuple[float, float]],
    by_orders: Callable[[Orders], float],
) -> Interval:
    match guarantee:
        case PureDP() | ApproxDP():
            loss = guarantee.loss
            return by_response([(loss.epsilon, loss.delta, 1)])
        case ZeroConcentratedDP(rho):
            from .orders import Orders

            exact = number("rho", rho)
            least = by_mu(_mu(2 * exact)[0])[0]
            return Interval(least, max(least, by_orders(Orders(exact, composition.total_loss({})))))
        case GaussianDP():
            low, high = _mu(_squared(guarantee))
            return Interval(by_mu(low)[0], by_mu(high)[1])
    way_out = "Give the numeric accountant its privacy loss."
    required = "a pure, approximate, zero-concentrated or Gaussian guarantee"
    raise InvalidArgument("guarantee", required, guarantee, way_out)


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
