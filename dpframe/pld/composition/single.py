"""One release whose profile has a closed form: enclosed to the last double."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from flint import arb

from dpframe.numerics import (
    Interval,
    arb_float,
    at_rising_precision,
    ball,
    boundary,
    certainly_above,
    certainly_at_most,
    working,
)

from ..losses import PrivacyLoss
from .total import TotalLoss

_SHARP = 60  # bits of relative accuracy


def closed_form(total: TotalLoss) -> PrivacyLoss | None:
    """The only loss of the sum, if it occurs once and its profile has a closed form."""
    if list(total.counts.values()) != [1]:
        return None
    loss = next(iter(total.counts))
    with working(128):
        return None if loss.profile(ball(1)) is None else loss


def delta_of_one(loss: PrivacyLoss, epsilon: Fraction) -> Interval:
    """The profile at epsilon >= 0."""
    known = Interval(0.0, 1.0)
    for value in _values(loss, epsilon):
        ends = arb_float(value, up=False), arb_float(value, up=True)
        known = Interval(max(known.lower, ends[0]), min(known.upper, ends[1]))
        if value.rel_accuracy_bits() >= _SHARP or value.is_zero():
            break
    return known


def epsilon_of_one(loss: PrivacyLoss, delta: Fraction) -> Interval:
    """The least epsilon >= 0 with profile at most delta."""
    if _compared(loss, Fraction(0), delta) == -1:
        return Interval(0.0, 0.0)
    below, above = boundary(lambda e: _compared(loss, Fraction(e), delta) == -1, 1.0)
    step = math.ulp(below)
    while below > 0 and _compared(loss, Fraction(below), delta) != 1:
        below, step = max(0.0, below - step), 2 * step  # what no precision tells apart is skipped
    return Interval(below, above)


def _compared(loss: PrivacyLoss, epsilon: Fraction, delta: Fraction) -> int:
    """-1 where the profile is certainly at most delta, 1 where it is certainly above, else 0."""
    for value in _values(loss, epsilon):
        if certainly_at_most(value, delta):
            return -1
        if certainly_above(value, delta):
            return 1
    return 0


def _values(loss: PrivacyLoss, epsilon: Fraction) -> Iterator[arb]:
    """Ever sharper enclosures."""
    for value in at_rising_precision(lambda: loss.profile(ball(epsilon))):
        if value is not None and not math.isnan(float(value.mid())):
            yield value
