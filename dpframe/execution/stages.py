"""In which order a graph is run: what reads released values waits for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import TypeVar

import attrs

from dpframe.errors import NotExecutable
from dpframe.graph import Bound, Graph, Known, Node, Post, Procedure, Release, origins
from dpframe.graph.statistics import Statistic

N = TypeVar("N", bound=Node)


@attrs.frozen(eq=False, slots=False)
class Stages:
    """The nodes of a graph by stage. Stage k reads only releases of stages before k, so that one
    pass over the table computes all statistics of a stage.
    """

    graph: Graph

    @cached_property
    def of(self) -> dict[Node, int]:
        """The stage of every node."""
        found = self._next({})
        for _ in range(len(self.graph.loops) + 1):
            before, found = found, self._next(found)
            if found == before:
                return found
        raise NotExecutable("two loops wait for each other's answers")

    def _next(self, known: Mapping[Node, int]) -> dict[Node, int]:
        """The stage of every node, in one run over the nodes in order. `known` has the stages that
        the run before gave, since the update of a loop may read nodes that come later.
        """
        updates: dict[Node, tuple[Node, ...]] = {}
        for loop in self.graph.loops:
            updates[loop.step] = (*loop.inputs[1:-1], *origins(loop))
        found: dict[Node, int] = {}
        for node in self.graph.nodes:
            before = [*node.inputs, *(one for one in origins(node) if one in found)]
            after_looking = int(isinstance(node, Known))  # formulas read it after the first look
            waits = [known.get(one, 0) + _after(one) for one in updates.get(node, ())]
            waits += [found[one] + _after(one) for one in before]
            found[node] = max([after_looking, *waits])
        return found

    @cached_property
    def count(self) -> int:
        """The number of stages in which something is released."""
        return 1 + max((self.of[node] for node in self.graph.charged), default=0)

    def statistics(self, stage: int) -> tuple[Statistic, ...]:
        """Its statistics."""
        return self._statistics.get(stage, ())

    def charged(self, stage: int) -> tuple[Release | Procedure, ...]:
        """What it releases."""
        return self._charged.get(stage, ())

    def follows(self, stage: int) -> tuple[Post | Known | Bound, ...]:
        """Functions and numbers of what was released before `stage`, in order."""
        return self._follows.get(stage, ())

    @cached_property
    def _statistics(self) -> Mapping[int, tuple[Statistic, ...]]:
        return self._split(self.graph.statistics)

    @cached_property
    def _charged(self) -> Mapping[int, tuple[Release | Procedure, ...]]:
        return self._split(self.graph.charged)

    @cached_property
    def _follows(self) -> Mapping[int, tuple[Post | Known | Bound, ...]]:
        return self._split(node for node in self.graph.nodes if isinstance(node, Post | Known))

    def _split(self, nodes: Iterable[N]) -> dict[int, tuple[N, ...]]:
        found = defaultdict[int, list[N]](list)
        for node in nodes:
            found[self.of[node]].append(node)
        return {stage: tuple(kept) for stage, kept in found.items()}


def _after(node: Node) -> int:
    """1 after a release: what reads it waits."""
    return int(isinstance(node, (Release, Procedure)))


def staged(graph: Graph) -> Stages:
    """The stages of a graph, found once: what runs a graph runs it again."""
    return _staged(graph, graph.nodes)


@lru_cache(maxsize=32)
def _staged(graph: Graph, nodes: tuple[Node, ...]) -> Stages:
    """Graphs that are equal may have nodes of their own."""
    del nodes
    return Stages(graph)
