"""What one transaction does: read on, decide, append."""

from __future__ import annotations

import datetime as dt
import secrets
import sqlite3
from typing import Any

from dpframe.errors import BadLedger, StaleLedger
from dpframe.filters.prices import Kind
from dpframe.guarantees import Guarantee, Unit

from . import documents, store
from .account import Charge
from .admission import admission, known, taken, unfit
from .book import Book, totals_of
from .chain import NAME, TRUSTED, entry_after
from .cost import Cost
from .plan import Plan, planned


class Step:
    """One transaction on a ledger that has been read to its end, `book`.

    What is appended is read back into a copy of the book before it is committed: a file that could
    not be read again is never written.
    """

    def __init__(self, connection: sqlite3.Connection, book: Book) -> None:
        """Begin; `book` itself stays as it is."""
        self._connection, self._book = connection, book.trial()

    def create(self, dataset: str, budget: Guarantee, unit: Unit | None, by: Kind | None) -> None:
        """Open an account. Raises InvalidArgument where its name is taken."""
        if dataset in self._book.accounts:
            raise taken(self._book, dataset)
        if not self._book.head[0]:
            self._append("ledger", "", {"format": NAME, "identity": secrets.token_hex(16)})
        content = {
            "budget": documents.of_guarantee(budget),
            "unit": None if unit is None else documents.of_unit(unit),
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
            self._append("unit", dataset, documents.of_unit(cost.unit))
        self._settle(dataset, plan)
        content = {
            "cost": documents.of_cost(cost),
            "prices": {kind: documents.of_amounts(one) for kind, one in found.prices.items()},
            "totals": totals_of(found.totals),
        }
        return self._book.charges[self._append("charge", dataset, content)]

    def released(self, charge: Charge) -> None:
        """Append that a charge has been released, once."""
        if self._book.charges[charge.number].released is None:
            self._append("released", charge.dataset, {"charge": charge.number})

    def _settle(self, dataset: str, plan: Plan | None) -> None:
        if plan is not None:
            self._append("rule", dataset, {"ceilings": list(map(documents.of_guarantee, plan))})

    def _append(self, action: str, dataset: str, content: dict[str, Any]) -> int:
        time = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        entry = entry_after(self._book.head, time, action, dataset, content)
        self._book.extend([entry])
        store.append(self._connection, entry)
        return entry.number


def read_on(connection: sqlite3.Connection, book: Book) -> None:
    """Bring a book up to the file. Raises StaleLedger where the file is not its continuation."""
    number, head = book.head
    if number and store.hash_at(connection, number) != head:
        raise older()
    book.extend(store.entries_after(connection, number))


def reread(connection: sqlite3.Connection, before: Book) -> Book:
    """The whole file as a new book. Raises BadLedger; StaleLedger where it lacks what was read
    before.
    """
    store.check_pages(connection)
    book = Book()
    read_on(connection, book)
    if store.count(connection) != book.head[0]:
        raise BadLedger("the ledger", "numbered from 1 on", "otherwise", TRUSTED)
    if before.head[1] not in book.hashes:
        raise older()
    return book


def older() -> StaleLedger:
    """The error on a file that is not what was read before, or a continuation of it."""
    expected = "the one that was read before, or a later one"
    return StaleLedger("the ledger", expected, "an older one, or another", TRUSTED)
