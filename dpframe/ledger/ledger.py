"""Named data sets with budgets in one file, shared by processes, charged before release."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpframe.errors import DPFrameError, InvalidArgument, PrivacyWarning, StaleLedger
from dpframe.filters.files import Where, place
from dpframe.guarantees import Guarantee, Relation, Unit

from . import store
from .account import Account, Charge
from .admission import admission, check_name, known, unfit
from .book import Book
from .chain import TRUSTED
from .cost import HASH, Cost, check_unit
from .export import exported
from .plan import check_budget, check_by
from .steps import Step, read_on, reread


class Ledger:
    """Budgets of data sets in the SQLite file `path`; nothing is written before `create`.

    Every operation opens the file, works in one transaction and closes it, so processes, threads
    and forks may share it. On opening, the whole chain of hashes is checked, and every sum added
    again. `head`, kept elsewhere, is the hash that the chain must contain; `wait` is how many
    seconds to wait for other writers.

    Raises BadLedger for a file that is no ledger or was edited, StaleLedger where `head` is not in
    it, LedgerUnavailable where it is locked or cannot be read.

    >>> import dpframe as dp, tempfile
    >>> ledger = dp.Ledger(tempfile.mkdtemp() + "/budget.sqlite")
    >>> print(ledger.create("survey", dp.ApproxDP(1, "1e-6"), relation=dp.ADD_REMOVE))
    survey: (1, 1e-6)-differential privacy for one row added or removed
      spent epsilon 0 of 1, delta 0 of 1e-6
      0 runs
    """

    def __init__(self, path: Where, *, head: str | None = None, wait: float = 30) -> None:
        """Check the file, where there is one."""
        if isinstance(wait, bool) or not isinstance(wait, (int, float)) or not 0 <= wait < math.inf:
            raise InvalidArgument("wait", "a number of seconds of at least 0", wait)
        self._file = store.File(place(path), float(wait))
        self._book = Book()
        self.verify(head=head)

    @property
    def path(self) -> Path:
        """The file, links followed."""
        return self._file.path

    @property
    def head(self) -> str:
        """The hash of the last entry: 64 hexadecimal digits, zeros before the first. Kept where the
        file's writers cannot go, it shows later whether the file was rolled back.
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
            return known(book, dataset)

    def charges(self, dataset: str) -> tuple[Charge, ...]:
        """Every run charged to a data set, in order. Raises InvalidArgument."""
        with self._reading() as book:
            known(book, dataset)
            return book.charges_of(dataset)

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
        epsilon beside them; left out, the first run settles which. Raises InvalidArgument, also
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
        with self._reading() as book:
            return bool(admission(known(book, dataset), cost)[1].totals)

    def admits(self, dataset: str, cost: Cost) -> None:
        """Raise what `charging` would raise now, before any work is done; writes nothing."""
        with self._reading() as book:
            account = known(book, dataset)
            if not admission(account, cost)[1].totals:
                raise unfit(account, cost)

    @contextmanager
    def charging(self, dataset: str, cost: Cost) -> Iterator[Charge]:
        """Charge a run, durably, before the body releases anything; mark it released after it.

        Where the body fails, or the process dies, the run stays charged, `charged, not finished`.
        Raises BudgetExceeded where the run does not fit, saying what would; InvalidArgument for
        another unit of privacy, an unknown data set, or a cost that no theorem adds here; and as on
        opening. Then nothing is written and the body does not run. Warns PrivacyWarning where a
        release could not be marked as such.
        """
        with self._writing() as step:
            charge = step.charge(dataset, cost)
        process = os.getpid()
        yield charge
        if os.getpid() == process:
            self._mark(charge)

    def verify(self, *, head: str | None = None) -> None:
        """Read the whole file again, its pages, every hash and every sum; `head`, if given, must be
        in the chain. Raises as on opening.
        """
        _check_head(head)
        with self._reading(whole=True) as book:
            lost = head is not None and head not in book.hashes
        if lost:
            requirement = "one that contains the given head"
            raise StaleLedger("the ledger", requirement, "an older one, or another", TRUSTED)

    def export(self) -> str:
        """Everything as JSON: budgets, totals and charges with exact numbers, and the chain."""
        with self._reading() as book:
            return exported(book)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its path and head: opened again, and compared, where it is loaded."""
        return _reopened, (str(self.path), self._book.head[1], self._file.wait)

    def __repr__(self) -> str:
        """`Ledger('/data/budget.sqlite', 2 data sets)`, as of the last operation."""
        return f"Ledger({str(self.path)!r}, {len(self._book.accounts)} data sets)"

    @contextmanager
    def _reading(self, *, whole: bool = False) -> Iterator[Book]:
        """All entries, read on from where this object last read, or from the first."""
        if not self._file.exists():
            yield self._absent()
            return
        with self._file.reading() as connection:
            if whole:
                self._book = reread(connection, self._book)
            read_on(connection, self._book)
            yield self._book

    @contextmanager
    def _writing(self, *, new: bool = False) -> Iterator[Step]:
        """The same, with no other writer, and what is appended is committed at the end."""
        if not self._file.exists():
            self._absent()
            if not new:
                way_out = "Check the path; ledger.create(...) begins a new ledger."
                raise InvalidArgument("ledger", "an existing file", str(self.path), way_out)
        with self._file.writing(new=new) as connection:
            read_on(connection, self._book)
            yield Step(connection, self._book)

    def _absent(self) -> Book:
        """The empty book of no file. Raises StaleLedger where there was one."""
        if self._book.entries:
            raise StaleLedger("the ledger", "where it was", "no file, or an empty one", TRUSTED)
        return self._book

    def _mark(self, charge: Charge) -> None:
        try:
            with self._writing() as step:
                step.released(charge)
        except DPFrameError as error:
            why = getattr(error, "cause", str(error))
            text = f"a run was released, but the ledger {why}: it shows as not finished, and counts"
            warnings.warn(text, PrivacyWarning, stacklevel=4)


def _unit(relation: object, rows_per_person: int) -> Unit | None:
    """The unit of privacy; None where nothing is said of it. Raises InvalidArgument."""
    if relation is None and type(rows_per_person) is int and rows_per_person == 1:
        return None
    if not isinstance(relation, Relation):
        raise InvalidArgument("relation", "dp.ADD_REMOVE or dp.REPLACE_ONE", relation)
    unit = Unit(relation, rows_per_person)
    check_unit(unit)
    return unit


def _check_head(head: object) -> None:
    if head is not None and not (isinstance(head, str) and HASH.fullmatch(head)):
        raise InvalidArgument("head", "64 hexadecimal digits, as ledger.head gives", head)


def _reopened(path: str, head: str, wait: float) -> Ledger:
    return Ledger(path, head=head, wait=wait)
