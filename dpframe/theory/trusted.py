"""Classes from outside: what they state is taken on trust, where an assumption says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from dpframe.exact.documents import Json
from dpframe.exact.formula import Formula, text_of

from .at import At
from .book import Positive, Trusted, Whole, kind
from .facts import LabelFacts, Loss, OfRecords, Procedure, RowFacts, StatisticFacts, Weight
from .procedures import PureShare

MARGIN, LABEL = "|x'theta|", "|y|"


def limited(c: At, value: Json, name: str) -> Formula:
    """A bound that is stated."""
    bound = c.formula(value)
    c.at_least(bound, 0, f"{name} must not be negative")
    return bound


Limit: TypeAlias = Annotated[Formula, limited] | None
Step: TypeAlias = Positive | None


def said(c: At, name: str, **stated: Formula | None) -> None:
    """Note for the sentence what a class states of a node, where there is a bound; the step of the
    grid that it states, none for floating point.
    """
    known = [f"{key} = {text_of(value)}" for key, value in stated.items() if value is not None]
    c.state(name, ", ".join(known) or "no bound")


@kind("trusted_rows")
def _trusted_rows(
    c: At,
    *_: OfRecords,
    trusted: Trusted,
    parameters: Json,
    columns: Whole,
    norm: Limit,
    norm1: Limit,
    unit_norm: bool | None = None,
    step: Step = None,
) -> RowFacts:
    """A map of records, one row of each, with the bounds that it states."""
    exact = unit_norm is True and norm is not None
    c.require(exact or unit_norm is None, "unit_norm: true, where there is a norm, or null")
    said(c, trusted, norm=norm, norm1=norm1, every_norm=norm if exact else None, step=step)
    return RowFacts(columns, norm, norm1, unit_norm=exact, step=step)


@kind("trusted_column")
def _trusted_column(
    c: At, *_: OfRecords, trusted: Trusted, parameters: Json, limit: Limit, step: Step = None
) -> LabelFacts:
    """A map of records to labels."""
    said(c, trusted, bound=limit, step=step)
    return LabelFacts(limit, step=step)


@kind("trusted_statistic")
def _trusted_statistic(
    c: At,
    *_: object,
    trusted: Trusted,
    parameters: Json,
    shape: list[Positive],
    l1: Limit,
    l2: Limit,
    step: Step = None,
    symmetric: bool | None = None,
) -> StatisticFacts:
    """A statistic, with the sensitivities to one row that it states; a matrix is symmetric only
    where that is stated.
    """
    said(c, trusted, l1=l1, l2=l2, step=step)
    square = symmetric is True and len(shape) == 2 and c.same(*shape)
    c.require(square or symmetric is None, "symmetric: true, or null")
    steps = () if step is None else (step,)
    return StatisticFacts(tuple(shape), l1, l2, steps=steps, symmetric=square)


@kind("trusted_loss")
def _trusted_loss(
    c: At, *, trusted: Trusted, parameters: Json, slope: Json, anywhere: Json, curvature: Json
) -> Loss:
    """A convex loss, with the bounds that it states: formulas of bounds on |x'theta| and |y|."""
    c.state(trusted, "a convex loss, bounds on its slope and curvature")

    def steep(margin: Formula | None, label: Formula) -> Formula | None:
        if margin is None:
            return within(c, anywhere, {LABEL: label})
        return within(c, slope, {MARGIN: margin, LABEL: label})

    def bend(label: Formula) -> Formula:
        bound = within(c, curvature, {LABEL: label})
        c.require(bound is not None, "its curvature has no bound")
        return bound  # type: ignore[return-value]

    return Loss(steep, bend)


def within(c: At, value: Json, bounds: Mapping[str, Formula]) -> Formula | None:
    """A stated bound at these bounds on what it is a formula of; null where there is none. In the
    ring they have names that no file can declare, new ones each time.
    """
    names = {name: f"{name} {len(c.ring.symbols)}" for name in bounds}
    c.ring.symbols.update({names[name]: f for name, f in bounds.items()})
    return None if value is None else limited(c, renamed(value, names), "a bound of the loss")


def renamed(value: Json, names: Mapping[str, str]) -> Json:
    """A formula with its symbols renamed."""
    if type(value) is list:
        return [renamed(part, names) for part in value]
    return names.get(value, value) if type(value) is str else value


@kind("trusted_weight", reads_own_budget=True)
def _trusted_weight(c: At, *, trusted: Trusted, parameters: Json, factor: Positive) -> Weight:
    """A factor of each record, as it is stated."""
    c.state(trusted, f"each record's factor is {text_of(factor)}")
    return Weight(factor)


@kind("trusted_release", "name")
def _trusted_release(
    c: At, *_: object, trusted: Trusted, parameters: Json, share: PureShare
) -> Procedure:
    """A release by a theorem from outside, about one row, at its share."""
    c.require(c.rows.constant == 1, "one row a person")
    said(c, trusted, epsilon=share[0], delta=share[1])
    return Procedure(c.where, *share)
