"""What everybody has spent in one currency. Values are replaced and never changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Self

import attrs
import numpy as np

from .amounts import ByGroup, ByRecord, Cost
from .members import Members
from .quantum import Counts, Doubles, Mask, Quantum, parts


@attrs.frozen(eq=False)
class Column(ABC):
    """Abstract: totals of n records, each within its budget.

    `own` is what each record has spent by itself, in quanta; None is 0 for all.
    """

    members: Members
    quantum: Quantum
    own: Counts | None

    @abstractmethod
    def charged(self, cost: Cost, who: Mask | None) -> Self | None:
        """The column after those have paid; None where anyone would exceed their budget."""

    @abstractmethod
    def limits(self, part: slice) -> Counts:
        """The most that `own` of these records may reach."""

    @abstractmethod
    def stopped(self, cost: Cost, who: Mask | None) -> Mask:
        """Whom of those who take part the cost does not fit, a group each (or all in one)."""

    @abstractmethod
    def budget(self, group: int, record: int | None = None) -> Fraction:
        """The budget of a record of the group; without one, the least there."""

    @abstractmethod
    def extremes(self, group: int, who: Mask | None = None) -> tuple[Fraction, Fraction]:
        """The least remaining and the largest spent among the group, or those of it in `who`."""

    @abstractmethod
    def account(self, record: int) -> tuple[Fraction, Fraction]:
        """What a record has spent and what is left to it, exactly."""

    @abstractmethod
    def shared(self, group: int) -> Fraction:
        """What every record of the group has spent beside `own`."""

    def spent(self) -> Doubles:
        """The totals as doubles, shape (n,), rounded up."""
        base = np.array([self.quantum.up(self.shared(g)) for g in range(self.members.groups)])
        return self._all(lambda part: self._each(base, part) + self._own(part), up=True)

    def remaining(self) -> Doubles:
        """What is left as doubles, shape (n,), rounded down."""
        return self._all(lambda part: self.limits(part) - self._own(part), up=False)

    def counted(self, cost: ByRecord) -> ByRecord:
        """The same cost in quanta, as a copy of its own."""
        counts, pay = np.empty(self.members.n, np.int64), self._payer(cost)
        for part in parts(self.members.n):
            counts[part] = pay(part)
        return ByRecord(counts)

    def affordable(self, cost: Cost) -> Mask:
        """Who may pay this alone, shape (n,)."""
        fits, pay = np.empty(self.members.n, np.bool_), self._payer(cost)
        for part in parts(self.members.n):
            np.less_equal(self._own(part) + pay(part), self.limits(part), out=fits[part])
        return fits

    def _paid(self, cost: Cost, who: Mask | None, *, compare: bool) -> tuple[Counts, int] | None:
        """`own` after those have paid, and the least that is left to anyone where compared; None
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
        """What those have spent by themselves."""
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
