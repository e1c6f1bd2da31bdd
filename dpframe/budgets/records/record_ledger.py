"""The ledger of the public budgets of many records, and accounts of it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from operator import sub
from typing import Any, NoReturn, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BudgetExceeded, InvalidArgument, Plain
from dpframe.privacy import Guarantee, Share, Unit, number

from ..filters.prices import Kind, share_of, short
from ..saved_ledger import Document, SavedLedger, check_same_unit
from . import saved_records
from .amounts import Cost, Doubles, Mask, budgets_and_kind, costs
from .columns import SpendingColumn, opened
from .saved_records import Saved


@attrs.frozen
class RecordAccount:
    """One record: its group ("" where it has a budget of its own), and exact amounts."""

    group: str
    budget: Share
    spent: Share
    remaining: Share


@attrs.frozen(repr=False)
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
        budget, left = (_brief(share) for share in (self.budget, self.least_remaining))
        return f"{name}{self.count} records, budget {budget}, {left} left"

    __repr__ = __str__


def _brief(share: Share) -> str:
    """The amounts of a share, rounded down to 6 digits where they are long."""
    pairs = zip(share.currency, share.amounts, strict=True)
    texts = [short(number(name, amount)) for name, amount in pairs]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


class RecordLedger(SavedLedger):
    """Admits a release while every record that takes part stays within its own budget.

    `kind` is the kind of guarantee that is added: dp.PureDP epsilons, dp.ZeroConcentratedDP rhos,
    dp.GaussianDP *squares* of mu, dp.ApproxDP pairs (epsilon, delta). `budgets` is a mapping from
    names of groups to budgets, with `groups` the name, or the place of the name, for each record;
    an array of one budget a record (a pair of arrays for pairs); or a dp.PersonalizedDP, which says
    its kind. A budget or cost is a number in that currency, or a guarantee of dpframe. Budgets,
    costs and who takes part are public and do not depend on the values in records; all may depend
    on earlier releases. Each record then has the guarantee of its budget, as with a Filter of its
    own. `unit` is the unit of privacy, as `certificate.setting.unit`; left out, the first execution
    determines it, and one for another unit is refused, also after saving. [RogersRUV16]
    [WhitehouseRRW23, Thm 1] [KoskelaTH23]

    A common cost of a group is added exactly, in time O(groups). Costs that differ within a group
    (`who`, or an array of costs) are counted in 64 bits, in whole numbers of `quantum`: there
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

    __slots__ = ("_state",)
    count_name, most, has_arrays = "releases", 1 << 30, True
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
        check_same_unit(None, unit)
        self._state = Saved(secrets.token_hex(16), found, 0, columns, unit)
        self._start()

    @property
    def n(self) -> int:
        """The number of records."""
        return self._state.columns[0].members.n

    @property
    def kind(self) -> Kind:
        """The class of guarantees that it adds up."""
        return self._state.kind

    @property
    def unit(self) -> Unit | None:
        """The unit of privacy of its budgets; None before the first execution."""
        return self._state.unit

    @property
    def releases(self) -> int:
        """How many releases were charged."""
        return self._state.releases

    @property
    def groups(self) -> NDArray[np.str_] | None:
        """The name of each record's group, shape (n,); None where each has a budget of its own."""
        membership = self._state.columns[0].members
        return None if membership.codes is None else np.array(membership.names)[membership.codes]

    @property
    def quantum(self) -> tuple[Any, ...]:
        """The public number that costs of single records are counted in, one a currency: exact."""
        return tuple(column.quantum.amount(1) for column in self._state.columns)

    @property
    def spent(self) -> Doubles:
        """The spent amounts of records, as doubles rounded up: shape (n,), of pairs (n, 2)."""
        return _stacked([column.spent() for column in self._state.columns])

    @property
    def remaining(self) -> Doubles:
        """The remaining amounts of records, rounded down to the quantum and to doubles; shape as
        `spent`.
        """
        return _stacked([column.remaining() for column in self._state.columns])

    def account(self, record: int) -> RecordAccount:
        """Budget, spent and remaining of one record, exactly."""
        n = self.n
        if type(record) is not int or not 0 <= record < n:
            raise InvalidArgument("record", f"a whole number from 0 to {n - 1}", record)
        _, kind, _, columns, _ = self._state
        members = columns[0].members
        group = members.group_of(record)
        budget = [column.budget(group, record) for column in columns]
        spent = [column.account(record) for column in columns]
        left = list(map(sub, budget, spent))
        name = members.names[group] if members.names else ""
        return RecordAccount(name, *(share_of(kind, amounts) for amounts in (budget, spent, left)))

    def report(self) -> tuple[GroupReport, ...]:
        """A line a group: count, budget, least remaining, largest spent. Exact."""
        _, kind, _, columns, _ = self._state
        members = columns[0].members
        reports = []
        for group, count in enumerate(members.sizes):
            left, spent = zip(*(column.extremes(group) for column in columns), strict=True)
            budget = [column.budget(group) for column in columns]
            shares = (share_of(kind, amounts) for amounts in (budget, left, spent))
            name = members.names[group] if members.names else ""
            reports.append(GroupReport(name, count, *shares))
        return tuple(reports)

    def spend(self, cost: object, who: object = None, *, unit: Unit | None = None) -> None:
        """Charge one release to all records, or to those where the mask `who` is True.

        `cost` is one for all, a mapping from every group to one, or an array of one a record;
        `unit` is its unit of privacy, the ledger's where left out. Raises InvalidArgument for
        another cost or unit, and BudgetExceeded where it does not fit some record that takes part;
        then no record is charged.
        """
        self._check_process()
        with self._lock:
            state = self._state
            check_same_unit(state.unit, unit)
            charges, mask = self._parsed_cost(cost, who, state)
            columns = _charged(state.columns, charges, mask)
            if columns is None:
                self._refuse(cost, charges, mask, state)
            self._state = state._replace(
                releases=state.releases + 1, columns=columns, unit=unit or state.unit
            )

    def fits(self, cost: object, who: object = None) -> bool:
        """Whether `spend` would admit it now. Raises InvalidArgument as `spend` does."""
        state = self._state
        charges, mask = self._parsed_cost(cost, who, state)
        return _charged(state.columns, charges, mask) is not None

    def affords(self, cost: object) -> Mask:
        """The records that it fits now, shape (n,): `spend(cost, who=ledger.affords(cost))` never
        fails for lack of budget. Costs that are no whole number of quanta count as rounded up.
        """
        state = self._state
        charges, _ = self._parsed_cost(cost, None, state)
        if _charged(state.columns, charges, None) is not None:
            return np.ones(self.n, np.bool_)
        return _affordable(state.columns, charges)

    def _parsed_cost(
        self, cost: object, who: object, state: Saved
    ) -> tuple[tuple[Cost, ...], Mask | None]:
        members = state.columns[0].members
        mask = _mask(who, members.n)
        quanta = [column.quantum for column in state.columns]
        return costs(cost, self._state.kind, members, quanta, mask), mask

    def _refuse(
        self, cost: object, charges: tuple[Cost, ...], mask: Mask | None, state: Saved
    ) -> NoReturn:
        stopped = ~_affordable(state.columns, charges)
        first = self.account(int(np.argmax(stopped if mask is None else stopped & mask)))
        pairs = zip(first.remaining.currency, first.remaining.amounts, strict=True)
        named = " and ".join(f"{name} {amount}" for name, amount in pairs)
        whom = f"group {first.group!r}" if first.group else "some records"
        way_out = "No record was charged; spend less, or leave out those that it does not fit."
        text = f"the cost does not fit {whom}: to one of them {named} is left. {way_out}"
        raise BudgetExceeded(cost, first.remaining, text)

    def _document(self) -> Document:
        return saved_records.document_of(self._state)

    @classmethod
    def _read(cls, body: dict[str, Any], arrays: Mapping[str, str]) -> Self:
        ledger = cls.__new__(cls)
        ledger._state = saved_records.saved_of(body, arrays)  # noqa: SLF001  # its own class
        ledger._start()  # noqa: SLF001  # its own class
        return ledger

    def __eq__(self, other: object) -> bool:
        """The same content of a file, but for the identity."""
        if type(other) is not RecordLedger:
            return NotImplemented
        mine, theirs = self._document().body, other._document().body
        return {**mine, "identity": ""} == {**theirs, "identity": ""}

    def __repr__(self) -> str:
        """`RecordLedger(zcdp: 3 groups, 1000 records, 20 releases)`."""
        members = self._state.columns[0].members
        groups = f"{len(members.names)} groups, " if members.names else ""
        sizes = f"{groups}{members.n} records, {self.releases} releases"
        return f"RecordLedger({self._state.kind.kind}: {sizes})"


def _affordable(columns: tuple[SpendingColumn, ...], charges: tuple[Cost, ...]) -> Mask:
    """The records that can pay, costs rounded up to quanta, shape (n,)."""
    pairs = zip(columns, charges, strict=True)
    fits = [column.affordable(charge) for column, charge in pairs]
    return np.asarray(np.logical_and.reduce(fits))


def _charged(
    columns: tuple[SpendingColumn, ...], charges: tuple[Cost, ...], mask: Mask | None
) -> tuple[SpendingColumn, ...] | None:
    after = []
    for column, charge in zip(columns, charges, strict=True):
        charged = column.charged(charge, mask)
        if charged is None:
            return None
        after.append(charged)
    return tuple(after)


def _mask(who: object, n: int) -> Mask | None:
    """The mask as a copy; None where all records take part."""
    if who is None:
        return None
    found = np.array(who)
    if found.dtype != np.bool_ or found.shape != (n,):
        shown = Plain(f"an array of {found.dtype} of shape {found.shape}")
        way_out = "Make a mask of places: mask = numpy.zeros(n, bool); mask[places] = True."
        raise InvalidArgument("who", f"an array of {n} truth values", shown, way_out)
    return None if found.all() else found


def _stacked(columns: list[Doubles]) -> Doubles:
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
