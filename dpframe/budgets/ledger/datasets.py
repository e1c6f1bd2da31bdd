"""Named data sets with budgets in one file, shared by processes, charged before release."""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from dpframe.errors import DPFrameError, InvalidArgument, PrivacyWarning, StaleLedger, warn
from dpframe.privacy import Guarantee, Relation, Unit

from ..files import Where, place
from ..saved_ledger import check_unit
from . import store
from .accounts import HASH, Account, Charge, Cost, accounts_html, check_line
from .book import Book, Transaction, account_of, admission_of, over_budget, read_on, rolled_back
from .chain import BEGINNING, START, TRUSTED, ChainEntry, Head, linked
from .json_values import charges_of, exported
from .names import check_name
from .plan import check_budget, check_by

CONTAINS = "one that contains the given head"
STRETCH = 2000  # entries that are read in one transaction


class Ledger:
    """Budgets of data sets in the SQLite file `path`; nothing is written before `create`.

    Every operation opens the file, works in one transaction and closes it, so processes, threads
    and forks may share it. On opening, all hashes, prices and sums are computed again; `verify`
    also reads the pages of the file. `head`, stored elsewhere, is a hash that the chain must
    contain; `wait` is how many seconds to wait for other writers. `note` is stored with each
    charge by this object: one line of at most 200 characters, such as analyst and purpose, which is
    public and changes no cost.

    Raises BadLedger for a file that is no ledger or was edited, StaleLedger where `head` is not in
    it, LedgerUnavailable where it is locked or cannot be read.

    >>> import dpframe as dp, tempfile
    >>> ledger = dp.Ledger(tempfile.mkdtemp() + "/budget.sqlite")
    >>> print(ledger.create("survey", dp.ApproxDP(1, "1e-6"), relation=dp.ADD_REMOVE))
    survey: (1, 1e-6)-differential privacy for one row added or removed
      spent epsilon 0 of 1, delta 0 of 1e-6; the first run fixes the rule that adds up costs
      What fits: a run of epsilon up to 1 at delta up to 1e-6
      0 runs
    """

    def __init__(
        self, path: Where, *, head: str | None = None, wait: float = 30, note: str = ""
    ) -> None:
        """Check the file, where there is one."""
        if isinstance(wait, bool) or not isinstance(wait, (int, float)) or not 0 <= wait < math.inf:
            raise InvalidArgument("wait", "a number of seconds of at least 0", wait)
        self._file = store.LedgerFile(place(path), float(wait))
        self._note = check_line("note", note)
        self._book, self._known = Book(), BEGINNING
        _check_head(head)
        for entries in self._stretches(0):
            self._book.extend(entries)
        with self._file.reading() as connection:
            if connection is None:
                known = head is None or head == START
            else:
                self._read(connection)
                known = head is None or head == START or store.holds(connection, head)
            if not known:
                raise rolled_back(CONTAINS)

    @property
    def path(self) -> Path:
        """The file, links followed."""
        return self._file.path

    @property
    def note(self) -> str:
        """The note that is stored with each charge by this object."""
        return self._note

    @property
    def head(self) -> str:
        """The hash of the last entry: 64 hexadecimal digits, zeros before the first. Stored where
        the writers of the file have no access, it shows later whether the file was rolled back.
        """
        with self._reading() as book:
            return book.head[1]

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the data sets, in the order of their creation."""
        with self._reading() as book:
            return tuple(book.accounts)

    def account(self, dataset: str) -> Account:
        """Budget, totals and number of runs of a data set. Raises InvalidArgument."""
        with self._reading() as book:
            return account_of(book, dataset)

    def charges(self, dataset: str) -> tuple[Charge, ...]:
        """Every run charged to a data set, in order. Raises InvalidArgument."""
        with self._reading() as book:
            unit, head = account_of(book, dataset).unit, book.head
        units = {} if unit is None else {dataset: unit}
        return tuple(charges_of(self._entries(head), units).values())

    def create(
        self,
        dataset: str,
        budget: Guarantee,
        *,
        relation: Relation | None = None,
        rows_per_person: int = 1,
        by: type[Guarantee] | None = None,
    ) -> Account:
        """Give a data set its budget for good: for neighbours by `relation` and people of at most
        `rows_per_person` rows; without `relation`, for the unit of privacy of the first run.

        A budget in (epsilon, delta) is guarded by sums of epsilon and delta (`by=dp.ApproxDP`), of
        mu^2 (`by=dp.GaussianDP`) or of rho (`by=dp.ZeroConcentratedDP`), the last two with pure
        epsilon beside them; left out, the first run determines which. Raises InvalidArgument, also
        for a name that is taken.
        """
        unit = _unit(relation, rows_per_person)
        kind = check_by(check_budget(budget), by)
        check_name(dataset)
        with self._writing(new=True) as step:
            step.create(dataset, budget, unit, kind)
        return self.account(dataset)

    def fits(self, dataset: str, cost: Cost) -> bool:
        """Whether `charging` would admit it now; another process may be faster. Raises
        InvalidArgument as `charging` does.
        """
        return bool(admission_of(self.account(dataset), cost)[1].totals)

    def admits(self, dataset: str, cost: Cost) -> None:
        """Raise the error that `charging` would raise now, before any work; writes nothing."""
        account = self.account(dataset)
        if not admission_of(account, cost)[1].totals:
            raise over_budget(account, cost)

    @contextmanager
    def charging(self, dataset: str, cost: Cost) -> Iterator[Charge]:
        """Charge a run, durably, before the body releases anything; mark it released after it.

        Where the body fails, or the process dies, the run stays charged, `charged, not finished`.
        Raises BudgetExceeded where the run does not fit, with the runs that fit; InvalidArgument
        for another unit of privacy, an unknown data set, or a cost that no theorem adds here; and
        as on opening. Then nothing is written and the body does not run. Warns PrivacyWarning where
        a release could not be marked as such.
        """
        with self._writing() as step:
            charge = step.charge(dataset, cost, self._note)
        process = os.getpid()
        yield charge
        if os.getpid() == process:
            self._mark(charge)

    def verify(self, *, head: str | None = None) -> None:
        """Read the whole file: its pages, and every hash, price and sum computed again;
        `head`, if given, must be in the chain. Raises as on opening.
        """
        _check_head(head)
        before = self._known
        with self._file.reading() as connection:
            if connection is None:
                self._absent()
            else:
                store.check_whole(connection)
        missing = self._missing(Book(), {before.hash, head or START})
        if before.hash in missing:
            raise rolled_back()
        if missing:
            raise rolled_back(CONTAINS)

    def export(self) -> str:
        """Everything as JSON: budgets and totals with exact numbers, and the chain of entries."""
        with self._reading() as book:
            head, accounts = book.head, tuple(book.accounts.values())
        return exported(accounts, tuple(self._entries(head)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its path and head: opened again, and compared, where it is loaded."""
        return _reopened, (str(self.path), self._known.hash, self._file.wait, self._note)

    def _repr_html_(self) -> str:
        return accounts_html([self.account(name) for name in self.datasets])

    def __repr__(self) -> str:
        """`Ledger('/data/budget.sqlite', 2 data sets)`, as of the last operation."""
        return f"Ledger({str(self.path)!r}, {len(self._book.accounts)} data sets)"

    @contextmanager
    def _reading(self) -> Iterator[Book]:
        """The accounts of the file, read on from the last entry that this object read."""
        with self._file.reading() as connection:
            yield self._absent() if connection is None else self._read(connection)

    @contextmanager
    def _writing(self, *, new: bool = False) -> Iterator[Transaction]:
        """The same, with no other writer; entries are committed at the end."""
        if not self._file.exists():
            self._absent()
        with self._file.writing(new=new) as connection:
            step = Transaction(connection, self._read(connection))
            try:
                yield step
                self._file.commit(connection)
            except BaseException:
                if self._book.head != self._known:  # its last entries were not committed
                    self._book = Book()
                raise
            self._known = self._book.head

    def _read(self, connection: sqlite3.Connection) -> Book:
        if not store.contains(connection, self._known):
            raise rolled_back()
        read_on(connection, self._book)
        self._known = self._book.head
        return self._book

    def _absent(self) -> Book:
        """The empty book of no file. Raises StaleLedger where there was one."""
        if self._known.number:
            raise StaleLedger("the ledger", "where it was", "no file, or an empty one", TRUSTED)
        return self._book

    def _missing(self, book: Book, sought: set[str]) -> set[str]:
        """Read a book on to the end of the file; the hashes that did not occur."""
        missing = sought - {START}
        for entries in self._stretches(book.head.number):
            book.extend(entries)
            missing -= {entry.hash for entry in entries}
        return missing

    def _entries(self, head: Head) -> Iterator[ChainEntry]:
        """Every entry up to `head`, all hashes computed again."""
        last = BEGINNING
        for entry in linked(chain.from_iterable(self._stretches(0))):
            if last.number == head.number:
                break
            last = entry.head
            yield entry
        if last != head:
            raise rolled_back()

    def _stretches(self, number: int) -> Iterator[list[ChainEntry]]:
        """The entries beyond `number`, so many of them in a transaction of their own that writers
        and forks need not wait for all.
        """
        while True:
            with self._file.reading() as connection:
                if connection is None:
                    return
                entries = list(store.entries_after(connection, number, STRETCH))
            if not entries:
                return
            yield entries
            number = entries[-1].number

    def _mark(self, charge: Charge) -> None:
        try:
            with self._writing() as step:
                step.released(charge)
        except DPFrameError as error:
            why = getattr(error, "cause", str(error))
            text = f"a run was released, but the ledger {why}: it shows as not finished, and counts"
            warn(text, PrivacyWarning)


def _unit(relation: object, rows_per_person: int) -> Unit | None:
    """The unit of privacy; None where it is not given. Raises InvalidArgument."""
    if relation is None and type(rows_per_person) is int and rows_per_person == 1:
        return None
    if not isinstance(relation, Relation):
        raise InvalidArgument("relation", "dp.ADD_REMOVE or dp.REPLACE_ONE", relation)
    return check_unit(Unit(relation, rows_per_person))


def _check_head(head: object) -> None:
    if head is not None and not (isinstance(head, str) and HASH.fullmatch(head)):
        raise InvalidArgument("head", "64 hexadecimal digits, as ledger.head gives", head)


def _reopened(path: str, head: str, wait: float, note: str = "") -> Ledger:
    return Ledger(path, head=head, wait=wait, note=note)
