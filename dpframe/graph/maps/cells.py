"""The rows and labels of one cell of a public partition: records outside become zeros."""

from __future__ import annotations

from typing import ClassVar

import attrs

from ..arrays import Array, Numbers, Values, np
from ..columns import ColumnNode
from ..node import Node, titled
from ..partition import Partition, in_partition
from ..rows import RowsNode
from .base import MappedRows, OfRecord, RecordColumn, RecordMap, each


@attrs.frozen(cache_hash=True)
class InCell(OfRecord):
    """Abstract: the rows or labels of one cell, with zeros for records outside it. Bounds are
    unchanged, and nothing is known about which values occur. Proof page: proofs/partition.
    """

    label = titled("cell {0.cell} of {0.partition.cells}")

    partition: Partition
    cell: int = attrs.field(validator=in_partition)

    def records(self, values: Values, number: Numbers) -> Array:
        """The rows or labels, with zeros outside the cell."""
        block, inside = values[self.inputs[0]], self.partition.places(values) == self.cell
        return np.where(each(inside, block), block, 0.0)


@attrs.frozen(cache_hash=True)
class CellRows(InCell, RecordMap):
    """Each row of the cell."""

    kind: ClassVar[str] = "cell_rows"

    @property
    def source(self) -> RowsNode:  # type: ignore[override]
        """The rows of the partition."""
        return self.partition.rows

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows, and the labels where there are any."""
        return self.partition.inputs


@attrs.frozen(cache_hash=True)
class CellColumn(InCell, RecordColumn):
    """Each label of the cell."""

    kind: ClassVar[str] = "cell_column"

    @property
    def source(self) -> ColumnNode:  # type: ignore[override]
        """The labels of the partition."""
        return self.partition.inputs[-1]  # type: ignore[return-value]  # it has some

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The labels and the rows."""
        return (self.source, self.partition.rows)


def cell_under(rows: RowsNode) -> CellRows | None:
    """The cell whose rows are mapped; None if there is none."""
    while isinstance(rows, MappedRows):
        if isinstance(rows, CellRows):
            return rows
        rows = rows.source
    return None
