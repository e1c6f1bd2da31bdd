"""Formulas at a million boxes at once: interval arithmetic in doubles, rounded outward.

The vectorised twin of `enclose.py`, for numbers that every record has of its own. What is trusted:

- IEEE sums, products, quotients and roots are correctly rounded, so one double outward is enough;
- numpy's exp and log err by less than 4 ulp at normal doubles. That is the worst of its SIMD
  kernels (numpy #19478); its own accuracy tests ask for 1 ulp in float64 (umath-validation-set-*).
  No kernel is trusted at subnormal doubles;
- `numerics.fast.point` knows log delta to 2^-44: its roundings number fewer than 400 units of
  2^-53 (two a step of a walk that damps them, 3.4-fold where Mills ratios are subtracted), what the
  walk starts from is worth one; six units are the most that ball arithmetic ever found. With
  that, each end of analytic_sigma is proved by one look at the profile there; an end that the look
  does not prove comes from ball arithmetic.

[MooreKC09, Introduction to Interval Analysis]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from numbers import Integral
from typing import TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.numerics.calibrate import analytic_sigma_ball
from dpframe.numerics.fast.point import point
from dpframe.numerics.fast.roots import root_mu
from dpframe.numerics.rounding import arb_float, to_float
from dpframe.symbols import Call, Expression, Number, Power, Product, Sum, Symbol

Reals: TypeAlias = NDArray[np.float64]
Pair: TypeAlias = tuple[Reals, Reals]
"""Lower and upper ends; inside this file both are nan where the formula is undefined."""

_BLOCK = 1 << 13  # the temporaries of a block stay in the cache
_WHOLE = 2.0**53
_ULPS = 2.0**-50  # 4 ulp are at most this, relatively
_TINY, _LARGEST = float(np.finfo(float).tiny), float(np.finfo(float).max)
_TRUST = 2.0**-44  # of log delta, by `point`
_STEP = 2.0**-42  # of mu; log delta moves by more than 0.8 times as much
_NEAR = 1.0
_PLAIN = 1e-290  # above it nothing that `point` makes is subnormal


def as_pairs(
    values: Sequence[Fraction | float] | Reals | Fraction | float, *, shortest: bool = False
) -> Pair:
    """Exact numbers as the doubles around them, below and above; of their shape.

    A double is its exact binary value; if `shortest`, it means its shortest decimal, which lies
    between its neighbours (and is the double itself where that is whole). Fractions and whole
    numbers are exact either way. Raises InvalidArgument for what is not a finite number.
    """
    array = values if isinstance(values, np.ndarray) else _exact_array(values)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        return _of_doubles(array.astype(np.float64), shortest=shortest)
    ends = [_of_one(entry, shortest=shortest) for entry in array.ravel().tolist()]
    table = np.array(ends, dtype=np.float64).reshape(-1, 2)
    return table[:, 0].reshape(array.shape), table[:, 1].reshape(array.shape)


def enclose_each(
    formula: Expression, values: Mapping[str, tuple[Reals | float, Reals | float]]
) -> Pair:
    """Lower and upper ends of `formula`, of shape (m,), at each of m boxes.

    `values` gives every symbol, by name, its ends (low, high): arrays of shape (m,), or numbers
    that are the same for all (m = 1 if all are). The ends certainly enclose the formula at each
    point of the box, on the trust that the module names; where any part is undefined, they are
    -inf and inf. Raises InvalidArgument for a symbol without values, nan, and low > high.
    """
    boxes = _boxes(formula, values)
    size = _common_size(boxes)
    low, high = np.empty(size), np.empty(size)
    with np.errstate(all="ignore"):
        for start in range(0, size, _BLOCK):
            block = slice(start, start + _BLOCK)
            low[block], high[block] = _evaluate(formula, _cut(boxes, block), {})
    undefined = np.isnan(low) | np.isnan(high)
    return np.where(undefined, -np.inf, low), np.where(undefined, np.inf, high)


def largest_upper(
    formula: Expression, values: Mapping[str, tuple[Reals | float, Reals | float]]
) -> float:
    """The largest of all upper ends: at least the formula at every record; inf if undefined at one.

    Raises InvalidArgument where there are no records.
    """
    return float(np.max(_some(enclose_each(formula, values)[1])))


def smallest_lower(
    formula: Expression, values: Mapping[str, tuple[Reals | float, Reals | float]]
) -> float:
    """The least of all lower ends: at most the formula at every record; -inf if undefined at one.

    Raises InvalidArgument where there are no records.
    """
    return float(np.min(_some(enclose_each(formula, values)[0])))


def _some(ends: Reals) -> Reals:
    if not ends.size:
        raise InvalidArgument("values", "of at least one record", "none")
    return ends


# numbers as pairs


def _exact_array(values: object) -> NDArray[np.object_]:
    array = np.array(values, dtype=object)
    if any(isinstance(entry, list | tuple) for entry in array.ravel()):
        raise InvalidArgument("values", "numbers in a regular shape", "ragged lists")
    return array


def _of_doubles(values: Reals, *, shortest: bool) -> Pair:
    wrong = int(np.sum(~np.isfinite(values)))
    if wrong:
        raise InvalidArgument("values", "finite", f"{wrong} otherwise", "Drop these records.")
    inexact = shortest & ((values != np.rint(values)) | (np.abs(values) > _WHOLE))
    return _below(values, inexact), _above(values, inexact)


def _below(values: Reals, moved: NDArray[np.bool_]) -> Reals:
    return np.where(moved, np.nextafter(values, -np.inf), values)


def _above(values: Reals, moved: NDArray[np.bool_]) -> Reals:
    with np.errstate(over="ignore"):  # the neighbour of the largest double
        return np.where(moved, np.nextafter(values, np.inf), values)


def _of_one(value: object, *, shortest: bool) -> tuple[float, float]:
    if isinstance(value, float):
        low, high = _of_doubles(np.asarray(value), shortest=shortest)
        return float(low), float(high)
    if isinstance(value, Fraction | Integral) and not isinstance(value, bool):
        exactly = Fraction(value)
        return to_float(exactly, up=False), to_float(exactly, up=True)
    raise InvalidArgument("values", "Fractions, whole numbers or doubles", type(value).__name__)


# boxes


def _boxes(
    formula: Expression, values: Mapping[str, tuple[Reals | float, Reals | float]]
) -> dict[str, Pair]:
    return {name: _box(name, values) for name in sorted({s.name for s in formula.symbols()})}


def _box(name: str, values: Mapping[str, tuple[Reals | float, Reals | float]]) -> Pair:
    if name not in values:
        raise InvalidArgument(name, "given a pair of ends, since the formula reads it", "nothing")
    if not isinstance(values[name], tuple | list) or len(values[name]) != 2:
        raise InvalidArgument(name, "a pair of ends", "something else", "Make them by as_pairs.")
    low, high = (_doubles(name, end) for end in values[name])
    try:
        right = (low <= high) & (low < np.inf) & (high > -np.inf)
    except ValueError:
        raise InvalidArgument(name, "two ends of one shape", (low.shape, high.shape)) from None
    if not np.all(right):
        wrong = f"{int(np.sum(~right))} of {right.size} otherwise"
        raise InvalidArgument(name, "boxes with low <= high", wrong, "Make them by as_pairs.")
    return low, high


def _doubles(name: str, end: object) -> Reals:
    array = np.asarray(end)
    small = array.dtype.kind in "iu" and bool(np.all((array <= _WHOLE) & (array >= -_WHOLE)))
    if not (small or (array.dtype.kind == "f" and array.dtype.itemsize <= 8)) or array.ndim > 1:
        kind = f"an array of {array.dtype}, of {array.ndim} dimensions"
        raise InvalidArgument(name, "doubles of shape (m,)", kind, "Make them by as_pairs.")
    return array.astype(np.float64) + 0.0  # without -0.0


def _common_size(boxes: Mapping[str, Pair]) -> int:
    ends = [end for pair in boxes.values() for end in pair]
    sizes = {end.size for end in ends if end.ndim}
    if len(sizes) > 1:
        raise InvalidArgument("values", "of one length, or single numbers", sorted(sizes))
    return sizes.pop() if sizes else 1


def _cut(boxes: Mapping[str, Pair], block: slice) -> dict[str, Pair]:
    return {
        name: (low[block] if low.ndim else low, high[block] if high.ndim else high)
        for name, (low, high) in boxes.items()
    }


# formulas


def _evaluate(
    formula: Expression, boxes: Mapping[str, Pair], known: dict[Expression, Pair]
) -> Pair:
    if formula not in known:
        known[formula] = _value(formula, boxes, known)
    return known[formula]


def _value(formula: Expression, boxes: Mapping[str, Pair], known: dict[Expression, Pair]) -> Pair:
    match formula:
        case Number(value):
            return as_pairs(value)
        case Symbol(name, _, _):
            return boxes[name]
    parts = [_evaluate(part, boxes, known) for part in formula.parts]
    match formula:
        case Sum(_):
            return _folded(_plus, parts)
        case Product(_):
            return _folded(_times, parts)
        case Power(_, exponent):
            return _power(parts[0], exponent)
        case Call(name, _):
            return _call(name, parts)
    raise TypeError(formula)


def _call(name: str, parts: list[Pair]) -> Pair:
    match name:
        case "log":
            return _log(parts[0])
        case "exp":
            return _exp(parts[0])
        case "min":
            return _folded(_least, parts)
        case "max":
            return _folded(_most, parts)
        case "analytic_sigma":
            return _sigma(parts[0], parts[1])
    raise TypeError(name)


def _folded(operation: Callable[[Pair, Pair], Pair], parts: list[Pair]) -> Pair:
    return reduce(operation, parts)


# operations; nan passes through all of them


def _outward(low: Reals, high: Reals) -> Pair:
    """The ends one double outward: more than a correctly rounded operation is off."""
    return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)


def _at_least_zero(pair: Pair, where: NDArray[np.bool_]) -> Pair:
    """Rounding does not take what is at least 0 below it."""
    return np.where(where, np.maximum(pair[0], 0), pair[0]), pair[1]


def _only(pair: Pair, where: NDArray[np.bool_]) -> Pair:
    """Undefined elsewhere."""
    return np.where(where, pair[0], np.nan), np.where(where, pair[1], np.nan)


def _plus(one: Pair, other: Pair) -> Pair:
    total = _outward(one[0] + other[0], one[1] + other[1])
    return _at_least_zero(total, (one[0] >= 0) & (other[0] >= 0))


def _times(one: Pair, other: Pair) -> Pair:
    corners = [a * b for a in one for b in other]
    ends = _outward(reduce(np.minimum, corners), reduce(np.maximum, corners))
    return _at_least_zero(ends, (one[0] >= 0) & (other[0] >= 0))


def _least(one: Pair, other: Pair) -> Pair:
    return np.minimum(one[0], other[0]), np.minimum(one[1], other[1])


def _most(one: Pair, other: Pair) -> Pair:
    return np.maximum(one[0], other[0]), np.maximum(one[1], other[1])


def _power(base: Pair, exponent: Fraction) -> Pair:
    if exponent.denominator == 1:
        return _whole_power(base, int(exponent))
    if exponent.denominator == 2:
        return _whole_power(_root(base), int(exponent.numerator))
    return _exp(_times(_log(base), as_pairs(exponent)))


def _whole_power(base: Pair, exponent: int) -> Pair:
    if exponent < 0:
        return _whole_power(_inverse(base), -exponent)
    if exponent % 2:
        return _odd_power(base, exponent)
    low, high = base
    size = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    size = np.where(np.isnan(low), np.nan, size)
    return _odd_power((size, np.maximum(np.abs(low), np.abs(high))), exponent)


def _odd_power(base: Pair, exponent: int) -> Pair:
    """The ends raised each: rightly for an odd exponent, and for any where the base is >= 0."""
    low, high = (_raised(end, exponent) for end in base)
    return np.where(base[0] < 0, -_raised(-base[0], exponent)[1], low[0]), np.where(
        base[1] < 0, -_raised(-base[1], exponent)[0], high[1]
    )


def _raised(end: Reals, exponent: int) -> Pair:
    """A number >= 0 to a power >= 1, by squaring."""
    half = end, end
    if exponent == 1:
        return half
    half = _raised(end, exponent // 2)
    square = _times(half, half)
    return _times(square, (end, end)) if exponent % 2 else square


def _inverse(pair: Pair) -> Pair:
    low, high = pair
    ends = _at_least_zero(_outward(1 / high, 1 / low), low > 0)
    return _only(ends, (low > 0) | (high < 0))


def _root(pair: Pair) -> Pair:
    ends = _outward(np.sqrt(pair[0]), np.sqrt(pair[1]))
    return _only(_at_least_zero(ends, pair[0] >= 0), pair[0] >= 0)


def _exp(pair: Pair) -> Pair:
    low, high = (np.exp(end) for end in pair)
    ends = _outward(np.minimum(low, _LARGEST) * (1 - _ULPS), high * (1 + _ULPS))
    return np.where(low < 2 * _TINY, low * 0, ends[0]), np.maximum(ends[1], 2 * _TINY)


def _log(pair: Pair) -> Pair:
    """A subnormal number is only known to lie between the least one and the least normal one."""
    lowest = np.where(pair[0] < _TINY, -745.0, np.log(pair[0]))
    highest = np.log(np.maximum(pair[1], _TINY))
    ends = _outward(lowest - _ULPS * np.abs(lowest), highest + _ULPS * np.abs(highest))
    return _only(ends, pair[0] > 0)


# analytic_sigma decreases in epsilon and in delta, so two corners decide


def _sigma(epsilon: Pair, delta: Pair) -> Pair:
    ends = np.broadcast_arrays(*epsilon, *delta)
    columns = np.stack([np.ravel(end) for end in ends])
    inside = (columns[0] <= columns[1]) & (columns[2] <= columns[3])  # no nan
    inside &= (columns[1] >= 0) & (columns[3] > 0) & (columns[2] < 1)
    distinct, place = _distinct(np.where(inside, columns, 0.5))
    low, high = _sigma_of(*distinct)
    low, high = _only((low[place], high[place]), inside)
    return low.reshape(ends[0].shape), high.reshape(ends[0].shape)


def _distinct(columns: Reals) -> tuple[Reals, NDArray[np.intp] | slice]:
    """The columns that differ, and where each went; all of them where many may differ."""
    many = np.unique(columns[0]).size * np.unique(columns[2]).size
    if 4 * many > columns.shape[1]:
        return columns, slice(None)
    code = np.zeros(columns.shape[1], dtype=np.int64)  # below 2^52, as a block is short
    for row in columns:
        levels, level = np.unique(row, return_inverse=True)
        code = code * levels.size + level
    _, first, place = np.unique(code, return_index=True, return_inverse=True)
    return columns[:, first], place


def _sigma_of(
    least_epsilon: Reals, most_epsilon: Reals, least_delta: Reals, most_delta: Reals
) -> Pair:
    """Of boxes that meet the domain, which they may leave: then an end is 0 or infinite."""
    bounded, noisy = least_delta > 0, (most_delta < 1) & (most_epsilon < np.inf)
    strict = np.maximum(least_epsilon, 0), np.where(bounded, least_delta, 0.5)
    loose = np.where(noisy, most_epsilon, 0.5), np.where(noisy, most_delta, 0.5)
    mu = root_mu(*strict)
    high = np.where(bounded, _sigma_end(*strict, mu, up=True), np.inf)
    low = np.where(noisy, _sigma_end(*loose, mu, up=False), 0.0)
    return low, high


def _sigma_end(epsilon: Reals, delta: Reals, guess: Reals, *, up: bool) -> Reals:
    """The least std at points, rounded to a side: near the guess, near a root, or from a ball."""
    step = 1 - _STEP if up else 1 + _STEP
    mu = guess * step
    proved = _is_proved(epsilon, delta, mu, up=up)
    again = np.flatnonzero(~proved)
    if again.size:
        mu[again] = root_mu(epsilon[again], delta[again]) * step
        proved[again] = _is_proved(epsilon[again], delta[again], mu[again], up=up)
    sigma = np.nextafter(1 / mu, np.inf if up else 0)
    for i in np.flatnonzero(~proved):
        ball = analytic_sigma_ball(arb(epsilon[i]), arb(delta[i]))
        sigma[i] = max(arb_float(ball, up=up), 0.0)  # a ball with an infinite end has two
    return sigma


def _is_proved(epsilon: Reals, delta: Reals, mu: Reals, *, up: bool) -> NDArray[np.bool_]:
    """Is delta(epsilon; mu) < delta (then 1/mu is enough noise: an upper end), or > delta?

    Of delta > 1/2 the look is at 1 - delta. `point` cuts its argument where sign t < -3/4.
    """
    large = delta > 0.5
    sign, target = np.where(large, -1.0, 1.0), np.where(large, 1 - delta, delta)
    at = point(epsilon, mu, sign)
    beyond = at.log_over(target) * (-sign if up else sign)
    plain = (mu > _PLAIN) & (target > _PLAIN * 1e-10) & (sign * at.t > -0.75)
    return np.asarray(plain & (beyond > _TRUST) & (beyond < _NEAR))
