"""Base classes of maps of rows and labels.

Each maps one record at a time, so neighbours remain neighbours: a `RowMap` or `ColumnMap` reads the
row or the label alone, a `RecordMap` or `RecordColumn` the whole record. Bounds on the result are
derived by the rule book.
"""

from __future__ import annotations

from abc import abstractmethod

from dpframe.symbols import Expression

from ..facts import stated
from ..node import Array, Node, Numbers, Values
from ..rows import ColumnNode, RowsNode


class MappedRows(RowsNode):
    """Abstract: rows made from other rows, one from each."""

    __slots__ = ()
    source: RowsNode

    @property
    def origin(self) -> RowsNode:
        """The source's."""
        return self.source.origin

    @property
    def columns(self) -> Expression:  # type: ignore[override]
        """As derived by the rule book; for a map from outside, as before."""
        own = stated(self)
        return self.source.columns if own is None else own.columns


class MappedColumn(ColumnNode):
    """Abstract: labels made from other labels, or from rows, one from each."""

    __slots__ = ()
    source: ColumnNode | RowsNode

    @property
    def grid(self) -> int | None:  # type: ignore[override]
        """The table's."""
        return self.source.grid


class OfOne(Node):
    """Abstract: made from the rows or labels of one other node."""

    __slots__ = ()

    @abstractmethod
    def apply(self, block: Array, number: Numbers) -> Array:
        """Map a block of the input, rows (m, d) or labels (m,). The result for a record must not
        depend on its position in the block, to the last bit. Never changes `block`.
        """


class OfRecord(Node):
    """Abstract: made from whole records, and optionally from released arrays."""

    __slots__ = ()

    @property
    def in_steps(self) -> tuple[Node, ...]:
        """Inputs that are read as whole steps of their grid; the others are read in the units of
        the table.
        """
        return ()

    @abstractmethod
    def records(self, values: Values, number: Numbers) -> Array:
        """A finite row (m, width) or label (m,) for each record of a block, from the block of each
        input. Records are mapped independently, and the inputs are not changed.
        """


class RowMap(OfOne, MappedRows):
    """Abstract: a map of each row of another Rows."""

    __slots__ = ()

    @property
    def all_levels(self) -> tuple[str, ...]:
        """As before."""
        return self.source.all_levels


class RecordMap(OfRecord, MappedRows):
    """Abstract: a row made from a record, and optionally from released arrays."""

    __slots__ = ()


class ColumnMap(OfOne, MappedColumn):
    """Abstract: a map of each label, or of each row to a label."""

    __slots__ = ()


class RecordColumn(OfRecord, MappedColumn):
    """Abstract: a label made from a record."""

    __slots__ = ()


def each(factors: Array, block: Array) -> Array:
    """One factor per record, shape (m,), broadcast to a block of rows (m, d) or labels (m,)."""
    return factors.reshape(-1, *[1] * (block.ndim - 1))
