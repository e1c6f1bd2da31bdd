"""What every map of rows or labels has. Each maps one record by itself, so neighbours stay
neighbours: a `RowMap` or `ColumnMap` from the row or the label alone, a `RecordMap` or
`RecordColumn` from the whole record. Bounds on what it gives are those of the rule book.
"""

from __future__ import annotations

from abc import abstractmethod

from dpframe.symbols import Expression

from ..arrays import Array, Numbers, Values
from ..columns import Column
from ..facts import stated
from ..node import Node
from ..rows import Rows


class MappedRows(Rows):
    """Abstract: rows that are made of other rows, one of each."""

    __slots__ = ()
    source: Rows

    @property
    def origin(self) -> Rows:
        """The source's."""
        return self.source.origin

    @property
    def columns(self) -> Expression:
        """As many as the book says; for a map of your own, as many as before."""
        own = stated(self)
        return self.source.columns if own is None else own.columns


class MappedColumn(Column):
    """Abstract: labels that are made of other labels, or of rows, one of each."""

    __slots__ = ()
    source: Column | Rows

    @property
    def grid(self) -> int | None:
        """The table's."""
        return self.source.grid


class OfOne(Node):
    """Abstract: made of the rows or labels of one other node."""

    __slots__ = ()

    @abstractmethod
    def apply(self, block: Array, number: Numbers) -> Array:
        """Map a block of the input, rows (m, d) or labels (m,), to this node's: each by itself, to
        the last bit, wherever it stands in the block. Never changes `block`.
        """


class OfRecord(Node):
    """Abstract: made of whole records, and perhaps of released arrays."""

    __slots__ = ()

    @property
    def in_steps(self) -> tuple[Node, ...]:
        """Those of its inputs that it reads as whole steps of their grid; others come in numbers
        of the table.
        """
        return ()

    @abstractmethod
    def records(self, values: Values, number: Numbers) -> Array:
        """A row (m, width) or label (m,) for each record of a block, finite, from the block of each
        input: each record by itself. Changes none of them.
        """


class RowMap(OfOne, MappedRows):
    """Abstract: a map of each row of another Rows."""

    __slots__ = ()

    @property
    def all_levels(self) -> tuple[str, ...]:
        """As before."""
        return self.source.all_levels


class RecordMap(OfRecord, MappedRows):
    """Abstract: a row made of a record, and perhaps of released arrays."""

    __slots__ = ()


class ColumnMap(OfOne, MappedColumn):
    """Abstract: a map of each label of another Column, or of each row to a label."""

    __slots__ = ()


class RecordColumn(OfRecord, MappedColumn):
    """Abstract: a label made of a record."""

    __slots__ = ()


def each(factors: Array, block: Array) -> Array:
    """One factor a record, shape (m,), as it multiplies a block of rows (m, d) or labels (m,)."""
    return factors.reshape(-1, *[1] * (block.ndim - 1))
