"""Classes from outside: what they state is taken on trust, where an assumption says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpframe.exact.formula import Formula
from dpframe.exact.limits import Json
from dpframe.exact.text import text_of

from .at import At
from .book import PLAIN, kind
from .facts import (
    UNKNOWN,
    Budgets,
    Iterate,
    LabelFacts,
    Move,
    Moves,
    Procedure,
    RowFacts,
    StatisticFacts,
    Weight,
    in_doubles,
    labels,
    public,
    statistic,
)
from .personal import believed
from .procedures import share_of

PER_RECORD = (RowFacts, LabelFacts, Budgets, Weight, Iterate)


def of_records(c: At, inputs: Sequence[Any]) -> None:
    """The obligation that a map of records reads records, and what is public. Raises Refused."""
    fits = all(isinstance(one, PER_RECORD) or public(one) for one in inputs)
    c.require(fits, "a map of records reads rows, labels, weights and released values only")


def said(c: At, name: Json, **stated: Formula | None) -> None:
    """Note for the sentence what a class states of a node; nothing where there is no bound."""
    known = [f"{key} = {text_of(value)}" for key, value in stated.items() if value is not None]
    c.believed[name].append(f"{c.where.partition(' (')[0]}: {', '.join(known) or 'no bound'}")


def bound(c: At, value: Json, name: str) -> Formula | None:
    """A bound that is stated; null where there is none."""
    found = None if value is None else c.formula(value)
    if found is not None:
        c.at_least(found, 0, f"{name} must not be negative")
    return found


@kind("trusted_rows", object, many=True, answers=PLAIN)
def _trusted_rows(
    c: At, *inputs: Any, trusted: Json, parameters: Json, columns: Json, norm: Json, norm1: Json
) -> RowFacts:
    """A map of records, one row of each, with the bounds that it states."""
    believed(c, trusted)
    of_records(c, inputs)
    del parameters
    norms = bound(c, norm, "norm"), bound(c, norm1, "norm1")
    said(c, trusted, norm=norms[0], norm1=norms[1])
    return in_doubles(c.whole(columns, "columns"), *norms, occurring=UNKNOWN)


@kind("trusted_column", object, many=True, answers=PLAIN)
def _trusted_column(
    c: At, *inputs: Any, trusted: Json, parameters: Json, limit: Json
) -> LabelFacts:
    """A map of records to labels."""
    believed(c, trusted)
    of_records(c, inputs)
    del parameters
    most = bound(c, limit, "the bound")
    said(c, trusted, bound=most)
    return labels(most)


@kind("trusted_statistic", object, many=True, answers=PLAIN)
def _trusted_statistic(
    c: At, *_: Any, trusted: Json, parameters: Json, shape: Json, l1: Json, l2: Json
) -> StatisticFacts:
    """A statistic, with the sensitivities to one row that it states."""
    believed(c, trusted)
    del parameters
    c.require(type(shape) is list, "shape must be a list of sizes")
    sizes = tuple(c.positive(size, "a size") for size in shape)
    moves = Moves(stated(c, l1, "l1"), stated(c, l2, "l2"), None)
    found = statistic(sizes, moves)
    said(c, trusted, l1=found.l1, l2=found.l2)
    return found


def stated(c: At, value: Json, name: str) -> Move | None:
    """A sensitivity that is stated."""
    found = bound(c, value, name)
    return None if found is None else Move(found, "as stated", attained=False)


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
