"""Far below its mean, a sum of losses is above epsilon almost surely: Chernoff's bound there.

    delta(epsilon) = P[L < infinity] - E[min(1, e^(epsilon - L)); L < infinity]

and min(1, e^y) <= e^(sy) for every 0 <= s <= 1. This is what a contour on Re z > 0 cannot show:
its terms are as large as e^(c(mean - epsilon)).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from flint import acb, arb

from dpframe.numerics import arb_float, ball, working

from .total import TotalLoss

_TILTS = tuple(Fraction(31, 64 * 4**k) for k in range(12))  # not 1/2, where closed forms are 0/0
_MOST = 300  # distinct losses, each of which is evaluated in ball arithmetic
_BITS = 256


def delta_below(total: TotalLoss, epsilon: Fraction) -> float:
    """A lower bound on E[(1 - e^(epsilon - L))_+; L < infinity], at least 0."""
    with working(_BITS):
        kept = 1 - ball(total.infinite[1])
        bounds = [kept - (cost + ball(s * epsilon)).exp() for s, cost in _costs(total)]
        return max([0.0, *(arb_float(bound, up=False) for bound in bounds)])


def epsilon_below(total: TotalLoss, delta: Fraction) -> float:
    """Some epsilon where that expectation is above delta; at least 0, which may not be one."""
    with working(_BITS):
        rest = 1 - ball(total.infinite[1]) - ball(delta)
        if not rest > 0:
            return 0.0
        found = [(rest.log() - cost) / ball(s) for s, cost in _costs(total)]
        return max([0.0, *(math.nextafter(arb_float(x, up=False), 0.0) for x in found)])


def _costs(total: TotalLoss) -> Iterator[tuple[Fraction, arb]]:
    """s and log E[e^(-sL); L < infinity], for some s in (0, 1)."""
    if total.size > _MOST:
        return
    for s in _TILTS:
        cost = arb(0)
        for loss, count in total.counts.items():
            cost += loss.enclosure(acb(-ball(s))).real.log() * count
        yield s, cost
