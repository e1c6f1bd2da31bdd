"""Exact numbers to doubles in a stated direction, and the working precision of ball arithmetic.

`up=True` returns a number at least the true one, `up=False` a number at most the true one. Nothing
here rounds to nearest. flint has one precision for the process, which changes only the width of
balls; a lock keeps other threads from changing it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

import attrs
from flint import ctx

from dpframe.errors import InvalidArgument

if TYPE_CHECKING:
    from flint import arb


@attrs.frozen
class Interval:
    """The exact value v satisfies lower <= v <= upper; each end is proved by itself.

    An end at 0 or at infinity may be trivial. Spend `upper`, claim `lower`.
    """

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """upper - lower, rounded up; 0 where both are one double (an infinity too)."""
        if self.lower == self.upper:
            return 0.0
        return math.nextafter(self.upper - self.lower, math.inf)

    def __contains__(self, value: float) -> bool:
        """Whether `value` may be the exact one."""
        return self.lower <= value <= self.upper

    def __str__(self) -> str:
        """`4.886551255 (within 7.5e-10)`, or the two ends where they are far apart, `at most 2`
        where the lower one is 0: ends rounded outward, and how far the printed number is above the
        lower end.
        """
        low, high = (Decimal(repr(float(end))) for end in (self.lower, self.upper))
        near = math.isfinite(self.upper) and self.width <= 1e-6 * abs(self.upper)
        upper = Context(prec=10 if near else 6, rounding=ROUND_CEILING).plus(high)
        if not near and low != high:
            lower = Context(prec=6, rounding=ROUND_FLOOR).plus(low)
            least = f"between {_written(lower)} and" if lower else "at most"
            return f"{least} {_written(upper)}"
        if upper == low:
            return _written(upper)
        above = Context(prec=2, rounding=ROUND_CEILING).subtract(upper, low)
        return f"{_written(upper)} (within {_written(above)})"


def _written(value: Decimal) -> str:
    """Its digits, without trailing zeros."""
    short = value.normalize()
    plain = short.is_finite() and -5 < short.adjusted() < 10
    return f"{short:f}" if plain else f"{short:g}".replace("Infinity", "inf")


T = TypeVar("T")

LEAST_BITS = 128
MOST_BITS = 8192

_LADDER = (LEAST_BITS, 256, 512, 1024, 2048, 4096, MOST_BITS)
_ONE_AT_A_TIME = RLock()


@contextmanager
def working(bits: int) -> Iterator[None]:
    """Ball arithmetic at `bits` inside the block, in this thread alone."""
    with _ONE_AT_A_TIME, ctx.workprec(bits):
        yield


def at_rising_precision(make: Callable[[], T]) -> Iterator[T]:
    """`make()` at 128, 256, ... 8192 bits: enclosures, usually each sharper than the one before."""
    for bits in _LADDER:
        with working(bits):
            value = make()
        yield value


_SMALLEST = -(1 << 17)  # exponents of two between which end points of balls are exact
_LARGEST = 1 << 17


def next_up(value: float) -> float:
    """The smallest double above `value`."""
    return math.nextafter(value, math.inf)


def next_down(value: float) -> float:
    """The largest double below `value`."""
    return math.nextafter(value, -math.inf)


def to_float(value: Fraction | int, *, up: bool) -> float:
    """The smallest double >= `value` if `up`, else the largest double <= `value`.

    Beyond the largest finite double the outward answer is an infinity.
    """
    try:
        nearest = float(value) + 0.0  # without -0.0
    except OverflowError:
        nearest = math.inf if value > 0 else -math.inf
    if math.isinf(nearest):
        beyond = (nearest > 0) == up
        return nearest if beyond else math.copysign(sys.float_info.max, nearest)
    if up:
        return nearest if Fraction(nearest) >= value else next_up(nearest)
    return nearest if Fraction(nearest) <= value else next_down(nearest)


def arb_upper(ball: arb) -> Fraction:
    """The upper end of a finite ball, exactly (rounded up only below 2^-131072 in size)."""
    return _dyadic(_finite(ball).mid(), up=True) + _dyadic(ball.rad(), up=True)


def arb_lower(ball: arb) -> Fraction:
    """The lower end of a finite ball, exactly (rounded down only below 2^-131072 in size)."""
    return _dyadic(_finite(ball).mid(), up=False) - _dyadic(ball.rad(), up=True)


def arb_float(ball: arb, *, up: bool) -> float:
    """The upper end of `ball` as a double rounded up, or the lower end as one rounded down.

    Total: a ball that is infinite, not a number or beyond 2^131072 gets 0 or an infinity, outward.
    """
    try:
        return to_float(arb_upper(ball) if up else arb_lower(ball), up=up)
    except InvalidArgument:
        if ball <= 0 if up else ball >= 0:
            return 0.0
        return math.inf if up else -math.inf


def _finite(ball: arb) -> arb:
    if not ball.is_finite():
        raise InvalidArgument("ball", "finite", ball, "Use arb_float for an infinite end.")
    return ball


def _dyadic(point: arb, *, up: bool) -> Fraction:
    """An exact ball, which is man * 2^exp, as a rational."""
    man, exp = (int(part) for part in point.man_exp())
    size = exp + man.bit_length()
    if man and size < _SMALLEST:
        outward = (man > 0) == up
        return Fraction(1 if up else -1, 1 << -_SMALLEST) if outward else Fraction(0)
    if man and size > _LARGEST:
        raise InvalidArgument("ball", "below 2^131072 in size", point, "Use arb_float.")
    return Fraction(man << exp) if exp >= 0 else Fraction(man, 1 << -exp)
