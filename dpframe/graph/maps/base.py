"""What every map of rows or labels has. Each maps one record by itself, so neighbours stay
neighbours: a `RowMap` from its row alone, a `RecordMap` from the whole record.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dpframe.privacy import Unit
from dpframe.symbols import Expression

from ..columns import Column
from ..facts import stated
from ..node import Node
from ..rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


class MappedRows(Rows):
    """Abstract: rows that are made of other rows, one of each."""

    __slots__ = ()
    source: Rows

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows that are mapped."""
        return (self.source,)

    @property
    def origin(self) -> Rows:
        """The source's."""
        return self.source.origin

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.source.unit

    @property
    def columns(self) -> Expression:
        """As many as the book says; for a map of your own, as many as before."""
        own = stated(self)
        return self.source.columns if own is None else own.columns


class RowMap(MappedRows):
    """Abstract: a map of each row of another Rows."""

    __slots__ = ()

    @property
    def all_levels(self) -> tuple[str, ...]:
        """As before."""
        return self.source.all_levels

    @abstractmethod
    def apply(self, block: Array, number: Numbers) -> Array:
        """Map a block of the input's rows, shape (m, d), to this node's rows: each by itself, to
        the last bit, wherever it stands in the block. Never changes `block`.
        """


class RecordMap(MappedRows):
    """Abstract: a row made of a record, and perhaps of released arrays."""

    __slots__ = ()

    @abstractmethod
    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """A row for each record of a block, shape (m, width), finite, from the block of each input:
        each record by itself. Changes none of them.
        """


class MappedColumn(Column):
    """Abstract: labels that are made of other labels, or of rows, one of each."""

    __slots__ = ()
    source: Column | Rows

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The labels that are mapped."""
        return (self.source,)

    @property
    def grid(self) -> int | None:
        """The table's."""
        return self.source.grid

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.source.unit


class ColumnMap(MappedColumn):
    """Abstract: a map of each label of another Column, or of each row to a label."""

    __slots__ = ()

    @abstractmethod
    def apply(self, block: Array, number: Numbers) -> Array:
        """Map a block of the input, shape (m,) or (m, d), to this node's labels, shape (m,). Never
        changes `block`.
        """


class RecordColumn(MappedColumn):
    """Abstract: a label made of a record."""

    __slots__ = ()

    @property
    def in_steps(self) -> tuple[Node, ...]:
        """Those of its inputs that it reads as whole steps of their grid; others come in numbers
        of the table.
        """
        return ()

    @abstractmethod
    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """A label for each record of a block, shape (m,), finite, from the block of each input:
        each record by itself. Changes none of them.
        """
