"""X'y."""

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
    def label(self) -> str:
        """X'y."""
        return "X'y"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """X'y of the block."""
        moment: Array = values[self.rows].T @ values[self.column]
        return moment
