"""Interval arithmetic on arrays of doubles, rounded outward: lower and upper ends, shape (m,), both
nan where a value is undefined, which passes through every operation.

IEEE sums, products, quotients and roots are correctly rounded, so one double outward is enough.
numpy's exp and log err by less than 4 ulp at normal doubles: that is the worst of its SIMD kernels
(numpy #19478), and its own accuracy tests ask for 1 ulp in float64 (umath-validation-set-*). No
kernel is trusted at subnormal doubles. [MooreKC09, Introduction to Interval Analysis]
"""

from __future__ import annotations

from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Reals: TypeAlias = NDArray[np.float64]
Bounds: TypeAlias = tuple[Reals, Reals]

_ULPS = 2.0**-50  # 4 ulp are at most this, relatively
_TINY, _LARGEST = float(np.finfo(float).tiny), float(np.finfo(float).max)


def _outward(low: Reals, high: Reals) -> Bounds:
    """The ends one double outward, beyond the error of a correctly rounded operation."""
    return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)


def _at_least_zero(pair: Bounds, where: NDArray[np.bool_]) -> Bounds:
    """Outward rounding stops at 0 for values that are at least 0."""
    return np.where(where, np.maximum(pair[0], 0), pair[0]), pair[1]


def only(pair: Bounds, where: NDArray[np.bool_]) -> Bounds:
    """Undefined elsewhere."""
    return np.where(where, pair[0], np.nan), np.where(where, pair[1], np.nan)


def plus(one: Bounds, other: Bounds) -> Bounds:
    """The sums."""
    total = _outward(one[0] + other[0], one[1] + other[1])
    return _at_least_zero(total, (one[0] >= 0) & (other[0] >= 0))


def times(one: Bounds, other: Bounds) -> Bounds:
    """The products."""
    corners = [a * b for a in one for b in other]
    ends = _outward(reduce(np.minimum, corners), reduce(np.maximum, corners))
    return _at_least_zero(ends, (one[0] >= 0) & (other[0] >= 0))


def least(one: Bounds, other: Bounds) -> Bounds:
    """The smaller ends."""
    return np.minimum(one[0], other[0]), np.minimum(one[1], other[1])


def most(one: Bounds, other: Bounds) -> Bounds:
    """The larger ends."""
    return np.maximum(one[0], other[0]), np.maximum(one[1], other[1])


def whole_power(base: Bounds, exponent: int) -> Bounds:
    """A whole power, of either sign."""
    if exponent < 0:
        return whole_power(_inverse(base), -exponent)
    if exponent % 2:
        return _odd_power(base, exponent)
    low, high = base
    size = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    size = np.where(np.isnan(low), np.nan, size)
    return _odd_power((size, np.maximum(np.abs(low), np.abs(high))), exponent)


def _odd_power(base: Bounds, exponent: int) -> Bounds:
    """The ends raised each: rightly for an odd exponent, and for any where the base is >= 0."""
    low = np.where(base[0] < 0, -_raised(-base[0], exponent)[1], _raised(base[0], exponent)[0])
    high = np.where(base[1] < 0, -_raised(-base[1], exponent)[0], _raised(base[1], exponent)[1])
    return low, high


def _raised(end: Reals, exponent: int) -> Bounds:
    """A number >= 0 to a power >= 1, by squaring."""
    if exponent == 1:
        return end, end
    half = _raised(end, exponent // 2)
    square = times(half, half)
    return times(square, (end, end)) if exponent % 2 else square


def _inverse(pair: Bounds) -> Bounds:
    low, high = pair
    ends = _at_least_zero(_outward(1 / high, 1 / low), low > 0)
    return only(ends, (low > 0) | (high < 0))


def root(pair: Bounds) -> Bounds:
    """The square root; undefined where the lower end is negative."""
    ends = _outward(np.sqrt(pair[0]), np.sqrt(pair[1]))
    return only(_at_least_zero(ends, pair[0] >= 0), pair[0] >= 0)


def exp(pair: Bounds) -> Bounds:
    """The exponential."""
    low, high = (np.exp(end) for end in pair)
    ends = _outward(np.minimum(low, _LARGEST) * (1 - _ULPS), high * (1 + _ULPS))
    return np.where(low < 2 * _TINY, low * 0, ends[0]), np.maximum(ends[1], 2 * _TINY)


def log(pair: Bounds) -> Bounds:
    """The logarithm; for subnormal ends, those of the least and the least normal double."""
    lowest = np.where(pair[0] < _TINY, -745.0, np.log(pair[0]))
    highest = np.log(np.maximum(pair[1], _TINY))
    ends = _outward(lowest - _ULPS * np.abs(lowest), highest + _ULPS * np.abs(highest))
    return only(ends, pair[0] > 0)
