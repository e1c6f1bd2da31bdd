"""Bounds of a formula on boxes that reach to where it becomes infinite: 1/gamma on [0, h] is [1/h,
inf].

As `dpframe.prover.enclose_each`, which has no bound there. 0 times infinity is 0, as an end of a
product of intervals is a limit of finite ends. [MooreKC09, Introduction to Interval Analysis]
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce

import numpy as np

from dpframe.numerics import boxes
from dpframe.numerics.boxes import Bounds, Reals
from dpframe.prover.enclose_each import DOUBLES, as_pairs
from dpframe.symbols import Expression
from dpframe.symbols.text import Arithmetic


def ends(formula: Expression, values: Mapping[str, Bounds]) -> Bounds:
    """Lower and upper ends of `formula` on m boxes, shape (m,) each, rounded outward; -inf and inf
    where a part of it is undefined. `values` has the ends of every symbol, shape (m,) each.
    """
    size = max((len(low) for low, _ in values.values()), default=1)
    with np.errstate(all="ignore"):
        low, high = EXTENDED.value(formula, values, {})
    low, high = np.broadcast_to(low, size), np.broadcast_to(high, size)
    undefined = np.isnan(low) | np.isnan(high)
    return np.where(undefined, -np.inf, low), np.where(undefined, np.inf, high)


def _plus(one: Bounds, other: Bounds) -> Bounds:
    """The sums; what is exact in doubles stays, so that 1 - gamma is 0 at gamma = 1."""
    return _sum(one[0], other[0], -np.inf), _sum(one[1], other[1], np.inf)


def _sum(a: Reals, b: Reals, side: float) -> Reals:
    """a + b, rounded to a side unless it is exact. (What a sum loses is a double.)"""
    total = a + b
    shared = total - a
    lost = (a - (total - shared)) + (b - shared)
    return np.where(lost == 0, total, np.nextafter(total, side))


def _times(one: Bounds, other: Bounds) -> Bounds:
    """The products, at least 0 where both are."""
    pairs = [(a, b) for a in one for b in other]
    low = reduce(np.minimum, (_product(a, b, -np.inf) for a, b in pairs))
    high = reduce(np.maximum, (_product(a, b, np.inf) for a, b in pairs))
    both = (one[0] >= 0) & (other[0] >= 0)
    return np.where(both, np.maximum(low, 0), low), high


def _product(a: Reals, b: Reals, side: float) -> Reals:
    """a b, rounded to a side unless a factor is 1 or -1; 0 times infinity is 0."""
    product = a * b
    none = np.isnan(product) & ~np.isnan(a) & ~np.isnan(b)
    same = (np.abs(a) == 1) | (np.abs(b) == 1)
    return np.where(none, 0.0, np.where(same, product, np.nextafter(product, side)))


def _power(base: Bounds, exponent: Fraction) -> Bounds:
    raised = _inverse(base) if exponent < 0 else base
    size = abs(exponent)
    if size.denominator == 1:
        return boxes.whole_power(raised, int(size))
    if size.denominator == 2:
        return boxes.whole_power(boxes.root(raised), int(size.numerator))
    return boxes.exp(_times(_log(raised), as_pairs(size)))


def _inverse(pair: Bounds) -> Bounds:
    """1/x on one side of 0, which may be an end."""
    low, high = pair[0] + 0.0, pair[1] + 0.0  # without -0.0
    above, below = low >= 0, high <= 0
    first = np.where(above, 1 / high, np.where(high == 0, -np.inf, 1 / high))
    last = np.where(above, 1 / low, 1 / low)
    first, last = np.nextafter(first, -np.inf), np.nextafter(last, np.inf)
    first = np.where(above, np.maximum(first, 0), first)
    return boxes.only((first, last), above | below)


def _log(pair: Bounds) -> Bounds:
    """log, -inf at 0; undefined below."""
    low, high = boxes.log((np.maximum(pair[0], np.finfo(float).tiny), pair[1]))
    low = np.where(pair[0] < np.finfo(float).tiny, -np.inf, low)
    return boxes.only((low, high), (pair[0] >= 0) & (pair[1] > 0))


EXTENDED: Arithmetic[Bounds] = Arithmetic(
    as_pairs, _plus, _times, _power, {**DOUBLES.calls, "log": _log}
)
