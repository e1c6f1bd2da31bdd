"""A block as every map sees it, and what a node is made of on its way from the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable
from dpframe.graph import ColumnNode, Graph, Node, RowsNode
from dpframe.graph.facts import in_package
from dpframe.graph.maps.base import ColumnMap, RecordColumn, RecordMap, RowMap
from dpframe.graph.maps.grid import Grid, GridColumn, OnGrid, step_size
from dpframe.graph.maps.weighted import BudgetSource
from dpframe.sources.table import Block
from dpframe.symbols import Expression

from .public_budgets import places

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
    """A block as every map sees it: on a grid, whole numbers of steps. Who counts in no steps of
    its own gets them multiplied out.
    """

    def __init__(self, number: Numbers, given: Values | None = None) -> None:
        super().__init__(given or {})
        self._number = number

    def look(self, maps: Iterable[Node], block: Block) -> None:
        """See the block as the maps do, which stand in order."""
        for node in maps:
            kind: type = type(node)
            self[node] = way_of(kind)(node, self, block, self._number)

    def real(self, node: Node) -> Any:
        """What a map reads of another: rows, labels."""
        kind: type = type(node)
        if not counts_steps(kind):
            return self[node]
        return self[node] * self._number(step_size(node))

    def reals(self) -> Values:
        """What a statistic without a step reads."""
        return {node: self.real(node) for node in self}


def views(
    maps: Iterable[Node], block: Block, number: Numbers, given: Values | None = None
) -> Views:
    """The block as every one of the maps sees it."""
    seen = Views(number, given)
    seen.look(maps, block)
    return seen


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
    """What a map made of a block, one row or label for each record: a class from outside may forget
    to say how many columns it makes, and bounds follow from them. Raises NotExecutable.
    """
    if in_package(type(node)):
        return made
    width = (round(number(node.columns)),) if isinstance(node, RowsNode) else ()
    if np.shape(made)[1:] != width:
        told = f"rows of {width[0]} columns" if width else "one number for each record"
        way_out = "State `columns` in its class, and the bounds that follow from them."
        got = f"an array of {np.ndim(made)} dimensions, {np.shape(made)[1:]} for each record"
        raise NotExecutable(f"{node.label} must make {told}, and made {got}. {way_out}")
    if len(made) != records:
        wanted = "one row or label for each record: its sensitivity is that of one record"
        raise NotExecutable(f"{node.label} must make {wanted}.")
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


def needed(graph: Graph, sums: Iterable[Node]) -> tuple[Node, ...]:
    """The maps that the sums read, in order."""
    found = {node for statistic in sums for node in statistic.inputs}
    for node in reversed(graph.nodes):
        if node in found:
            found.update(reads_of(node))
    mapped = {place for place, cls in graph.kinds.items() if maps(cls)}
    return tuple(node for node in graph.nodes if node in found and id(type(node)) in mapped)


@lru_cache(maxsize=1024)
def maps(cls: type) -> bool:
    """Whether nodes of a class are rows or labels: asked once a class."""
    return issubclass(cls, (RowsNode, ColumnNode, BudgetSource))


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
