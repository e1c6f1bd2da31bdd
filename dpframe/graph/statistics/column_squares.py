"""The sum of the squares of every column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Unit

from ..maps.boxes import on_a_grid
from ..node import Node
from ..rows import Rows
from .base import BlockSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def _gridded(rows: Any) -> Any:
    """On the grid of its table, where it has one: entry by entry in a box."""
    return rows if isinstance(rows, Rows) and rows.grid is None else on_a_grid(rows)


@attrs.frozen(cache_hash=True)
class ColumnSquares(BlockSum):
    """(sum of x_j^2)_j, shape (d,): the diagonal of X'X. One row adds a vector without negative
    entries, of L1 norm |x|^2 <= B^2; in a box of side b, of L2 norm at most sqrt(d) b^2. Proof
    page: proofs/column_squares.
    """

    kind: ClassVar[str] = "column_squares"
    rows: Rows = attrs.field(converter=_gridded)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X."""
        return (self.rows,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.rows.unit

    @property
    def label(self) -> str:
        """`sum(X^2)`."""
        return "sum(X^2)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """The sums of squares of the block."""
        import numpy as np

        rows = values[self.rows]
        total: Array = np.einsum("ij,ij->j", rows, rows)
        return total
