"""Columns and matrices of any make, read a window of rows at a time: none is copied as a whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BadData
from dpframe.errors import Plain as Plain  # noqa: PLC0414 - for the sources

Array = NDArray[Any]
REAL = "fiu"  # numpy's kinds of real numbers
KINDS = {"b": "bool", "c": "complex", "O": "object", "U": "text", "S": "bytes", "M": "date"}
ENCODE = "Encode it by a public rule, or declare dp.Categorical in dp.Rows(columns=[...])."
WIDE = ("Int128", "UInt128")  # of Polars
NOT_REAL = (bool, np.bool_, np.timedelta64)  # though they say so
MISSING = ("NAType", "NaTType")  # of pandas
WAYS_OUT = {
    **dict.fromkeys(WIDE, "cast(polars.Float64) makes doubles of them."),
    "b": "astype(float) makes 0 and 1 of it.",
    "c": "Give real and imaginary parts as two columns.",
    "O": "Missing numbers are nan; declare categories, dp.Rows(columns=[dp.Categorical(...)]).",
}


class Features(ABC):
    """Abstract: the features. `names` has one entry a column, as errors call it."""

    __slots__ = ()
    names: tuple[str, ...]

    @abstractmethod
    def __len__(self) -> int:
        """The number of rows."""

    @abstractmethod
    def read(self, start: int, stop: int) -> Array:
        """Rows start to stop, shape (stop - start, d): doubles, or objects where any has levels."""

    @abstractmethod
    def window(self, start: int, stop: int) -> Features:
        """Rows start to stop as features of their own, without a copy."""

    @property
    @abstractmethod
    def identity(self) -> object:
        """The object that holds the memory."""


@attrs.frozen(eq=False, repr=False)
class Matrix(Features):
    """A numpy array of numbers, shape (n, d)."""

    array: Array
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.array)

    def read(self, start: int, stop: int) -> Array:
        """A view where the array is of doubles, a converted window elsewhere."""
        return doubles(self.array[start:stop])

    def window(self, start: int, stop: int) -> Matrix:
        """A view."""
        return Matrix(self.array[start:stop], self.names)

    @property
    def identity(self) -> object:
        """The array that owns the memory."""
        return owner(self.array)


@attrs.frozen(eq=False, repr=False)
class Column:
    """A one-dimensional array or series, and how a window of it becomes an array."""

    values: Any
    convert: Callable[[Any], Array]

    def __len__(self) -> int:
        return len(self.values)

    def read(self, start: int, stop: int) -> Array:
        """Entries start to stop, shape (stop - start,)."""
        return self.convert(self._entries(start, stop))

    def window(self, start: int, stop: int) -> Column:
        """Entries start to stop as a column of their own."""
        return Column(self._entries(start, stop), self.convert)

    def _entries(self, start: int, stop: int) -> Any:
        return getattr(self.values, "iloc", self.values)[start:stop]


@attrs.frozen(eq=False, repr=False)
class Frame(Features):
    """Columns side by side: those of a data frame, or of an array of objects.

    `source` is the frame itself, None for a window of one.
    """

    source: Any
    names: tuple[str, ...]
    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    def read(self, start: int, stop: int) -> Array:
        """The columns' windows, side by side."""
        mixed = any(column.convert is objects for column in self.columns)
        dtype = object if mixed else float
        window = np.empty((stop - start, len(self.columns)), dtype=dtype, order="F")
        for j, column in enumerate(self.columns):
            window[:, j] = column.read(start, stop)
        return window

    def window(self, start: int, stop: int) -> Frame:
        """Windows of the columns."""
        columns = tuple(column.window(start, stop) for column in self.columns)
        return Frame(None, self.names, columns)

    @property
    def identity(self) -> object:
        """The array that owns the first column's memory, or the frame."""
        first = self.columns[0].values
        return owner(first) if isinstance(first, np.ndarray) else self.source


def number_column(values: Any, name: str, *, drop: bool = False) -> Column:
    """A column of real numbers. Raises BadData for any other kind, without reading an entry; where
    rows may be dropped, entries of a column of objects that are no numbers count as missing.
    """
    if drop and values.dtype == object:
        return Column(values, coerced)
    check_kind(values.dtype, name)
    if isinstance(values, np.ndarray):
        return Column(values, doubles)
    if isinstance(values.dtype, np.dtype):
        return Column(values.to_numpy(), doubles)
    return Column(values, nullable)


def level_column(values: Any) -> Column:
    """A column of categories, as objects; what is missing equals no level."""
    return Column(values, objects)


def check_kind(dtype: Any, name: str) -> None:
    """Refuse what is not real numbers, by numpy's and pandas' `kind` or polars' `is_numeric`."""
    kind = getattr(dtype, "kind", None)
    if str(dtype) in WIDE:
        raise refuse_kind(name, str(dtype), str(dtype))
    if kind in tuple(REAL) or (kind is None and dtype.is_numeric()):
        return
    if "decimal" in str(getattr(dtype, "pyarrow_dtype", "")):
        return
    raise refuse_kind(name, str(kind), str(dtype))


def refuse_kind(name: str, letter: str, text: str) -> BadData:
    """The refusal of a column that is no numbers, by numpy's letter or the library's own name."""
    got = Plain(f"values of kind {KINDS.get(letter, text)}")
    return BadData(name, "real numbers", got, WAYS_OUT.get(letter, ENCODE))


def doubles(window: Any) -> Array:
    """A window as doubles, a view where it is one; what no double can hold becomes infinite."""
    if getattr(window, "dtype", None) == np.float64:
        return np.asarray(window)
    with np.errstate(over="ignore"):
        return np.asarray(window, dtype=np.float64)


def coerced(window: Any) -> Array:
    """A window of objects as doubles, with nan for what is no real number: one entry decides about
    one entry, so that dropping rows depends on each row alone.
    """
    cells = objects(window)
    return np.array([_number(cell) for cell in cells.ravel()], dtype=float).reshape(cells.shape)


def _number(cell: Any) -> float:
    if not isinstance(cell, (Real, Decimal)) or isinstance(cell, NOT_REAL):
        return np.nan
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def strange(cells: Iterable[Any]) -> bool:
    """Whether any of the cells that are no numbers is more than missing."""
    return not all(
        cell is None
        or isinstance(cell, (float, np.floating, Decimal))
        or type(cell).__name__ in MISSING
        for cell in cells
    )


def nullable(window: Any) -> Array:
    """A window of a series with missing entries of its own, as doubles, with nan for them."""
    if hasattr(window, "iloc"):
        return doubles(window.to_numpy(dtype=float, na_value=np.nan))
    return doubles(window.to_numpy())


def objects(window: Any) -> Array:
    """A window as objects, with None for pandas' NA, which refuses to be compared."""
    if hasattr(window, "iloc"):
        window = window.to_numpy(dtype=object, na_value=None)
    elif hasattr(window, "to_pylist"):
        return np.fromiter(window.to_pylist(), dtype=object, count=len(window))
    elif hasattr(window, "to_numpy"):
        window = window.to_numpy()
    return np.asarray(window, dtype=object)


def owner(array: Array) -> Array:
    """The array at the end of the chain of views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
