"""Which sums are computed in a later pass over the table than in the first possible one: those that
no earlier release needs, where the later pass maps the same rows anyway and the earlier pass has
less to do. The number of passes stays the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from dpframe.graph import Graph, Node, Release, origins
from dpframe.graph.statistics import RecordSum, Searched, Statistic

from .views import needed

Stage = Mapping[Node, int]


def postponed(graph: Graph, early: Stage) -> dict[Node, int]:
    """Stages of sums, later than in `early`: all that can wait, of each stage whose pass then maps
    less of the table, each for the first pass that maps all that it reads. None where procedures,
    loops or searches read the table in ways of their own.
    """
    if not graph.additive or graph.loops or _searches(graph):
        return {}
    sums = [node for node in graph.statistics if isinstance(node, RecordSum)]
    stages = sorted({early[one] for one in sums}, reverse=True)
    return _chosen(sums, stages, graph, early) if len(stages) > 1 else {}


def _chosen(
    sums: Sequence[RecordSum], stages: Sequence[int], graph: Graph, early: Stage
) -> dict[Node, int]:
    """What `postponed` says, from the last stage to the first."""
    due = _due(graph, early)
    reads = {one: frozenset(needed(graph, [one])) for one in sums}
    mapped: dict[int, frozenset[Node]] = {}
    found: dict[Node, int] = {}
    for stage in stages:
        here = [one for one in sums if early[one] == stage]
        later = sorted(mapped)
        passes = {
            one: [t for t in later if t <= due[one] and reads[one] <= mapped[t]] for one in here
        }
        mapped[stage] = _all(reads[one] for one in here if not passes[one])
        if mapped[stage] < _all(reads[one] for one in here):
            found.update({one: passes[one][0] for one in here if passes[one]})
    return found


def _all(maps: Iterable[frozenset[Node]]) -> frozenset[Node]:
    return frozenset().union(*maps)


def _searches(graph: Graph) -> bool:
    return any(isinstance(node, Searched) for node in graph.statistics)


def _due(graph: Graph, early: Stage) -> dict[Node, int]:
    """The last stage at which each node is on time for all that reads it: for releases and
    statistics where these are now, but those that a statistic itself goes into.
    """
    last = max((early[node] for node in graph.charged), default=0)
    readers, due = _readers(graph), dict[Node, int]()
    for node in reversed(graph.nodes):
        if isinstance(node, Statistic):
            due[node] = min([last, *(_due_into(node, one, early, due) for one in readers[node])])
        else:
            fixed = (Release, Statistic)
            ends = [early[one] if isinstance(one, fixed) else due[one] for one in readers[node]]
            due[node] = min([last + 1, *ends]) - int(isinstance(node, Release))
    return due


def _due_into(node: Statistic, reader: Node, early: Stage, due: Stage) -> int:
    """When a statistic is due for one reader; who reads its raw value, as of a constant, gets it as
    early as ever.
    """
    waits = isinstance(reader, (Release, Statistic)) and node in reader.inputs
    return due[reader] if waits else early[node]


def _readers(graph: Graph) -> dict[Node, list[Node]]:
    """What reads each node, by an input or by a formula."""
    found: dict[Node, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        for one in dict.fromkeys((*node.inputs, *origins(node))):
            found[one].append(node)
    return found
