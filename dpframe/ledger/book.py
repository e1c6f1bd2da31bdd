"""What a chain of entries says: accounts and charges. Nothing that could not have been is believed:
sums are added again, ceilings proved again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from dpframe.errors import DPFrameError, InvalidArgument
from dpframe.filters.prices import KINDS

from . import documents
from .account import Account, Charge
from .chain import START, Entry, broken, check_link
from .plan import check_budget, check_by, check_inside
from .rules import Total, nothing_spent


class Book:
    """The entries read so far, added up. Only ever read forward."""

    def __init__(self) -> None:
        """Begin before the first entry."""
        self.head = (0, START)  # number and hash of the last entry
        self.hashes = {START}
        self.entries: list[Entry] = []
        self.accounts: dict[str, Account] = {}
        self.charges: dict[int, Charge] = {}

    def trial(self) -> Book:
        """A book that can be read on from here without changing this one."""
        book = Book()
        book.head, book.accounts = self.head, dict(self.accounts)
        book.charges = dict(self.charges)
        return book

    def extend(self, entries: Iterable[Entry]) -> None:
        """Read on. Raises BadLedger at the first entry that does not belong here."""
        for entry in entries:
            check_link(self.head, entry)
            try:
                self._read(entry, json.loads(entry.content))
            except (DPFrameError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
                raise broken(entry.number, "a step that this version could have made") from None
            self.head = (entry.number, entry.hash)
            self.hashes.add(entry.hash)
            self.entries.append(entry)

    def charges_of(self, dataset: str) -> tuple[Charge, ...]:
        """Every run charged to a data set, in order."""
        return tuple(one for one in self.charges.values() if one.dataset == dataset)

    def _read(self, entry: Entry, content: Mapping[str, Any]) -> None:
        if (entry.action == "ledger") != (entry.number == 1):
            raise InvalidArgument("the first entry", "the ledger's own", entry.action)
        steps = {
            "ledger": _nothing,
            "dataset": self._dataset,
            "unit": self._unit,
            "rule": self._rule,
            "charge": self._charge,
            "released": self._released,
        }
        steps[entry.action](entry, content)

    def _dataset(self, entry: Entry, content: Mapping[str, Any]) -> None:
        if entry.dataset in self.accounts:
            raise InvalidArgument("data set", "new", "a known one")
        budget = check_budget(documents.guarantee(content["budget"]))
        by = content["by"]
        check_by(budget, None if by is None else KINDS[by])
        self.accounts[entry.dataset] = Account(
            dataset=entry.dataset,
            budget=budget,
            unit=None if content["unit"] is None else documents.unit(content["unit"]),
            by=by,
            created=entry.time,
        )

    def _unit(self, entry: Entry, content: Mapping[str, Any]) -> None:
        account = self.accounts[entry.dataset]
        if account.unit is not None:
            raise InvalidArgument("unit", "settled once", "twice")
        self.accounts[entry.dataset] = attrs.evolve(account, unit=documents.unit(content))

    def _rule(self, entry: Entry, content: Mapping[str, Any]) -> None:
        account = self.accounts[entry.dataset]
        plan = tuple(documents.guarantee(one) for one in content["ceilings"])
        check_inside(account.budget, plan)
        if account.totals or (account.by is not None and type(plan[-1]).kind != account.by):
            raise InvalidArgument("rule", "settled once, and as asked", "another")
        totals = tuple(nothing_spent(one) for one in plan)
        self.accounts[entry.dataset] = attrs.evolve(account, totals=totals)

    def _charge(self, entry: Entry, content: Mapping[str, Any]) -> None:
        account = self.accounts[entry.dataset]
        prices = {kind: documents.amounts(one) for kind, one in content["prices"].items()}
        if account.unit is None:
            raise InvalidArgument("unit", "settled before the first charge", "open")
        totals = _after(account.totals, prices)
        if totals_of(totals) != content["totals"]:
            raise InvalidArgument("totals", "the sums of the charges", "others")
        self.charges[entry.number] = Charge(
            number=entry.number,
            hash=entry.hash,
            dataset=entry.dataset,
            cost=documents.cost(content["cost"], account.unit),
            prices=prices,
            time=entry.time,
        )
        runs, unfinished = account.runs + 1, account.unfinished + 1
        self.accounts[entry.dataset] = attrs.evolve(
            account, totals=totals, runs=runs, unfinished=unfinished
        )

    def _released(self, entry: Entry, content: Mapping[str, Any]) -> None:
        charge, account = self.charges[content["charge"]], self.accounts[entry.dataset]
        if charge.released is not None or charge.dataset != entry.dataset:
            raise InvalidArgument("charge", "one of this data set, released once", "another")
        self.charges[charge.number] = attrs.evolve(charge, released=entry.time)
        self.accounts[entry.dataset] = attrs.evolve(account, unfinished=account.unfinished - 1)


def totals_of(totals: Iterable[Total]) -> dict[str, list[str]]:
    """Every total by its kind, exact, as text."""
    return {one.kind.kind: documents.of_amounts(one.state.spent) for one in totals}


def _after(totals: Iterable[Total], prices: Mapping[str, Any]) -> tuple[Total, ...]:
    found = [one.plus(prices[one.kind.kind]) for one in totals if one.kind.kind in prices]
    kept = tuple(one for one in found if one is not None)
    if not kept or len(kept) != len(prices):
        raise InvalidArgument("charge", "within the budget", "beyond it")
    return kept


def _nothing(_: Entry, content: Mapping[str, Any]) -> None:
    if set(content) != {"identity", "format"}:
        raise InvalidArgument("the first entry", "identity and format", "something else")
