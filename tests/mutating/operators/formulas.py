"""Formulas of another setting: noise that was worked out for other bounds or other neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import attrs

from dpframe.graph import Graph, Procedure
from dpframe.graph.maps.bounds import Box, ClipColumn, ClipNorm
from dpframe.graph.rewriting import Replacement, rewritten
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE
from dpframe.symbols import Expression, exact, sqrt

from ..subject import Change, Operator, Subject, in_unit, keep

Table = tuple[Any, Any]


def grafted(other: Callable[[Subject], Table]) -> Callable[[Subject], Iterator[Change]]:
    """The graph with the noise, and the parameters of procedures, that it would have on another
    table.
    """

    def changes(subject: Subject) -> Iterator[Change]:
        table = other(subject)
        if table != (subject.X, subject.y) and _alike(subject, *table):
            yield Change("all formulas", partial(_output, subject, *table))

    return changes


def _alike(subject: Subject, X: Any, y: Any) -> bool:
    """Whether the declaration asks the same there: the same kinds of node, in the same order."""
    theirs = subject.declared(X, y, subject.budget)
    return [type(n) for n in theirs.charged] == [type(n) for n in subject.graph.charged] and [
        type(one.statistic) for one in theirs.releases
    ] == [type(one.statistic) for one in subject.graph.releases]


def _output(subject: Subject, X: Any, y: Any) -> Any:
    theirs = subject.declared(X, y, subject.budget)
    ours, names = subject.graph, _names(subject.graph)
    pairs = zip(ours.releases, theirs.releases, strict=False)
    changes: dict[Any, Replacement] = {
        own: keep(type(noise)(noise.formula.substitute(names)))  # type: ignore[call-arg]
        for own, noise in ((own, other.mechanism) for own, other in pairs)
    }
    for one, other in zip(ours.procedures, theirs.procedures, strict=False):
        changes[one] = _evolved(formulas_of(other), names)
    return subject.replaced(changes)


def _names(graph: Graph) -> dict[str, Expression]:
    """What symbols are called here that stand for numbers of the data, or released ones."""
    formulas = [f for node in graph.nodes for f in node.formulas.values()]
    found = {one for formula in formulas for one in formula.symbols()}
    return {one.name: one for one in found if one.origin is not None}


def formulas_of(procedure: Procedure) -> dict[str, Expression]:
    """The formulas that were given to a procedure, and the noise that its theorem prescribes."""
    names = [field.name for field in attrs.fields(type(procedure)) if field.init]  # type: ignore[arg-type]
    found = {name: getattr(procedure, name) for name in names}
    if "stated" in found and found["stated"] is None:
        found["stated"] = procedure.size  # type: ignore[attr-defined]
    return {name: value for name, value in found.items() if isinstance(value, Expression)}


def _evolved(fields: dict[str, Expression], names: dict[str, Expression]) -> Replacement:
    here = {name: formula.substitute(names) for name, formula in fields.items()}
    return lambda one: attrs.evolve(one, **here)


def _related(subject: Subject) -> Table:
    unit = subject.X.unit
    other = REPLACE_ONE if unit.relation is ADD_REMOVE else ADD_REMOVE
    return _in(subject, attrs.evolve(unit, relation=other))


def stricter(subject: Subject) -> Table:
    """The table under replace-one, where neighbours were added or removed."""
    return _related(subject) if subject.added else (subject.X, subject.y)


def _looser(subject: Subject) -> Table:
    return (subject.X, subject.y) if subject.added else _related(subject)


def _one_row(subject: Subject) -> Table:
    return _in(subject, attrs.evolve(subject.X.unit, rows_per_person=exact(1)))


def _in(subject: Subject, unit: Any) -> Table:
    return in_unit(subject.X, unit), in_unit(subject.y, unit)


def _bounded(change: Callable[[Any], Any], *kinds: type) -> Callable[[Subject], Table]:
    """The same table with other bounds."""

    def table(subject: Subject) -> Table:
        X, y = subject.X, subject.y
        for node in (one for one in subject.graph.nodes if type(one) in kinds):
            X, y = rewritten((X, y), {node: change})
        return X, y

    return table


def _unit(one: Any) -> Any:
    if isinstance(one, ClipColumn):
        return attrs.evolve(one, lower=exact(-1), upper=exact(1))
    return attrs.evolve(one, **{"norm" if isinstance(one, ClipNorm) else "bound": exact(1)})


def _root(one: Any) -> Any:
    name = "norm" if isinstance(one, ClipNorm) else "bound"
    return attrs.evolve(one, **{name: sqrt(getattr(one, name))})


OPERATORS: Sequence[Operator] = (
    Operator("B forgotten", "noise for rows of norm 1", grafted(_bounded(_unit, ClipNorm, Box))),
    Operator("Y forgotten", "noise for labels up to 1", grafted(_bounded(_unit, ClipColumn))),
    Operator(
        "B for B^2", "noise for rows of norm sqrt(B)", grafted(_bounded(_root, ClipNorm, Box))
    ),
    Operator("relation", "noise of add/remove under replace-one", grafted(_looser)),
    Operator("rows of a person", "noise for one row a person", grafted(_one_row)),
)
