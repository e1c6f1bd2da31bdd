"""The sum of the squares of every column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Relation, Unit
from dpframe.sensitivity import L1, Norm
from dpframe.symbols import Expression, power, sqrt

from ..maps.boxes import on_a_grid
from ..maps.grid import step_of
from ..node import Node
from ..rows import Rows
from .base import BlockSum, OneRow, by_relation
from .gram import ONE

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
    def shape(self) -> tuple[Expression, ...]:
        """(d,)."""
        return (self.rows.columns,)

    @property
    def step(self) -> Expression | None:
        """That of the rows, squared."""
        return step_of(self.rows, self.rows)

    @property
    def label(self) -> str:
        """`sum(X^2)`."""
        return "sum(X^2)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """B^2; replaced, 2 B^2 in L1 and sqrt(2) B^2 in L2. In a box the same under both relations:
        d b^2 and sqrt(d) b^2.
        """
        if self.rows.norm is None:
            return None
        if self.rows.entry is not None:
            d, square = self.rows.columns, power(self.rows.entry, 2)
            size = (d if norm is L1 else sqrt(d)) * square
            boxed = OneRow(size, "0 <= x_j^2 <= b^2", self.rows.extreme)
            return by_relation(relation, boxed, attrs.evolve(boxed, attained=self.rows.box))
        square, alone = power(self.rows.norm, 2), self.rows.columns == ONE
        swapped = square if alone else square * (2 if norm is L1 else sqrt(2))
        return by_relation(
            relation,
            OneRow(square, "|x o x| <= |x|^2 <= B^2", self.rows.ball),
            OneRow(swapped, "two vectors without negative entries"),
        )

    def block(self, values: Mapping[Node, Array]) -> Array:
        """The sums of squares of the block."""
        import numpy as np

        rows = values[self.rows]
        total: Array = np.einsum("ij,ij->j", rows, rows)
        return total
