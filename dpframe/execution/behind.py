"""What a sum is made of, to the table: not only the maps that a pass applies, since a grid looks
through the clip below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dpframe.graph import Node
from dpframe.graph.node import DataNode, own


def behind(node: Node) -> Iterator[Node]:
    """The node and all data that it is made of; some of it more than once."""
    yield node
    for one in node.inputs:
        if isinstance(one, DataNode):
            yield from behind(one)


def ours(nodes: Iterable[Node]) -> bool:
    """Whether dpframe wrote all of them: who else did may mean other things by the same fields."""
    return all(own(type(one)) for one in nodes)
