"""What a sum is made of, to the table: not only the maps that a pass applies, since a grid looks
through the clip below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from dpframe.graph import Node
from dpframe.graph.node import DataNode
from dpframe.identity import own


@lru_cache(maxsize=512)
def behind(node: Node) -> tuple[Node, ...]:
    """The node and all data that it is made of; some of it more than once."""
    return (node, *_before(node))


def _before(node: Node) -> Iterator[Node]:
    for one in node.inputs:
        if isinstance(one, DataNode):
            yield from behind(one)


@lru_cache(maxsize=512)
def ours(node: Node) -> bool:
    """Whether dpframe wrote the node and all that it is made of: who else did may mean other things
    by the same fields.
    """
    return all(own(type(one)) for one in behind(node))
