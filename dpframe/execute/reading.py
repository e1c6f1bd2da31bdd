"""Columns and matrices of any make, read in windows of rows: nothing is copied as a whole, no value is ever printed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BadData

Array = NDArray[Any]
REAL = "fiu"  # numpy's kinds of real numbers
KINDS = {"b": "bool", "c": "complex", "O": "object", "U": "text", "S": "bytes", "M": "date", "m": "timedelta"}
WAYS_OUT = {"b": "astype(float) makes 0 and 1 of it.", "c": "Give real and imaginary parts as columns."}
ENCODE = "Encode it by a public rule, or declare it with dp.Categorical in dp.Rows(columns=[...])."


class Plain(str):
    """Text that an error shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Features(ABC):
    """Abstract: the features, readable by windows of rows. `names` has one entry a column."""

    __slots__ = ()
    names: tuple[str, ...]

    @abstractmethod
    def __len__(self) -> int:
        """The number of rows."""

    @abstractmethod
    def read(self, start: int, stop: int) -> Array:
        """Rows start to stop, shape (stop - start, d), as doubles (or objects, where some column is categorical)."""

    @property
    @abstractmethod
    def identity(self) -> object:
        """The object whose memory these features are, where there is one."""


@attrs.frozen(eq=False)
class Matrix(Features):
    """A numpy array, shape (n, d)."""

    array: Array
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.array)

    def read(self, start: int, stop: int) -> Array:
        """A view where the array is of doubles, a converted window elsewhere."""
        return doubles(self.array[start:stop])

    @property
    def identity(self) -> object:
        """The array that owns the memory."""
        return owner(self.array)


@attrs.frozen(eq=False)
class Column:
    """A one-dimensional array or series, and how a window of it becomes an array."""

    values: Any
    convert: Callable[[Any], Array]

    def __len__(self) -> int:
        return len(self.values)

    def read(self, start: int, stop: int) -> Array:
        """Entries start to stop."""
        return self.convert(getattr(self.values, "iloc", self.values)[start:stop])


@attrs.frozen(eq=False)
class Frame(Features):
    """Columns side by side: those of a data frame, or of a matrix that has categories."""

    source: Any
    names: tuple[str, ...]
    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.source)

    def read(self, start: int, stop: int) -> Array:
        """The columns' windows, side by side."""
        mixed = any(column.convert is objects for column in self.columns)
        window = np.empty((stop - start, len(self.columns)), dtype=object if mixed else float, order="F")
        for j, column in enumerate(self.columns):
            window[:, j] = column.read(start, stop)
        return window

    @property
    def identity(self) -> object:
        """The array that owns the first column's memory, or the frame itself."""
        first = self.columns[0].values if self.columns else None
        return owner(first) if isinstance(first, np.ndarray) else self.source


def number_column(values: Any, name: str) -> Column:
    """A column of real numbers. Raises BadData for any other kind, without reading an entry."""
    check_kind(values.dtype, name)
    if isinstance(values.dtype, np.dtype):
        return Column(values if isinstance(values, np.ndarray) else values.to_numpy(), doubles)
    return Column(values, nullable)


def level_column(values: Any) -> Column:
    """A column of categories, as objects; missing ones are None or nan, and so no level."""
    return Column(values, objects)


def check_kind(dtype: Any, name: str) -> None:
    """Refuse kinds that are not real numbers: numpy's, pandas' (`kind`) or polars' (`is_numeric`)."""
    kind = getattr(dtype, "kind", None)
    real = kind in REAL if isinstance(kind, str) and kind else bool(getattr(dtype, "is_numeric", bool)())
    if not real:
        got = Plain(f"values of kind {KINDS.get(str(kind), str(dtype))}")
        raise BadData(name, "real numbers", got, WAYS_OUT.get(str(kind), ENCODE))


def doubles(window: Array) -> Array:
    """A window as doubles, a view where it is one; what is too large for a double becomes infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(window, dtype=np.float64)


def nullable(window: Any) -> Array:
    """A window of a series whose missing entries are not numpy's, as doubles, with nan for them."""
    pandas = hasattr(window, "iloc")
    return doubles(window.to_numpy(dtype=float, na_value=np.nan) if pandas else window.to_numpy())


def objects(window: Any) -> Array:
    """A window as objects, with None for pandas' NA, which no comparison survives."""
    if hasattr(window, "iloc"):
        window = window.to_numpy(dtype=object, na_value=None)
    elif hasattr(window, "to_numpy"):
        window = window.to_numpy()
    return np.asarray(window, dtype=object)


def owner(array: Array) -> Array:
    """The array at the end of the chain of views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
