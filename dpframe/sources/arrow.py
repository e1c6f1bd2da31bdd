"""Columns of Arrow as doubles: the same bits as from other tables of the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from .reading import Array, ColumnData, doubles
from .safe_errors import arrow

TEXTS = ("is_string", "is_large_string", "is_string_view")
DATES = ("pandas.period",)  # extensions


def is_arrow(values: Any) -> bool:
    """Whether these are values of a column of Arrow."""
    return hasattr(values, "to_pylist")


def arrow_cells(window: Any) -> Array | Sequence[Any]:
    """A window of a column of Arrow: doubles (null as nan) where its type is numeric, nan where no
    value of its type equals a number or a level, else its cells as objects.
    """
    types, kind = arrow("pyarrow.types"), window.type
    if hasattr(window, "combine_chunks") and hasattr(window, "chunks"):
        return arrow_cells(window.combine_chunks())
    if types.is_dictionary(kind):
        return arrow_cells(window.dictionary_decode())
    if hasattr(kind, "run_end_type"):
        return arrow_cells(arrow("pyarrow.compute").run_end_decode(window))
    if hasattr(window, "storage"):
        return _of_extension(window)
    if types.is_integer(kind) or types.is_floating(kind):
        return plain(window)
    if types.is_decimal(kind):
        cells = (np.nan if cell is None else float(cell) for cell in window.to_pylist())
        return np.fromiter(cells, dtype=float, count=len(window))
    if types.is_boolean(kind):
        return doubles(window.cast(arrow().uint8()).to_numpy(zero_copy_only=False))
    if is_text(kind):
        return texts(window)
    return np.full(len(window), np.nan)


def _of_extension(window: Any) -> Array | Sequence[Any]:
    """An extension type by its storage; periods are dates stored as whole numbers, and truth
    values are stored as bytes.
    """
    name = window.type.extension_name
    if name in DATES:
        return np.full(len(window), np.nan)
    if name == "arrow.bool8":
        return arrow_cells(window.storage.cast(arrow().bool_()))
    return arrow_cells(window.storage)


def texts(window: Any) -> Sequence[Any]:
    """Cells of text, None where one is missing or not UTF-8."""
    try:
        cells: list[Any] = window.to_pylist()
    except UnicodeDecodeError:
        cells = [decoded(cell) for cell in window.cast(arrow().large_binary()).to_pylist()]
    return cells


def decoded(cell: bytes | None) -> str | None:
    """Bytes as a text, None where they are not UTF-8."""
    try:
        return None if cell is None else cell.decode()
    except UnicodeDecodeError:
        return None


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


def _letter(types: Any, kind: Any) -> str:
    """numpy's letter for a kind that is no number."""
    if types.is_boolean(kind):
        return "b"
    return "U" if is_text(kind) else "M" if types.is_temporal(kind) else str(kind)


def without_rows(schema: Any) -> Any:
    """A batch without rows. (From lists, Arrow would import pandas to make one.)"""
    columns = [arrow().nulls(0, field.type) for field in schema]
    return arrow().RecordBatch.from_arrays(columns, schema=schema)


def column_data(values: Any, convert: Callable[[Any], Array]) -> ColumnData:
    """A column of any library."""
    return (ArrowColumn if is_arrow(values) else ColumnData)(values, convert)


@attrs.frozen(eq=False, repr=False)
class ArrowColumn(ColumnData):
    """A column of Arrow. It is pickled without the rest of the memory that it is a window on."""

    def __reduce__(self) -> tuple[object, ...]:
        sink = arrow().BufferOutputStream()
        table = arrow().table({"": self.values})
        with arrow("pyarrow.ipc").new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        return _unpacked, (sink.getvalue().to_pybytes(), self.convert)


def _unpacked(data: bytes, convert: Callable[[Any], Array]) -> ArrowColumn:
    return ArrowColumn(arrow("pyarrow.ipc").open_stream(data).read_all().column(0), convert)


def plain(window: Any) -> Array:
    """Whole and binary numbers. (Arrow's own conversion would import pandas.)"""
    if window.null_count or not len(window):
        return doubles(window.to_numpy(zero_copy_only=False))
    numbers = np.frombuffer(window.buffers()[1], dtype=window.type.to_pandas_dtype())
    return doubles(numbers[window.offset : window.offset + len(window)])
