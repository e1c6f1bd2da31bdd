"""X'y."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Relation, Unit
from dpframe.sensitivity import L1, Norm
from dpframe.symbols import Expression

from ..columns import Column
from ..maps.grid import gridded, gridded_labels, step_of
from ..node import Node
from ..rows import Rows
from .base import BlockSum, OneRow, by_relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class Moment(BlockSum):
    """X'y, shape (d,). One row adds y x, of norm at most |y| |x| <= Y B; replaced rows move it by
    at most 2 Y B. Proof page: proofs/moment.
    """

    kind: ClassVar[str] = "moment"
    rows: Rows = attrs.field(converter=gridded)
    column: Column = attrs.field(converter=gridded_labels)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X and y."""
        return (self.rows, self.column)

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
        """That of the rows times that of the labels."""
        return step_of(self.rows, self.column)

    @property
    def label(self) -> str:
        """X'y."""
        return "X'y"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """B Y, twice that under replace-one; the 1-norm of x in place of B for L1."""
        size = self.rows.norm1 if norm is L1 else self.rows.norm
        if size is None or self.column.bound is None:
            return None
        reached = self.rows.ball if norm is L1 else self.rows.extreme
        moved, ball = size * self.column.bound, reached and self.column.ball
        return by_relation(
            relation,
            OneRow(moved, "|y x| <= Y B", ball),
            OneRow(2 * moved, "|y x - w z| <= 2 Y B", ball),
        )

    def block(self, values: Mapping[Node, Array]) -> Array:
        """X'y of the block."""
        moment: Array = values[self.rows].T @ values[self.column]
        return moment
