"""y'y."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Unit

from ..columns import Column
from ..maps.grid import gridded_labels
from ..node import Node
from .base import BlockSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class Squares(BlockSum):
    """y'y, a number. One label adds y^2, in [0, Y^2]; so does a replacement move it by at most Y^2.
    Proof page: proofs/squares.
    """

    kind: ClassVar[str] = "squares"
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
        """y'y."""
        return "y'y"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """y'y of the block."""
        import numpy as np

        return np.asarray(values[self.column] @ values[self.column])
