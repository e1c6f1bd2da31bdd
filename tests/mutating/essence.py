"""What a graph releases, whatever is done with it afterwards and however it is called."""

from __future__ import annotations

import hashlib
import json

from dpframe.graph import DataNode, Graph, Loop, Node, Post, Procedure, Release
from dpframe.graph.graph import origins

CHARGED = (Release, Procedure)


def essence(graph: Graph) -> str:
    """SHA-256 of all that a graph releases, and of the data that leave it without noise. Names,
    functions and the order of outputs have no part in it.
    """
    done: dict[Node, str] = {}
    told = [sorted(_told(one, done) for one in found) for found in (graph.charged, raw(graph))]
    return _digest(told)


def raw(graph: Graph) -> tuple[DataNode, ...]:
    """The data and statistics that an output, or a function on the way to one, reads itself."""
    found: dict[DataNode, None] = {}
    seen: set[Node] = set()
    stack = list(graph.outputs)
    while stack:
        node = stack.pop()
        if node in seen or isinstance(node, CHARGED):
            continue
        seen.add(node)
        if isinstance(node, DataNode):
            found[node] = None
        else:
            stack.extend((*node.inputs, *origins(node)))
    return tuple(found)


def _told(node: Node, done: dict[Node, str]) -> str:
    if node not in done:
        own = [node.kind, {} if isinstance(node, (Post, Loop)) else {**node.record(), "name": ""}]
        children = [_told(child, done) for child in (*node.inputs, *origins(node))]
        done[node] = _digest([own, children])
    return done[node]


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
