"""Carrying out what refusals ask for, until nothing is refused; from obligations and graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import DPFrameError
from dpframe.graph import Graph, Loop, Node, Post, Procedure, Release
from dpframe.graph.joint import jointly, unit_std
from dpframe.graph.rewriting import Replacement, Rewriting, Scaling, rewritten
from dpframe.graph.rows import ColumnNode, RowsNode
from dpframe.graph.statistics import Statistic
from dpframe.mechanisms import Calibration, Gaussian, Laplace
from dpframe.privacy import PureDP, Share
from dpframe.prover import Report
from dpframe.prover.jointly import noise_factor
from dpframe.prover.problem import EDITS, Edit
from dpframe.prover.report import verify
from dpframe.sensitivity import L2
from dpframe.symbols import Expression, Number, Symbol, exact

from .operators.shares import claiming, scaled
from .subject import in_unit, inside

ROUNDS = 8
ONE = exact(1)
Carry = Callable[[Report, Sequence[Edit]], Any]


@attrs.frozen
class Mended:
    """What became of a graph that was refused: the edits that were carried out, and the last
    report.
    """

    done: tuple[str, ...]
    report: Report

    @property
    def accepted(self) -> bool:
        """Whether it is proved now."""
        return self.report.proved

    def __str__(self) -> str:
        """`all noise: accepted`."""
        end = "accepted" if self.accepted else "refused"
        return f"{', then '.join(self.done) or 'nothing'}: {end}"


def mended(report: Report) -> Mended:
    """The graph of a refusal, after the edits that its open obligations ask for, again and again
    until it is proved or nothing more is asked for. Knows nothing of how it went wrong.
    """
    done: list[str] = []
    seen = {_key(report.problem.graph)}
    while not report.proved and len(done) < ROUNDS:
        found = next_graph(report, seen)
        if found is None or (found[0] == "all noise" and done[-1:] == ["all noise"]):
            break  # noise that was scaled to the target is not scaled again
        what, graph = found
        done.append(what)
        seen.add(_key(graph))
        report = verify(attrs.evolve(report.problem, graph=graph), report.accountant)
    return Mended(tuple(done), report)


def next_graph(report: Report, seen: set[str]) -> tuple[str, Graph] | None:
    """The first kind of edit that leads to a new graph; structure before shares before noise."""
    asked = [one.edit for one in report.open_obligations if one.edit is not None]
    for what in EDITS:
        same = [edit for edit in asked if edit.what == what]
        graph = carried(report, what, same) if same else None
        if graph is not None and _key(graph) not in seen:
            return what, graph
    return None


def _key(graph: Graph) -> str:
    """The graph and the table that it reads, which its hash leaves to the setting."""
    return f"{graph.hash} {[str(one.unit) for one in graph.sources]}"


def carried(report: Report, what: str, edits: Sequence[Edit]) -> Graph | None:
    """The graph after edits of one kind; None where they cannot be made, or where noise is left
    without a size (a count on a table whose n is public).
    """
    try:
        graph = Graph.of(CARRIES[what](report, edits))
        _key(graph)
    except DPFrameError:
        return None
    return graph


def _output(report: Report) -> Any:
    return report.problem.graph.output


def _budget(report: Report) -> Share:
    return report.problem.target.budget


def _table(report: Report, edits: Sequence[Edit]) -> Any:
    del edits
    return in_unit(_output(report), report.problem.setting.unit)


def _public(report: Report, edits: Sequence[Edit]) -> Any:
    """A public number, of the range of what was read, in place of the symbol."""
    numbers: dict[Node, Replacement] = {}
    for edit in edits:
        if isinstance(edit.value, Symbol) and isinstance(edit.value.origin, Node):
            example = edit.value.domain.example() or Fraction(1)
            numbers[edit.value.origin] = _always(Number(max(example, Fraction(1))))
    return replaced_symbols(_output(report), numbers)


def _always(value: object) -> Replacement:
    return lambda _: value


def replaced_symbols(output: Any, numbers: dict[Node, Replacement]) -> Any:
    """Numbers in place of values that formulas read; the nodes stay where inputs read them."""

    class Symbols(Rewriting):
        def symbol(self, symbol: Symbol) -> Expression:
            if symbol.origin in numbers:
                return numbers[symbol.origin](None)  # type: ignore[no-any-return]
            return super().symbol(symbol)

    return Symbols({}).mapped(output)


def _clip(report: Report, edits: Sequence[Edit]) -> Any:
    """What an unbounded statistic reads, clipped to the setting's bounds."""
    X, y = report.problem.setting.nodes()
    changes: dict[Node, Replacement] = {}
    for node in dict.fromkeys(edit.node for edit in edits if edit.node is not None):
        for child in _unbounded(node):
            if isinstance(child, RowsNode):
                changes[child] = lambda rows: rows.clip(norm=X.radius)
            elif y is not None:
                changes[child] = lambda labels: labels.clip(-y.radius, y.radius)
    return rewritten(_output(report), changes)


def _unbounded(node: Node) -> list[RowsNode | ColumnNode]:
    """The unbounded rows and labels that a statistic reads, as it reads them."""
    found: list[RowsNode | ColumnNode] = []
    for child in node.inputs:
        bound = getattr(child, "norm", ONE) if isinstance(child, RowsNode) else ONE
        bound = child.bound if isinstance(child, ColumnNode) else bound
        if isinstance(child, (RowsNode, ColumnNode)) and bound is None:
            found.append(child)
        elif isinstance(child, Statistic):
            found += _unbounded(child)
    return found


def _field(report: Report, edits: Sequence[Edit]) -> Any:
    changes: dict[Node, Replacement] = {}
    for edit in edits:
        if edit.node is not None and edit.node not in changes:
            changes[edit.node] = _with(**{edit.name: edit.value})
    return rewritten(_output(report), changes)


def _with(**fields: object) -> Replacement:
    return lambda one: attrs.evolve(one, **fields)


def _release(report: Report, edits: Sequence[Edit]) -> Any:
    """The release of a raw statistic, in post-processing and outputs that read it."""
    graph, done = report.problem.graph, {}
    for raw in dict.fromkeys(edit.node for edit in edits if isinstance(edit.node, Statistic)):
        own = next((one for one in graph.releases if one.statistic == raw), None)
        done[raw] = _new(report, raw) if own is None else own
    readers = [n for n in _nodes(graph) if isinstance(n, (Post, Loop))]
    output = rewritten(graph.output, {one: _arguments(done) for one in readers})
    if isinstance(output, tuple):
        return tuple(dict.fromkeys(done.get(one, one) for one in output))
    return done.get(output, output)


def _arguments(done: dict[Any, Release]) -> Replacement:
    def change(one: Any) -> Any:
        if not any(isinstance(a, Statistic) and a in done for a in one.arguments):
            return one
        read = tuple(done.get(a, a) if isinstance(a, Statistic) else a for a in one.arguments)
        return attrs.evolve(one, arguments=read)

    return change


def _new(report: Report, raw: Statistic) -> Release:
    """A release that claims the whole budget, or draws noise for all of it where none claims."""
    budget, charged = _budget(report), report.problem.graph.charged
    moved = raw.sensitivity(L2)
    if moved is None or all(one.share is not None for one in charged):
        pure = isinstance(report.problem.target, PureDP)
        return Release(raw, Laplace.pure if pure else Gaussian.analytic, budget, ONE, "")
    return Release(raw, Gaussian(unit_std(budget) * moved.value), None, ONE, "")


def _shares(report: Report, edits: Sequence[Edit]) -> Any:
    """Shares, and what bounds may fail with, times what brings their sum to the whole."""
    graph = report.problem.graph
    changes: dict[Node, Replacement] = {}
    for edit in edits:
        changes |= _smaller(graph, edit, changes)
    return rewritten(graph.output, changes)


def _smaller(graph: Graph, edit: Edit, before: dict[Node, Replacement]) -> dict[Node, Replacement]:
    inner = inside(edit.node) if isinstance(edit.node, Procedure) else (graph,)
    charged = [one for own in inner for one in own.charged if one.share is not None]
    factor = claiming(lambda share: scaled(share, edit.value, edit.name))
    found: dict[Node, Replacement] = {one: _then(before.get(one), factor) for one in charged}
    if edit.name == "delta" and edit.node is None:
        found |= {one: _with(failure=one.failure * edit.value) for one in graph.bounds}
    return found


def _then(first: Replacement | None, second: Replacement) -> Replacement:
    return second if first is None else lambda one: second(first(one))


def _drop(report: Report, edits: Sequence[Edit]) -> Any:
    """Raw data read nowhere: by no function, and no output."""
    graph, raw = report.problem.graph, {edit.node for edit in edits}
    readers = [n for n in _nodes(graph) if isinstance(n, (Post, Loop))]
    output = rewritten(graph.output, {one: _without(raw) for one in readers})
    kept = output if isinstance(output, tuple) else (output,)
    return tuple(one for one in kept if one not in raw)


def _without(raw: set[Node | None]) -> Replacement:
    def change(one: Any) -> Any:
        kept = tuple(a for a in one.arguments if not (isinstance(a, Node) and a in raw))
        return one if len(kept) == len(one.arguments) else attrs.evolve(one, arguments=kept)

    return change


def _even(report: Report, edits: Sequence[Edit]) -> Any:
    del edits
    charged, budget = report.problem.graph.charged, _budget(report)
    share = budget.split_evenly(len(charged))[0]
    return rewritten(_output(report), dict.fromkeys(charged, _with(share=share)))


def _noise(report: Report, edits: Sequence[Edit]) -> Any:
    """Calibrated noise, in all releases that pose the same obligation."""
    changes: dict[Node, Replacement] = {}
    for edit in edits:
        if isinstance(edit.node, Release) and isinstance(edit.value, Calibration):
            alike = [one for one in _releases(report.problem.graph) if _same(one, edit.node)]
            changes |= dict.fromkeys(alike, _with(stated=edit.value))
    return rewritten(_output(report), changes)


def _same(one: Release, other: Release) -> bool:
    own = (one.statistic, one.stated, one.share, one.times, one.sampled)
    return own == (other.statistic, other.stated, other.share, other.times, other.sampled)


def _all_noise(report: Report, edits: Sequence[Edit]) -> Any:
    """Gaussian noise by dp.jointly; other noise times the factor at which the whole spends the
    target, as dp.regressions.Jointly does, or Gaussian noise in its place.
    """
    del edits
    graph, budget = report.problem.graph, _budget(report)
    if not graph.additive:
        return graph.output
    pure = isinstance(report.problem.target, PureDP)
    if all(one.noise is Gaussian and one.sampled is None for one in graph.releases):
        return _jointly(graph, budget)
    try:
        return _scaled(graph, budget, pure=pure)
    except DPFrameError:
        return graph.output if pure else _jointly(graph, budget)


def _scaled(graph: Graph, budget: Share, *, pure: bool) -> Any:
    by = Scaling(noise_factor(graph.releases, budget), budget if pure else None)
    return rewritten(graph.output, dict.fromkeys(graph.releases, by.release))


def _jointly(graph: Graph, budget: Share) -> Any:
    asked = [one.statistic for one in graph.releases]
    noises = jointly(budget, asked, times=[one.times for one in graph.releases])
    pairs = zip(graph.releases, noises, strict=True)
    return rewritten(graph.output, {one: _with(stated=noise, share=None) for one, noise in pairs})


def _nodes(graph: Graph) -> list[Node]:
    inner = [found for one in graph.procedures for found in inside(one)]
    return [*graph.nodes, *(node for found in inner for node in found.nodes)]


def _releases(graph: Graph) -> list[Release]:
    return [one for one in _nodes(graph) if isinstance(one, Release)]


CARRIES: dict[str, Carry] = {
    "table": _table,
    "public": _public,
    "clip": _clip,
    "field": _field,
    "release": _release,
    "drop": _drop,
    "shares": _shares,
    "even shares": _even,
    "noise": _noise,
    "all noise": _all_noise,
}
