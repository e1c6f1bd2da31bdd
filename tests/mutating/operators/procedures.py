"""Procedures and bounds with parameters that their theorems do not cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from dpframe.graph import Bound, Known
from dpframe.graph.rewriting import Replacement
from dpframe.graph.statistics import Gram, LambdaMin
from dpframe.symbols import Expression, Number, sqrt

from ..subject import Change, Operator, Subject
from .noise import formulas_of

NINE_TENTHS, HUNDREDTH = Number(Fraction(9, 10)), Number(Fraction(1, 100))


def _scaled(*factors: Fraction) -> Any:
    def changes(subject: Subject) -> Iterator[Change]:
        for one in subject.graph.procedures:
            for name, formula in formulas_of(one).items():
                for factor in factors:
                    change = {one: _with(**{name: formula * factor})}
                    yield Change(f"{name} of {one.label}", partial(subject.replaced, change))

    return changes


def _with(**fields: object) -> Replacement:
    return lambda one: attrs.evolve(one, **fields)


def _temperature(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.procedures:
        if getattr(one, "temperature", 0) is None and subject.budget.currency[0] == "epsilon":
            change = {one: _with(temperature=subject.budget.epsilon)}
            yield Change(one.label, partial(subject.replaced, change))


def _raw_floor(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.procedures:
        gram = getattr(one, "gram", None)
        if isinstance(gram, Gram) and hasattr(one, "floor"):
            change = {one: _with(floor=LambdaMin(gram).__expression__())}
            yield Change(one.label, partial(subject.replaced, change))


def _bounds(change: Replacement) -> Any:
    def changes(subject: Subject) -> Iterator[Change]:
        for one in subject.graph.bounds:
            yield Change(one.name, partial(subject.replaced, {one: change}))

    return changes


def _part(name: str, factor: Expression) -> Replacement:
    return lambda bound: attrs.evolve(bound, **{name: getattr(bound, name) * factor})


def _released(bound: Bound) -> Known:
    """The released number itself."""
    return Known(bound.value, bound.name, bound.lower, bound.upper)


def _side(bound: Bound) -> Bound:
    return attrs.evolve(bound, upper_side=not bound.upper_side)


OPERATORS: Sequence[Operator] = (
    Operator("parameter halved", "half of a procedure's parameter", _scaled(Fraction(1, 2))),
    Operator(
        "parameter raised", "a procedure's parameter, a tenth more", _scaled(Fraction(11, 10))
    ),
    Operator("temperature", "a posterior's temperature is epsilon", _temperature),
    Operator("raw floor", "the floor is lambda_min(X'X) itself", _raw_floor, never=True),
    Operator(
        "failure unpaid",
        "a bound fails 100 times as often as is paid",
        _bounds(_part("failure", HUNDREDTH)),
    ),
    Operator("tail", "a bound's stds lack sqrt(2)", _bounds(_part("stds", 1 / sqrt(2)))),
    Operator(
        "margin",
        "a bound's margin is 0.9 of the sensitivity",
        _bounds(_part("margin", NINE_TENTHS)),
    ),
    Operator("other end", "a lower bound is read for an upper one", _bounds(_side)),
    Operator("no bound", "a released number is read for a bound", _bounds(_released)),
)
