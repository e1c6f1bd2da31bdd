"""The spent amounts of all records in one currency. Values are replaced and never changed.

Budgets are of groups, where the common cost of a group is one exact sum, or of single records, in
whole quanta.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain
from dpframe.numbers import shortest

from ..filters.prices import NOTHING, Amounts, Kind, checked, exactly
from .amounts import (
    Cost,
    Counts,
    Doubles,
    Mask,
    Quantum,
    amounts_of,
    array_of,
    columns_of,
    is_one,
    parts,
    quantum_for,
)

MAX_NAME = 200
MAX_GROUPS = 1 << 16


@attrs.frozen(eq=False, slots=False)
class Members:
    """n records; `codes[i]` is the place in `names` of the group of record i.

    Where every record has a budget of its own there are no names, and one group without a code.
    """

    n: int
    names: tuple[str, ...] = ()
    codes: NDArray[Any] | None = None

    @property
    def groups(self) -> int:
        """How many groups there are, at least 1."""
        return max(1, len(self.names))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Records a group."""
        if self.codes is None:
            return (self.n,)
        return tuple(map(int, np.bincount(self.codes, minlength=self.groups)))

    def group_of(self, record: int) -> int:
        """The place of the group of a record."""
        return 0 if self.codes is None else int(self.codes[record])


@attrs.frozen(eq=False, slots=False)
class RecordTotals:
    """The amounts that records have spent by themselves, in quanta."""

    counts: Counts
    members: Members

    @cached_property
    def largest(self) -> Counts:
        """The largest of each group."""
        if self.members.codes is None:
            return np.asarray(self.counts.max(keepdims=True))
        largest = np.zeros(self.members.groups, np.int64)
        np.maximum.at(largest, self.members.codes, self.counts)
        return largest


def members(names: Sequence[object], groups: object) -> Members:
    """Records by the place or the name of their group, an array of length n. Raises
    InvalidArgument.
    """
    valid = _names(names)
    given = np.asarray(groups)
    if given.ndim != 1 or not given.size:
        wanted = "an array of one group a record, of at least one record"
        raise InvalidArgument("groups", wanted, Plain(f"an array of shape {given.shape}"))
    codes = given if given.dtype.kind in "iu" else _coded(given, valid)
    if codes.min() < 0 or codes.max() >= len(valid):
        found = Plain(f"{codes.min()} to {codes.max()}")
        raise InvalidArgument("groups", f"places from 0 to {len(valid) - 1}", found)
    return Members(given.size, valid, codes.astype(np.min_scalar_type(len(valid) - 1)))


def _names(names: Sequence[object]) -> tuple[str, ...]:
    valid = tuple(
        name
        for name in names
        if isinstance(name, str) and 0 < len(name) <= MAX_NAME and name.isprintable()
    )
    if not 0 < len(valid) <= MAX_GROUPS or len(set(valid)) < len(names):
        wanted = f"1 to {MAX_GROUPS} groups, each named by 1 to {MAX_NAME} printable characters"
        raise InvalidArgument("budgets", wanted, list(names))
    return valid


def _coded(given: NDArray[Any], valid: tuple[str, ...]) -> NDArray[np.int64]:
    if given.dtype.kind not in "UO":
        way_out = "Give names, or places in the order of the budgets."
        raise InvalidArgument("groups", "names or whole numbers", Plain(f"{given.dtype}"), way_out)
    codes = np.full(given.size, -1)
    for place, name in enumerate(valid):
        codes[given == name] = place
    if codes.min() < 0:
        unknown = given[int(np.argmin(codes))]
        raise InvalidArgument("groups", f"names among {', '.join(valid)}", unknown)
    return codes


TOTAL_BITS = 8192


@attrs.frozen(eq=False, slots=False, kw_only=True)
class SpendingColumn:
    """Totals of n records, each within its budget: the exact one of its group, in `budgets`, or
    `most[i]` quanta where every record has its own.

    A record has spent `common` of its group, an exact number, and its part of `own`; None is 0 for
    all. Nothing is spent in common where every record has its own budget.
    """

    members: Members
    quantum: Quantum
    own: RecordTotals | None = None
    common: Amounts
    budgets: Amounts = ()
    most: Counts | None = None

    @cached_property
    def table(self) -> Counts:
        """The most that `own` may reach, a group each; below 0 where `common` alone exceeds."""
        pairs = zip(self.budgets, self.common, strict=True)
        down = [max(-1, self.quantum.down(most - total)) for most, total in pairs]
        return np.array(down, np.int64)

    def limits(self, part: slice) -> Counts:
        """The most that `own` of these records may reach."""
        return self._each(self.table, part) if self.most is None else self.most[part]

    @property
    def exceeded(self) -> bool:
        """Whether a record is beyond its budget."""
        if self.most is not None:
            return self.own is not None and bool((self.own.counts > self.most).any())
        return bool((self.table < (0 if self.own is None else self.own.largest)).any())

    def budget(self, group: int, record: int | None = None) -> Fraction:
        """The budget of a record of the group; without one, the least there."""
        if self.most is None:
            return self.budgets[group]
        return self.quantum.amount(int(self.most.min() if record is None else self.most[record]))

    def extremes(self, group: int) -> tuple[Fraction, Fraction]:
        """The least remaining and the largest spent among the group."""
        largest = 0 if self.own is None else int(self.own.largest[group])
        spent = self.common[group] + self.quantum.amount(largest)
        if self.most is None or self.own is None:
            return self.budget(group) - spent, spent
        return self.quantum.amount(int((self.most - self.own.counts).min())), spent

    def charged(self, cost: Cost, who: Mask | None) -> Self | None:
        """The column after these records have paid; None where one would exceed its budget.

        In time O(groups) where every record pays the cost of its group. Raises InvalidArgument
        where exact totals would need more than 8192 bits.
        """
        if self.most is None and who is None and isinstance(cost, tuple):
            triples = zip(self.common, cost, self.members.sizes, strict=True)
            common = tuple(total + amount if size else total for total, amount, size in triples)
            checked("total", ("cost",) * len(common), common, TOTAL_BITS)
            column = attrs.evolve(self, common=common)
            return None if column.exceeded else column
        after, pay = np.empty(self.members.n, np.int64), self._payer(cost)
        for part in parts(self.members.n):
            paid = pay(part) if who is None else pay(part) * who[part]
            np.add(self._own(part), paid, out=after[part])
            if (after[part] > self.limits(part)).any():
                return None
        return attrs.evolve(self, own=RecordTotals(after, self.members))

    def account(self, record: int) -> Fraction:
        """The spent amount of a record, exactly."""
        own = 0 if self.own is None else int(self.own.counts[record])
        return self.common[self.members.group_of(record)] + self.quantum.amount(own)

    def spent(self) -> Doubles:
        """The totals as doubles, shape (n,), rounded up."""
        base = np.array([self.quantum.up(amount) for amount in self.common])
        return self._all(lambda part: self._each(base, part) + self._own(part), up=True)

    def remaining(self) -> Doubles:
        """The remaining amounts as doubles, shape (n,), rounded down."""
        return self._all(lambda part: self.limits(part) - self._own(part), up=False)

    def counted(self, cost: Cost) -> Counts:
        """The same cost in quanta, as a copy of its own."""
        counts, pay = np.empty(self.members.n, np.int64), self._payer(cost)
        for part in parts(self.members.n):
            counts[part] = pay(part)
        return counts

    def affordable(self, cost: Cost) -> Mask:
        """The records that can pay this alone, shape (n,)."""
        fits, pay = np.empty(self.members.n, np.bool_), self._payer(cost)
        for part in parts(self.members.n):
            np.less_equal(self._own(part) + pay(part), self.limits(part), out=fits[part])
        return fits

    def _payer(self, cost: Cost) -> Callable[[slice], Counts]:
        if isinstance(cost, tuple):
            table = np.array([self.quantum.up(amount) for amount in cost], np.int64)
            return lambda part: self._each(table, part)
        values: Any = cost
        if values.dtype == np.int64:
            return lambda part: values[part]
        return lambda part: self.quantum.all_up(values[part])

    def _own(self, part: slice) -> Counts:
        """The amounts that these records have spent by themselves."""
        return np.zeros(1, np.int64) if self.own is None else self.own.counts[part]

    def _each(self, table: Counts, part: slice) -> Counts:
        """Numbers of groups as numbers of records."""
        codes = self.members.codes
        return table if codes is None else table.take(codes[part])

    def _all(self, counts: Callable[[slice], Counts], *, up: bool) -> Doubles:
        found = np.empty(self.members.n)
        for part in parts(self.members.n):
            found[part] = self.quantum.doubles(counts(part), up=up)
        return found


def new_singles(budgets: Any) -> SpendingColumn:
    """Nothing spent; `budgets` are doubles or Fractions, rounded down to the quantum.

    Raises InvalidArgument where one is not above 0, or they are too far apart.
    """
    if not (budgets > 0).all():
        way_out = "Leave records without a budget out of the ledger."
        raise InvalidArgument("each budget", "above 0", Plain("an array with a 0"), way_out)
    least, most = (shortest(end) for end in (budgets.min(), budgets.max()))
    quantum = quantum_for(least, most)
    if budgets.dtype == object:
        counts = np.array([quantum.down(each) for each in budgets], np.int64)
    else:
        counts = np.empty(len(budgets), np.int64)
        for part in parts(len(budgets)):
            counts[part] = quantum.all_down(budgets[part])
    members = Members(len(counts))
    nothing = RecordTotals(np.zeros(len(counts), np.int64), members)
    return SpendingColumn(
        members=members, quantum=quantum, own=nothing, common=(NOTHING,), most=counts
    )


def opened(budgets: object, groups: object, kind: Kind) -> tuple[SpendingColumn, ...]:
    """One column a currency. Raises InvalidArgument."""
    if isinstance(budgets, Mapping):
        return _grouped(budgets, groups, kind)
    if groups is not None or is_one(budgets, kind):
        wanted = "a mapping from groups to budgets, with groups=; or an array of one a record"
        way_out = "One budget for all is {'all': budget}, groups=numpy.zeros(n, int)."
        raise InvalidArgument("budgets", wanted, type(budgets).__name__, way_out)
    given = [array_of("budget", each, None) for each in columns_of("budget", budgets, kind)]
    if len({len(each) for each in given}) > 1 or (len(given) > 1 and not (given[1] < 1).all()):
        wanted = "as many deltas as epsilons, each delta below 1"
        raise InvalidArgument("budgets", wanted, Plain("other arrays"))
    return tuple(map(new_singles, given))


def _grouped(
    budgets: Mapping[object, object], groups: object, kind: Kind
) -> tuple[SpendingColumn, ...]:
    if groups is None:
        way_out = "Give groups=, a name or the place of a name in the budgets, for each record."
        raise InvalidArgument("groups", "an array of one group a record", None, way_out)
    membership = members(list(budgets), groups)
    rows = [amounts_of("budget", budgets[name], kind) for name in membership.names]
    for amounts in rows:
        exactly(kind, amounts)  # refuses what is out of range, such as a delta of 0
    nothing = (NOTHING,) * len(rows)
    return tuple(
        SpendingColumn(
            members=membership,
            quantum=quantum_for(min(column), max(column)),
            common=nothing,
            budgets=column,
        )
        for column in zip(*rows, strict=True)
    )
