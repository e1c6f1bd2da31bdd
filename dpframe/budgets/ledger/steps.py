"""What one transaction does: read on, decide, append."""

from __future__ import annotations

import datetime as dt
import secrets
import sqlite3
from typing import Any

from dpframe.errors import StaleLedger
from dpframe.privacy import Guarantee, Unit

from ..filters.prices import Kind
from ..kept import of_unit
from . import json_values, store
from .accounts import Charge, Cost
from .admission import admission, known, taken, unfit
from .book import Book, amounts_of
from .chain import NAME, TRUSTED, Entry, broken, entry_after
from .history import charge_of
from .names import check_new
from .plan import Plan, planned


class Step:
    """One transaction on a ledger that has been read to its end, `book`.

    What is appended is read back into the book before it is committed: a file that could not be
    read again is never written. Where it is not committed, the book is to be thrown away.
    """

    def __init__(self, connection: sqlite3.Connection, book: Book) -> None:
        """Begin."""
        self._connection, self._book = connection, book

    def create(self, dataset: str, budget: Guarantee, unit: Unit | None, by: Kind | None) -> None:
        """Open an account. Raises InvalidArgument where its name, or one like it, is taken."""
        if dataset in self._book.accounts:
            raise taken(self._book, dataset)
        check_new(dataset, self._book.accounts)
        if not self._book.head.number:
            self._append("ledger", "", {"format": NAME, "identity": secrets.token_hex(16)})
        content = {
            "budget": json_values.of_guarantee(budget),
            "unit": None if unit is None else of_unit(unit),
            "by": None if by is None else by.kind,
        }
        self._append("dataset", dataset, content)
        self._settle(dataset, planned(budget, by))

    def charge(self, dataset: str, cost: Cost) -> Charge:
        """Append a charge. Raises BudgetExceeded or InvalidArgument where it is not admitted."""
        account = known(self._book, dataset)
        plan, found = admission(account, cost)
        if not found.totals:
            raise unfit(account, cost)
        if account.unit is None:
            self._append("unit", dataset, of_unit(cost.unit))
        self._settle(dataset, plan)
        content = {**amounts_of(found), "cost": json_values.of_cost(cost)}
        return charge_of(self._append("charge", dataset, content), content, cost.unit)

    def released(self, charge: Charge) -> None:
        """Append that a charge has been released, once."""
        if charge.number in self._book.waiting:
            self._append("released", charge.dataset, {"charge": charge.number})

    def close(self) -> None:
        """Append a checkpoint where one is due."""
        if self._book.due:
            self._append("checkpoint", "", self._book.checkpoint())

    def _settle(self, dataset: str, plan: Plan | None) -> None:
        if plan is not None:
            self._append("rule", dataset, {"ceilings": list(map(json_values.of_guarantee, plan))})

    def _append(self, action: str, dataset: str, content: dict[str, Any]) -> Entry:
        time = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        entry = entry_after(self._book.head, time, action, dataset, content)
        self._book.extend([entry])
        store.append(self._connection, entry)
        return entry


def read_on(connection: sqlite3.Connection, book: Book) -> Book:
    """Bring a book up to the file; one that has read nothing begins at the last checkpoint but one.
    Raises StaleLedger where the file is not its continuation, BadLedger for one that was edited.
    """
    if not book.head.number:
        book = begun(connection, store.last(connection))
    elif not store.contains(connection, book.head):
        raise older()
    book.extend(store.entries_after(connection, book.head.number))
    return book


def begun(connection: sqlite3.Connection, number: int) -> Book:
    """A book at a checkpoint, such that another one, or no other, lies between it and `number`.

    What is to be read after it is at least one stretch between two checkpoints, so the second of
    them is computed again.
    """
    found = store.checkpoints(connection, number)
    if len(found) < 2:
        return Book()
    if not store.contains(connection, found[1].before):
        raise broken(found[1].number, "next in the chain")
    return Book.at(found[1])


def older() -> StaleLedger:
    """The error on a file that is not what was read before, or a continuation of it."""
    expected = "the one that was read before, or a later one"
    return StaleLedger("the ledger", expected, "an older one, or another", TRUSTED)
