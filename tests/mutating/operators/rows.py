"""Rows and labels that are less bounded than the noise believes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from dpframe.graph import Node
from dpframe.graph.maps.bounds import (
    Box,
    ClipColumn,
    ClipNorm,
    Intercept,
    Normalized,
    ToUnitInterval,
)
from dpframe.graph.maps.scaled import Scaled
from dpframe.graph.rewriting import Replacement
from dpframe.graph.rows import Rows
from dpframe.privacy import ADD_REMOVE
from dpframe.symbols import Number

from ..subject import Change, Operator, Subject, in_unit

BOUNDS: dict[type[Node], tuple[str, ...]] = {
    ClipNorm: ("norm",),
    Box: ("bound",),
    ClipColumn: ("lower", "upper"),
    Normalized: (),
    ToUnitInterval: (),
}
HALF = Number(Fraction(1, 2))


def bounding(subject: Subject) -> list[Any]:
    """Every map that bounds rows or labels."""
    return [one for one in subject.nodes if type(one) in BOUNDS]


def resized(factor: object) -> Replacement:
    """A bound times a factor."""

    def change(one: Any) -> Any:
        ends = {name: getattr(one, name) * factor for name in BOUNDS[type(one)]}
        return attrs.evolve(one, **ends)

    return change


def _dropped(subject: Subject) -> Iterator[Change]:
    for one in bounding(subject):
        yield Change(one.label, partial(subject.frozen, {one: _source}))


def _source(one: Any) -> Any:
    return one.source


def resizing(factor: object) -> Callable[[Subject], Iterator[Change]]:
    """One edit a bound: it becomes a multiple of what it was; noise stays."""

    def changes(subject: Subject) -> Iterator[Change]:
        for one in bounding(subject):
            if BOUNDS[type(one)]:
                yield Change(one.label, partial(subject.frozen, {one: resized(factor)}))

    return changes


def after(change: Replacement) -> Callable[[Subject], Iterator[Change]]:
    """One edit a map that bounds rows: something is done to them after it."""

    def changes(subject: Subject) -> Iterator[Change]:
        for one in bounding(subject):
            if isinstance(one, Rows):
                yield Change(one.label, partial(subject.frozen, {one: change}))

    return changes


def _other_table(subject: Subject) -> Iterator[Change]:
    """Noise gets smaller where it is worked out for one record more or less."""
    if not subject.added:
        other = attrs.evolve(subject.X.unit, relation=ADD_REMOVE)
        yield Change("X, y", partial(_declared, subject, other))


def _declared(subject: Subject, unit: Any) -> Any:
    X, y = in_unit(subject.X, unit), in_unit(subject.y, unit)
    return subject.declared(X, y, subject.budget).output


OPERATORS: Sequence[Operator] = (
    Operator("clip dropped", "rows or labels are not clipped", _dropped),
    Operator("bound doubled", "a bound is twice what the noise is for", resizing(2)),
    Operator(
        "scaled after", "rows are doubled after they are clipped", after(lambda x: Scaled(x, HALF))
    ),
    Operator(
        "intercept after", "a column of ones after the bound", after(lambda x: Intercept(x, 1))
    ),
    Operator("other table", "the add/remove table under replace-one", _other_table),
)
