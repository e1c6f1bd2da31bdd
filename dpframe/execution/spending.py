"""A courtesy, not a ledger: what this process has spent on tables that are still in memory.

A table is known by the memory it lives in, so views of one array are one table, and is forgotten
with it; or by the paths of its files. No row is read or hashed. Copies (cross-validation makes
them) and other processes go unnoticed: a ledger is what adds up reliably.
"""

from __future__ import annotations

import warnings
import weakref
from collections import Counter
from collections.abc import Sequence

import attrs

from dpframe.accountants import ACCOUNTANTS, AdditiveAccountant
from dpframe.errors import PrivacyWarning
from dpframe.privacy import Guarantee, PersonalizedDP, Unit


@attrs.frozen
class Spending:
    """One private execution: what it guarantees, and for which unit of privacy."""

    guarantee: Guarantee
    unit: Unit


# by the id of an object that is alive, or by paths
_SPENT: dict[int | tuple[str, ...], tuple[Spending, ...]] = {}


def note(data: object, guarantee: Guarantee, unit: Unit) -> None:
    """Record that `data` is about to be spent; before that, warn where it was spent before.

    `data` is what holds the table's memory, an array or a data frame, or a tuple of paths. What
    cannot be referred to weakly is not followed.
    """
    key = data if isinstance(data, tuple) else id(data)
    before = _SPENT.get(key, ())
    spent = (*before, Spending(guarantee, unit))
    if before:
        warnings.warn(_message(spent), PrivacyWarning, stacklevel=3)
    elif not isinstance(data, tuple) and not _follow(data):
        return
    _SPENT[key] = spent


def together(spent: Sequence[Spending]) -> Guarantee | None:
    """What several executions guarantee together, by the first accountant that can add them.

    None where their units of privacy differ, where no accountant can, and where records have
    budgets of their own: who was in which group may differ from one to the next.
    """
    personal = any(isinstance(one.guarantee, PersonalizedDP) for one in spent)
    if personal or len({one.unit for one in spent}) > 1:
        return None
    for accountant in ACCOUNTANTS:
        if not isinstance(accountant, AdditiveAccountant):
            continue
        admitted = [accountant.admit(one.guarantee) for one in spent]
        known = [guarantee for guarantee in admitted if guarantee is not None]
        if len(known) == len(spent):
            return accountant.total(known)
    return None


def costs(spent: Sequence[Spending]) -> str:
    """What several executions cost, in words: their sum, or else each, what is the same once."""
    total = together(spent)
    if total is not None:
        return f"{total} for {spent[0].unit}"
    said = [f"{one.guarantee} for {one.unit}" for one in spent]
    if not any(isinstance(one.guarantee, PersonalizedDP) for one in spent):
        return "; then ".join(said)
    times = [text if many == 1 else f"{many} times {text}" for text, many in Counter(said).items()]
    return f"{'; and '.join(times)}; each record pays the sum over those that it is part of"


def _follow(data: object) -> bool:
    try:
        weakref.finalize(data, _SPENT.pop, id(data), None).atexit = False
    except TypeError:
        return False
    return True


def _message(spent: Sequence[Spending]) -> str:
    by = "" if together(spent) is None else ", by composition,"
    return (
        f"This is execution {len(spent)} on the same table in this process. Together they "
        f"cost{by} {costs(spent)}. Every execution costs again."
    )
