"""The number of records in one cell of a public partition."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Unit
from dpframe.symbols import Number

from ..node import Node
from ..partition import Partition, cell_number
from .base import BlockSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

ONE = Number(Fraction(1))


def _in_partition(instance: CellCount, attribute: object, value: int) -> None:
    del attribute
    cell_number(instance.partition, value)


@attrs.frozen(cache_hash=True)
class CellCount(BlockSum):
    """How many records lie in a cell, a number. One record more, or another in its place, moves it
    by at most 1: it is private under both relations. Proof page: proofs/partition.
    """

    kind: ClassVar[str] = "cell_count"
    partition: Partition
    cell: int = attrs.field(validator=_in_partition)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows, and the labels where there are any."""
        return self.partition.inputs

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.partition.rows.unit

    @property
    def label(self) -> str:
        """`n of cell 2 of 10`."""
        return f"n of cell {self.cell} of {self.partition.cells}"

    def record(self) -> dict[str, object]:
        """The partition and the cell."""
        return {"partition": self.partition.record(), "cell": self.cell}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """Those of the block."""
        import numpy as np

        inside = self.partition.places(values) == self.cell
        return np.asarray(float(np.count_nonzero(inside)))
