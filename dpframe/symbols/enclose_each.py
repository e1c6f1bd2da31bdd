"""Formulas at a million boxes at once: interval arithmetic in doubles, rounded outward.

The vectorised twin of `prover/algebra.py`, for numbers that every record has of its own. What is
trusted is said in numerics/boxes and numerics/fast/sigma_boxes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain, listed_words
from dpframe.numerics.boxes import (
    Bounds,
    Reals,
    exp,
    least,
    log,
    most,
    plus,
    root,
    times,
    whole_power,
)
from dpframe.numerics.fast.sigma_boxes import sigma_boxes
from dpframe.numerics.rounding import to_float
from dpframe.symbols import Expression
from dpframe.symbols.text import Arithmetic

_BLOCK = 1 << 13  # the temporaries of a block stay in the cache
_WHOLE = 2.0**53


def as_pairs(
    values: Sequence[Fraction | float] | Reals | Fraction | float, *, shortest: bool = False
) -> Bounds:
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
) -> Bounds:
    """Lower and upper ends of `formula`, of shape (m,), at each of m boxes.

    `values` gives every symbol, by name, its ends (low, high): arrays of shape (m,), or numbers
    that are the same for all (m = 1 if all are). The ends certainly enclose the formula at each
    point of the box, on the trust that the module names; where any part is undefined, they are
    -inf and inf. Raises InvalidArgument for a symbol without values, nan, and low > high.
    """
    boxes = {name: _box(name, values) for name in sorted({s.name for s in formula.symbols()})}
    size = _common_size(boxes)
    low, high = np.empty(size), np.empty(size)
    with np.errstate(all="ignore"):
        for start in range(0, size, _BLOCK):
            block = slice(start, start + _BLOCK)
            low[block], high[block] = DOUBLES.value(formula, _cut(boxes, block), {})
    undefined = np.isnan(low) | np.isnan(high)
    return np.where(undefined, -np.inf, low), np.where(undefined, np.inf, high)


# numbers as pairs


def _exact_array(values: object) -> NDArray[np.object_]:
    array = np.array(values, dtype=object)
    if any(isinstance(entry, list | tuple) for entry in array.ravel()):
        raise InvalidArgument("values", "numbers in a regular shape", Plain("ragged lists"))
    return array


def _of_doubles(values: Reals, *, shortest: bool) -> Bounds:
    wrong = int(np.sum(~np.isfinite(values)))
    if wrong:
        raise InvalidArgument(
            "values", "finite", Plain(f"{wrong} otherwise"), "Drop these records."
        )
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


def _box(name: str, values: Mapping[str, tuple[Reals | float, Reals | float]]) -> Bounds:
    if name not in values:
        raise InvalidArgument(
            name, "given a pair of ends, since the formula reads it", Plain("nothing")
        )
    if not isinstance(values[name], tuple | list) or len(values[name]) != 2:
        raise InvalidArgument(
            name, "a pair of ends", Plain("something else"), "Make them by as_pairs."
        )
    low, high = (_doubles(name, end) for end in values[name])
    try:
        right = (low <= high) & (low < np.inf) & (high > -np.inf)
    except ValueError:
        raise InvalidArgument(name, "two ends of one shape", (low.shape, high.shape)) from None
    if not np.all(right):
        wrong = Plain(f"{int(np.sum(~right))} of {right.size} otherwise")
        raise InvalidArgument(name, "boxes with low <= high", wrong, "Make them by as_pairs.")
    return low, high


def _doubles(name: str, end: object) -> Reals:
    array = np.asarray(end)
    small = array.dtype.kind in "iu" and bool(np.all((array <= _WHOLE) & (array >= -_WHOLE)))
    if not (small or (array.dtype.kind == "f" and array.dtype.itemsize <= 8)) or array.ndim > 1:
        kind = Plain(f"an array of {array.dtype}, of {array.ndim} dimensions")
        raise InvalidArgument(name, "doubles of shape (m,)", kind, "Make them by as_pairs.")
    return array.astype(np.float64) + 0.0  # without -0.0


def _common_size(boxes: Mapping[str, Bounds]) -> int:
    ends = [end for pair in boxes.values() for end in pair]
    sizes = {end.size for end in ends if end.ndim}
    if len(sizes) > 1:
        got = listed_words(sorted(sizes))
        raise InvalidArgument("values", "of one length, or single numbers", got)
    return sizes.pop() if sizes else 1


def _cut(boxes: Mapping[str, Bounds], block: slice) -> dict[str, Bounds]:
    return {
        name: (low[block] if low.ndim else low, high[block] if high.ndim else high)
        for name, (low, high) in boxes.items()
    }


# formulas


def _power(base: Bounds, exponent: Fraction) -> Bounds:
    if exponent.denominator == 1:
        return whole_power(base, int(exponent))
    if exponent.denominator == 2:
        return whole_power(root(base), int(exponent.numerator))
    return exp(times(log(base), as_pairs(exponent)))


DOUBLES: Arithmetic[Bounds] = Arithmetic(
    as_pairs,
    plus,
    times,
    _power,
    {"log": log, "exp": exp, "min": least, "max": most, "analytic_sigma": sigma_boxes},
)
