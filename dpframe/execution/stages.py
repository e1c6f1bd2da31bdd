"""The order in which a graph is run: a node that reads released values waits for them; and sums
that need no pass of their own.

Sums of the second stage are computed in the first pass, for the value that a declaration expects to
be released (`known(..., likely=)`); the table is read again only if another value is released. A
sum over residuals at coefficients of zero is the sum over the labels, which was read before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

import attrs
import numpy as np

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.graph import Bound, Graph, Known, Node, Post, Procedure, Release, origins
from dpframe.graph.maps.residuals import ResidualLabels
from dpframe.graph.node import DataNode
from dpframe.graph.rewriting import rebuilt
from dpframe.graph.statistics import RecordSum, Statistic
from dpframe.identity import own
from dpframe.symbols import Expression

from .numbers import PublicNumbers

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
        result = self._next({})
        for _ in range(len(self.graph.loops) + 1):
            before, result = result, self._next(result)
            if result == before:
                return result
        raise NotExecutable("two loops wait for each other's answers")

    def _next(self, known: Mapping[Node, int]) -> dict[Node, int]:
        """The stage of every node, in one run over the nodes in order. `known` has the stages that
        the run before gave, since the update of a loop may read nodes that come later.
        """
        updates: dict[Node, tuple[Node, ...]] = {}
        for loop in self.graph.loops:
            updates[loop.step] = (*loop.inputs[1:-1], *origins(loop))
        result: dict[Node, int] = {}
        for node in self.graph.nodes:
            before = [*node.inputs, *(one for one in origins(node) if one in result)]
            after_looking = int(isinstance(node, Known))  # formulas read it after the first pass
            waits = [known.get(one, 0) + _after(one) for one in updates.get(node, ())]
            waits += [result[one] + _after(one) for one in before]
            result[node] = max([after_looking, *waits])
        return result

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
        """Functions and numbers of values released before `stage`, in order."""
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
        result = defaultdict[int, list[N]](list)
        for node in nodes:
            result[self.of[node]].append(node)
        return {stage: tuple(members) for stage, members in result.items()}


def _after(node: Node) -> int:
    """1 after a release, for which its readers wait."""
    return int(isinstance(node, (Release, Procedure)))


def staged(graph: Graph) -> Stages:
    """The stages of a graph, cached for later runs."""
    return _staged(graph, graph.nodes)


@lru_cache(maxsize=32)
def _staged(graph: Graph, nodes: tuple[Node, ...]) -> Stages:
    """Graphs that are equal may have nodes of their own."""
    del nodes
    return Stages(graph)


@lru_cache(maxsize=512)
def with_ancestors(node: Node) -> tuple[Node, ...]:
    """The node and its ancestors among data, perhaps repeated."""
    return (node, *_before(node))


def _before(node: Node) -> Iterator[Node]:
    for one in node.inputs:
        if isinstance(one, DataNode):
            yield from with_ancestors(one)


@lru_cache(maxsize=512)
def all_own(node: Node) -> bool:
    """Whether the node and its ancestors are of dpframe's classes: the fields of other classes may
    have another meaning.
    """
    return all(own(type(one)) for one in with_ancestors(node))


Numbers = Mapping[str, Fraction]


@attrs.frozen(eq=False)
class Guess:
    """Sums of the second stage, each with the numbers, by name, at which it is taken."""

    sums: Mapping[RecordSum, Numbers] = attrs.field(factory=dict)

    @property
    def supposed(self) -> dict[str, Fraction]:
        """All numbers that any of the sums reads."""
        return {name: value for at in self.sums.values() for name, value in at.items()}

    def holds(self, summed: RecordSum, learned: Numbers) -> bool:
        """Whether the numbers turned out as they were supposed for a sum."""
        return self.sums[summed].items() <= learned.items()


NO_GUESS = Guess()


@lru_cache(maxsize=32)
def guess_of(stages: Stages) -> Guess:
    """The sums of the second stage that wait for nothing but numbers that say which value is
    likely; none where there is no such number, or where procedures or loops read the table in ways
    of their own.
    """
    graph = stages.graph
    likely: dict[Node, Numbers] = {
        node: {node.name: node.likely}
        for node in graph.known
        if stages.of[node] == 1 and node.likely is not None
    }
    if not likely or graph.loops or not graph.additive:
        return NO_GUESS
    sums = [one for one in stages.statistics(1) if isinstance(one, RecordSum)]
    waits = {one: _waits_for(with_ancestors(one)) for one in sums if all_own(one)}
    known = {one: nodes for one, nodes in waits.items() if nodes <= likely.keys()}
    first = [one for one in stages.statistics(0) if isinstance(one, RecordSum)]
    if any(one.step is None for one in (*first, *known)):
        return NO_GUESS  # sums of doubles would be of other pieces of blocks
    return Guess({one: _together(likely[node] for node in nodes) for one, nodes in known.items()})


def _together(numbers: Iterable[Numbers]) -> Numbers:
    return {name: value for one in numbers for name, value in one.items()}


def _waits_for(nodes: Iterable[Node]) -> set[Node]:
    """The nodes other than data that these read, by inputs and by formulas."""
    result: set[Node] = set()
    for node in nodes:
        result.update(origins(node), (one for one in node.inputs if not isinstance(one, DataNode)))
    return result


Names = tuple[tuple[str, Expression], ...]


@attrs.frozen(eq=False)
class EqualSums:
    """Sums that are the same to the last bit, given the releases: their formulas differ only in
    names of equal released numbers, and in residuals at zero for labels. `names` has for every
    number the first of its value; `zeros` are the residuals that are labels.
    """

    names: Names
    zeros: frozenset[Node]

    @classmethod
    def of(cls, graph: Graph, numbers: PublicNumbers, released: Mapping[Node, Any]) -> EqualSums:
        """By the values released and learned so far."""
        first: dict[Fraction, Expression] = {}
        names = tuple(
            (node.name, first.setdefault(numbers.learned[node.name], node.symbol))
            for node in graph.known
            if node.name in numbers.learned
        )
        residuals = (node for node in graph.nodes if type(node) is ResidualLabels)
        return cls(names, frozenset(one for one in residuals if _zero(one, numbers, released)))

    def has_zero_residuals(self, summed: Node) -> bool:
        """Whether it reads residuals at zero, and only classes of dpframe."""
        return not self.zeros.isdisjoint(with_ancestors(summed)) and all_own(summed)

    def first(self, summed: RecordSum, before: Iterable[Node]) -> Node | None:
        """The first of the sums `before` that is the same as one of residuals at zero."""
        wanted = self._plain_or_none(summed)
        kinds = (one for one in before if type(one) is type(summed) and all_own(one))
        alike = (one for one in kinds if self._plain_or_none(one) == wanted)
        same: Any = next(alike, None) if wanted is not None else None
        return None if same is None or (same.step is None) != (summed.step is None) else same

    def _plain_or_none(self, summed: Node) -> Any:
        try:
            return plain(summed, self.names, self.zeros)
        except InvalidArgument:  # a map that refuses the other name, by its range
            return None


@lru_cache(maxsize=512)
def plain(node: Any, names: Names, zeros: frozenset[Node]) -> Any:
    """The node with the first names of numbers, and residuals at zero as labels."""
    if node in zeros:
        return plain(node.source, names, zeros)
    return rebuilt(node, partial(_named, names, zeros))


def _named(names: Names, zeros: frozenset[Node], part: Any) -> Any:
    if isinstance(part, DataNode):
        return plain(part, names, zeros)
    return part.substitute(dict(names)) if isinstance(part, Expression) else part


def _zero(node: ResidualLabels, numbers: PublicNumbers, released: Mapping[Node, Any]) -> bool:
    """Whether residuals are labels minus nothing."""
    theta = released.get(node.theta)
    if type(theta) is not np.ndarray or theta.dtype.kind != "f" or np.any(theta):
        return False
    return bool(theta.shape == (numbers.up(node.rows.columns),))
