"""The totals that guard a budget, fixed before the first release: a choice that depends on releases
is a release itself, and the best of several rules, chosen late, exceeds the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from dpframe.errors import InvalidArgument, Plain, listed_words
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP

from ..filters.prices import (
    KINDS,
    Amounts,
    Kind,
    Total,
    amounts_of,
    checked,
    is_inside,
    kind_names,
    largest_inside,
)
from .accounts import cheapest

Plan = tuple[Guarantee, ...]
"""Ceilings: all runs together stay within at least one of them."""

SPLITS: tuple[Kind, ...] = (GaussianDP, ZeroConcentratedDP)  # the order in which they are tried


def check_budget(budget: object) -> Guarantee:
    """`budget`, if it is a guarantee of dpframe with positive exact numbers."""
    if type(budget) not in KINDS.values():
        raise InvalidArgument("budget", f"one of {kind_names()}", budget)
    if not all(amounts_of(budget, type(budget))):  # type: ignore[arg-type]
        raise InvalidArgument("budget", "above 0", Plain(budget), "Nothing fits a budget of 0.")
    return budget  # type: ignore[return-value]


def check_by(budget: Guarantee, by: object) -> Kind | None:
    """`by`, a kind that may guard this budget, or None. Raises InvalidArgument."""
    kinds: tuple[Kind, ...] = (type(budget),)
    if type(budget) is ApproxDP:
        kinds = (ApproxDP, *SPLITS)
    if by is None or any(by is kind for kind in kinds):
        return by  # type: ignore[return-value]
    named = ", ".join(f"dp.{kind.__name__}" for kind in kinds)
    raise InvalidArgument("by", f"one of {named}, or left out", by, f"The budget is {budget}.")


def planned(budget: Guarantee, by: Kind | None) -> Plan | None:
    """The ceilings by which a budget is guarded; None where the first run determines them.

    (epsilon, delta) by Gaussian DP or zCDP: the largest mu or rho inside it, and pure epsilon
    beside it. That costs no delta: every transcript stays within one of the two ceilings, so the
    probabilities of bad events add, and are at most 0 + delta.
    """
    if type(budget) is not ApproxDP or by is ApproxDP:
        return (budget,)
    return None if by is None else (PureDP(budget.epsilon), largest_inside(budget, by))


def plan_for(budget: Guarantee, guarantees: Sequence[Guarantee]) -> Plan:
    """The ceilings that suit the first run: mu^2 where it states a Gaussian guarantee, rho where it
    states zCDP, and where it fits; else epsilon and delta.
    """
    stated = {type(guarantee) for guarantee in guarantees}
    for kind in SPLITS:
        plan = _tried(budget, kind) if kind in stated else None
        if plan is not None and admitted([Total.within(plan[-1])], guarantees).totals:
            return plan
    return (budget,)


def _tried(budget: Guarantee, kind: Kind) -> Plan | None:
    try:
        return planned(budget, kind)
    except InvalidArgument:  # no positive ceiling is proved to lie inside
        return None


def check_inside(budget: Guarantee, ceilings: Plan) -> None:
    """Refuse ceilings that are not proved to imply the budget. Raises InvalidArgument."""
    if ceilings == (budget,):
        return
    pair = type(budget) is ApproxDP and len(ceilings) == 2 and type(ceilings[0]) is PureDP
    if not pair or not all(_implies(one, type(one), budget) for one in ceilings):
        raise InvalidArgument("ceilings", f"those of {budget}", listed_words(ceilings))


@lru_cache(maxsize=1024)
def _implies(ceiling: Guarantee, kind: Kind, budget: ApproxDP) -> bool:
    """Whether a ceiling beside or in place of (epsilon, delta) is proved to imply it."""
    if kind is PureDP:
        return ceiling == PureDP(budget.epsilon)
    return kind in SPLITS and is_inside(kind, amounts_of(ceiling, kind), budget)


class Admission(NamedTuple):
    """The amounts of a run in each total that can hold it, by kind, and the totals after it.

    `priced` says whether some total could add the run at all, `totals` is empty where none can hold
    it.
    """

    priced: bool
    prices: dict[str, Amounts]
    totals: tuple[Total, ...]


def admitted(totals: Sequence[Total], guarantees: Sequence[Guarantee]) -> Admission:
    """The admission of a run with these alternatives. A total that cannot hold it is dropped."""
    offers = [(total, cheapest(guarantees, total)) for total in totals]
    priced = [
        (offer, total.plus(checked("cost", total.kind.currency, offer)))
        for total, offer in offers
        if offer is not None
    ]
    held = [(offer, after) for offer, after in priced if after is not None]
    prices = {after.kind.kind: offer for offer, after in held}
    return Admission(bool(priced), prices, tuple(after for _, after in held))
