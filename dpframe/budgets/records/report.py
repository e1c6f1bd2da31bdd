"""What a ledger tells a person: an account of one record, and a line a group."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from dpframe.privacy import Share

from ..filters.prices import Kind, share_of
from .column import Column


@attrs.frozen
class Account:
    """One record: its group ("" where it has a budget of its own), and exact amounts."""

    group: str
    budget: Share
    spent: Share
    remaining: Share


@attrs.frozen
class GroupReport:
    """One group ("" where budgets are single): how many records, and exact amounts.

    `budget` is that of each record; where budgets are single, the least. `least_remaining` and
    `largest_spent` are over its records; of an empty group, budget and 0.
    """

    group: str
    count: int
    budget: Share
    least_remaining: Share
    largest_spent: Share

    def __str__(self) -> str:
        """`conservative: 12 records, budget 1, at least 3/4 left`."""
        name = f"{self.group}: " if self.group else ""
        return f"{name}{self.count} records, budget {self.budget}, {self.least_remaining} left"


def account_of(columns: Sequence[Column], kind: Kind, record: int) -> Account:
    """The account of a record, 0 <= record < n."""
    members = columns[0].members
    group = 0 if members.codes is None else int(members.codes[record])
    pairs = [column.account(record) for column in columns]
    spent, left = zip(*pairs, strict=True)
    budget = [column.budget(group, record) for column in columns]
    name = members.names[group] if members.names else ""
    return Account(name, *(share_of(kind, amounts) for amounts in (budget, spent, left)))


def reports_of(columns: Sequence[Column], kind: Kind) -> tuple[GroupReport, ...]:
    """A line a group."""
    members = columns[0].members
    found = []
    for group, count in enumerate(members.counts()):
        left, spent = zip(*(column.extremes(group) for column in columns), strict=True)
        budget = [column.budget(group) for column in columns]
        shares = (share_of(kind, amounts) for amounts in (budget, left, spent))
        found.append(GroupReport(members.names[group] if members.names else "", count, *shares))
    return tuple(found)
