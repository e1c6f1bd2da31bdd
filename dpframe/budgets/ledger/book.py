"""The accounts that a chain of entries adds up to.

Every entry is validated while it is read: prices are recomputed from the guarantees of a run, sums
are added again, and ceilings are proved to imply the budget again.

A checkpoint is an entry of the chain with the sum of all entries before it. Reading past one
computes it again and compares; opening a long file begins at the last but one, so that the last is
always computed again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, Plain

from ..filters.prices import KINDS, Total
from ..saved_ledger import exact_amounts, unit_of
from . import json_values
from .accounts import Account
from .chain import BEGINNING, ChainEntry, check_link, validated
from .names import check_name
from .plan import Admission, admitted, check_budget, check_by, check_inside

EVERY = 500  # entries from one checkpoint to the next, at least
SHARE = 25  # its accounts and unfinished runs may be that many times the entries


def document(accounts: Iterable[Account], unreleased: Mapping[int, str]) -> dict[str, Any]:
    """Every account, and which of its charges are not known to have been released."""
    numbers = defaultdict(list)
    for number, dataset in unreleased.items():
        numbers[dataset].append(number)
    return {
        "accounts": [
            {**json_values.of_account(one), "unfinished": sorted(numbers[one.dataset])}
            for one in accounts
        ]
    }


def read(content: Mapping[str, Any], before: int) -> tuple[dict[str, Account], dict[int, str]]:
    """The accounts and unfinished charges that `document` wrote. Raises InvalidArgument, KeyError
    or ValueError where no entries with numbers below `before` could add up to them.
    """
    (accounts, unreleased) = {}, {}  # type: tuple[dict[str, Account], dict[int, str]]
    for value in content["accounts"]:
        account = _account(value)
        accounts[account.dataset] = account
        unreleased |= dict.fromkeys(value["unfinished"], account.dataset)
    right = all(type(number) is int and 0 < number < before for number in unreleased)
    if not right or document(accounts.values(), unreleased) != content:
        raise InvalidArgument("checkpoint", "what it adds up to", Plain("something else"))
    return accounts, unreleased


def _account(value: Mapping[str, Any]) -> Account:
    check_name(value["dataset"])
    budget = check_budget(json_values.guarantee(value["budget"]))
    by, runs = value["by"], value["runs"]
    check_by(budget, None if by is None else KINDS[by])
    if type(runs) is not int or not 0 <= len(value["unfinished"]) <= runs:
        raise InvalidArgument("runs", "at least those that are unfinished", runs)
    totals = tuple(
        Total.within(json_values.guarantee(one["ceiling"]), exact_amounts(one["spent"]), runs)
        for one in value["totals"]
    )
    check_inside(budget, tuple(total.ceiling for total in totals), dropped=True)
    unit = unit_of(value["unit"])
    if runs and (unit is None or not totals):
        raise InvalidArgument("unit and totals", "settled before the first charge", Plain("open"))
    return Account(
        dataset=value["dataset"],
        budget=budget,
        unit=unit,
        by=by,
        created=json_values.time(value["created"]),
        totals=totals,
        runs=runs,
        unfinished=len(value["unfinished"]),
    )


class Book:
    """The accounts after the entries read so far; it grows with data sets, not with runs.

    `unreleased` are the charges not recorded as released, each with its data set, and `checked` is
    the number of the last checkpoint.
    """

    def __init__(self) -> None:
        """Begin before the first entry."""
        self.head, self.checked = BEGINNING, 0
        self.accounts: dict[str, Account] = {}
        self.unreleased: dict[int, str] = {}

    @classmethod
    def at(cls, entry: ChainEntry) -> Book:
        """Begin at a checkpoint, without the entries before it. Raises BadLedger where its hash is
        wrong, or no entries could add up to it.
        """
        book = cls()
        check_link(entry.before, entry)
        found = validated(entry, lambda entry, content: read(content, entry.number))
        book.accounts, book.unreleased = found
        book.head, book.checked = entry.head, entry.number
        return book

    @property
    def due(self) -> bool:
        """Whether the next entry should be a checkpoint: a fixed cost an entry on average, whatever
        the number of data sets.
        """
        listed = len(self.accounts) + len(self.unreleased)
        return self.head.number - self.checked >= max(EVERY, listed // SHARE)

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
        elif entry.action == "checkpoint":
            if entry.dataset or content != self.checkpoint():
                raise InvalidArgument(
                    "checkpoint", "what the entries before it add up to", Plain("other")
                )
            self.checked = entry.number
        elif entry.action == "dataset":
            if entry.dataset in self.accounts:
                raise InvalidArgument("data set", "new", Plain("a known one"))
            named = {"dataset": entry.dataset, "created": entry.time}
            empty: dict[str, Any] = {"totals": [], "runs": 0, "unfinished": []}
            self.accounts[entry.dataset] = _account({**content, **named, **empty})
        else:
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

    def checkpoint(self) -> dict[str, Any]:
        """The content of a checkpoint here."""
        return document(self.accounts.values(), self.unreleased)


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
