"""How many records lie in each cell of a public grid over rows and labels."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.privacy import Unit
from dpframe.symbols import Number

from ..columns import Column
from ..maps.boxes import labels_on_a_grid, on_a_grid
from ..node import Node
from ..rows import Rows
from .base import BlockSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

MOST_CELLS = 10**6
MOST_A_SIDE = 1000
ONE = Number(Fraction(1))


def _whole(instance: Histogram, attribute: object, value: int) -> None:
    del instance, attribute
    if type(value) is not int or not 2 <= value <= MOST_A_SIDE:
        wanted = f"a whole number from 2 to {MOST_A_SIDE}"
        raise InvalidArgument("cells", wanted, value, "It is public: say it before looking.")


@attrs.frozen(cache_hash=True)
class Histogram(BlockSum):
    """The number of records in each of cells^(d + 1) equal cells of [-B, B]^d x [-Y, Y], shape
    (cells^(d + 1),), the label's cell varying fastest. B is the bound on the entries of a row, or
    on its 2-norm where no box bounds it.

    One record is in one cell: L1 and L2 sensitivity 1; replaced, 2 and sqrt(2). Proof page:
    proofs/histogram. Raises InvalidArgument where a known d makes too many cells.
    """

    kind: ClassVar[str] = "histogram"
    rows: Rows = attrs.field(converter=on_a_grid)
    column: Column = attrs.field(converter=labels_on_a_grid)
    cells: int = attrs.field(validator=_whole)

    def __attrs_post_init__(self) -> None:
        """A grid that is known to be too large is refused at once."""
        d = self.rows.columns
        if isinstance(d, Number) and self.cells ** (int(d.value) + 1) > MOST_CELLS:
            wanted, found = f"at most {MOST_CELLS:,} in all", _count(self.cells, int(d.value))
            raise InvalidArgument("cells", wanted, found, _way_out(int(d.value)))

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
        """`records in cells, 4 a side`."""
        return f"records in cells, {self.cells} a side"

    def record(self) -> dict[str, object]:
        """Cells a side."""
        return {"cells": self.cells}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """The counts of the block. Raises NotExecutable where there are too many cells."""
        import numpy as np

        rows, labels = values[self.rows], values[self.column]
        d = rows.shape[1]
        if self.cells ** (d + 1) > MOST_CELLS:
            many = f"{_count(self.cells, d)}, more than {MOST_CELLS:,}"
            raise NotExecutable(f"a histogram of {many}. {_way_out(d)}")
        place = np.zeros(len(rows), dtype=np.int64)
        for axis, node in [*((column, self.rows) for column in rows.T), (labels, self.column)]:
            place = place * self.cells + cell(axis, self.cells, node.bits)  # type: ignore[attr-defined]
        return np.bincount(place, minlength=self.cells ** (d + 1)).astype(float)


def cell(steps: Array, cells: int, bits: int) -> Array:
    """The cell of each entry in whole steps, |k| <= 2^bits: 0 to cells - 1, exactly."""
    import numpy as np

    above = np.asarray(steps).astype(np.int64) + 2**bits
    found: Array = np.minimum(above * cells // 2 ** (bits + 1), cells - 1)
    return found


def _count(cells: int, d: int) -> str:
    return f"{cells}^{d + 1} cells ({cells} a side of {d} columns and the label)"


def _way_out(d: int) -> str:
    most = max(k for k in range(1, MOST_A_SIDE + 1) if k ** (d + 1) <= MOST_CELLS)
    if most < 2:
        return "A histogram is for few columns; dp.FunctionalLinear takes any number."
    return f"At most {most} a side for {d} columns; dp.FunctionalLinear needs no cells."
