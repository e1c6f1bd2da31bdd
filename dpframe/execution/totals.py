"""The values of a graph's statistics: one pass over blocks, then what is derived from the sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Graph, Node, RowsNode
from dpframe.graph.statistics import BlockSum
from dpframe.symbols import Expression

from .table import Block

Values = dict[Node, NDArray[Any]]
Numbers = Callable[[Expression], float]  # the value of a public formula, rounded towards zero


def totals(graph: Graph, blocks: Iterable[Block], number: Numbers) -> Values:
    """The value of every statistic of the graph, summed over all blocks."""
    sums = [statistic for statistic in graph.statistics if isinstance(statistic, BlockSum)]
    derived = [statistic for statistic in graph.statistics if not isinstance(statistic, BlockSum)]
    values: Values = {}
    for block in blocks:
        seen = views(graph, block, number)
        for summed in sums:
            part = summed.block(seen)
            values[summed] = values[summed] + part if summed in values else part
    for statistic in derived:
        values[statistic] = statistic.compute(values, number)
    return values


def views(graph: Graph, block: Block, number: Numbers) -> Values:
    """The block as every map of rows and labels in the graph sees it."""
    seen: dict[Node, Any] = {}
    for node in graph.nodes:
        before = node.inputs[0] if node.inputs else None
        if isinstance(node, RowsNode) and before is None:
            seen[node] = block.rows
        elif isinstance(node, RowsNode) and before is not None:
            seen[node] = node.apply(seen[before], number, None if before.inputs else block.squares)
        elif isinstance(node, ColumnNode):
            seen[node] = block.labels if before is None else node.apply(seen[before], number)
    return seen
