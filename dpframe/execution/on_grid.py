"""Rows that several passes read, put onto their grid once: a table in memory of whole steps.

A row on the grid is a function of that record and of released numbers alone, so every exact sum is
the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import attrs
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Graph, Node, RowsNode
from dpframe.graph.facts import answers
from dpframe.graph.maps.grid import RowsOnGrid
from dpframe.graph.statistics import RecordSum, Searched
from dpframe.sources import Source
from dpframe.sources.layout import Layout
from dpframe.sources.open import MemorySource
from dpframe.sources.table import Block, Table, TablePart

from .stages import Stages
from .views import (
    Numbers,
    Values,
    as_numbers,
    beyond,
    made_of,
    needed,
    numbers_read,
    reads_of,
    views,
)

Array = NDArray[Any]

MOST = 2**29  # bytes of steps that are held beside the table
WIDEST = 256  # columns: with more of them X'X takes far longer than stored rows save


@attrs.frozen(eq=False)
class Held:
    """The stages whose passes read a table through one grid of `rows`, and through one map of its
    `labels` if they depend on rows; None for labels of the table.
    """

    passes: tuple[int, ...] = ()
    rows: RowsOnGrid | None = None
    labels: ColumnNode | None = None


NOTHING = Held()
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
    """The rows and labels of another source as `held`, in its parts, with budgets."""

    thread_safe: ClassVar[bool] = True
    layout: Layout
    held: Held
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
    """Work for a source: its blocks as they are `held`, by these maps."""

    maps: tuple[Node, ...]
    held: Held
    number: Numbers
    given: Values

    def __call__(self, blocks: Iterable[Block]) -> StoredParts:
        return (tuple(map(self.steps, blocks)),)

    def steps(self, block: Block) -> Block:
        """The block with its rows in steps."""
        seen: dict[Any, Array] = views(self.maps, block, self.number, self.given)
        labels = block.labels if self.held.labels is None else seen[self.held.labels]
        return Block(seen[self.held.rows], labels, block.budgets)


def on_grid(  # noqa: PLR0917 - a pass, in the order in which it is put together
    source: Source, held: Held, graph: Graph, number: Numbers, empty: Block, released: Values
) -> Source:
    """The table on its grid, by one pass of its own; the source itself where it is not in memory,
    where its steps would be large, or with many columns. Formulas are evaluated here, on a block
    without rows.
    """
    if not isinstance(source, MemorySource):
        return source
    ends = {one for one in (held.rows, held.labels) if one is not None}
    before = ends.union(*map(made_of, ends))
    maps = tuple(node for node in graph.nodes if node in before)
    read = {one for node in maps for one in reads_of(node)}
    given = as_numbers({node: released[node] for node in read if node in released}, maps)
    columns = GridWork(maps, held, number, given).steps(empty).rows.shape[1]
    if columns > WIDEST or 8 * source.rows * columns > MOST:
        return source
    numbers = numbers_read(maps, empty, number, given)
    stored = source.total(GridWork(maps, held, numbers.__getitem__, given))
    return SourceOnGrid(source.layout, held, stored, source.identity)


@lru_cache(maxsize=32)
def common_grid(stages: Stages) -> Held:
    """The last stages whose passes read rows through one grid, at least two, after the first stage;
    NOTHING if there are none.
    """
    graph = stages.graph
    searched = any(isinstance(one, Searched) for one in graph.statistics)
    if searched or graph.loops or not graph.additive:
        return NOTHING
    passes = {one: _sums_of_rows(stages, one) for one in range(1, stages.count)}
    later = [stage for stage, sums in passes.items() if sums]
    for start in range(len(later) - 1):
        held = _only_way(graph, [one for stage in later[start:] for one in passes[stage]])
        if held.rows is not None:
            return attrs.evolve(held, passes=tuple(later[start:]))
    return NOTHING


def _sums_of_rows(stages: Stages, stage: int) -> list[RecordSum]:
    """The sums of the pass of this stage, if it reads rows."""
    sums = [one for one in stages.statistics(stage) if isinstance(one, RecordSum)]
    rows = any(isinstance(one, RowsNode) for one in needed(stages.graph, sums))
    return sums if rows else []


def _only_way(graph: Graph, sums: Sequence[RecordSum]) -> Held:
    """The single grid of rows, and the map of labels, through which sums, and all that they read,
    depend on the rows; other grids are of rows derived from it.
    """
    maps = needed(graph, sums)
    grids = [one for one in maps if isinstance(one, RowsOnGrid) and answers(one).rounds]
    grids = [one for one in grids if made_of(one).isdisjoint(grids)]
    if len(grids) != 1 or not all(isinstance(one, RowsNode) for one in made_of(grids[0])):
        return NOTHING
    rows = made_of(grids[0])
    beside = [one for one in beyond(grids, maps) if not rows.isdisjoint(reads_of(one))]
    if len(beside) > 1 or not all(isinstance(one, ColumnNode) for one in beside):
        return NOTHING
    held = [*grids, *beside]
    before = {*rows, *(one for label in beside for one in made_of(label))}
    reads = [one for node in beyond(held, maps) for one in reads_of(node)]
    reads += [one for summed in sums for one in summed.inputs]
    return Held((), *held) if before.isdisjoint(reads) else NOTHING  # type: ignore[arg-type]
