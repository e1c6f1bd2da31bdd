"""Arguments of the vectorised profile: exact numbers or arrays, as doubles on the private side.

A Fraction, a long integer or a text such as "1e-6" is rounded in the stated direction; a float
means its binary value, alone or in an array. (The intervals of `intervals.py` read its shortest
decimal.) Refusals name the argument and never show the contents of an array.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain, listed_words
from dpframe.numbers import Exact, from_text

from ..rounding import to_float
from .roots import Reals

Numbers: TypeAlias = Exact | list[Any] | tuple[Any, ...] | NDArray[Any]
"""An exact number, or an array (or nested lists) of them."""

_BLOCK = 1 << 13  # the temporaries of a block stay in the cache
_REAL = "real: a number, or an array of numbers, none of them boolean"


def described(array: NDArray[Any], wrong: int) -> Plain:
    """An array in an error message, without its contents."""
    return Plain(f"an array of shape {array.shape}, {wrong} of its entries otherwise")


def at_least_zero(name: str, value: object, *, up: bool, infinite: bool = False) -> Reals:
    """`value` >= 0 as doubles; finite, unless `infinite`."""
    requirement = "at least 0" if infinite else "finite and at least 0"
    end = np.inf if infinite else np.finfo(float).max
    return _checked(name, value, requirement, lambda x: (x >= 0) & (x <= end), up=up)


def above_zero_below_one(name: str, value: object) -> Reals:
    """0 < `value` < 1 as doubles, rounded down."""
    requirement = "strictly between 0 and 1"
    return _checked(name, value, requirement, lambda x: (x > 0) & (x < 1), up=False)


def blockwise(function: Callable[..., Reals], arguments: dict[str, Reals]) -> float | Reals:
    """`function` of the broadcast arguments, block by block; a float if all are single numbers."""
    try:
        wide = np.broadcast_arrays(*arguments.values())
    except ValueError:
        shapes = tuple(argument.shape for argument in arguments.values())
        names = ", ".join(arguments)
        wanted = "of shapes that broadcast together"
        raise InvalidArgument(names, wanted, listed_words(shapes)) from None
    flat = [np.ravel(argument) for argument in wide]
    answer = np.empty(flat[0].size)
    with np.errstate(all="ignore"):
        for start in range(0, answer.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            answer[block] = function(*(argument[block] for argument in flat))
    return answer.reshape(wide[0].shape) if wide[0].ndim else float(answer[0])


def _checked(
    name: str,
    value: object,
    requirement: str,
    holds: Callable[[Reals], NDArray[np.bool_]],
    *,
    up: bool,
) -> Reals:
    numbers = _doubles(name, value, up=up)
    right = holds(numbers)
    if not np.all(right):
        wrong = int(np.sum(~right))
        got = described(numbers, wrong) if numbers.ndim else value
        raise InvalidArgument(name, requirement, got)
    return numbers + 0.0  # without -0.0


def _doubles(name: str, value: object, *, up: bool) -> Reals:
    """`value` as doubles, each rounded up or each rounded down."""
    array = _array(name, from_text(name, value) if isinstance(value, str) else value)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        return array.astype(np.float64)
    if array.dtype.kind in "iu" and not np.any((array > 2**53) | (array < -(2**53))):
        return array.astype(np.float64)
    if array.dtype.kind not in "iuO":
        raise InvalidArgument(name, _REAL, array.dtype)
    entries = array.ravel().tolist()
    wrong = sum(not _is_exact(entry) for entry in entries)
    if wrong:
        got = described(array, wrong) if array.ndim else value
        raise InvalidArgument(name, _REAL, got)
    rounded = [_double(entry, up=up) for entry in entries]
    return np.array(rounded, dtype=np.float64).reshape(array.shape)


def _array(name: str, value: object) -> NDArray[Any]:
    """`value` as an array, without turning booleans or text into numbers."""
    if isinstance(value, np.ma.MaskedArray):
        raise InvalidArgument(name, _REAL, Plain("a masked array"), "Fill or drop masked entries.")
    if hasattr(value, "__array__"):
        return np.asarray(value)
    if isinstance(value, list | tuple):
        try:
            return np.array(value, dtype=object)
        except ValueError:
            raise InvalidArgument(name, _REAL, Plain("ragged lists")) from None
    box = np.empty((), dtype=object)
    box[()] = value
    return box


def _is_exact(value: object) -> bool:
    return isinstance(value, Fraction | float | Integral) and not isinstance(value, bool)


def _double(value: Fraction | float, *, up: bool) -> float:
    """One number, rounded; infinities and nan are left to the requirement."""
    return float(value) if isinstance(value, float) else to_float(Fraction(value), up=up)
