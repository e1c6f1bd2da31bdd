"""Budgets of groups: what all of a group pay is one exact sum, whatever their number."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import attrs
import numpy as np

from ..filters.prices import fixed
from .amounts import ByGroup, Cost
from .column import Column
from .members import Members
from .quantum import Counts, Mask, Quantum, quantum_for

TOTAL_BITS = 8192


@attrs.frozen(eq=False, slots=False)
class GroupColumn(Column):
    """Record i has spent `common` of its group, an exact number, and `own[i]` quanta.

    `peaks` are at least the largest `own` of each group, and that itself where `sharp`.
    """

    budgets: tuple[Fraction, ...]
    common: tuple[Fraction, ...]
    present: tuple[bool, ...]
    peaks: tuple[int, ...]
    sharp: bool

    def charged(self, cost: Cost, who: Mask | None) -> GroupColumn | None:
        """In time O(groups) where everybody pays what their group does."""
        if who is None and isinstance(cost, ByGroup):
            return self._everybody(cost)
        peaks, compare = self.table, True
        if isinstance(cost, ByGroup):
            rough = np.array(self.peaks, np.int64) + self._counts(cost)
            compare = bool((rough > self.table).any())
            peaks = np.minimum(rough, self.table)
        paid = self._paid(cost, who, compare=compare)
        if paid is None:
            return None
        return attrs.evolve(self, own=paid[0], peaks=tuple(map(int, peaks)), sharp=False)

    def _everybody(self, cost: ByGroup) -> GroupColumn | None:
        column = self.with_common(cost)
        if (np.array(self.peaks) > column.table).any() and not self.sharp:
            return self.sharpened._everybody(cost)  # noqa: SLF001  # its own class
        return None if (np.array(self.peaks) > column.table).any() else column

    def with_common(self, cost: ByGroup) -> GroupColumn:
        """After everybody has paid, within their budgets or not. Raises InvalidArgument where
        exact totals would need more than 8192 bits.
        """
        triples = zip(self.common, cost.amounts, self.present, strict=True)
        common = tuple(total + amount if there else total for total, amount, there in triples)
        for total in common:
            fixed("total", ("cost",), (total,), TOTAL_BITS)
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
