"""What adaptive graphs need: released numbers that are what their symbols say, and loops whose
points nobody else reads.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpframe.graph import Iterate, Known, Node, Post, Release, points_of
from dpframe.graph.bound import good
from dpframe.graph.statistics import Count, Statistic
from dpframe.symbols import PUBLIC, Symbol

from .obligation import UNPROVED, Obligation
from .problem import Problem


def adaptive(problem: Problem) -> Iterator[Obligation]:
    """Every obligation that is open."""
    yield from _known(problem)
    yield from _loops(problem)


def _known(problem: Problem) -> Iterator[Obligation]:
    """Released numbers are what their symbols say: released, in one range, bounded by a rule."""
    for symbol in problem.symbols:
        origin = symbol.origin
        if isinstance(origin, Known) and symbol != origin.symbol:
            yield _mistaken(symbol.name, "its symbol has the range that execution enforces")
        if isinstance(origin, Statistic) and origin.scope is PUBLIC and not _rows(symbol, origin):
            yield _mistaken(symbol.name, "of constant statistics, formulas read n alone: X.rows")
    for node in problem.graph.known:
        if not isinstance(node.value, (Release, Post, Known)):
            yield _mistaken(node.name, "only a release or a dp.post(...) of releases is known")
    for bound in problem.graph.bounds:
        if not good(bound):
            yield _mistaken(
                bound.name, "a bound is of one Gaussian number, drawn once, in its range"
            )


def _rows(symbol: Symbol, origin: Statistic) -> bool:
    return type(origin) is Count and symbol == origin.rows.rows


def _mistaken(label: str, rule: str) -> Obligation:
    fix = "dp.known, dp.graph.lower_bound and dp.graph.upper_bound make them."
    return Obligation("structure", label, rule, (), UNPROVED, repair=fix)


def _loops(problem: Problem) -> Iterator[Obligation]:
    """What reads the point of a loop is the loop's own query, and nothing else."""
    graph = problem.graph
    iterates = graph.of_kind(Iterate)
    read = {node: points_of(node) if iterates else () for node in graph.nodes}
    steps: dict[Node, Node] = {loop.point: loop.step for loop in graph.loops}
    once = len(steps) == len(graph.loops)
    for charged in graph.charged:
        points = read[charged]
        if points and not (once and [steps.get(point) for point in points] == [charged]):
            rule = "a release reads the point of one loop, which asks it and nothing else"
            facts = tuple(point.label for point in points)
            fix = "dp.loop(point, step, update) moves the point; each point has one loop."
            yield Obligation("structure", charged.label, rule, facts, UNPROVED, repair=fix)
    readers = [node for node in (*graph.posts, *graph.known) if read[node]]
    for node in (*readers, *(one for one in iterates if one in graph.outputs)):
        rule = "the point of a loop is read by its query alone; dp.loop(...) gives all points"
        fix = "read the loop instead of its point."
        yield Obligation("structure", node.label, rule, (node.label,), UNPROVED, repair=fix)
    asked = {one.step for one in graph.loops if one.point in read[one.step]}
    for release in graph.releases:
        if release.sampled is not None and release not in asked:
            rule = "a sample of the rows is drawn by a loop, anew for each answer"
            facts = (f"sampled = {release.sampled}",)
            fix = "make it the step of dp.loop(...), or leave sampled out."
            yield Obligation("structure", release.label, rule, facts, UNPROVED, repair=fix)
