"""The values of a graph's statistics: one pass over blocks of rows, then what is derived from the sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Graph, Node, RowsNode
from dpframe.graph.statistics import BlockSum
from dpframe.symbols import Expression

from .table import Block

Array = NDArray[Any]
Values = dict[Node, Array]
Numbers = Callable[[Expression], float]  # the value of a public formula, rounded towards zero


def totals(graph: Graph, blocks: Iterable[Block], number: Numbers) -> Values:
    """The value of every statistic of the graph over all blocks."""
    sums = [node for node in graph.statistics if isinstance(node, BlockSum)]
    values: Values = {}
    for block in blocks:
        mapped = views(graph, block, number)
        for statistic in sums:
            part = statistic.block(mapped)
            values[statistic] = values[statistic] + part if statistic in values else part
    for statistic in graph.statistics:
        if not isinstance(statistic, BlockSum):
            values[statistic] = statistic.compute(values, number)
    return values


def views(graph: Graph, block: Block, number: Numbers) -> Values:
    """The block's rows and labels as every row map and column map of the graph sees them."""
    values: Values = {}
    for node in graph.nodes:
        if isinstance(node, RowsNode):
            given = node.inputs[0] if node.inputs else None
            squares = block.squares if given in graph.sources else None
            values[node] = block.rows if given is None else node.apply(values[given], number, squares)
        elif isinstance(node, ColumnNode):
            given = node.inputs[0] if node.inputs else None
            values[node] = block.labels if given is None else node.apply(values[given], number)
    return values
