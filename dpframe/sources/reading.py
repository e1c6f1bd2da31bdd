"""Doubles of a table, a window of rows at a time: no table is copied as a whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import Plain as Plain  # noqa: PLC0414 - for the sources

Array = NDArray[Any]
REAL = "fiub"  # numpy's kinds of numbers, truth values among them


class Features(ABC):
    """Abstract: the features. `names` are the names of columns in errors."""

    __slots__ = ()
    names: tuple[str, ...]

    @abstractmethod
    def __len__(self) -> int:
        """The number of rows."""

    @abstractmethod
    def read(self, start: int, stop: int) -> Array:
        """Rows start to stop, shape (stop - start, d): doubles, nan for cells without a value."""

    @abstractmethod
    def window(self, start: int, stop: int) -> Features:
        """Rows start to stop as features of their own, without a copy."""

    @abstractmethod
    def cells(self, j: int, start: int, stop: int) -> Any:
        """A window of column j as it is stored, for an error that names its fault."""

    @property
    @abstractmethod
    def identity(self) -> object:
        """The object that holds the memory."""


@attrs.frozen(eq=False, repr=False)
class MatrixFeatures(Features):
    """A numpy array of numbers, shape (n, d)."""

    array: Array
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.array)

    def read(self, start: int, stop: int) -> Array:
        """A view where the array is of doubles, a converted window elsewhere."""
        return doubles(self.array[start:stop])

    def window(self, start: int, stop: int) -> MatrixFeatures:
        """A view."""
        return MatrixFeatures(self.array[start:stop], self.names)

    def cells(self, j: int, start: int, stop: int) -> Array:
        return self.array[start:stop, j]

    @property
    def identity(self) -> object:
        """The array that owns the memory."""
        return owner(self.array)


@attrs.frozen(eq=False, repr=False)
class ColumnData:
    """A one-dimensional array, series or list, and how a window of it becomes an array."""

    values: Any
    convert: Callable[[Any], Array]

    def __len__(self) -> int:
        return len(self.values)

    def read(self, start: int, stop: int) -> Array:
        """Entries start to stop, shape (stop - start,)."""
        return self.convert(self.entries(start, stop))

    def window(self, start: int, stop: int) -> ColumnData:
        """Entries start to stop as a column of their own."""
        return attrs.evolve(self, values=self.entries(start, stop))

    def entries(self, start: int, stop: int) -> Any:
        """Entries start to stop as they are stored."""
        return getattr(self.values, "iloc", self.values)[start:stop]


@attrs.frozen(eq=False, repr=False)
class FrameFeatures(Features):
    """Columns side by side: those of a data frame, or of an array of objects.

    `source` is the frame itself, None for a window of one.
    """

    source: Any
    names: tuple[str, ...]
    columns: tuple[ColumnData, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    def read(self, start: int, stop: int) -> Array:
        """The columns' windows, side by side."""
        window = np.empty((stop - start, len(self.columns)), order="F")
        for j, column in enumerate(self.columns):
            window[:, j] = column.read(start, stop)
        return window

    def window(self, start: int, stop: int) -> FrameFeatures:
        """Windows of the columns."""
        columns = tuple(column.window(start, stop) for column in self.columns)
        return FrameFeatures(None, self.names, columns)

    def cells(self, j: int, start: int, stop: int) -> Any:
        return self.columns[j].entries(start, stop)

    @property
    def identity(self) -> object:
        """The array that owns the first column's memory, or the frame."""
        first = self.columns[0].values
        return owner(first) if isinstance(first, np.ndarray) else self.source


@attrs.frozen(eq=False, repr=False)
class ListFeatures(Features):
    """A list of rows, each a list, a tuple or an array of `len(names)` cells; any other entry is a
    row without values.
    """

    rows: list[Any] | tuple[Any, ...]
    names: tuple[str, ...]
    converts: tuple[Callable[[Any], Array], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, start: int, stop: int) -> Array:
        """Cell by cell."""
        fits, rows = self._fitting(start, stop)
        read = np.full((len(fits), len(self.names)), np.nan, order="F")
        for j, cells in enumerate(zip(*rows, strict=True)):
            read[fits, j] = self.converts[j](cells)
        return read

    def window(self, start: int, stop: int) -> ListFeatures:
        """A part of the list."""
        return ListFeatures(self.rows[start:stop], self.names, self.converts)

    def cells(self, j: int, start: int, stop: int) -> Any:
        return [row[j] for row in self._fitting(start, stop)[1]]

    def fit(self, start: int, stop: int) -> bool:
        """Whether every entry is a row of the right length."""
        return bool(self._fitting(start, stop)[0].all())

    def _fitting(self, start: int, stop: int) -> tuple[Array, list[Sequence[Any]]]:
        """Which of the entries are rows of the right length, and those."""
        rows, width = [row_of(one) for one in self.rows[start:stop]], len(self.names)
        fitting = [row for row in rows if row is not None and len(row) == width]
        fits = [row is not None and len(row) == width for row in rows]
        return np.array(fits, dtype=bool), fitting

    @property
    def identity(self) -> object:
        """The list."""
        return self.rows


def row_of(entry: Any) -> Sequence[Any] | None:
    """The cells of a row of a list; None for other objects. No method of a subclass is called."""
    kind = type(entry)
    for plain in (list, tuple):
        if issubclass(kind, plain):
            return plain.__getitem__(entry, slice(None))
    if not issubclass(kind, np.ndarray) or issubclass(kind, np.ma.MaskedArray):
        return None
    array = np.asarray(entry)
    if array.ndim != 1:
        return None
    return array.tolist() if array.dtype.kind in REAL else list(array)


def doubles(window: Any) -> Array:
    """A window as doubles, without a copy if it has doubles; values beyond doubles are infinite."""
    if getattr(window, "dtype", None) == np.float64:
        return np.asarray(window)
    with np.errstate(over="ignore"):
        return np.asarray(window, dtype=np.float64)


def owner(array: Array) -> Array:
    """The array at the end of the chain of views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
