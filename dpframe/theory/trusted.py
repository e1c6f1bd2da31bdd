"""Classes from outside: what they state is taken on trust, where an assumption says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpframe.exact.formula import Formula, text_of
from dpframe.exact.limits import Json

from .at import At
from .book import OF_BUDGETS, PLAIN, kind
from .facts import (
    Budgets,
    Iterate,
    LabelFacts,
    Loss,
    Procedure,
    RowFacts,
    StatisticFacts,
    Weight,
    public,
)
from .personal import believed, node_of
from .procedures import share_of

MARGIN, LABEL = "|x'theta|", "|y|"
PER_RECORD = (RowFacts, LabelFacts, Budgets, Weight, Iterate)


OF_RECORDS = "a map of records reads rows, labels, weights and released values only"


def of_records(c: At, inputs: Sequence[Any]) -> None:
    """The obligation that a map of records reads records, and what is public. Raises Refused."""
    c.require(all(isinstance(one, PER_RECORD) or public(one) for one in inputs), OF_RECORDS)


def said(c: At, name: Json, step: Json = None, **stated: Formula | None) -> Formula | None:
    """Note for the sentence what a class states of a node, where there is a bound; the step of the
    grid that it states, null for floating point.
    """
    grid = None if step is None else c.positive(step, "step")
    stated["step"] = grid
    known = [f"{key} = {text_of(value)}" for key, value in stated.items() if value is not None]
    c.believed[name].append(f"{node_of(c)}: {', '.join(known) or 'no bound'}")
    return grid


def bound(c: At, value: Json, name: str) -> Formula | None:
    """A bound that is stated; null where there is none."""
    found = None if value is None else c.formula(value)
    if found is not None:
        c.at_least(found, 0, f"{name} must not be negative")
    return found


@kind("trusted_rows", object, many=True, answers=PLAIN)
def _trusted_rows(
    c: At,
    *inputs: Any,
    trusted: Json,
    parameters: Json,
    columns: Json,
    norm: Json,
    norm1: Json,
    unit_norm: Json = None,
    step: Json = None,
) -> RowFacts:
    """A map of records, one row of each, with the bounds that it states."""
    believed(c, trusted)
    of_records(c, inputs)
    del parameters
    norms = bound(c, norm, "norm"), bound(c, norm1, "norm1")
    all_of_it = unit_norm is True and norms[0] is not None
    c.require(all_of_it or unit_norm is None, "unit_norm: true, where there is a norm, or null")
    every = norms[0] if all_of_it else None
    grid = said(c, trusted, step, norm=norms[0], norm1=norms[1], every_norm=every)
    return RowFacts(c.whole(columns, "columns"), *norms, unit_norm=all_of_it, step=grid)


@kind("trusted_column", object, many=True, answers=PLAIN)
def _trusted_column(
    c: At, *inputs: Any, trusted: Json, parameters: Json, limit: Json, step: Json = None
) -> LabelFacts:
    """A map of records to labels."""
    believed(c, trusted)
    of_records(c, inputs)
    del parameters
    most = bound(c, limit, "the bound")
    return LabelFacts(most, step=said(c, trusted, step, bound=most))


@kind("trusted_statistic", object, many=True, answers=PLAIN)
def _trusted_statistic(
    c: At,
    *_: Any,
    trusted: Json,
    parameters: Json,
    shape: Json,
    l1: Json,
    l2: Json,
    step: Json = None,
    symmetric: Json = None,
) -> StatisticFacts:
    """A statistic, with the sensitivities to one row that it states; a matrix is symmetric only
    where that is stated.
    """
    believed(c, trusted)
    del parameters
    c.require(type(shape) is list, "shape must be a list of sizes")
    sizes = tuple(c.positive(size, "a size") for size in shape)
    moves = bound(c, l1, "l1"), bound(c, l2, "l2")
    grid = said(c, trusted, step, l1=moves[0], l2=moves[1])
    square = len(sizes) == 2 and c.same(*sizes)
    c.require(symmetric is None or (symmetric is True and square), "symmetric: true, or null")
    steps = () if grid is None else (grid,)
    return StatisticFacts(sizes, *moves, steps=steps, symmetric=symmetric is True)


@kind("trusted_loss", answers=PLAIN)
def _trusted_loss(
    c: At, *, trusted: Json, parameters: Json, slope: Json, anywhere: Json, curvature: Json
) -> Loss:
    """A convex loss, with the bounds that it states: formulas of bounds on |x'theta| and |y|."""
    believed(c, trusted)
    del parameters
    c.believed[trusted].append(f"{node_of(c)}: a convex loss, bounds on its slope and curvature")

    def steep(margin: Formula | None, label: Formula) -> Formula | None:
        if margin is None:
            return within(c, anywhere, {LABEL: label})
        return within(c, slope, {MARGIN: margin, LABEL: label})

    def bend(label: Formula) -> Formula:
        found = within(c, curvature, {LABEL: label})
        c.require(found is not None, "its curvature has no bound")
        return found  # type: ignore[return-value]

    return Loss(steep, bend)


def within(c: At, value: Json, bounds: Mapping[str, Formula]) -> Formula | None:
    """A stated bound at these bounds on what it is a formula of; null where there is none. In the
    ring they have names that no file can declare, new ones each time.
    """
    names = {name: f"{name} {len(c.ring.symbols)}" for name in bounds}
    c.ring.symbols.update({names[name]: f for name, f in bounds.items()})
    return bound(c, renamed(value, names), "a bound of the loss")


def renamed(value: Json, names: Mapping[str, str]) -> Json:
    """A formula with its symbols renamed."""
    if type(value) is list:
        return [renamed(part, names) for part in value]
    return names.get(value, value) if type(value) is str else value


@kind("trusted_weight", answers=OF_BUDGETS)
def _trusted_weight(c: At, *, trusted: Json, parameters: Json, factor: Json) -> Weight:
    """A factor of each record, as it is stated."""
    believed(c, trusted)
    del parameters
    found = c.positive(factor, "a weight")
    c.believed[trusted].append(f"{node_of(c)}: each record's factor is {text_of(found)}")
    return Weight(found)


@kind("trusted_release", object, many=True, answers=PLAIN)
def _trusted_release(
    c: At, *_: Any, trusted: Json, parameters: Json, share: Json, name: Json
) -> Procedure:
    """A release by a theorem from outside, about one row, at its share."""
    believed(c, trusted)
    c.require(type(name) is str, "name must be text")
    c.require(c.rows.constant == 1, "one row a person")
    del parameters
    epsilon, delta = share_of(c, share, delta=False)
    said(c, trusted, epsilon=epsilon, delta=delta)
    return Procedure(c.where, epsilon, delta)
