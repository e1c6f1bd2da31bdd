"""A graph as text: one line a node, from the data to the output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from textwrap import shorten

import attrs

from dpframe.graph import Graph
from dpframe.graph.bound import Bound
from dpframe.graph.graph import origins
from dpframe.graph.known import Known
from dpframe.graph.loop import Iterate, Loop
from dpframe.graph.node import DataNode, Node
from dpframe.graph.post import Post
from dpframe.graph.procedure import Procedure
from dpframe.graph.release import Release
from dpframe.graph.statistics import Statistic
from dpframe.sensitivity import L2
from dpframe.symbols import Number

from .figures import clipped, figure, formula

PRIVATE, NOISY, PUBLIC, LEAK = "○", "◆", "●", "✗"
LEGEND = f"{PRIVATE} private   {NOISY} released with noise   {PUBLIC} made of what is released"
LEAKS = f"{LEAK} reads private data without noise"
LONG, SAID = 84, 56


@attrs.frozen
class DrawnLine:
    """A node: where it stands, what it reads, its mark and its words."""

    node: Node
    reads: tuple[Node, ...]
    mark: str
    words: str


def drawing(graph: Graph, note: str = "") -> str:
    """The graph, top down: a line leaves a node to the right and downwards, and ends where it is
    read. Grids, which the declaration implies, are left out.
    """
    found = lines(graph, note)
    lanes = _Lanes.of(found)
    pictures = [lanes.row(line) for line in found]
    width = max(map(len, pictures), default=0) + 1
    drawn = [
        f"{picture:{width}} {line.words}".rstrip()
        for picture, line in zip(pictures, found, strict=True)
    ]
    leaks = [LEAKS] if any(line.mark == LEAK for line in found) else []
    return "\n".join([*drawn, "", "   ".join([LEGEND, *leaks])])


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
            end = "  -> the output" if node in graph.outputs else ""
            found.append(
                DrawnLine(node, reads, marks[node], f"{clipped(_words(node, note), LONG)}{end}")
            )
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
        return PUBLIC if _still(node) else PRIVATE
    return LEAK if {PRIVATE, LEAK} & set(read) else PUBLIC


def _still(node: DataNode) -> bool:
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


@attrs.define
class _Lanes:
    """Columns that lead down from nodes that are still to be read."""

    left: dict[Node, int]
    lanes: list[Node | None] = attrs.field(factory=list)
    over: int | None = None  # the lane of a mark that nothing reads: what follows stands elsewhere

    @classmethod
    def of(cls, found: Sequence[DrawnLine]) -> _Lanes:
        left = {line.node: 0 for line in found}
        for line in found:
            for one in line.reads:
                left[one] += 1
        return cls(left)

    def row(self, line: DrawnLine) -> str:
        """The row of a node; the lanes move on to the next."""
        joined = [i for i, one in enumerate(self.lanes) if one in line.reads]
        before = list(self.lanes)
        for one in line.reads:
            self.left[one] -= 1
        ending = {i for i in joined if self._done(i)}
        for i in ending:
            self.lanes[i] = None
        own = self._own(ending, joined)
        before += [None] * (own + 1 - len(before))
        self.lanes += [None] * (own + 1 - len(self.lanes))
        self.lanes[own] = line.node if self.left[line.node] else None
        self.over = None if self.left[line.node] else own
        return _picture(before, own, joined, ending, line.mark)

    def _done(self, lane: int) -> bool:
        node = self.lanes[lane]
        return node is not None and self.left[node] == 0

    def _own(self, ending: set[int], joined: Sequence[int]) -> int:
        """The leftmost lane that ends here; else the first free one right of what is read."""
        if ending:
            return min(ending)
        start = max(joined, default=-1) + 1
        lanes = range(start, len(self.lanes) + 2)
        return next(i for i in lanes if i != self.over and self._free(i))

    def _free(self, lane: int) -> bool:
        return lane >= len(self.lanes) or self.lanes[lane] is None


def _picture(
    before: Sequence[Node | None], own: int, joined: Sequence[int], ending: set[int], mark: str
) -> str:
    """Two characters a lane: the lane itself, and what leads to the next."""
    touched = [own, *joined]
    low, high = min(touched), max(touched)
    text = ""
    for i, node in enumerate(before):
        inside = low <= i < high
        if i == own:
            lane = mark
        elif i in joined:
            lane = _joint(i, low, high, ends=i in ending)
        else:
            lane = "│" if node is not None else "─" if inside and i > low else " "
        text += lane + ("─" if inside else " ")
    return text.rstrip()


def _joint(lane: int, low: int, high: int, *, ends: bool) -> str:
    if lane == low:
        return "└" if ends else "├"
    if lane == high:
        return "┘" if ends else "┤"
    return "┴" if ends else "┼"
