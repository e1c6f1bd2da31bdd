"""The rows and labels of one cell of a public partition: records outside become zeros."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from ..columns import Column
from ..node import Node
from ..partition import Partition, cell_number
from ..rows import Rows
from .base import MappedRows, RecordColumn, RecordMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


class InCell(Node):
    """Abstract: the rows or labels of one cell, zeros for every record outside."""

    __slots__ = ()
    partition: Partition
    cell: int

    @property
    def label(self) -> str:
        """`cell 2 of 10`."""
        return f"cell {self.cell} of {self.partition.cells}"

    def record(self) -> dict[str, object]:
        """The partition and the cell."""
        return {"partition": self.partition.record(), "cell": self.cell}

    def inside(self, values: Mapping[Node, Array]) -> Array:
        """Which records of a block lie in the cell, shape (m,)."""
        inside: Array = self.partition.places(values) == self.cell
        return inside


def _in_partition(instance: InCell, attribute: object, value: int) -> None:
    del attribute
    cell_number(instance.partition, value)


@attrs.frozen(cache_hash=True)
class CellRows(InCell, RecordMap):
    """Each row of the cell as it is, zeros for every other: bounds stay, and nothing is known of
    which rows occur. Proof page: proofs/partition.
    """

    kind: ClassVar[str] = "cell_rows"
    partition: Partition
    cell: int = attrs.field(validator=_in_partition)

    @property
    def source(self) -> Rows:  # type: ignore[override]
        """The rows of the partition."""
        return self.partition.rows

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows, and the labels where there are any."""
        return self.partition.inputs

    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """The rows, zeros outside the cell."""
        del number
        import numpy as np

        return np.where(self.inside(values)[:, None], values[self.partition.rows], 0.0)


@attrs.frozen(cache_hash=True)
class CellColumn(InCell, RecordColumn):
    """Each label of the cell as it is, 0 for every other: the bound stays. Proof page:
    proofs/partition.
    """

    kind: ClassVar[str] = "cell_column"
    partition: Partition
    cell: int = attrs.field(validator=_in_partition)

    @property
    def source(self) -> Column:  # type: ignore[override]
        """The labels of the partition."""
        return self.partition.inputs[-1]  # type: ignore[return-value]  # it has some

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The labels and the rows."""
        return (self.source, self.partition.rows)

    def records(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """The labels, 0 outside the cell."""
        del number
        import numpy as np

        return np.where(self.inside(values), values[self.source], 0.0)


def cell_under(rows: Rows) -> CellRows | None:
    """The cell whose rows are mapped, None where there is none."""
    while isinstance(rows, MappedRows):
        if isinstance(rows, CellRows):
            return rows
        rows = rows.source
    return None
