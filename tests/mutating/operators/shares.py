"""Budgets and shares that are counted wrongly, and draws that nobody pays for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from dpframe.graph import Release
from dpframe.graph.rewriting import Replacement
from dpframe.privacy import Share
from dpframe.symbols import ONE, Expression, Number, exact, parameter, sqrt

from ..subject import Change, Operator, Subject

# ---------------------------------------------------------------------------------- Counted wrongly
Weights = Callable[[Share], Share]
MORE = Number(Fraction(11, 10))


def scaled(share: Share, factor: object, *names: str) -> Share:
    """A share with its weights (those of `names`; all by default) times a factor."""
    by, chosen = exact(factor), names or share.currency
    weights = tuple(
        weight * by if name in chosen else weight
        for name, weight in zip(share.currency, share.weights, strict=True)
    )
    return attrs.evolve(share, weights=weights)


def claiming(change: Weights) -> Replacement:
    """A release or procedure with another share."""
    return lambda one: attrs.evolve(one, share=change(one.share))


def _each(change: Weights) -> Callable[[Subject], Iterator[Change]]:
    def changes(subject: Subject) -> Iterator[Change]:
        for one in subject.charged:
            yield Change(one.label, partial(subject.replaced, {one: claiming(change)}))

    return changes


def _together(
    factor: Callable[[int], Expression], *names: str
) -> Callable[[Subject], Iterator[Change]]:
    """All shares times a factor of their number, where there are several."""

    def changes(subject: Subject) -> Iterator[Change]:
        count = len(subject.charged)
        if count > 1 and set(names) <= set(subject.budget.currency):
            raised = claiming(lambda share: scaled(share, factor(count), *names))
            yield Change(
                "all shares", partial(subject.replaced, dict.fromkeys(subject.charged, raised))
            )

    return changes


def _whole(name: str) -> Callable[[Subject], Iterator[Change]]:
    """Each release takes the whole of an amount."""

    def whole(share: Share) -> Share:
        index = share.currency.index(name)
        return scaled(share, 1 / share.weights[index], name)

    def changes(subject: Subject) -> Iterator[Change]:
        charged = subject.charged
        if len(charged) > 1 and name in subject.budget.currency:
            all_of_it = dict.fromkeys(charged, claiming(whole))
            yield Change("all shares", partial(subject.replaced, all_of_it))

    return changes


def budgeted(factor: object, *names: str) -> Callable[[Subject], Iterator[Change]]:
    """The declaration of a multiple of the budget."""

    def changes(subject: Subject) -> Iterator[Change]:
        if set(names) <= set(subject.budget.currency):
            yield Change(
                "budget", partial(_declared, subject, scaled(subject.budget, factor, *names))
            )

    return changes


def _rest(subject: Subject) -> Iterator[Change]:
    """Shares g, g, 1 - 2 g, or 2 g and 1 - 2 g: they sum to 1, and the last is negative from g =
    1/2 on.
    """
    charged = subject.charged
    if len(charged) > 1:
        g = parameter("g", 0, 1)
        first = (2 * g,) if len(charged) == 2 else (g,) * (len(charged) - 1)
        parts = dict(zip(charged, (*first, 1 - sum(first, start=exact(0))), strict=True))
        changes = {one: claiming(partial(_all, part)) for one, part in parts.items()}
        yield Change("all shares", partial(subject.replaced, changes))


def _all(weight: Expression, share: Share) -> Share:
    return attrs.evolve(share, weights=(weight,) * len(share.weights))


def _more(subject: Subject) -> Iterator[Change]:
    yield from budgeted(MORE, subject.budget.currency[0])(subject)


def _declared(subject: Subject, budget: Share) -> Any:
    return subject.declared(subject.X, subject.y, budget).output


COUNTED: Sequence[Operator] = (
    Operator("a tenth more", "all is declared for 1.1 times the first amount", _more),
    Operator("epsilon doubled", "declared for 2 epsilon", budgeted(2, "epsilon")),
    Operator("delta tripled", "declared for 3 delta", budgeted(3, "delta")),
    Operator("one share", "one share a tenth too large", _each(lambda s: scaled(s, MORE))),
    Operator(
        "one too few",
        "shares of 1/(k - 1) for k releases",
        _together(lambda count: exact(Fraction(count, count - 1))),
    ),
    Operator("root of k", "shares of 1/sqrt(k) for k releases", _together(sqrt)),
    Operator("rest", "shares g, g, 1 - 2 g: the last may be negative", _rest),
    Operator("whole delta", "every release keeps the whole delta", _whole("delta")),
    Operator("whole epsilon", "every release keeps the whole epsilon", _whole("epsilon")),
)


# ----------------------------------------------------------------------- Draws that nobody pays for


def _apart(name: str) -> str:
    """The name of a copy: two releases of one name are refused."""
    return f"{name}_copy" if name else ""


def _twice(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.charged:
        copy = attrs.evolve(one, name=_apart(one.name))  # type: ignore[misc]
        yield Change(one.label, partial(subject.beside, copy))


def _unpaid(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.releases:
        if one.share is not None:
            copy = attrs.evolve(one, stated=one.mechanism, share=None, name=_apart(one.name))
            yield Change(one.label, partial(subject.beside, copy))


def _forgotten(subject: Subject) -> Iterator[Change]:
    for one in subject.graph.releases:
        if one.share is not None and len(subject.charged) > 1:
            free = _fields(stated=one.mechanism, share=None)
            yield Change(one.label, partial(subject.replaced, {one: free}))


def _fields(**fields: object) -> Replacement:
    return lambda release: attrs.evolve(release, **fields)


def _drawn(
    wanted: Callable[[Release], bool], more: object
) -> Callable[[Subject], Iterator[Change]]:
    def changes(subject: Subject) -> Iterator[Change]:
        for one in subject.releases:
            if wanted(one):
                count = one.times + more
                again = _fields(stated=one.mechanism, times=count)
                yield Change(one.label, partial(subject.replaced, {one: again}))

    return changes


UNPAID: Sequence[Operator] = (
    Operator("released twice", "a second draw on a share that is charged once", _twice),
    Operator("unpaid copy", "a second draw without a share", _unpaid),
    Operator("share forgotten", "a release without its share", _forgotten),
    Operator("averaged", "2 draws of one charge", _drawn(lambda one: one.times is ONE, 1)),
    Operator("a round more", "T + 1 rounds", _drawn(lambda one: one.times is not ONE, 1)),
)

OPERATORS: Sequence[Operator] = (*COUNTED, *UNPAID)
