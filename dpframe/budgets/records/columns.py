"""The spent amounts of all records in one currency. Values are replaced and never changed.

Budgets are of groups, where the common cost of a group is one exact sum, or of single records, in
whole quanta.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.numbers import shortest

from ..filters.prices import Kind, checked, exactly
from .amounts import (
    ByGroup,
    ByRecord,
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


@attrs.frozen(eq=False)
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

    def counts(self) -> tuple[int, ...]:
        """Records a group."""
        if self.codes is None:
            return (self.n,)
        return tuple(map(int, np.bincount(self.codes, minlength=self.groups)))

    def same(self, other: Members) -> bool:
        """Whether the same records are in the same groups."""
        if (self.n, self.names) != (other.n, other.names):
            return False
        return self.codes is None or bool(np.array_equal(self.codes, other.codes))  # type: ignore[arg-type]


def members(names: Sequence[object], groups: object) -> Members:
    """Records by the place or the name of their group, an array of length n. Raises
    InvalidArgument.
    """
    valid = _names(names)
    given = np.asarray(groups)
    if given.ndim != 1 or not given.size:
        wanted = "an array of one group a record, of at least one record"
        raise InvalidArgument("groups", wanted, f"an array of shape {given.shape}")
    codes = given if given.dtype.kind in "iu" else _coded(given, valid)
    if codes.min() < 0 or codes.max() >= len(valid):
        found = f"{codes.min()} to {codes.max()}"
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
        raise InvalidArgument("groups", "names or whole numbers", f"{given.dtype}", way_out)
    codes = np.full(given.size, -1)
    for place, name in enumerate(valid):
        codes[given == name] = place
    if codes.min() < 0:
        unknown = given[int(np.argmin(codes))]
        raise InvalidArgument("groups", f"names among {', '.join(valid)}", unknown)
    return codes


@attrs.frozen(eq=False)
class SpendingColumn(ABC):
    """Abstract: totals of n records, each within its budget.

    `own` is the amount that each record has spent by itself, in quanta; None is 0 for all.
    """

    members: Members
    quantum: Quantum
    own: Counts | None

    @abstractmethod
    def charged(self, cost: Cost, who: Mask | None) -> Self | None:
        """The column after these records have paid; None where one would exceed its budget."""

    @abstractmethod
    def limits(self, part: slice) -> Counts:
        """The most that `own` of these records may reach."""

    @abstractmethod
    def stopped(self, cost: Cost, who: Mask | None) -> Mask:
        """Whether the cost does not fit a record that takes part, a group each (or all in one)."""

    @abstractmethod
    def budget(self, group: int, record: int | None = None) -> Fraction:
        """The budget of a record of the group; without one, the least there."""

    @abstractmethod
    def extremes(self, group: int, who: Mask | None = None) -> tuple[Fraction, Fraction]:
        """The least remaining and the largest spent among the group, or those of it in `who`."""

    @abstractmethod
    def account(self, record: int) -> tuple[Fraction, Fraction]:
        """The spent and the remaining amount of a record, exactly."""

    @abstractmethod
    def shared(self, group: int) -> Fraction:
        """The amount that every record of the group has spent beside `own`."""

    def spent(self) -> Doubles:
        """The totals as doubles, shape (n,), rounded up."""
        base = np.array([self.quantum.up(self.shared(g)) for g in range(self.members.groups)])
        return self._all(lambda part: self._each(base, part) + self._own(part), up=True)

    def remaining(self) -> Doubles:
        """The remaining amounts as doubles, shape (n,), rounded down."""
        return self._all(lambda part: self.limits(part) - self._own(part), up=False)

    def counted(self, cost: ByRecord) -> ByRecord:
        """The same cost in quanta, as a copy of its own."""
        counts, pay = np.empty(self.members.n, np.int64), self._payer(cost)
        for part in parts(self.members.n):
            counts[part] = pay(part)
        return ByRecord(counts)

    def affordable(self, cost: Cost) -> Mask:
        """The records that can pay this alone, shape (n,)."""
        fits, pay = np.empty(self.members.n, np.bool_), self._payer(cost)
        for part in parts(self.members.n):
            np.less_equal(self._own(part) + pay(part), self.limits(part), out=fits[part])
        return fits

    def _paid(self, cost: Cost, who: Mask | None, *, compare: bool) -> tuple[Counts, int] | None:
        """`own` after these records have paid, and the least remaining amount where compared; None
        where that is below 0.
        """
        after, least, pay = np.empty(self.members.n, np.int64), 1 << 62, self._payer(cost)
        for part in parts(self.members.n):
            paid = pay(part) if who is None else pay(part) * who[part]
            np.add(self._own(part), paid, out=after[part])
            if compare:
                least = min(least, int((self.limits(part) - after[part]).min()))
            if least < 0:
                return None
        return after, least

    def _payer(self, cost: Cost) -> Callable[[slice], Counts]:
        if isinstance(cost, ByGroup):
            table = self._counts(cost)
            return lambda part: self._each(table, part)
        values: Any = cost.values
        if values.dtype == np.int64:
            return lambda part: values[part]
        return lambda part: self.quantum.all_up(values[part])

    def _counts(self, cost: ByGroup) -> Counts:
        return np.array([self.quantum.up(amount) for amount in cost.amounts], np.int64)

    def _own(self, part: slice) -> Counts:
        """The amounts that these records have spent by themselves."""
        return np.zeros(1, np.int64) if self.own is None else self.own[part]

    def _each(self, table: Counts, part: slice) -> Counts:
        """Numbers of groups as numbers of records."""
        codes = self.members.codes
        return table if codes is None else table.take(codes[part])

    def _all(self, counts: Callable[[slice], Counts], *, up: bool) -> Doubles:
        found = np.empty(self.members.n)
        for part in parts(self.members.n):
            found[part] = self.quantum.doubles(counts(part), up=up)
        return found


TOTAL_BITS = 8192


@attrs.frozen(eq=False, slots=False)
class GroupColumn(SpendingColumn):
    """Record i has spent `common` of its group, an exact number, and `own[i]` quanta.

    `peaks` are at least the largest `own` of each group, and that itself where `sharp`.
    """

    budgets: tuple[Fraction, ...]
    common: tuple[Fraction, ...]
    present: tuple[bool, ...]
    peaks: tuple[int, ...]
    sharp: bool

    def charged(self, cost: Cost, who: Mask | None) -> GroupColumn | None:
        """In time O(groups) where every record pays the cost of its group."""
        if who is None and isinstance(cost, ByGroup):
            return self._all_charged(cost)
        peaks, compare = self.table, True
        if isinstance(cost, ByGroup):
            rough = np.array(self.peaks, np.int64) + self._counts(cost)
            compare = bool((rough > self.table).any())
            peaks = np.minimum(rough, self.table)
        paid = self._paid(cost, who, compare=compare)
        if paid is None:
            return None
        return attrs.evolve(self, own=paid[0], peaks=tuple(map(int, peaks)), sharp=False)

    def _all_charged(self, cost: ByGroup) -> GroupColumn | None:
        column = self.with_common(cost)
        if (np.array(self.peaks) > column.table).any() and not self.sharp:
            return self.sharpened._all_charged(cost)  # noqa: SLF001  # its own class
        return None if (np.array(self.peaks) > column.table).any() else column

    def with_common(self, cost: ByGroup) -> GroupColumn:
        """After every record has paid, within its budget or not. Raises InvalidArgument where
        exact totals would need more than 8192 bits.
        """
        triples = zip(self.common, cost.amounts, self.present, strict=True)
        common = tuple(total + amount if there else total for total, amount, there in triples)
        for total in common:
            checked("total", ("cost",), (total,), TOTAL_BITS)
        return attrs.evolve(self, common=common)

    @cached_property
    def sharpened(self) -> GroupColumn:
        """The same with the largest `own` of each group."""
        if self.own is None or self.sharp:
            return self
        peaks, codes = np.zeros(self.members.groups, np.int64), np.asarray(self.members.codes)
        np.maximum.at(peaks, codes, self.own)
        return attrs.evolve(self, peaks=tuple(map(int, peaks)), sharp=True)

    @cached_property
    def table(self) -> Counts:
        """The most that `own` may reach, a group each; below 0 where `common` alone exceeds."""
        pairs = zip(self.budgets, self.common, strict=True)
        down = [max(-1, self.quantum.down(most - total)) for most, total in pairs]
        return np.array(down, np.int64)

    def limits(self, part: slice) -> Counts:
        return self._each(self.table, part)

    def stopped(self, cost: Cost, who: Mask | None) -> Mask:
        if who is None and isinstance(cost, ByGroup):
            peaks, table = self.sharpened.peaks, self.with_common(cost).table
            return np.asarray(np.array(peaks) > table)
        over = ~self.affordable(cost) if who is None else who & ~self.affordable(cost)
        counts = np.bincount(self.members.codes[over], minlength=self.members.groups)  # type: ignore[index]
        return np.asarray(counts > 0)

    def budget(self, group: int, record: int | None = None) -> Fraction:
        return self.budgets[group]

    def extremes(self, group: int, who: Mask | None = None) -> tuple[Fraction, Fraction]:
        peak = self.sharpened.peaks[group] if who is None else self._peak(group, who)
        spent = self.common[group] + self.quantum.amount(peak)
        return self.budgets[group] - spent, spent

    def _peak(self, group: int, who: Mask) -> int:
        there = who & np.asarray(self.members.codes == group)
        return 0 if self.own is None else int(self.own[there].max(initial=0))

    def account(self, record: int) -> tuple[Fraction, Fraction]:
        group = int(self.members.codes[record])  # type: ignore[index]
        own = 0 if self.own is None else int(self.own[record])
        spent = self.common[group] + self.quantum.amount(own)
        return spent, self.budgets[group] - spent

    def shared(self, group: int) -> Fraction:
        return self.common[group]


def new_groups(members: Members, budgets: tuple[Fraction, ...]) -> GroupColumn:
    """Nothing spent. Raises InvalidArgument where the budgets are too far apart."""
    quantum = quantum_for(min(budgets), max(budgets))
    nothing = (Fraction(0),) * len(budgets)
    return groups_of(members, quantum, budgets, nothing, None)


def groups_of(
    members: Members,
    quantum: Quantum,
    budgets: tuple[Fraction, ...],
    common: tuple[Fraction, ...],
    own: Counts | None,
) -> GroupColumn:
    """The column with these totals."""
    present = tuple(count > 0 for count in members.counts())
    peaks = (0,) * len(budgets)
    column = GroupColumn(members, quantum, own, budgets, common, present, peaks, own is None)
    return column.sharpened


@attrs.frozen(eq=False)
class SingleColumn(SpendingColumn):
    """Record i has spent `own[i]` of `most[i]` quanta. Every record has at least `room` left."""

    own: Counts
    most: Counts
    room: int

    def charged(self, cost: Cost, who: Mask | None) -> SingleColumn | None:
        uniform = self.quantum.up(cost.amounts[0]) if isinstance(cost, ByGroup) else None
        compare = uniform is None or uniform > self.room
        paid = self._paid(cost, who, compare=compare)
        if paid is None:
            return None
        room = paid[1] if compare else self.room - (uniform or 0)
        return attrs.evolve(self, own=paid[0], room=room)

    def limits(self, part: slice) -> Counts:
        return self.most[part]

    def stopped(self, cost: Cost, who: Mask | None) -> Mask:
        over = ~self.affordable(cost)
        return np.array([(over if who is None else over & who).any()])

    def budget(self, group: int, record: int | None = None) -> Fraction:
        return self.quantum.amount(int(self.most.min() if record is None else self.most[record]))

    def extremes(self, group: int, who: Mask | None = None) -> tuple[Fraction, Fraction]:
        there = slice(None) if who is None else who
        least = (self.most - self.own)[there].min(initial=int(self.most.max()))
        largest = self.own[there].max(initial=0)
        return self.quantum.amount(int(least)), self.quantum.amount(int(largest))

    def account(self, record: int) -> tuple[Fraction, Fraction]:
        own, most = int(self.own[record]), int(self.most[record])
        return self.quantum.amount(own), self.quantum.amount(most - own)

    def shared(self, group: int) -> Fraction:
        return Fraction(0)


def new_singles(budgets: Any) -> SingleColumn:
    """Nothing spent; `budgets` are doubles or Fractions, rounded down to the quantum.

    Raises InvalidArgument where one is not above 0, or they are too far apart.
    """
    if not (budgets > 0).all():
        way_out = "Leave records without a budget out of the ledger."
        raise InvalidArgument("each budget", "above 0", "an array with a 0", way_out)
    least, most = (shortest(end) for end in (budgets.min(), budgets.max()))
    quantum = quantum_for(least, most)
    if budgets.dtype == object:
        counts = np.array([quantum.down(each) for each in budgets], np.int64)
    else:
        counts = np.empty(len(budgets), np.int64)
        for part in parts(len(budgets)):
            counts[part] = quantum.all_down(budgets[part])
    nothing = np.zeros(len(counts), np.int64)
    return SingleColumn(Members(len(counts)), quantum, nothing, counts, int(counts.min()))


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
        raise InvalidArgument("budgets", wanted, "other arrays")
    columns = [new_singles(each) for each in given]
    return tuple(columns)


def _grouped(
    budgets: Mapping[object, object], groups: object, kind: Kind
) -> tuple[SpendingColumn, ...]:
    if groups is None:
        way_out = "Give groups=, a name or the place of a name in the budgets, for each record."
        raise InvalidArgument("groups", "an array of one group a record", None, way_out)
    membership = members(list(budgets), groups)
    rows = [_budget(budgets[name], kind) for name in membership.names]
    return tuple(new_groups(membership, column) for column in zip(*rows, strict=True))


def _budget(given: object, kind: Kind) -> tuple[Fraction, ...]:
    amounts = amounts_of("budget", given, kind)
    exactly(kind, amounts)  # refuses what is out of range, such as a delta of 0
    return amounts
