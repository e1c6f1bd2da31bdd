"""Just below its largest value, a sum of losses may have an atom that no contour resolves.

    P[L > top - eta] >= p - e^(-c eta),  p = E[e^(c(L - top)); L < infinity],  for every c, eta > 0,

as e^(c(L - top)) is at most 1, and at most e^(-c eta) where L <= top - eta. With e^(-c eta) = p/2,

    delta(epsilon) >= (p/2) (1 - e^(epsilon - top + eta)).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from flint import acb, arb

from dpframe.numerics import arb_float, ball, working

from .total import TotalLoss

_TILTS = tuple(Fraction(2) ** k for k in range(-8, 1200, 24))
_MOST = 100  # distinct losses, each of which is evaluated in ball arithmetic
_BITS = 1600


def delta_near_top(total: TotalLoss, epsilon: Fraction) -> float:
    """A lower bound on E[(1 - e^(epsilon - L))_+; L < infinity], at least 0."""
    with working(_BITS):
        found = [-half * (ball(epsilon) - start).expm1() for half, start in _masses(total)]
        return max([0.0, *(arb_float(bound, up=False) for bound in found)])


def epsilon_near_top(total: TotalLoss, delta: Fraction) -> float:
    """Some epsilon where that expectation is above delta; at least 0, which may not be one."""
    with working(_BITS):
        masses = [(half, start) for half, start in _masses(total) if half > ball(delta)]
        found = [start + (-ball(delta) / half).log1p() for half, start in masses]
        return max([0.0, *(math.nextafter(arb_float(x, up=False), 0.0) for x in found)])


def _masses(total: TotalLoss) -> Iterator[tuple[arb, arb]]:
    """p/2 and top - eta, for some c."""
    if total.largest is None or total.size > _MOST:
        return
    top = ball(total.largest)
    for c in _TILTS:
        log = -ball(c) * top
        for loss, count in total.counts.items():
            log += loss.enclosure(acb(ball(c))).real.log() * count
        half = (log - arb(2).log()).exp()
        yield half, top + (log - arb(2).log()) / ball(c)
