"""The accounts that a chain of entries adds up to.

Every entry is validated while it is read: prices are recomputed from the guarantees of a run, sums
are added again, and ceilings are proved to imply the budget again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, Plain

from ..filters.prices import KINDS, Total
from ..saved_ledger import unit_of
from . import json_values
from .accounts import Account
from .chain import BEGINNING, ChainEntry, check_link, validated
from .names import check_name
from .plan import Admission, admitted, check_budget, check_by, check_inside


class Book:
    """The accounts after the entries read so far; it grows with data sets, not with runs.

    `unreleased` are the charges not recorded as released, each with its data set.
    """

    def __init__(self) -> None:
        """Begin before the first entry."""
        self.head = BEGINNING
        self.accounts: dict[str, Account] = {}
        self.unreleased: dict[int, str] = {}

    def extend(self, entries: Iterable[ChainEntry]) -> None:
        """Read on. Raises BadLedger at the first entry that does not belong here."""
        for entry in entries:
            check_link(self.head, entry)
            validated(entry, self._read)
            self.head = entry.head

    def _read(self, entry: ChainEntry, content: Mapping[str, Any]) -> None:
        if (entry.action == "ledger") != (entry.number == 1):
            raise InvalidArgument("the first entry", "the ledger's own", entry.action)
        json_values.time(entry.time)
        if entry.action == "ledger":
            if set(content) != {"identity", "format"}:
                raise InvalidArgument(
                    "the first entry", "identity and format", Plain("something else")
                )
        elif entry.action == "dataset":
            if entry.dataset in self.accounts:
                raise InvalidArgument("data set", "new", Plain("a known one"))
            self.accounts[entry.dataset] = _account(entry, content)
        elif entry.action != "checkpoint":
            steps = {
                "unit": _with_unit,
                "rule": _with_rule,
                "charge": self._charged,
                "released": self._released,
            }
            account = self.accounts[entry.dataset]
            self.accounts[entry.dataset] = steps[entry.action](account, entry.number, content)

    def _charged(self, account: Account, number: int, content: Mapping[str, Any]) -> Account:
        if account.unit is None:
            raise InvalidArgument("unit", "settled before the first charge", Plain("open"))
        cost = json_values.cost(content["cost"], account.unit)
        noted = {"cost": None, **json_values.of_note(json_values.note(content))}
        found = admitted(account.totals, cost.guarantees)
        if not found.totals or {**amounts_of(found), **noted} != {**content, "cost": None}:
            raise InvalidArgument("charge", "at its price and within the budget", Plain("another"))
        self.unreleased[number] = account.dataset
        runs, unfinished = account.runs + 1, account.unfinished + 1
        return attrs.evolve(account, totals=found.totals, runs=runs, unfinished=unfinished)

    def _released(self, account: Account, _: int, content: Mapping[str, Any]) -> Account:
        number = content["charge"]
        if type(number) is not int or self.unreleased.get(number) != account.dataset:
            raise InvalidArgument("charge", "one of this data set, released once", Plain("another"))
        del self.unreleased[number]
        return attrs.evolve(account, unfinished=account.unfinished - 1)


def _account(entry: ChainEntry, content: Mapping[str, Any]) -> Account:
    """An account with nothing spent."""
    check_name(entry.dataset)
    budget, by = check_budget(json_values.guarantee(content["budget"])), content["by"]
    check_by(budget, None if by is None else KINDS[by])
    unit = unit_of(content["unit"])
    if content != json_values.of_opening(budget, unit, by):
        raise InvalidArgument("data set", "its budget, unit and rule", Plain("something else"))
    return Account(dataset=entry.dataset, budget=budget, unit=unit, by=by, created=entry.time)


def amounts_of(found: Admission) -> dict[str, Any]:
    """The amounts of a charge in each total and each total after it, exact, as text; without its
    cost.
    """
    prices = {kind: json_values.of_amounts(one) for kind, one in found.prices.items()}
    totals = {one.kind.kind: json_values.of_amounts(one.spent) for one in found.totals}
    return {"cost": None, "prices": prices, "totals": totals}


def _with_unit(account: Account, _: int, content: Mapping[str, Any]) -> Account:
    if account.unit is not None:
        raise InvalidArgument("unit", "settled once", Plain("twice"))
    return attrs.evolve(account, unit=unit_of(content))


def _with_rule(account: Account, _: int, content: Mapping[str, Any]) -> Account:
    plan = tuple(json_values.guarantee(one) for one in content["ceilings"])
    check_inside(account.budget, plan)
    if account.totals or (account.by is not None and type(plan[-1]).kind != account.by):
        raise InvalidArgument("rule", "settled once, and as requested", Plain("another"))
    return attrs.evolve(account, totals=tuple(map(Total.within, plan)))
