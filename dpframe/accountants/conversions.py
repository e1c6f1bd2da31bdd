"""One guarantee as (epsilon, delta): what the additive accountants answer in numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from dpframe.guarantees import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP, number
from dpframe.numerics import Interval, arb_float, ball, working
from dpframe.numerics.fast import gaussian_delta_interval, gaussian_epsilon_interval


def epsilon_of(guarantee: Guarantee, delta: Fraction) -> Interval:
    """The least epsilon at this delta that the guarantee implies."""
    match guarantee:
        case PureDP(epsilon):
            return Interval(0.0, float(number("epsilon", epsilon)))
        case ApproxDP(epsilon, own):
            enough = number("delta", own) <= delta
            return Interval(0.0, float(number("epsilon", epsilon)) if enough else math.inf)
        case ZeroConcentratedDP(rho):
            with working(128):
                root = ball(number("rho", rho))
                return Interval(
                    0.0, arb_float(root + 2 * (-root * ball(delta).log()).sqrt(), up=True)
                )
        case GaussianDP(mu):
            return Interval(*gaussian_epsilon_interval(delta, number("mu", mu)))
    raise TypeError(guarantee)


def delta_of(guarantee: Guarantee, epsilon: Fraction) -> Interval:
    """The least delta at this epsilon that the guarantee implies."""
    match guarantee:
        case GaussianDP(mu):
            return Interval(*gaussian_delta_interval(epsilon, number("mu", mu)))
    return Interval(0.0, 1.0)
