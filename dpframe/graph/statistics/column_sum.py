"""Sums of the rows, and of the labels."""

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
class RowSum(BlockSum):
    """X'1, shape (d,): one row moves it by |x| <= B, a replacement by at most 2 B. Proof page:
    proofs/row_sum.
    """

    kind: ClassVar[str] = "row_sum"
    rows: Rows = attrs.field(converter=gridded)

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
        """That of the rows."""
        return step_of(self.rows)

    @property
    def label(self) -> str:
        """sum of the rows."""
        return "sum(X)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """B, twice that under replace-one."""
        size = self.rows.norm1 if norm is L1 else self.rows.norm
        if size is None:
            return None
        return by_relation(
            relation,
            OneRow(size, "|x| <= B", self.rows.ball if norm is L1 else self.rows.extreme),
            OneRow(2 * size, "|x - z| <= 2 B", self.rows.ball),
        )

    def block(self, values: Mapping[Node, Array]) -> Array:
        """The column sums of the block."""
        total: Array = values[self.rows].sum(axis=0)
        return total


@attrs.frozen(cache_hash=True)
class LabelSum(BlockSum):
    """1'y, a number: one label moves it by at most Y, a replacement by at most 2 Y. Proof page:
    proofs/label_sum.
    """

    kind: ClassVar[str] = "label_sum"
    column: Column = attrs.field(converter=gridded_labels)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The labels."""
        return (self.column,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.column.unit

    @property
    def shape(self) -> tuple[Expression, ...]:
        """()."""
        return ()

    @property
    def step(self) -> Expression | None:
        """That of the labels."""
        return step_of(self.column)

    @property
    def label(self) -> str:
        """sum of the labels."""
        return "sum(y)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """Y, twice that under replace-one."""
        del norm
        bound = self.column.bound
        if bound is None:
            return None
        return by_relation(
            relation,
            OneRow(bound, "|y| <= Y", self.column.ball),
            OneRow(2 * bound, "|y - w| <= 2 Y", self.column.ball),
        )

    def block(self, values: Mapping[Node, Array]) -> Array:
        """The sum of the block."""
        import numpy as np

        return np.asarray(values[self.column].sum())
