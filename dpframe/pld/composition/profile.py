"""delta(epsilon) and epsilon(delta) of a total loss, as intervals with two proved ends.

One release whose profile has a closed form is enclosed to the last double. Other sums have a
contour, and two more lower bounds where no contour is sharp. Far below the mean of L,

    delta(epsilon) = P[L < infinity] - E[min(1, e^(epsilon - L)); L < infinity]

and min(1, e^y) <= e^(sy) for every 0 <= s <= 1: Chernoff's bound. Just below the largest value,

    P[L > top - eta] >= p - e^(-c eta),  p = E[e^(c(L - top)); L < infinity],  for every c, eta > 0,

as e^(c(L - top)) is at most 1, and at most e^(-c eta) where L <= top - eta. With e^(-c eta) = p/2,

    delta(epsilon) >= (p/2) (1 - e^(epsilon - top + eta)).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from flint import acb, arb

from dpframe.numerics import (
    Interval,
    arb_float,
    at_rising_precision,
    ball,
    boundary,
    certainly_above,
    certainly_at_most,
    next_down,
    next_up,
    to_float,
    working,
)

from ..losses import PrivacyLoss
from .atomic import AtomicSum, is_atomic
from .contour import (
    LineIntegral,
    contour_at,
    far_right,
    for_epsilon,
    near_the_mean,
    saddle_for_delta,
)
from .total import TotalLoss

_CLOSED_BITS = 60  # bits of relative accuracy


def closed_form(total: TotalLoss) -> PrivacyLoss | None:
    """The only loss of the sum, if it occurs once and its profile has a closed form."""
    if list(total.counts.values()) != [1]:
        return None
    loss = next(iter(total.counts))
    with working(128):
        return None if loss.profile(ball(1)) is None else loss


def delta_of_one(loss: PrivacyLoss, epsilon: Fraction) -> Interval:
    """The profile at epsilon >= 0."""
    lower, upper = 0.0, 1.0
    for value in _values(loss, epsilon):
        lower = max(lower, arb_float(value, up=False))
        upper = min(upper, arb_float(value, up=True))
        if value.rel_accuracy_bits() >= _CLOSED_BITS or value.is_zero():
            break
    return Interval(lower, upper)


def epsilon_of_one(loss: PrivacyLoss, delta: Fraction) -> Interval:
    """The least epsilon >= 0 with profile at most delta."""
    if _compared(loss, Fraction(0), delta) == -1:
        return Interval(0.0, 0.0)
    below, above = boundary(lambda e: _compared(loss, Fraction(e), delta) == -1, 1.0)
    step = math.ulp(below)
    while below > 0 and _compared(loss, Fraction(below), delta) != 1:
        below, step = max(0.0, below - step), 2 * step  # skip what no precision decides
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
    """Enclosures of the profile, each sharper than the one before."""
    for value in at_rising_precision(lambda: loss.profile(ball(epsilon))):
        if value is not None and not math.isnan(float(value.mid())):
            yield value


_LEFT_TILTS = tuple(Fraction(31, 64 * 4**k) for k in range(12))  # at 1/2 closed forms are 0/0
_LEFT_BITS, _LEFT_MOST = 256, 300  # at most so many distinct losses, each evaluated in balls
_TOP_TILTS = tuple(Fraction(2) ** k for k in range(-8, 1200, 24))
_TOP_BITS, _TOP_MOST = 1600, 100


def delta_below(total: TotalLoss, epsilon: Fraction) -> float:
    """A lower bound on E[(1 - e^(epsilon - L))_+; L < infinity], at least 0."""
    with working(_LEFT_BITS):
        finite = 1 - ball(total.infinite[1])
        return _highest(finite - (cost + ball(s * epsilon)).exp() for s, cost in _costs(total))


def epsilon_below(total: TotalLoss, delta: Fraction) -> float:
    """An epsilon where that expectation is above delta; 0 where none is known."""
    with working(_LEFT_BITS):
        rest = 1 - ball(total.infinite[1]) - ball(delta)
        ends = ((rest.log() - cost) / ball(s) for s, cost in _costs(total))
        return math.nextafter(_highest(ends), 0.0) if rest > 0 else 0.0


def delta_near_top(total: TotalLoss, epsilon: Fraction) -> float:
    """A lower bound on E[(1 - e^(epsilon - L))_+; L < infinity], at least 0."""
    with working(_TOP_BITS):
        return _highest(-half * (ball(epsilon) - at).expm1() for half, at in _masses(total))


def epsilon_near_top(total: TotalLoss, delta: Fraction) -> float:
    """An epsilon where that expectation is above delta; 0 where none is known."""
    with working(_TOP_BITS):
        masses = [(half, at) for half, at in _masses(total) if half > ball(delta)]
        ends = (at + (-ball(delta) / half).log1p() for half, at in masses)
        return math.nextafter(_highest(ends), 0.0)


def _highest(bounds: Iterable[arb]) -> float:
    """The largest of lower bounds, rounded down; at least 0."""
    return max([0.0, *(arb_float(bound, up=False) for bound in bounds)])


def _costs(total: TotalLoss) -> Iterator[tuple[Fraction, arb]]:
    """s and log E[e^(-sL); L < infinity], for some s in (0, 1)."""
    for s in _LEFT_TILTS if total.size <= _LEFT_MOST else ():
        yield s, _log_moment(total, -s)


def _masses(total: TotalLoss) -> Iterator[tuple[arb, arb]]:
    """p/2 and top - eta, for some c."""
    if total.largest is None or total.size > _TOP_MOST:
        return
    for c in _TOP_TILTS:
        log = _log_moment(total, c, -ball(c) * ball(total.largest))
        yield (log - arb(2).log()).exp(), ball(total.largest) + (log - arb(2).log()) / ball(c)


def _log_moment(total: TotalLoss, tilt: Fraction, log: arb | None = None) -> arb:
    """`log`, or 0, and log E[e^(tilt L); L < infinity]."""
    log = arb(0) if log is None else log
    for loss, count in total.counts.items():
        log += loss.enclosure(acb(ball(tilt))).real.log() * count
    return log


_STEPS = 24
_GROWTH = (1.5,) * 4 + (6.0,) * 11
_LIKELY = math.log(0.3)  # log delta above which epsilon is near the mean or below it
_LEAST = Fraction(1, 10**300)
_SHARP = 1e-9
_MANY = 1 << 15  # nodes of a contour after which no second one is tried


def delta_interval(total: TotalLoss, epsilon: Fraction) -> Interval:
    """The profile at epsilon >= 0: in closed form, by a sum of atoms, or by a contour."""
    alone = closed_form(total)
    if alone is not None:
        return delta_of_one(alone, epsilon)
    by_atoms = AtomicSum(total).delta(epsilon) if is_atomic(total.counts) else None
    return _sharper(by_atoms, lambda: _delta(total, epsilon))


def epsilon_interval(total: TotalLoss, delta: Fraction) -> Interval:
    """The least epsilon >= 0 with profile at most delta; 0 < delta < 1."""
    alone = closed_form(total)
    if alone is not None:
        return epsilon_of_one(alone, delta)
    by_atoms = AtomicSum(total).epsilon(delta) if is_atomic(total.counts) else None
    return _sharper(by_atoms, lambda: _epsilon(total, delta))


def _delta(total: TotalLoss, epsilon: Fraction) -> Interval:
    lost = Interval(to_float(total.infinite[0], up=False), to_float(total.infinite[1], up=True))
    if not total.batches or (total.largest is not None and epsilon >= total.largest):
        return lost
    low, high = to_float(epsilon, up=False), to_float(epsilon, up=True)
    contour = for_epsilon(total, low)
    upper = _exp(contour.log_delta(low)[1], up=True)
    lower = _exp(contour.log_delta(min(high, sys.float_info.max))[0], up=False)
    if not upper - lower <= _SHARP * upper:
        upper = min(upper, _exp(far_right(total, low), up=True))
    if high == math.inf:
        lower = 0.0
    elif not lower > 0.9 * upper:  # epsilon is far below the mean, or no contour is sharp
        lower = max(lower, delta_below(total, epsilon), delta_near_top(total, epsilon))
    ends = next_down(lost.lower + lower), next_up(lost.upper + upper)
    return Interval(max(lost.lower, ends[0]), min(1.0, ends[1]))


def _epsilon(total: TotalLoss, delta: Fraction) -> Interval:
    least, most = delta - total.infinite[1], delta - total.infinite[0]
    top = math.inf if total.largest is None else to_float(total.largest, up=True)
    if most < 0:
        return Interval(math.inf, math.inf)
    if not total.batches:
        return Interval(0.0, 0.0 if least >= 0 else math.inf)
    if least <= 0:
        positive = max(most, _LEAST)
        lower = min(_solved(total, positive, positive).lower, top)
        return Interval(lower, top if least == 0 else math.inf)
    interval = _solved(total, least, most)
    return Interval(interval.lower, min(interval.upper, top))


def _solved(total: TotalLoss, least: Fraction, most: Fraction) -> Interval:
    """An epsilon with a finite part of the profile above `most`, and one with at most `least`."""
    tight, loose = _log(least, up=False), _log(most, up=True)
    c, guess = saddle_for_delta(total, tight)
    if guess <= 0:
        return Interval(0.0, 0.0)
    if tight > _LIKELY:
        start = min(guess, near_the_mean(total, float(least)))
        contour = for_epsilon(total, max(start, 0.0))
    else:
        start, contour = guess, contour_at(total, c, guess, tight)
    interval = _ends(contour, start, tight, loose)
    if not interval.width <= _SHARP * interval.upper and len(contour.weights) < _MANY:
        better = min(guess, interval.upper) if interval.upper > 0 else 0.0
        interval = _both(interval, _ends(for_epsilon(total, better), better, tight, loose))
    chernoff = next_up(guess * (1 + 2.0**-50))
    interval = Interval(interval.lower, min(interval.upper, chernoff))
    if interval.lower > 0.9 * interval.upper:
        return interval
    left = epsilon_below(total, most) if tight > _LIKELY else 0.0
    return Interval(max(interval.lower, left, epsilon_near_top(total, most)), interval.upper)


def _ends(contour: LineIntegral, guess: float, tight: float, loose: float) -> Interval:
    """The best ends that this contour proves, at least 0."""
    root, slope = _root(contour, guess, tight)
    upper = _first(lambda e: contour.log_delta(e)[1] <= tight, contour, root, slope, sign=1)
    lower = _first(lambda e: contour.log_delta(e)[0] > loose, contour, root, slope, sign=-1)
    return Interval(max(0.0, lower), max(0.0, upper))


def _sharp(interval: Interval) -> bool:
    return interval.lower == interval.upper or interval.width <= _SHARP * interval.upper < math.inf


def _sharper(one: Interval | None, other: Callable[[], Interval]) -> Interval:
    """An interval that is sharp, or else what another that holds too leaves of it."""
    if one is None:
        return other()
    return one if _sharp(one) else _both(one, other())


def _both(one: Interval, other: Interval) -> Interval:
    """The intersection; the hull where the intervals are disjoint, as one of them is wrong."""
    ends = max(one.lower, other.lower), min(one.upper, other.upper)
    if ends[0] > ends[1]:
        return Interval(min(one.lower, other.lower), max(one.upper, other.upper))
    return Interval(*ends)


def _root(contour: LineIntegral, guess: float, target: float) -> tuple[float, float]:
    """The zero of the middle of the interval less the target, by Newton's method; and the slope."""
    epsilon, slope = guess, -contour.c
    for _ in range(_STEPS):
        low, high, derivative = contour.log_delta(epsilon)
        middle = (low + high) / 2 if math.isfinite(low) else high
        slope = derivative if math.isfinite(derivative) and derivative < 0 else -contour.c
        move = (target - middle) / slope
        if not math.isfinite(move):
            break
        epsilon += move
        blur = (high - low) / abs(slope) if math.isfinite(low) else 1e-9 * abs(epsilon)
        if abs(move) <= max(1e-15 * abs(epsilon), 1e-2 * blur):
            break
    return epsilon, slope


def _first(
    proved: Callable[[float], bool], contour: LineIntegral, root: float, slope: float, *, sign: int
) -> float:
    """The nearest proved point to the root, on the side of `sign`; infinite if none is."""
    low, high, _ = contour.log_delta(root)
    width = high - low if math.isfinite(low) else 1.0
    pad = 0.75 * width / abs(slope) + 2 * math.ulp(root)
    for growth in _GROWTH:
        point = root + sign * pad
        if proved(point):
            return point
        pad *= growth
    return sign * math.inf


def _log(value: Fraction, *, up: bool) -> float:
    """log of a positive rational, rounded."""
    with working(128):
        return arb_float(ball(value).log(), up=up)


def _exp(value: float, *, up: bool) -> float:
    """exp, rounded outward; at most 1, as it bounds a probability."""
    if not value < 0:
        return 1.0 if up or value >= 0 else 0.0
    with working(128):
        return arb_float(ball(value).exp(), up=up) if value > -math.inf else 0.0
