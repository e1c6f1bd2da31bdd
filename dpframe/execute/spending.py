"""A courtesy, not a ledger: what this process has spent on tables that are still in memory.

A table is known by the memory it lives in (views of one array are one table) and forgotten with it. Its rows are never read
or hashed; copies, other processes and data on disk go unnoticed. Receipts are what adds up reliably.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence

import attrs

from dpframe.accountants import ACCOUNTANTS
from dpframe.errors import PrivacyWarning
from dpframe.guarantees import Guarantee, Unit


@attrs.frozen
class Spending:
    """One private execution: what it guarantees, for which unit of privacy."""

    guarantee: Guarantee
    unit: Unit


_SPENT: dict[int, list[Spending]] = {}  # by the id of an object that is alive


def note(data: object, guarantee: Guarantee, unit: Unit) -> None:
    """Record that `data` is spent once more; warn with the sum where it was spent before. The warning comes first.

    `data` is what holds the table's memory: an array, or a data frame. Objects without weak references are not followed.
    """
    new = Spending(guarantee, unit)
    spent = _SPENT.get(id(data), [])
    if spent:
        warnings.warn(_message([*spent, new]), PrivacyWarning, stacklevel=3)
    if id(data) not in _SPENT:
        try:
            weakref.finalize(data, _SPENT.pop, id(data), None).atexit = False
        except TypeError:
            return
    _SPENT[id(data)] = [*spent, new]


def _message(spent: Sequence[Spending]) -> str:
    total = together(spent)
    if total is None:
        amount = "; then ".join(f"{one.guarantee} for {one.unit}" for one in spent)
    else:
        amount = f"by composition {total} for {spent[0].unit}"
    return f"with this execution this table has been spent {len(spent)} times in this process: {amount}. Every execution costs again."


def together(spent: Sequence[Spending]) -> Guarantee | None:
    """What several executions guarantee together, by the first accountant that takes all; None for different units or none such."""
    if len({one.unit for one in spent}) > 1:
        return None
    for accountant in ACCOUNTANTS:
        admitted = [accountant.admit(one.guarantee) for one in spent]
        known = [guarantee for guarantee in admitted if guarantee is not None]
        if len(known) == len(spent):
            return accountant.total(known)
    return None
