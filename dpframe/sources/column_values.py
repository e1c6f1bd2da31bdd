"""The values of a window of a column of any library: doubles where the type of its memory is
numeric, else its cells as objects. Columns of Arrow give the same bits as others of their numbers.

Both readings of a cell give the same value (tests/sources/test_records.py), so a library may store
a column either way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import attrs
import numpy as np

from dpframe.graph import Categorical, Numeric
from dpframe.graph.cells import NO_LEVEL, NUMBERS, Levels, Meaning

from .reading import REAL, Array, ColumnData, doubles
from .safe_errors import arrow

TITLES = {"U": "text", "T": "text", "S": "bytes", "m": "date", "M": "date", "V": "record"}
TITLES |= {"b": "truth value", **dict.fromkeys("fiu", "number")}
NO_NUMBERS = "mMV"  # durations, dates, records: cells that no number and no level is equal to
OF_POLARS = ("Date", "Datetime", "Duration", "Time", "List", "Array", "Struct", "Binary")
Narrow = type[np.floating[Any]]
NARROW: dict[str, Narrow] = {"float32": np.float32, "float": np.float32}  # of numpy, of Arrow
NARROW |= {"float16": np.float16, "halffloat": np.float16}
EXACT = ("Decimal", "Int128", "UInt128")  # of Polars: its own conversion may round twice


def cell_values(window: Any) -> Array | Sequence[Any]:
    """Doubles, nan where a number is missing; or a sequence of objects."""
    if isinstance(window, (list, tuple)):
        return _of_list(window)
    if isinstance(window, np.ndarray):
        return _of_array(window)
    if is_arrow(window):
        return arrow_cells(window)
    if hasattr(window, "iloc"):
        return _of_pandas(window)
    if hasattr(window, "to_list") and hasattr(window.dtype, "is_numeric"):
        return _of_polars(window)
    return _of_array(np.asarray(window.to_numpy()))


def _of_list(cells: Sequence[Any]) -> Array | Sequence[Any]:
    kinds = set(map(id, map(type, cells)))  # types may be made without a hash
    return np.array(cells, dtype=float) if kinds == {id(float)} else cells


def _of_array(array: Array) -> Array | Sequence[Any]:
    """An array of one dimension."""
    kind = array.dtype.kind
    if kind in REAL:
        return doubles(array)
    if kind in NO_NUMBERS:
        return np.full(len(array), np.nan)
    cells: list[Any] = array.tolist()  # of objects, the objects themselves
    return cells


def _of_pandas(series: Any) -> Array | Sequence[Any]:
    """A series of pandas or its like: by numpy's type, or by that of its masked numbers."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _of_array(series.to_numpy())
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow":
        return arrow_cells(series.array.__arrow_array__())
    if getattr(dtype, "kind", "O") in REAL and "Sparse" not in str(dtype):
        return doubles(series.to_numpy(dtype=float, na_value=np.nan))
    if getattr(dtype, "kind", "O") in NO_NUMBERS:
        return np.full(len(series), np.nan)
    cells: list[Any] = series.to_numpy(dtype=object).tolist()
    return cells


def _of_polars(series: Any) -> Array | Sequence[Any]:
    name = str(series.dtype).partition("(")[0]
    if name in OF_POLARS:
        return np.full(len(series), np.nan)
    if series.dtype.is_numeric() and name not in EXACT:
        return doubles(series.to_numpy())
    cells: list[Any] = series.to_list()
    return cells


def kind_of(values: Any) -> str | None:
    """The kind of all cells of a column by the type of its memory; None where that is open."""
    if isinstance(values, (list, tuple)):
        return None
    if is_arrow(values):
        return _kind_of_arrow(values.type)
    dtype = values.dtype
    name, kind = str(dtype).partition("(")[0], str(getattr(dtype, "kind", None))
    if kind in TITLES or name in OF_POLARS:
        return TITLES.get(kind, name)
    lower = name.lower()
    if lower == "str" or lower.startswith("string"):
        return "text"
    if name == "Boolean":
        return "truth value"
    return "number" if hasattr(dtype, "is_numeric") and dtype.is_numeric() else None


def _kind_of_arrow(kind: Any) -> str | None:
    if getattr(kind, "extension_name", None) in DATES:
        return "date"
    found = letter(kind)
    return "bytes" if "binary" in found else TITLES.get(found)


def narrow_floats(values: Any) -> Narrow | None:
    """The type of the memory of a column, where that is of floats shorter than doubles."""
    if isinstance(values, (list, tuple)):
        return None
    dtype = values.type if is_arrow(values) else values.dtype
    for inner in ("categories", "pyarrow_dtype", "value_type", "subtype"):
        dtype = getattr(dtype, inner, dtype)
        dtype = getattr(dtype, "dtype", dtype)
    return NARROW.get(str(dtype).lower())


@attrs.frozen
class ColumnReader:
    """A window of a column of any library as doubles, shape (m,), by the meaning of its cells."""

    meaning: Meaning

    def __call__(self, window: Any) -> Array:
        cells = cell_values(window)
        if isinstance(cells, np.ndarray):
            return self.meaning.of_numbers(cells)
        return self.meaning.of_cells(cells)


@lru_cache(maxsize=64)
def column_reader(part: Numeric | Categorical | None) -> ColumnReader:
    """For a column of the codebook; numbers where there is no codebook. Cached: many levels take
    long, and every block needs it.
    """
    if not isinstance(part, Categorical):
        return ColumnReader(NUMBERS)
    return ColumnReader(Levels.of(part.levels, NO_LEVEL if part.unknown == "zeros" else np.nan))


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
