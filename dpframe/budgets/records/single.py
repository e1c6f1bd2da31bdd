"""Budgets of single records, in whole quanta."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.numbers import shortest

from .amounts import ByGroup, Cost
from .column import Column
from .members import Members
from .quantum import Counts, Mask, parts, quantum_for


@attrs.frozen(eq=False)
class SingleColumn(Column):
    """Record i has spent `own[i]` of `most[i]` quanta. At least `room` is left to everybody."""

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
        way_out = "Leave out of the ledger who has no budget."
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
