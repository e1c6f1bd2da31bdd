"""Sums for what will probably be learned: the first pass takes them along, so that a run which
learns just that reads the table once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache

import attrs

from dpframe.graph import Node, origins
from dpframe.graph.node import DataNode
from dpframe.graph.statistics import RecordSum

from .behind import behind, ours
from .stages import Stages

Numbers = Mapping[str, Fraction]


@attrs.frozen(eq=False)
class Guess:
    """Sums of the second stage, each with the numbers, by name, at which it is taken."""

    sums: Mapping[RecordSum, Numbers] = attrs.field(factory=dict)

    @property
    def supposed(self) -> dict[str, Fraction]:
        """All numbers that any of the sums reads."""
        return {name: value for at in self.sums.values() for name, value in at.items()}

    def right(self, summed: RecordSum, learned: Numbers) -> bool:
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
    waits = {one: _waits_for(behind(one)) for one in sums if ours(one)}
    known = {one: nodes for one, nodes in waits.items() if nodes <= likely.keys()}
    first = [one for one in stages.statistics(0) if isinstance(one, RecordSum)]
    if any(one.step is None for one in (*first, *known)):
        return NO_GUESS  # sums of doubles would be of other pieces of blocks
    return Guess({one: _together(likely[node] for node in nodes) for one, nodes in known.items()})


def _together(numbers: Iterable[Numbers]) -> Numbers:
    return {name: value for one in numbers for name, value in one.items()}


def _waits_for(nodes: Iterable[Node]) -> set[Node]:
    """What nodes read that is no data, by inputs and by formulas."""
    found: set[Node] = set()
    for node in nodes:
        found.update(origins(node), (one for one in node.inputs if not isinstance(one, DataNode)))
    return found
