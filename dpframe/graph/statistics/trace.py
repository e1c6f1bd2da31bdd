"""The sum of the squared row norms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Unit

from ..maps.grid import Grid, gridded
from ..node import Node
from ..rows import Rows
from .base import BlockSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def _rows(rows: Rows) -> Any:
    """On the grid, unless every row has norm 1: then the trace is their number."""
    before = rows.source if isinstance(rows, Grid) else rows
    return before if before.unit_norm else gridded(rows)


@attrs.frozen(cache_hash=True)
class Trace(BlockSum):
    """trace(X'X) = sum |x|^2, a number: moves by at most B^2, since 0 <= |x|^2 <= B^2. Proof page:
    proofs/trace.

    Where every row has norm exactly B and one row is replaced, it does not move at all.
    """

    kind: ClassVar[str] = "trace"
    rows: Rows = attrs.field(converter=_rows)

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
        """trace(X'X)."""
        return "trace(X'X)"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """The sum of squares of the block; of rows of norm 1 their number, so that no rounding
        tells neighbours apart.
        """
        import numpy as np

        if self.rows.unit_norm:
            return np.asarray(float(len(values[self.rows])))
        return np.asarray(np.vdot(values[self.rows], values[self.rows]))
