"""What each of many records has spent of a public budget of its own; accounts of it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BudgetExceeded, InvalidArgument
from dpframe.privacy import Guarantee, Share, Unit

from ..filters.prices import Kind, share_of
from ..kept import Document, Kept
from . import saved_records
from .amounts import Cost, Doubles, Mask, budgets_and_kind, costs
from .columns import Column, opened
from .saved_records import Saved


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


class _State(NamedTuple):
    releases: int
    columns: tuple[Column, ...]
    unit: Unit | None


class RecordLedger(Kept):
    """Admits a release while every record that takes part stays within its own budget.

    `kind` is what adds up: dp.PureDP epsilons, dp.ZeroConcentratedDP rhos, dp.GaussianDP *squares*
    of mu, dp.ApproxDP pairs (epsilon, delta). `budgets` is a mapping from names of groups to
    budgets, with `groups` the name, or the place of the name, for each record; an array of one
    budget a record (a pair of arrays for pairs); or a dp.PersonalizedDP, which says its kind. A
    budget or cost is a number in that currency, or a guarantee of dpframe. Budgets, costs and who
    takes part are public and do not depend on the values in records; all may depend on earlier
    releases. Each record then has the guarantee of its budget, as with a Filter of its own.
    `unit` is whose privacy that is, as `certificate.setting.unit` says it; left out, the first
    execution settles it, and one for another unit is refused, also after saving.
    [RogersRUV16] [WhitehouseRRW23, Thm 1] [KoskelaTH23]

    What everybody in a group pays is added exactly, in time O(groups). What differs within a group
    (`who`, or an array of costs) is counted in 64 bits, in whole numbers of `quantum`: there
    budgets of single records are rounded down, costs up. Decimals as long as the quantum are exact;
    doubles are read as their shortest decimal.

    >>> import dpframe as dp
    >>> from dpframe.budgets.records import RecordLedger
    >>> groups = ["careful", "open", "open"]
    >>> ledger = RecordLedger({"careful": 0.1, "open": 1}, groups, kind=dp.PureDP)
    >>> ledger.spend(0.1)
    >>> ledger.affords(0.9)
    array([False,  True,  True])
    >>> ledger.spend(0.9, who=ledger.affords(0.9))
    >>> ledger.remaining
    array([0., 0., 0.])
    """

    __slots__ = ("_identity", "_kind", "_state")
    counted, most, has_arrays = "releases", 1 << 30, True
    __hash__ = None  # type: ignore[assignment]  # it changes

    def __init__(
        self,
        budgets: object,
        groups: object = None,
        *,
        kind: type[Guarantee] | None = None,
        unit: Unit | None = None,
    ) -> None:
        """Begin with nothing spent. Raises InvalidArgument."""
        budgets, found = budgets_and_kind(budgets, kind)
        columns = opened(budgets, groups, found)
        saved_records.check_held(None, unit)
        self._begin(Saved(secrets.token_hex(16), found, 0, columns, unit))

    def _begin(self, saved: Saved) -> None:
        self._identity, self._kind, releases, columns, unit = saved
        self._state = _State(releases, columns, unit)
        self._hold()

    @property
    def n(self) -> int:
        """The number of records."""
        return self._state.columns[0].members.n

    @property
    def kind(self) -> Kind:
        """What it adds up: a class of guarantees."""
        return self._kind

    @property
    def unit(self) -> Unit | None:
        """Whose privacy its budgets are for; None before the first execution."""
        return self._state.unit

    @property
    def releases(self) -> int:
        """How many releases were charged."""
        return self._state.releases

    @property
    def groups(self) -> NDArray[np.str_] | None:
        """The name of each record's group, shape (n,); None where each has a budget of its own."""
        everybody = self._state.columns[0].members
        return None if everybody.codes is None else np.array(everybody.names)[everybody.codes]

    @property
    def quantum(self) -> tuple[Any, ...]:
        """The public number that costs of single records are counted in, one a currency: exact."""
        return tuple(column.quantum.amount(1) for column in self._state.columns)

    @property
    def spent(self) -> Doubles:
        """What each record has spent, as doubles rounded up: shape (n,), of pairs (n, 2)."""
        return _stacked([column.spent() for column in self._state.columns])

    @property
    def remaining(self) -> Doubles:
        """What is left to each record, rounded down to the quantum and to doubles; shape as
        `spent`.
        """
        return _stacked([column.remaining() for column in self._state.columns])

    def account(self, record: int) -> Account:
        """Budget, spent and remaining of one record, exactly."""
        n = self._state.columns[0].members.n
        if type(record) is not int or not 0 <= record < n:
            raise InvalidArgument("record", f"a whole number from 0 to {n - 1}", record)
        return account_of(self._state.columns, self._kind, record)

    def report(self) -> tuple[GroupReport, ...]:
        """A line a group: count, budget, least remaining, largest spent. Exact."""
        return reports_of(self._state.columns, self._kind)

    def spend(self, cost: object, who: object = None, *, unit: Unit | None = None) -> None:
        """Charge one release to everybody, or to those where the mask `who` is True.

        `cost` is one for all, a mapping from every group to one, or an array of one a record;
        `unit` is whose privacy it is about, the ledger's where left out. Raises InvalidArgument for
        what is no such cost, or for another unit, and BudgetExceeded where it does not fit some
        record that takes part; then nobody is charged.
        """
        self._check_process()
        with self._lock:
            state = self._state
            saved_records.check_held(state.unit, unit)
            charges, mask = self._asked(cost, who, state)
            columns = _charged(state.columns, charges, mask)
            if columns is None:
                self._refuse(cost, charges, mask, state)
            self._state = _State(state.releases + 1, columns, unit or state.unit)

    def fits(self, cost: object, who: object = None) -> bool:
        """Whether `spend` would admit it now. Raises InvalidArgument as `spend` does."""
        state = self._state
        charges, mask = self._asked(cost, who, state)
        return _charged(state.columns, charges, mask) is not None

    def affords(self, cost: object) -> Mask:
        """Which records it fits now, shape (n,): `spend(cost, who=ledger.affords(cost))` never
        fails for lack of budget. Costs that are no whole number of quanta count as rounded up.
        """
        state = self._state
        charges, _ = self._asked(cost, None, state)
        if _charged(state.columns, charges, None) is not None:
            return np.ones(state.columns[0].members.n, np.bool_)
        pairs = zip(state.columns, charges, strict=True)
        fits = [column.affordable(charge) for column, charge in pairs]
        return np.asarray(np.logical_and.reduce(fits))

    def exhausted(self, cost: object) -> NDArray[np.intp]:
        """The places of the records that it does not fit, for whoever holds the data."""
        return np.flatnonzero(~self.affords(cost))

    def _asked(
        self, cost: object, who: object, state: _State
    ) -> tuple[tuple[Cost, ...], Mask | None]:
        members = state.columns[0].members
        mask = _mask(who, members.n)
        quanta = [column.quantum for column in state.columns]
        return costs(cost, self._kind, members, quanta, mask), mask

    def _refuse(
        self, cost: object, charges: tuple[Cost, ...], mask: Mask | None, state: _State
    ) -> NoReturn:
        pairs = zip(state.columns, charges, strict=True)
        stopped = np.logical_or.reduce([column.stopped(charge, mask) for column, charge in pairs])
        group = int(np.argmax(stopped))
        amounts = [column.extremes(group, mask)[0] for column in state.columns]
        left = share_of(self._kind, amounts)
        named = " and ".join(
            f"{name} {amount}" for name, amount in zip(left.currency, amounts, strict=True)
        )
        names = state.columns[0].members.names
        whom = f"group {names[group]!r}" if names else "the records with least left"
        way_out = "Nobody was charged; ask for less, or of those whom it fits: affords(cost)."
        text = f"the cost does not fit {whom}: to some of them {named} is left. {way_out}"
        raise BudgetExceeded(cost, left, text)

    @property
    def _saved(self) -> Saved:
        return Saved(self._identity, self._kind, *self._state)

    def _document(self) -> Document:
        return saved_records.document_of(self._saved)

    @classmethod
    def _read(cls, body: dict[str, Any], arrays: Mapping[str, str]) -> Self:
        ledger = cls.__new__(cls)
        ledger._begin(saved_records.saved_of(body, arrays))  # noqa: SLF001  # its own class
        return ledger

    def __eq__(self, other: object) -> bool:
        """The same kind, unit, records, budgets, exact totals, and number of releases."""
        if type(other) is not RecordLedger:
            return NotImplemented
        return saved_records.same(self._saved, other._saved)

    def __repr__(self) -> str:
        """`RecordLedger(zcdp: 3 groups, 1000 records, 20 releases)`."""
        members = self._state.columns[0].members
        groups = f"{len(members.names)} groups, " if members.names else ""
        sizes = f"{groups}{members.n} records, {self.releases} releases"
        return f"RecordLedger({self._kind.kind}: {sizes})"


def _charged(
    columns: tuple[Column, ...], charges: tuple[Cost, ...], mask: Mask | None
) -> tuple[Column, ...] | None:
    after = []
    for column, charge in zip(columns, charges, strict=True):
        charged = column.charged(charge, mask)
        if charged is None:
            return None
        after.append(charged)
    return tuple(after)


def _mask(who: object, n: int) -> Mask | None:
    """The mask as its own copy; None where it is everybody."""
    if who is None:
        return None
    found = np.array(who)
    if found.dtype != np.bool_ or found.shape != (n,):
        shown = f"an array of {found.dtype} of shape {found.shape}"
        way_out = "Make a mask of places: mask = numpy.zeros(n, bool); mask[places] = True."
        raise InvalidArgument("who", f"an array of {n} truth values", shown, way_out)
    return None if found.all() else found


def _stacked(columns: list[Doubles]) -> Doubles:
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
