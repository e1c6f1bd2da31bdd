"""The number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Unit

from ..node import Node
from ..rows import Rows
from .base import BlockSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class Count(BlockSum):
    """n, a number: moves by 1 under add/remove, is constant over neighbours under replace-one.
    Proof page: proofs/count.
    """

    kind: ClassVar[str] = "count"
    rows: Rows

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
        """n."""
        return "n"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """Rows of the block."""
        import numpy as np

        return np.asarray(float(len(values[self.rows])))
