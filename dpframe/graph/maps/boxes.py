"""Rows inside a box: every entry in [-bound, bound]; and a grid for them, entry by entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import RELEASED, Expression, to_json

from ..columns import Column
from ..positive import positive
from ..reading import Reading
from ..rows import Rows
from .base import RowMap
from .grid import (
    BITS,
    Grid,
    GridColumn,
    RowsOnGrid,
    entries_in_steps,
    gridded_labels,
    per_step,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


def _box(value: object) -> Expression:
    return positive(value, "box")


@attrs.frozen(cache_hash=True)
class Box(RowMap):
    """Each entry of each row clipped into [-bound, bound]: then |x| <= sqrt(d) bound and |x|_1 <= d
    bound.
    """

    kind: ClassVar[str] = "box"
    source: Rows
    bound: Expression = attrs.field(converter=_box)

    @property
    def label(self) -> str:
        """`clip entries to [-1, 1]`."""
        return f"clip entries to [{-self.bound}, {self.bound}]"

    @property
    def readings(self) -> dict[str, Reading]:
        """The bound."""
        return {"bound": Reading(self.bound, RELEASED, positive=True)}

    def record(self) -> dict[str, object]:
        """The bound."""
        return {"bound": to_json(self.bound)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Clip."""
        import numpy as np

        most = number(self.bound)
        return np.clip(block, -most, most)


@attrs.frozen(cache_hash=True)
class BoxGrid(RowsOnGrid):
    """Each entry rounded towards zero onto the grid of step entry/2^bits, inside [-entry, entry].
    Proof page: proofs/box.

    Every norm that follows from the box stays what it was, exactly; corners lie on the grid.
    """

    kind: ClassVar[str] = "box_grid"
    source: Rows
    bits: int

    def apply(self, block: Array, number: Numbers) -> Array:
        """The rows in steps: whole numbers in doubles, at most 2^bits in size, entry by entry."""
        return entries_in_steps(block, number(per_step(self)), self.bits)


def unit_of_entries(rows: Rows) -> Expression:
    """What entries are measured in: the side of the box, or else the bound on the 2-norm. Raises
    InvalidArgument where nothing bounds them.
    """
    return rows.radius if rows.entry is None else rows.entry


def on_a_grid(rows: Any) -> Any:
    """Bounded rows on a grid whose steps are a share of `unit_of_entries`, also where their table
    asks for no grid; anything else as it is.
    """
    if not isinstance(rows, Rows) or isinstance(rows, (Grid, BoxGrid)) or rows.norm is None:
        return rows
    bits = BITS if rows.grid is None else rows.grid
    return Grid(rows, bits) if rows.entry is None else BoxGrid(rows, bits)


def labels_on_a_grid(column: Any) -> Any:
    """The same of labels."""
    bounded = isinstance(column, Column) and column.bound is not None
    if bounded and column.grid is None and not isinstance(column, GridColumn):
        return GridColumn(column, BITS)
    return gridded_labels(column)
