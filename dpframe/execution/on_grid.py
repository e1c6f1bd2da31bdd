"""Rows that several passes read, put onto their grid once: a table in memory of whole steps.

A row on the grid is a function of that row alone, so every exact sum is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import attrs
from numpy.typing import NDArray

from dpframe.graph import Graph, Node, RowsNode
from dpframe.graph.facts import answers
from dpframe.graph.maps.grid import RowsOnGrid
from dpframe.graph.statistics import RecordSum, Searched
from dpframe.sources import Source
from dpframe.sources.layout import Layout
from dpframe.sources.open import MemorySource
from dpframe.sources.table import Block, Table, TablePart

from .stages import Stages
from .views import Numbers, beyond, made_of, needed, numbers_read, reads_of, views

Array = NDArray[Any]

MOST = 2**29  # bytes of steps that are held beside the table
WIDEST = 256  # columns: with more of them X'X takes far longer than stored rows save


StoredParts = tuple[tuple[Block, ...], ...]  # of a table in order, each some blocks


@attrs.frozen(eq=False, repr=False)
class PartOnGrid(TablePart):
    """Some blocks that were read before."""

    layout: Layout
    stored_blocks: Sequence[Block]

    @property
    def name(self) -> str:
        """`X`."""
        return "X"

    def tables(self) -> Iterator[Table]:
        """None: the rows are no table any more."""
        return iter(())

    def blocks(self) -> Iterator[Block]:
        """The blocks as they are; all is checked."""
        return iter(self.stored_blocks)


@attrs.frozen(eq=False, repr=False)
class SourceOnGrid(Source):
    """The rows of another source on `grid`, in its parts, with labels and budgets."""

    thread_safe: ClassVar[bool] = True
    layout: Layout
    grid: RowsOnGrid
    stored: StoredParts
    identity: object

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(len(block.rows) for part in self.stored for block in part)

    @property
    def steps(self) -> int:
        """The number of parts."""
        return len(self.stored)

    def parts(self) -> Iterator[PartOnGrid]:
        """The parts in their order."""
        for blocks in self.stored:
            yield PartOnGrid(self.layout, blocks)


@attrs.frozen(eq=False)
class GridWork:
    """Work for a source: its blocks with rows mapped by `maps`, of which `grid` is the last."""

    maps: tuple[Node, ...]
    grid: RowsOnGrid
    number: Numbers

    def __call__(self, blocks: Iterable[Block]) -> StoredParts:
        return (tuple(map(self.steps, blocks)),)

    def steps(self, block: Block) -> Block:
        """The block with its rows in steps."""
        rows = views(self.maps, block, self.number)[self.grid]
        return Block(rows, block.labels, block.budgets)


def on_grid(
    source: Source, grid: RowsOnGrid, graph: Graph, number: Numbers, empty: Block
) -> Source:
    """The table on its grid, by one pass of its own; the source itself where it is not in memory,
    where its steps would be large, or with many columns. Formulas are evaluated here, on a block
    without rows.
    """
    if not isinstance(source, MemorySource):
        return source
    before = made_of(grid)
    maps = (*(node for node in graph.nodes if node in before), grid)
    columns = GridWork(maps, grid, number).steps(empty).rows.shape[1]
    if columns > WIDEST or 8 * source.rows * columns > MOST:
        return source
    numbers = numbers_read(maps, empty, number, {})
    stored = source.total(GridWork(maps, grid, numbers.__getitem__))
    return SourceOnGrid(source.layout, grid, stored, source.identity)


@lru_cache(maxsize=32)
def common_grid(stages: Stages) -> tuple[tuple[int, ...], RowsOnGrid] | None:
    """The stages after the first whose passes read rows, and the grid that they all read; None
    without such a grid, or with a single such pass.
    """
    graph = stages.graph
    searched = any(isinstance(one, Searched) for one in graph.statistics)
    if searched or graph.loops or not graph.additive:
        return None
    passes = {one: _sums_of_rows(stages, one) for one in range(1, stages.count)}
    passes = {stage: sums for stage, sums in passes.items() if sums}
    grid = _only_way(graph, [one for sums in passes.values() for one in sums])
    return (tuple(passes), grid) if grid is not None and len(passes) > 1 else None


def _sums_of_rows(stages: Stages, stage: int) -> list[RecordSum]:
    """The sums of the pass of this stage, if it reads rows."""
    sums = [one for one in stages.statistics(stage) if isinstance(one, RecordSum)]
    rows = any(isinstance(one, RowsNode) for one in needed(stages.graph, sums))
    return sums if rows else []


def _only_way(graph: Graph, sums: Sequence[RecordSum]) -> RowsOnGrid | None:
    """The single grid of rows through which sums, and all that they read, depend on the rows; other
    grids are of rows derived from it.
    """
    maps = needed(graph, sums)
    grids = [one for one in maps if isinstance(one, RowsOnGrid) and answers(one).rounds]
    grids = [one for one in grids if made_of(one).isdisjoint(grids)]
    if len(grids) != 1:
        return None
    before = made_of(grids[0])
    reads = [one for node in beyond(grids[0], maps) for one in reads_of(node)]
    reads += [one for summed in sums for one in summed.inputs]
    plain = all(isinstance(one, RowsNode) for one in before)
    return grids[0] if plain and before.isdisjoint(reads) else None
