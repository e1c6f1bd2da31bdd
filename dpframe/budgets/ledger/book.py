"""The accounts that a chain of entries adds up to.

Every entry is validated while it is read: prices are recomputed from the guarantees of a run, sums
are added again, and ceilings are proved to imply the budget again.
"""

from __future__ import annotations

import datetime as dt
import secrets
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from dpframe.errors import BudgetExceeded, InvalidArgument, Plain, StaleLedger
from dpframe.privacy import Guarantee, Unit

from ..filters.prices import KINDS, Kind, Total
from ..saved_ledger import of_unit, unit_of
from . import json_values, store
from .accounts import Account, Charge, Cost, largest_fit
from .chain import BEGINNING, NAME, TRUSTED, ChainEntry, check_link, entry_after, validated
from .names import appearances, check_name, check_new
from .plan import Admission, Plan, admitted, check_budget, check_by, check_inside, plan_for, planned


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


class Transaction:
    """One transaction on a ledger that has been read to its end, `book`.

    An entry is read back into the book before it is committed: a file that could not be read again
    is never written. Where it is not committed, the book is to be thrown away.
    """

    def __init__(self, connection: sqlite3.Connection, book: Book) -> None:
        """Begin."""
        self._connection, self._book = connection, book

    def create(self, dataset: str, budget: Guarantee, unit: Unit | None, by: Kind | None) -> None:
        """Open an account. Raises InvalidArgument where its name, or one like it, is taken."""
        if dataset in self._book.accounts:
            budget = self._book.accounts[dataset].budget
            way_out = f"It has its budget already, {budget}, for good: leave create out on a rerun."
            raise InvalidArgument("dataset", "a new name", dataset, way_out)
        check_new(dataset, self._book.accounts)
        if not self._book.head.number:
            self._append("ledger", "", {"format": NAME, "identity": secrets.token_hex(16)})
        content = json_values.of_opening(budget, unit, None if by is None else by.kind)
        self._append("dataset", dataset, content)
        self._settle(dataset, planned(budget, by))

    def charge(self, dataset: str, cost: Cost, note: str = "") -> Charge:
        """Append a charge. Raises BudgetExceeded or InvalidArgument where it is not admitted."""
        account = account_of(self._book, dataset)
        plan, admission = admission_of(account, cost)
        if not admission.totals:
            raise over_budget(account, cost)
        if account.unit is None:
            self._append("unit", dataset, of_unit(cost.unit))
        self._settle(dataset, plan)
        amounts = {**amounts_of(admission), "cost": json_values.of_cost(cost)}
        content = amounts | json_values.of_note(note)
        entry = self._append("charge", dataset, content)
        return json_values.charge_of(entry, content, cost.unit)

    def released(self, charge: Charge) -> None:
        """Append that a charge has been released, once."""
        if charge.number in self._book.unreleased:
            self._append("released", charge.dataset, {"charge": charge.number})

    def _settle(self, dataset: str, plan: Plan | None) -> None:
        if plan is not None:
            self._append("rule", dataset, {"ceilings": list(map(json_values.of_guarantee, plan))})

    def _append(self, action: str, dataset: str, content: Any) -> ChainEntry:
        time = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        entry = entry_after(self._book.head, time, action, dataset, content)
        self._book.extend([entry])
        self._connection.execute(store.INSERT, entry)
        return entry


def read_on(connection: sqlite3.Connection, book: Book) -> None:
    """Bring a book up to the file. Raises StaleLedger where the file is not its continuation,
    BadLedger for one that was edited.
    """
    if not store.contains(connection, book.head):
        raise rolled_back()
    book.extend(store.entries_after(connection, book.head.number))


def rolled_back(expected: str = "the one that was read before, or a later one") -> StaleLedger:
    """The error on a file that is no continuation of the one that was read before."""
    return StaleLedger("the ledger", expected, "an older one, or another", TRUSTED)


def admission_of(account: Account, cost: Cost) -> tuple[Plan | None, Admission]:
    """The admission of a run to an account, and the ceilings that it determines, if it is the
    first.

    Raises InvalidArgument for another unit of privacy, and for a kind that is not added here.
    """
    check_cost(account, cost)
    plan = None if account.totals else plan_for(account.budget, cost.guarantees)
    totals = account.totals if plan is None else tuple(map(Total.within, plan))
    admission = admitted(totals, cost.guarantees)
    if not admission.priced:
        raise _unpriced(totals, cost)
    return plan, admission


def check_cost(account: Account, cost: object) -> None:
    """Refuse anything but a Cost for this unit of privacy. Raises InvalidArgument."""
    if type(cost) is not Cost:
        wanted = "a dpframe.budgets.ledger.Cost"
        raise InvalidArgument("cost", wanted, cost, "Take Cost.of(certificate).")
    if account.unit is not None and cost.unit != account.unit:
        rows = account.unit.rows_per_person
        way_out = (
            f"Certify for relation={account.unit.relation.name}, rows_per_person={rows}, only if "
            "that is true of the table; otherwise the data set needs a ledger of the other unit."
        )
        requirement = f"for the unit of {account.dataset!r}, {account.unit}"
        raise InvalidArgument("the run", requirement, Plain(cost.unit), way_out)


def over_budget(account: Account, cost: Cost) -> BudgetExceeded:
    """The error on a run beyond the rest of every total."""
    left = "; ".join(total.of_ceiling(total.remaining) for total in account.sums)
    fits = ", or ".join(largest_fit(total, cost.guarantees) for total in account.sums)
    text = (
        f"{cost} does not fit the budget of {account.dataset!r}: {left} is left. "
        f"What fits: {fits}. Nothing was charged."
    )
    return BudgetExceeded(cost, account.remaining, text)


def account_of(book: Book, dataset: str) -> Account:
    """The account of a data set. Raises InvalidArgument where there is none."""
    check_name(dataset)
    if dataset not in book.accounts:
        names = ", ".join(map(repr, book.accounts)) or "none yet"
        looks = appearances(dataset)
        alike = (name for name in book.accounts if not looks.isdisjoint(appearances(name)))
        near = next(alike, None)
        make = "ledger.create(name, budget, relation=...) makes one."
        way_out = make if near is None else f"Did you mean {near!r}?"
        raise InvalidArgument("dataset", f"one of this ledger ({names})", dataset, way_out)
    return book.accounts[dataset]


def _unpriced(totals: Sequence[Total], cost: Cost) -> InvalidArgument:
    names = " or ".join(f"dp.{total.kind.__name__}" for total in totals)
    currency = ", ".join(totals[-1].kind.currency)
    way_out = (
        f"The budget of this data set is counted in {currency}, fixed by its first charge "
        "or by by=. Certify the run for such a guarantee, or state one beside it."
    )
    return InvalidArgument("the run", f"{names}, or what implies it", Plain(cost), way_out)
