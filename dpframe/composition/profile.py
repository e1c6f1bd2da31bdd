"""delta(epsilon) and epsilon(delta) of a total loss, as intervals whose ends are theorems."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from ..numerics import Interval, arb_float, ball, next_down, next_up, to_float, working
from .contour import Contour, contour_at, for_epsilon, saddle_for_delta
from .total import TotalLoss

_STEPS = 60


def delta_interval(total: TotalLoss, epsilon: Fraction) -> Interval:
    """The profile at epsilon >= 0."""
    lost = Interval(float(total.infinite[0]), float(total.infinite[1]))
    if not total.batches or (total.largest is not None and epsilon >= total.largest):
        return lost
    low, high = to_float(epsilon, up=False), to_float(epsilon, up=True)
    contour = for_epsilon(total, low)
    upper = contour.log_delta(low)[1]
    lower = contour.log_delta(high)[0]
    return Interval(
        max(0.0, next_down(lost.lower + _exp(lower, up=False))),
        min(1.0, next_up(lost.upper + _exp(upper, up=True))),
    )


def epsilon_interval(total: TotalLoss, delta: Fraction) -> Interval:
    """The least epsilon >= 0 with profile at most delta; 0 < delta < 1."""
    least, most = delta - total.infinite[1], delta - total.infinite[0]
    top = math.inf if total.largest is None else to_float(total.largest, up=True)
    if most < 0:
        return Interval(math.inf, math.inf)
    if least <= 0:
        return Interval(0.0, top if least == 0 else math.inf)
    if not total.batches:
        return Interval(0.0, 0.0)
    tight, loose = _log(least, up=False), _log(most, up=True)
    c, guess = saddle_for_delta(total, tight)
    if guess <= 0:
        return Interval(0.0, 0.0)
    contour = contour_at(total, c, guess, tight)
    root, slope = _root(contour, guess, tight)
    upper = _first(lambda e: contour.log_delta(e)[1] <= tight, contour, root, slope, sign=1)
    lower = _first(lambda e: contour.log_delta(e)[0] > loose, contour, root, slope, sign=-1)
    return Interval(max(0.0, lower), min(max(0.0, upper), top))


def _root(contour: Contour, guess: float, target: float) -> tuple[float, float]:
    """Where the middle of the interval meets the target, by Newton; a guess, and the slope."""
    epsilon, slope = guess, -contour.c
    for _ in range(_STEPS):
        low, high, found = contour.log_delta(epsilon)
        middle = (low + high) / 2 if math.isfinite(low) else high
        slope = found if math.isfinite(found) and found < 0 else -contour.c
        move = (target - middle) / slope
        if not math.isfinite(move):
            break
        epsilon += move
        if abs(move) <= 1e-15 * abs(epsilon):
            break
    return epsilon, slope


def _first(
    proved: Callable[[float], bool], contour: Contour, root: float, slope: float, *, sign: int
) -> float:
    """The nearest point to the root, on the side of `sign`, that is proved; infinite if none is."""
    low, high, _ = contour.log_delta(root)
    width = high - low if math.isfinite(low) else 1.0
    pad = 0.75 * width / abs(slope) + 2 * math.ulp(root)
    for _ in range(_STEPS):
        point = root + sign * pad
        if proved(point):
            return point
        pad *= 1.5
    return sign * math.inf


def _log(value: Fraction, *, up: bool) -> float:
    """log of a positive rational, rounded."""
    with working(128):
        return arb_float(ball(value).log(), up=up)


def _exp(value: float, *, up: bool) -> float:
    """exp of a number that is at most 0 but for rounding, rounded outward."""
    if value == -math.inf:
        return 5e-324 if up else 0.0
    size = math.exp(min(value, 0.0)) * (1 + 2.0**-52 * (abs(value) + 4) * (1 if up else -1))
    return next_up(size) if up else max(0.0, next_down(size))
