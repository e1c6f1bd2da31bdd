"""The least value of a formula on a box, with a proof: what is not looked at closely is bounded
from below.

Boxes whose lower bound is not below the best value found are left; the others are halved. The least
of all lower bounds is a lower bound on the formula everywhere, rounded down throughout.
Of one symbol, boxes on which the derivative has no zero are left too. [MooreKC09, Introduction to
Interval Analysis]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.exact.interval import Interval
from dpframe.numerics import arb_upper, boxes, to_float
from dpframe.numerics.boxes import Bounds, Reals
from dpframe.prover.algebra import enclose, rational_ball
from dpframe.prover.enclose_each import DOUBLES, as_pairs
from dpframe.symbols import (
    Call,
    Expression,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    add,
    multiply,
    power,
)
from dpframe.symbols.text import Arithmetic

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def slope(formula: Expression, symbol: Symbol) -> Expression | None:
    """d formula/d symbol; None where the symbol is inside of a min, a max or an analytic_sigma."""
    if symbol not in formula.symbols():
        return ZERO
    match formula:
        case Symbol():
            return ONE
        case Sum(parts):
            return _summed([slope(part, symbol) for part in parts])
        case Product(parts):
            return _summed([_term(parts, place, symbol) for place in range(len(parts))])
        case Power(base, exponent):
            return _times(slope(base, symbol), exponent * power(base, exponent - 1))
        case Call("log", (inner,)):
            return _times(slope(inner, symbol), 1 / inner)
        case Call("exp", (inner,)):
            return _times(slope(inner, symbol), formula)
    return None


def _summed(terms: list[Expression | None]) -> Expression | None:
    known = [term for term in terms if term is not None]
    return add(ZERO, *known) if len(known) == len(terms) else None


def _term(parts: tuple[Expression, ...], place: int, symbol: Symbol) -> Expression | None:
    """A product with one factor differentiated."""
    others = (part for other, part in enumerate(parts) if other != place)
    return _times(slope(parts[place], symbol), multiply(ONE, *others))


def _times(one: Expression | None, other: Expression) -> Expression | None:
    return None if one is None else one * other


Array = NDArray[np.float64]
FIRST = 64  # boxes along each axis, to begin with
MOST = 60_000  # boxes at a time
ROUNDS = 46
FINE, COARSE = 1e-10, 1e-6


@attrs.frozen
class Found:
    """`point`, in the order of the symbols, where the formula is least as far as was seen; `lower`,
    a lower bound on it everywhere; `region`, the ends along each axis of boxes that contain every
    point at which it is least.
    """

    point: tuple[float, ...]
    lower: float
    region: tuple[tuple[float, float], ...]


def least(
    formula: Expression,
    symbols: Sequence[Symbol],
    within: Sequence[Interval],
    limits: Sequence[Expression] = (),
) -> Found:
    """The least value of `formula` > 0 for `symbols` between the ends `within`, where all `limits`
    are positive; to a part in 10^10 for one symbol in which it has a derivative, else in 10^6, if
    60,000 boxes are enough. Raises InvalidArgument where it is nowhere finite.
    """
    rising = slope(formula, symbols[0]) if len(symbols) == 1 else None
    tolerance = FINE if rising is not None else COARSE
    low, high = _grid(within)
    edges = low.min(0), high.max(0)
    names = [symbol.name for symbol in symbols]
    best, point, dropped, near = np.inf, low[0], np.inf, []
    for turn in range(ROUNDS):
        low, high = _halves(low, high) if turn else (low, high)
        below = _below(formula, limits, _columns(names, low, high))
        values, middle = _seen(formula, limits, names, low, high)
        if np.min(values) < best:
            best, point = float(np.min(values)), middle[int(np.argmin(values))]
        goal = best * (1 - tolerance) if np.isfinite(best) else np.inf
        open_ = below < goal
        dropped = min(dropped, float(np.min(below[~open_], initial=np.inf)))
        near.append((low[~open_], high[~open_], below[~open_]))
        low, high, below = low[open_], high[open_], below[open_]
        if rising is not None:
            low, high, below = _level(rising, limits, names, (low, high, below), edges)
        if not len(low) or 2 * len(low) > MOST:
            break
    if not np.isfinite(best):
        wanted = "finite somewhere in the range, where the theorems of its noise hold"
        way_out = "Give another range by within=(lower, upper), or other numbers."
        raise InvalidArgument("criterion", wanted, "nowhere", way_out)
    lower = min(dropped, float(np.min(below, initial=np.inf)))
    kept = [*near, (low, high, below)]
    region = _hull(kept, best)
    return Found(tuple(map(float, point)), lower, region)


def _below(
    formula: Expression, limits: Sequence[Expression], columns: Mapping[str, tuple[Array, Array]]
) -> Array:
    """Lower bounds on boxes, infinite on those beyond a limit."""
    found = ends(formula, columns)[0]
    for limit in limits:
        found = np.where(ends(limit, columns)[1] < 0, np.inf, found)
    return found


def inside(limits: Sequence[Expression], point: Mapping[str, Fraction]) -> bool:
    """Whether all limits are certainly positive at a point."""
    balls = {name: rational_ball(value) for name, value in point.items()}
    return all(enclose(limit, balls) > 0 for limit in limits)


def _level(
    rising: Expression,
    limits: Sequence[Expression],
    names: Sequence[str],
    found: tuple[Array, Array, Array],
    edges: tuple[Array, Array],
) -> tuple[Array, Array, Array]:
    """The boxes that may hold a place where the formula neither rises nor falls, or that touch an
    end of the range or a limit: it is nowhere else least.
    """
    low, high, below = found
    if not len(low):
        return found
    first, last = ends(rising, _columns(names, low, high))
    kept = (first <= 0) & (last >= 0) | (low <= edges[0])[:, 0] | (high >= edges[1])[:, 0]
    for limit in limits:
        kept |= ends(limit, _columns(names, low, high))[0] <= 0
    return low[kept], high[kept], below[kept]


def at(formula: Expression, values: Mapping[str, Fraction]) -> float:
    """The value at exact numbers, rounded up; infinite where it is undefined."""
    ball = enclose(formula, {name: rational_ball(value) for name, value in values.items()})
    return to_float(arb_upper(ball), up=True) if ball.is_finite() else float("inf")


def _grid(within: Sequence[Interval]) -> tuple[Array, Array]:
    """Boxes that cover the range: their lower and upper corners, shape (m, k) each."""
    count = FIRST if len(within) == 1 else max(4, int(4096 ** (1 / len(within))))
    cuts = [
        np.linspace(to_float(low, up=False), to_float(high, up=True), count + 1)
        for low, high in within
    ]
    lower = np.meshgrid(*(one[:-1] for one in cuts), indexing="ij")
    upper = np.meshgrid(*(one[1:] for one in cuts), indexing="ij")
    return np.stack([one.ravel() for one in lower], 1), np.stack([one.ravel() for one in upper], 1)


def _columns(names: Sequence[str], low: Array, high: Array) -> dict[str, tuple[Array, Array]]:
    return {name: (low[:, axis], high[:, axis]) for axis, name in enumerate(names)}


def _seen(
    formula: Expression, limits: Sequence[Expression], names: Sequence[str], low: Array, high: Array
) -> tuple[Array, Array]:
    """Upper bounds on the formula in the middles of boxes; infinite where it is undefined."""
    middle = (low + high) / 2
    columns = _columns(names, middle, middle)
    values = ends(formula, columns)[1]
    for limit in limits:
        values = np.where(ends(limit, columns)[0] > 0, values, np.inf)
    return values, middle


def _hull(
    found: Sequence[tuple[Array, Array, Array]], best: float
) -> tuple[tuple[float, float], ...]:
    """The ends, along each axis, of all boxes that may hold a value as small as the best."""
    low, high, below = (np.concatenate(parts) for parts in zip(*found, strict=True))
    kept = below <= best
    pairs = zip(np.min(low[kept], 0), np.max(high[kept], 0), strict=True)
    return tuple((float(first), float(last)) for first, last in pairs)


def _halves(low: Array, high: Array) -> tuple[Array, Array]:
    """Each box as two, cut across its longest side."""
    axis = np.argmax(high - low, 1)
    rows = np.arange(len(low))
    middle = (low[rows, axis] + high[rows, axis]) / 2
    upper, lower = high.copy(), low.copy()
    upper[rows, axis], lower[rows, axis] = middle, middle
    return np.concatenate([low, lower]), np.concatenate([upper, high])


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


def _products(one: Bounds, other: Bounds) -> Bounds:
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
    return boxes.exp(_products(_log(raised), as_pairs(size)))


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
    as_pairs, _plus, _products, _power, {**DOUBLES.calls, "log": _log}
)
