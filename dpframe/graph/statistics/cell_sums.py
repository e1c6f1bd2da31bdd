"""The sufficient statistics of every cell of a public partition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Unit

from ..columns import Column
from ..maps.boxes import labels_on_a_grid, on_a_grid
from ..node import Node
from ..partition import Partition
from ..rows import Rows
from .base import BlockSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def _labelled(instance: CellSums, attribute: object, value: Partition) -> None:
    del instance, attribute
    if not isinstance(value, Partition) or value.column is None:
        way_out = "Make it by dp.partition(X, y, ...): the sums are of labels too."
        raise InvalidArgument("partition", "one of rows and labels", value, way_out)


@attrs.frozen(cache_hash=True)
class CellSums(BlockSum):
    """For every cell the upper triangle of X'X, row by row, then X'y, of x/B and y/Y: shape
    (cells d (d + 3)/2,). B is the bound on the entries of a row, or on its 2-norm where no box
    bounds it.

    One record moves the sums of one cell by those of a record; replaced, perhaps of two cells by as
    much each. Proof page: proofs/partition.
    """

    kind: ClassVar[str] = "cell_sums"
    partition: Partition = attrs.field(validator=_labelled)

    @property
    def rows(self) -> Rows:
        """X on its grid."""
        found: Rows = on_a_grid(self.partition.rows)
        return found

    @property
    def column(self) -> Column:
        """y on its grid."""
        found: Column = labels_on_a_grid(self.partition.column)
        return found

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X and y on their grids, and as the partition reads them."""
        return (self.rows, self.column, *self.partition.inputs)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.rows.unit

    @property
    def label(self) -> str:
        """`(X'X, X'y) of each of 10 cells`."""
        return f"(X'X, X'y) of each of {self.partition.cells} cells"

    def record(self) -> dict[str, object]:
        """The partition."""
        return {"partition": self.partition.record()}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """Those of the block."""
        import numpy as np

        rows, labels = values[self.rows], values[self.column]
        places, d = self.partition.places(values), rows.shape[1]
        upper = np.triu_indices(d)
        sums = np.zeros((self.partition.cells, d * (d + 3) // 2))
        for cell in np.unique(places):
            mine = rows[places == cell]
            sums[cell] = np.concatenate([(mine.T @ mine)[upper], mine.T @ labels[places == cell]])
        return np.ravel(sums)
