"""Sums of the rows, and of the labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Unit

from ..columns import Column
from ..maps.grid import gridded, gridded_labels
from ..node import Node
from ..rows import Rows
from .base import BlockSum

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
    def label(self) -> str:
        """sum of the rows."""
        return "sum(X)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

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
    def label(self) -> str:
        """sum of the labels."""
        return "sum(y)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """The sum of the block."""
        import numpy as np

        return np.asarray(values[self.column].sum())
