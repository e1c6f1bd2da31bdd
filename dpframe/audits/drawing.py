"""A graph as text: a line for each node, from the data to the output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from textwrap import shorten

import attrs

from dpframe.graph import Graph
from dpframe.graph.bound import Bound
from dpframe.graph.graph import origins
from dpframe.graph.known import Known
from dpframe.graph.node import DataNode, Node
from dpframe.graph.post import Iterate, Loop, Post
from dpframe.graph.procedure import Procedure
from dpframe.graph.release import Release
from dpframe.graph.statistics import Statistic
from dpframe.sensitivity import L2
from dpframe.symbols import Number

from .figures import clipped, figure, formula, table

PRIVATE, NOISY, PUBLIC, LEAK = "○", "◆", "●", "✗"
LEGEND = f"{PRIVATE} private   {NOISY} released with noise   {PUBLIC} made of what is released"
LEAKS = f"{LEAK} reads private data without noise"
LONG, SAID = 84, 56
MOST = 30  # nodes of a picture; larger graphs are drawn as text


@attrs.frozen
class DrawnLine:
    """A node: what it reads, its mark and its words, and whether it is an output."""

    node: Node
    reads: tuple[Node, ...]
    mark: str
    words: str
    output: bool


def drawing(graph: Graph, note: str = "") -> str:
    """A numbered line for each node, from the data to the output, with the numbers of the nodes
    that it reads. Grids, which the declaration implies, are left out.
    """
    found = lines(graph, note)
    numbers = {line.node: str(place) for place, line in enumerate(found, 1)}
    rows = [
        [
            numbers[line.node],
            line.mark,
            " ".join(numbers[one] for one in line.reads),
            f"{line.words}{'  -> the output' * line.output}",
        ]
        for line in found
    ]
    leaks = [LEAKS] if any(line.mark == LEAK for line in found) else []
    legend = "   ".join([LEGEND, *leaks])
    return "\n".join([*table(["", "", "reads", "node"], rows, [0]), "", legend])


def lines(graph: Graph, note: str = "") -> list[DrawnLine]:
    """A line for every node that a person wrote, in topological order; the last step of a
    description says the `note` of its file.
    """
    marks: dict[Node, str] = {}
    found = []
    for node in graph.nodes:
        if not node.implied:
            reads = tuple(dict.fromkeys(_written((*node.inputs, *origins(node)))))
            marks[node] = _mark(node, [marks[one] for one in reads])
            words = clipped(_words(node, note), LONG)
            found.append(DrawnLine(node, reads, marks[node], words, node in graph.outputs))
    return found


def _written(nodes: Iterable[Node]) -> Iterable[Node]:
    """The nodes, and what implied ones stand for."""
    for node in nodes:
        if node.implied:
            yield from _written(node.inputs)
        else:
            yield node


def _mark(node: Node, read: Sequence[str]) -> str:
    if isinstance(node, (Release, Procedure)):
        return NOISY
    if isinstance(node, DataNode):
        return PUBLIC if _constant(node) else PRIVATE
    return LEAK if {PRIVATE, LEAK} & set(read) else PUBLIC


def _constant(node: DataNode) -> bool:
    """Whether neighbours agree on it: n under replace-one."""
    moved = node.sensitivity(L2) if isinstance(node, Statistic) else None
    return moved is not None and moved.value == Number(Fraction(0))


def _words(node: Node, note: str) -> str:
    match node:
        case Release():
            return _release(node)
        case Procedure():
            return f"{node.name or node.kind}: {node.summary}"
        case Bound():
            return f"{node.label}, but with probability {formula(node.failure)}"
        case Known():
            return f"{node.name}, put into {_range(node)}"
        case Iterate():
            return f"{node.name}: the point of a loop, 0 at first"
        case Loop():
            rounds = formula(node.step.times)
            return f"{node.update.__name__}: {rounds} times, at {node.point.name} as it is by then"
        case Post():
            return _post(node, note)
    return node.label


def _release(node: Release) -> str:
    times = formula(node.times)
    draws = "" if times == "1" else f", {times} draws"
    sample = "" if node.sampled is None else f", each of a fresh sample at {node.sampled}"
    name = f"{node.name}: " if node.name else ""
    return f"{name}{node.statistic.label} + {node.noise.__name__} noise{draws}{sample}"


def _range(node: Known) -> str:
    low = "(-inf" if node.lower is None else f"[{figure(node.lower, digits=1)}"
    high = "inf)" if node.upper is None else f"{figure(node.upper, digits=1)}]"
    return f"{low}, {high}"


def _post(node: Post, note: str) -> str:
    """The function and the first words of what it says of itself."""
    from .descriptions.build import last_step  # a description is no part of most graphs

    if node.function is last_step:
        return f"last step: {' '.join(note.split())}" if note else "last step"
    paragraph = " ".join((node.function.__doc__ or "").partition("\n\n")[0].split())
    says = shorten(paragraph.rstrip("."), SAID, placeholder=" ...")
    return f"{node.function.__name__}: {says}" if says else node.function.__name__
