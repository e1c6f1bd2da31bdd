"""Rows and labels on a public grid, as whole multiples of a public step, so that sums are computed
exactly and their sensitivity holds for the numbers that the machine computes. `gridded` inserts a
`Grid` below every statistic of bounded rows; its blocks hold the whole numbers, as doubles. Proof
page: proofs/grid.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import lru_cache
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols import ONE, RELEASED, Expression, sqrt

from ..facts import stated
from ..node import Array, Node, Numbers, Reading, np, titled
from ..rows import ColumnNode, Occurring, RowsNode
from .base import ColumnMap, RowMap
from .bounds import ClipColumn, ClipNorm

BITS = 20  # of a grid by default: 8,192 rows of it have exact sums of products in doubles
FEWEST, MOST = 4, 24
FINE = 16  # bits of a grid that nearly holds every row of a ball


def bits_of_grid(value: object) -> int | None:
    """A number of bits from 4 to 24, or None for no grid. Raises InvalidArgument."""
    if value is None or (type(value) is int and FEWEST <= value <= MOST):
        return value
    way_out = f"grid={BITS} is the default; grid=None computes in floating point, without proof."
    raise InvalidArgument("grid", f"whole bits from {FEWEST} to {MOST}, or None", value, way_out)


def exact_rows(bits: int) -> int:
    """The number of rows of a block for which sums of products are at most 2^53, hence exact."""
    return int(2 ** (53 - 2 * bits))


@attrs.frozen(cache_hash=True)
class OnGrid(Node):
    """Abstract: rows or labels in whole steps, with `bits` bits from 0 to the bound."""

    label = titled("{0.bits}-bit grid")
    implied: ClassVar[bool] = True
    source: Any
    bits: int

    @property
    def step(self) -> Expression:
        """The public number of which every entry is a whole multiple. Raises InvalidArgument if the
        input is unbounded.
        """
        own = stated(self)
        step: Expression | None = None if own is None else own.step
        return self.source.radius if step is None else step

    @property
    def derived(self) -> dict[str, Reading]:
        """The step, common to all records; nothing if the input is unbounded."""
        with suppress(InvalidArgument):
            return {"step": Reading(self.step, RELEASED)}
        return {}

    def apply(self, block: Array, number: Numbers) -> Array:
        """The entries in steps: whole numbers as doubles, each of size at most 2^bits."""
        return entries_in_steps(block, number(per_step(self)), self.bits)

    @property
    def subsumes(self) -> bool:
        """Whether it subsumes the clip to the bound directly below it, which is then exact."""
        return getattr(self, "reads", self.source) is not self.source

    def occurs(self) -> Occurring:
        """Labels up to 2^-FINE of the bound; the bound itself where the grid subsumes the clip."""
        return Occurring(ball=(self.subsumes or self.bits >= FINE) and self.source.ball)


class RowsOnGrid(OnGrid, RowMap):
    """Abstract: bounded rows in whole steps."""

    __slots__ = ()

    def occurs(self) -> Occurring:
        """Rows up to 2^-FINE of the bound; on a coarser grid only those along an axis, which are
        exact where the grid subsumes the clip.
        """
        source, fine = self.source, self.bits >= FINE
        exact = source.ball and self.subsumes
        return Occurring(ball=fine and source.ball, extreme=source.extreme and (fine or exact))


@attrs.frozen(cache_hash=True)
class Grid(RowsOnGrid):
    """Each row rounded towards zero onto the grid of step norm/2^bits, inside the ball of radius
    norm; a row outside the ball is scaled onto it first.

    Norm bounds are unchanged: they are checked in whole numbers, row by row. `ball` and `extreme`
    hold in the limit of finer grids.
    """

    kind: ClassVar[str] = "grid"

    @property
    def reads(self) -> RowsNode:
        """Its source; the grid subsumes a projection onto the same ball directly below it."""
        return self.source.source if type(self.source) is ClipNorm else self.source

    def apply(self, block: Array, number: Numbers) -> Array:
        """The rows in steps: whole numbers as doubles, with 2-norm at most 2^bits."""
        from dpframe.numerics.blocks.gridding import onto_grid

        return onto_grid(block, number(per_step(self)), self.bits, self._most(number))

    def _most(self, number: Numbers) -> int | None:
        """The bound on the 1-norm in steps, if the ball does not imply it (Cauchy-Schwarz)."""
        bound = steps_in_norm1(self)
        if bound is None:
            return None
        most = int(number(bound))
        return None if most >= math.isqrt(int(number(self.columns)) * 4**self.bits) else most


@attrs.frozen(cache_hash=True)
class BoxGrid(RowsOnGrid):
    """Each entry rounded towards zero onto the grid of step entry/2^bits, inside [-entry, entry].
    Norm bounds that follow from the box are unchanged, exactly; corners lie on the grid. Proof
    page: proofs/box.
    """

    kind: ClassVar[str] = "box_grid"

    def occurs(self) -> Occurring:
        """Corners lie on the grid."""
        return Occurring(box=self.source.box, extreme=self.source.extreme)


@attrs.frozen(cache_hash=True)
class GridColumn(OnGrid, ColumnMap):
    """Each label rounded towards zero onto the grid of step bound/2^bits, inside [-bound, bound].
    Proof page: proofs/grid.
    """

    kind: ClassVar[str] = "grid_column"

    @property
    def reads(self) -> ColumnNode:
        """Its source; the grid subsumes a clip to the same interval directly below it."""
        below = self.source
        return below.source if type(below) is ClipColumn and _symmetric(below) else below


def entries_in_steps(block: Array, scale: float, bits: int) -> Array:
    """Entries multiplied by `scale` and rounded towards zero: whole numbers as doubles, of size at
    most 2^bits; 0 for nan.
    """
    most = 2.0**bits
    with np.errstate(over="ignore", invalid="ignore"):
        steps: Array = np.multiply(block, scale, dtype=float)
        np.trunc(steps, out=steps)
    np.clip(steps, -most, most, out=steps)
    if np.isnan(steps.sum()):  # of bounded numbers: some is none
        np.nan_to_num(steps, copy=False)
    return steps


@lru_cache(maxsize=1024)
def _symmetric(clip: ClipColumn) -> bool:
    """Whether its interval is symmetric around 0; cached, not recomputed per block."""
    return clip.upper == -clip.lower


@lru_cache(maxsize=1024)
def per_step(node: OnGrid) -> Expression:
    """1/step, computed once."""
    return 1 / node.step


@lru_cache(maxsize=1024)
def step_size(node: OnGrid) -> Expression:
    """The step, computed once."""
    return node.step


@lru_cache(maxsize=1024)
def step_of(*nodes: Node) -> Expression | None:
    """The product of the steps of rows and labels, for statistics from outside; None if any has no
    grid.
    """
    step: Expression = ONE
    for node in nodes:
        if not isinstance(node, OnGrid):
            return None
        step = step * node.step
    return step


def steps_in_norm1(rows: Grid) -> Expression | None:
    """The bound on the 1-norm in steps; None if it follows from the ball."""
    if rows.norm1 is None or rows.norm1 == sqrt(rows.columns) * rows.norm:
        return None
    return rows.norm1 / rows.step


def gridded(source: Any) -> Any:
    """Bounded rows or labels on the grid of their table, if it has one; others unchanged."""
    if isinstance(source, RowsNode):
        off = not isinstance(source, Grid) and source.norm is not None
    else:
        off = isinstance(source, ColumnNode) and source.bound is not None
        off = off and not isinstance(source, GridColumn)
    bits = source.grid if off else None
    return source if bits is None else source.on_grid(bits)


def on_a_grid(rows: Any) -> Any:
    """Bounded rows on a grid with steps that are a fraction of `unit_of_entries`, also if their
    table has no grid; others unchanged.
    """
    if not isinstance(rows, RowsNode) or isinstance(rows, (Grid, BoxGrid)) or rows.norm is None:
        return rows
    bits = BITS if rows.grid is None else rows.grid
    return Grid(rows, bits) if rows.entry is None else BoxGrid(rows, bits)


def labels_on_a_grid(column: Any) -> Any:
    """The same for labels."""
    if not isinstance(column, ColumnNode) or isinstance(column, GridColumn) or column.bound is None:
        return column
    return GridColumn(column, BITS) if column.grid is None else column.on_grid(column.grid)


def unit_of_entries(rows: RowsNode) -> Expression:
    """The unit of entries: the side of the box, or else the bound on the 2-norm. Raises
    InvalidArgument if there is no bound.
    """
    return rows.radius if rows.entry is None else rows.entry
