"""The values of a graph's statistics: one pass over blocks, then what is derived from the sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable
from dpframe.graph import ColumnNode, Graph, Node, RowsNode
from dpframe.graph.maps.base import ColumnMap, RecordColumn, RecordMap, RowMap
from dpframe.graph.maps.grid import Grid, GridColumn, OnGrid, exact_rows, step_size
from dpframe.graph.maps.weighted import BudgetSource
from dpframe.graph.statistics import BlockSum, Searched, Statistic
from dpframe.sources.table import Block
from dpframe.symbols import Expression

from .places import places
from .whole import WholeSum, added, in_integers

Array = NDArray[Any]
Values = dict[Node, Array]
Numbers = Callable[[Expression], float]  # the value of a public formula, rounded towards zero

RECORDS = (RecordMap, RecordColumn)  # they read rows and labels at once
MAPS = (RowMap, ColumnMap)  # they read one block


@attrs.frozen(eq=False)
class Sums:
    """A pass's results, in the order of its statistics: whole numbers of steps, in words or Python
    integers, where a statistic is exact, doubles elsewhere; and the number of rows, which is
    private under add/remove. They add up; whole numbers in any order alike.
    """

    parts: tuple[Array, ...]
    rows: int

    def __add__(self, other: Sums) -> Sums:
        pairs = zip(self.parts, other.parts, strict=True)
        parts = tuple(added(mine, its) for mine, its in pairs)
        return Sums(parts, self.rows + other.rows)


NOTHING = Sums((), 0)


@attrs.frozen(eq=False)
class Pass:
    """One reading of a table, as a value that can be sent to where the rows are: the maps of rows
    and labels, the sums, and the numbers that they read.
    """

    maps: tuple[Node, ...]
    sums: tuple[BlockSum, ...]
    numbers: Mapping[Expression, float]
    most: int | None
    given: Values = attrs.field(factory=dict)
    sample: Callable[[Block], Block] | None = None
    rows: Node | None = None

    @classmethod
    def of(
        cls,
        graph: Graph,
        number: Numbers,
        empty: Block,
        statistics: Sequence[Statistic] | None = None,
        *,
        given: Values | None = None,
        sample: Callable[[Block], Block] | None = None,
        rows: Node | None = None,
    ) -> Pass:
        """The pass of a graph, or of some of its statistics. Everything that may refuse a number
        does so here, on a block without rows. `most` rows at a time have exact sums. `given` are
        released arrays that maps read. All of them read a `sample` of each block, where there is
        one. `rows` is what rows of a block are already; None for the table's own.
        """
        asked = graph.statistics if statistics is None else statistics
        sums = tuple(node for node in asked if isinstance(node, BlockSum))
        maps, given = needed(graph, sums), given or {}
        known: dict[Expression, float] = {}

        def noted(formula: Expression) -> float:
            return known.setdefault(formula, number(formula))

        bits = [node.bits for node in maps if isinstance(node, OnGrid)]
        views(maps, empty, noted, given).reals()
        most = exact_rows(max(bits)) if bits else None
        if rows is None or rows not in maps:
            read = [one for one in maps if isinstance(one, RowsNode)]
            if rows is not None and read:
                raise NotExecutable(f"{read[0].label} is read, and rows are {rows.label} already")
            return cls(maps, sums, known, most, given, sample)
        return cls(beyond(rows, maps), sums, known, most, given, sample, rows)

    @np.errstate(over="ignore", invalid="ignore")  # a warning would tell of the data
    def __call__(self, blocks: Iterable[Block]) -> Sums:
        """The sums over blocks, at least one."""
        whole = [one.step is not None for one in self.sums]
        totals: list[Any] = [WholeSum() if exact else RealSum() for exact in whole]
        rows = 0
        for block in blocks:
            rows += len(block.rows)
            read = block if self.sample is None else self.sample(block)
            for piece in _pieces(read, self.most):
                self._add(piece, list(zip(self.sums, totals, whole, strict=True)))
        return Sums(tuple(total.total() for total in totals), rows)

    def _add(self, piece: Block, parts: list[tuple[BlockSum, Any, bool]]) -> None:
        """Add a piece to every sum. What is seen of it goes before the next is looked at, so that
        its memory is used again.
        """
        given = self.given if self.rows is None else {**self.given, self.rows: piece.rows}
        seen = views(self.maps, piece, self.numbers.__getitem__, given)
        reals = seen if all(exact for *_, exact in parts) else seen.reals()
        for summed, total, exact in parts:
            total.add(summed.block(seen if exact else reals))


@attrs.define(eq=False)
class RealSum:
    """A running sum of doubles."""

    _total: Any = None

    def add(self, part: Array) -> None:
        """Add one block's."""
        self._total = part if self._total is None else self._total + part

    def total(self) -> Array:
        """The sum so far."""
        return np.asarray(self._total)


@lru_cache(maxsize=4096)
def read_of(node: Node) -> Node | None:
    """The node whose block `node` maps; None for the table itself."""
    if isinstance(node, (Grid, GridColumn)):
        return node.reads
    return node.inputs[0] if node.inputs else None


def reads_of(node: Node) -> tuple[Node, ...]:
    """The nodes whose blocks `node` maps."""
    before = read_of(node)
    return node.inputs if isinstance(node, RECORDS) else () if before is None else (before,)


class Views(dict[Node, Any]):
    """A block as every map sees it: on a grid, whole numbers of steps. Who counts in no steps of
    its own gets them multiplied out.
    """

    def __init__(self, number: Numbers) -> None:
        super().__init__()
        self._number = number

    def real(self, node: Node) -> Any:
        """What a map reads of another: rows, labels."""
        if not counts_steps(type(node)):
            return self[node]
        return self[node] * self._number(step_size(node))

    def reals(self) -> Values:
        """What a statistic without a step reads."""
        return {node: self.real(node) for node in self}


def views(
    maps: Iterable[Node], block: Block, number: Numbers, given: Values | None = None
) -> Views:
    """The block as every one of the maps sees it."""
    seen = Views(number)
    seen.update(given or {})
    for node in maps:
        seen[node] = way_of(type(node))(node, seen, block, number)
    return seen


def _of_records(node: Any, seen: Views, _: Block, number: Numbers) -> Array:
    """Rows or labels that are made of whole records, and perhaps of released arrays."""
    reads = [one for one in node.inputs if one in seen]  # losses hold no values
    whole = getattr(node, "in_steps", ())
    made: Array = node.records(
        {one: seen[one] if one in whole else seen.real(one) for one in reads}, number
    )
    return made


def _of_budgets(node: Any, seen: Views, block: Block, _: Numbers) -> Array:
    return places(seen[node], block.budgets)


def _of_one(node: Any, seen: Views, _: Block, number: Numbers) -> Array:
    """Rows or labels that are made of others."""
    before: Any = read_of(node)
    made: Array = node.apply(seen.real(before), number)
    return made


def _of_table(node: Any, _: Views, block: Block, __: Numbers) -> Any:
    if node.inputs:
        wanted = "Derive its class from RowMap, ColumnMap, RecordMap or RecordColumn."
        raise NotExecutable(f"{node.label} does not say how it maps a block. {wanted}")
    return block.rows if isinstance(node, RowsNode) else block.labels


Way = Callable[[Any, Views, Block, Numbers], Any]


@lru_cache(maxsize=1024)
def way_of(cls: type) -> Way:
    """How nodes of a class see a block; asked once a class, not once a block."""
    if issubclass(cls, RECORDS):
        return _of_records
    if issubclass(cls, BudgetSource):
        return _of_budgets
    return _of_one if issubclass(cls, MAPS) else _of_table


@lru_cache(maxsize=1024)
def counts_steps(cls: type) -> bool:
    """Whether nodes of a class hold whole numbers of steps."""
    return issubclass(cls, OnGrid)


@np.errstate(over="ignore", invalid="ignore")
def derived(
    graph: Graph,
    sums: Iterable[BlockSum],
    totals: Sums,
    number: Numbers,
    statistics: Sequence[Statistic] | None = None,
    *,
    before: Values | None = None,
) -> Values:
    """The value of every statistic, or of some: whole steps where it has a step, doubles elsewhere.
    `before` are values that are known already.
    """
    values: Values = {**(before or {}), **dict(zip(sums, totals.parts, strict=True))}
    for statistic in graph.statistics if statistics is None else statistics:
        if statistic not in values and not isinstance(statistic, Searched):
            if statistic.step is not None:
                seen = {one: _unbounded(values[one]) for one in statistic.inputs if one in values}
                values[statistic] = np.asarray(statistic.compute(seen, number), dtype=object)
            else:
                seen = {node: real(node, values, number) for node in values}
                values[statistic] = statistic.compute(seen, number)
    return values


def _unbounded(value: Any) -> Any:
    """What exact arithmetic may read: Python integers in place of words."""
    return in_integers(value) if isinstance(value, np.ndarray) else value


def real(node: Node, values: Mapping[Node, Array], number: Numbers) -> Array:
    """A statistic's value in doubles."""
    value = values[node]
    if not isinstance(node, Statistic) or node.step is None:
        return value
    return in_doubles(value, number(node.step))


def in_doubles(steps: Array, step: float) -> Array:
    """Whole numbers of steps as doubles."""
    return np.asarray(np.asarray(steps).astype(float) * step)


def needed(graph: Graph, sums: Iterable[Node]) -> tuple[Node, ...]:
    """The maps that the sums read, in order."""
    found = {node for statistic in sums for node in statistic.inputs}
    for node in reversed(graph.nodes):
        if node in found:
            found.update(reads_of(node))
    kinds = (RowsNode, ColumnNode, BudgetSource)
    return tuple(node for node in graph.nodes if node in found and isinstance(node, kinds))


def beyond(node: Node, maps: Iterable[Node]) -> tuple[Node, ...]:
    """The maps without the node and what it is made of."""
    known = {node, *made_of(node)}
    return tuple(one for one in maps if one not in known)


def made_of(node: Node) -> set[Node]:
    """All that a map reads, and what that reads."""
    found: set[Node] = set()
    way = reads_of(node)
    while way:
        found.update(way)
        way = tuple(one for before in way for one in reads_of(before))
    return found


def _pieces(block: Block, most: int | None) -> Iterator[Block]:
    """The block, cut so that sums over a piece are exact."""
    if most is None or len(block.rows) <= most:
        yield block
        return
    for start in range(0, len(block.rows), most):
        window = slice(start, start + most)
        yield Block(block.rows[window], some(block.labels, window), some(block.budgets, window))


def some(column: Array | None, kept: Any) -> Array | None:
    """Entries of a column of a block, where it has one."""
    return None if column is None else column[kept]
