"""Columns of Arrow as doubles, to the bit what other kinds of tables give for the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .extras import arrow
from .reading import Array, Column, doubles, refuse_kind

TEXTS = ("is_string", "is_large_string", "is_string_view")
WHOLE = 2**53  # whole numbers up to this are doubles
TENS = 22  # 10^22 is the last power of ten that is a double


def is_arrow(values: Any) -> bool:
    """Whether these are values of a column of Arrow."""
    return hasattr(values, "to_pylist")


def number_column(values: Any, name: str) -> Column:
    """A column of Arrow as numbers, null as nan. Raises BadData for other types, by the type."""
    if arrow("pyarrow.types").is_dictionary(values.type):
        values = values.dictionary_decode()
    return Column(values, _conversion(values.type, name))


def letter(kind: Any) -> str:
    """numpy's letter for a type of Arrow, of its values in a dictionary: f for any numbers, O where
    all are null.
    """
    types = arrow("pyarrow.types")
    if types.is_dictionary(kind):
        return letter(kind.value_type)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "f"
    return "O" if types.is_null(kind) else _letter(types, kind)


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is of texts."""
    types = arrow("pyarrow.types")
    return any(getattr(types, one)(kind) for one in TEXTS if hasattr(types, one))


def _conversion(kind: Any, name: str) -> Callable[[Any], Array]:
    types = arrow("pyarrow.types")
    if types.is_integer(kind) or types.is_floating(kind):
        return plain
    if types.is_decimal(kind):
        return decimals
    if types.is_null(kind):
        return missing
    raise refuse_kind(name, _letter(types, kind), str(kind))


def _letter(types: Any, kind: Any) -> str:
    """numpy's letter for a kind that is no number."""
    if types.is_boolean(kind):
        return "b"
    return "U" if is_text(kind) else "M" if types.is_temporal(kind) else str(kind)


def without_rows(schema: Any) -> Any:
    """A batch without rows. (From lists, Arrow would import pandas to make one.)"""
    columns = [arrow().nulls(0, field.type) for field in schema]
    return arrow().RecordBatch.from_arrays(columns, schema=schema)


def plain(window: Any) -> Array:
    """Whole and binary numbers. (Arrow's own conversion would import pandas.)"""
    if window.null_count or not len(window):
        return doubles(window.to_numpy(zero_copy_only=False))
    numbers = np.frombuffer(window.buffers()[1], dtype=window.type.to_pandas_dtype())
    return doubles(numbers[window.offset : window.offset + len(window)])


def missing(window: Any) -> Array:
    """A column that is null throughout."""
    return np.full(len(window), np.nan)


def decimals(window: Any) -> Array:
    """Decimal numbers, each as the double nearest to it."""
    known = window.is_valid().to_numpy(zero_copy_only=False)
    units = _units(window, known)
    if units is None:
        cells = [np.nan if cell is None else float(cell) for cell in window.to_pylist()]
        return np.array(cells, dtype=float)
    # a quotient of two exact doubles is rounded once
    return np.where(known, units / float(10**window.type.scale), np.nan)


def _units(window: Any, known: Array) -> Array | None:
    """The numbers times 10^scale, where these and 10^scale are doubles exactly; else None."""
    kind = window.type
    if kind.bit_width != 128 or kind.precision > 18 or not 0 <= kind.scale <= TENS:
        return None
    words = np.frombuffer(window.buffers()[1], dtype="<i8")[::2]
    units = np.where(known, words[window.offset : window.offset + len(window)], 0)
    return units if np.abs(units).max(initial=0) <= WHOLE else None
