"""The view of a block by every map, and the maps between a node and the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable
from dpframe.graph import ColumnNode, Graph, Node, RowsNode
from dpframe.graph.facts import answers
from dpframe.graph.maps.base import ColumnMap, RecordColumn, RecordMap, RowMap
from dpframe.graph.maps.grid import Grid, GridColumn, OnGrid, RowsOnGrid, step_size
from dpframe.graph.maps.weighted import BudgetSource
from dpframe.graph.statistics import RecordSum, Searched
from dpframe.identity import own
from dpframe.sources import Source
from dpframe.sources.layout import Layout
from dpframe.sources.open import MemorySource
from dpframe.sources.table import Block, Table, TablePart
from dpframe.symbols import RELEASED, Expression

from .public_budgets import places
from .stages import Stages

Array = NDArray[Any]
Values = dict[Node, Array]
Numbers = Callable[[Expression], float]  # the value of a public formula, rounded towards zero

RECORDS = (RecordMap, RecordColumn)  # they read rows and labels at once
MAPS = (RowMap, ColumnMap)  # they read one block


def read_of(node: Node) -> Node | None:
    """The node whose block `node` maps; None for the table itself."""
    if type(node) is Grid or type(node) is GridColumn:  # a map of one's own may clip nothing
        return node.reads
    return node.inputs[0] if node.inputs else None


def reads_of(node: Node) -> tuple[Node, ...]:
    """The nodes whose blocks `node` maps."""
    before = read_of(node)
    return node.inputs if isinstance(node, RECORDS) else () if before is None else (before,)


class Views(dict[Node, Any]):
    """The view of a block by every map: on a grid, whole numbers of steps. Maps without steps of
    their own read these multiplied out.
    """

    def __init__(self, number: Numbers, given: Values | None = None) -> None:
        super().__init__(given or {})
        self._number = number

    def add(self, maps: Iterable[Node], block: Block) -> None:
        """Add the views by the maps, which stand in order."""
        for node in maps:
            kind: type = type(node)
            self[node] = view_function(kind)(node, self, block, self._number)

    def real(self, node: Node) -> Any:
        """The rows or labels of a map as doubles."""
        kind: type = type(node)
        if not counts_steps(kind):
            return self[node]
        return self[node] * self._number(step_size(node))

    def reals(self) -> Values:
        """All views as doubles, for statistics without a step."""
        return {node: self.real(node) for node in self}


def views(
    maps: Iterable[Node], block: Block, number: Numbers, given: Values | None = None
) -> Views:
    """The views of the block by the maps."""
    seen = Views(number, given)
    seen.add(maps, block)
    return seen


def numbers_read(
    maps: Iterable[Node], empty: Block, number: Numbers, given: Values
) -> dict[Expression, float]:
    """The value of every formula that the maps read, by a block without rows."""
    numbers: dict[Expression, float] = {}

    def noted(formula: Expression) -> float:
        return numbers.setdefault(formula, number(formula))

    views(maps, empty, noted, given).reals()
    return numbers


def as_numbers(given: Values, maps: Sequence[Node]) -> dict[Node, Any]:
    """The released values that maps read as arrays of numbers, each converted once: an object of
    another class may convert differently at every block, and the number of blocks depends on the
    table. Raises NotExecutable for other values, except where a class from outside reads them.
    """
    return {node: _converted(node, value, maps) for node, value in given.items()}


def _converted(node: Node, value: Any, maps: Sequence[Node]) -> Any:
    readers = [one for one in maps if node in reads_of(one)]
    if not readers or node.scope is not RELEASED:
        return value
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        if all(own(type(one)) for one in readers):
            wanted = "numbers, as rows or labels are computed from it"
            raise NotExecutable(f"{node.label} must return {wanted}.") from None
        return value


def _of_records(node: Any, seen: Views, _: Block, number: Numbers) -> Array:
    """Rows or labels that are made of whole records, and perhaps of released arrays."""
    reads = [one for one in node.inputs if one in seen]  # losses hold no values
    whole = getattr(node, "in_steps", ())
    made: Array = node.records(
        {one: seen[one] if one in whole else seen.real(one) for one in reads}, number
    )
    return _shaped(node, made, len(seen[node.source]), number)


def _of_budgets(node: Any, seen: Views, block: Block, _: Numbers) -> Array:
    return places(seen[node], block.budgets)


def _of_one(node: Any, seen: Views, _: Block, number: Numbers) -> Array:
    """Rows or labels that are made of others."""
    before: Any = read_of(node)
    block = seen.real(before)
    return _shaped(node, node.apply(block, number), len(block), number)


def _shaped(node: Any, made: Array, records: int, number: Numbers) -> Array:
    """The output of a map, checked to have one row or label for each record and the stated columns,
    from which bounds follow, where its class is not dpframe's. Raises NotExecutable.
    """
    if own(type(node)):
        return made
    width = (round(number(node.columns)),) if isinstance(node, RowsNode) else ()
    if np.shape(made)[1:] != width:
        shape = f"rows of {width[0]} columns" if width else "one number for each record"
        way_out = "State `columns` in its class, and the bounds that follow from them."
        got = f"an array of {np.ndim(made)} dimensions, {np.shape(made)[1:]} for each record"
        raise NotExecutable(f"{node.label} must make {shape}, and made {got}. {way_out}")
    if len(made) != records:
        wanted = "one row or label for each record: its sensitivity is that of one record"
        raise NotExecutable(f"{node.label} must make {wanted}.")
    return made


def _of_table(node: Any, _: Views, block: Block, __: Numbers) -> Any:
    if node.inputs:
        wanted = "Derive its class from RowMap, ColumnMap, RecordMap or RecordColumn."
        raise NotExecutable(f"{node.label} does not say how it maps a block. {wanted}")
    return block.rows if isinstance(node, RowsNode) else block.labels


ViewFunction = Callable[[Any, Views, Block, Numbers], Any]


@lru_cache(maxsize=1024)
def view_function(cls: type) -> ViewFunction:
    """The function that makes the view of nodes of a class; cached, since every block needs it."""
    if issubclass(cls, RECORDS):
        return _of_records
    if issubclass(cls, BudgetSource):
        return _of_budgets
    return _of_one if issubclass(cls, MAPS) else _of_table


@lru_cache(maxsize=1024)
def counts_steps(cls: type) -> bool:
    """Whether nodes of a class hold whole numbers of steps."""
    return issubclass(cls, OnGrid)


def needed(graph: Graph, sums: Iterable[Node]) -> tuple[Node, ...]:
    """The maps that the sums read, in order."""
    result = {node for statistic in sums for node in statistic.inputs}
    mapped = {place for place, cls in graph.kinds.items() if maps(cls)}
    for node in reversed(graph.nodes):
        if node in result and id(type(node)) in mapped:
            result.update(reads_of(node))
    return tuple(node for node in graph.nodes if node in result and id(type(node)) in mapped)


@lru_cache(maxsize=1024)
def maps(cls: type) -> bool:
    """Whether nodes of a class are rows or labels."""
    return issubclass(cls, (RowsNode, ColumnNode, BudgetSource))


def beyond(nodes: Iterable[Node], among: Iterable[Node]) -> tuple[Node, ...]:
    """The maps without these and their ancestors."""
    known = {one for node in nodes for one in (node, *made_of(node))}
    return tuple(one for one in among if one not in known)


def made_of(node: Node) -> set[Node]:
    """All ancestors of a map among maps."""
    kinds: dict[Node, type] = {one: type(one) for one in reads_of(node)}
    before = {one for one, kind in kinds.items() if maps(kind)}
    return before.union(*map(made_of, before))


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
