"""Certified numeric composition: privacy losses add, and their sum's profile is enclosed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, TypeAlias

import attrs

from dpframe.numbers import Exact
from dpframe.numerics import Interval
from dpframe.pld import composition, losses

from .base import Accountant, Part, delta_argument, epsilon_argument

Counts: TypeAlias = "Mapping[losses.PrivacyLoss, int]"


@attrs.frozen(cache_hash=True)
class NumericAccountant(Accountant):
    """Everything that has a dominating pair, in any mixture: the exact profile of the product of
    the pairs, as an interval whose ends are both theorems. [ZhuDW22, Thm 10]

    Where a pair is not symmetric, all parts are taken in one direction, then all in the other: one
    record is either removed or added. The larger answer holds for both.
    """

    name: ClassVar[str] = "numeric"
    citation: ClassVar[str] = "[ZhuDW22, Thm 10]"
    automatic: ClassVar[bool] = True
    argument: ClassVar[str] = "certified numeric composition of all privacy losses"
    reads_losses: ClassVar[bool] = True

    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """Of atoms (responses, noises on the integers) one by one, else by Newton's method on the
        contour integral of the profile; width about 1e-13 where a Gaussian part smooths the sum,
        wider where atoms are mixed with too little of it, or thousands of distinct ones.
        """
        target = delta_argument(delta)
        return _worst(parts, lambda total: _epsilon(total, target), of_epsilon=True)

    def searched(
        self, parts: Sequence[Part], delta: Exact
    ) -> tuple[float, Callable[[Sequence[Part]], float]]:
        """In the direction alone that costs more of these parts."""
        target = delta_argument(delta)

        def ends(some: Sequence[Part], only: int | None = None) -> list[float]:
            asked = _directions(some)
            kept = asked if only is None or only >= len(asked) else [asked[only]]
            return [_epsilon(composition.total_loss(one), target).upper for one in kept]

        found = ends(parts)
        larger = found.index(max(found))
        return max(found), lambda some: max(ends(some, larger))

    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """Of atoms one by one, else by the contour integral of the profile."""
        point = epsilon_argument(epsilon)
        return _worst(parts, lambda total: _delta_of(tuple(total.counts.items()), point))


def _epsilon(total: composition.TotalLoss, delta: Fraction) -> Interval:
    return _epsilon_of(tuple(total.counts.items()), delta)


@lru_cache(maxsize=64)
def _epsilon_of(counts: tuple[tuple[losses.PrivacyLoss, int], ...], delta: Fraction) -> Interval:
    """A search for a factor asks for the same composition several times."""
    return composition.epsilon_interval(composition.total_loss(dict(counts)), delta)


@lru_cache(maxsize=64)
def _delta_of(counts: tuple[tuple[losses.PrivacyLoss, int], ...], epsilon: Fraction) -> Interval:
    """An audit asks for the same composition several times."""
    return composition.delta_interval(composition.total_loss(dict(counts)), epsilon)


def _worst(
    parts: Sequence[Part],
    answer: Callable[[composition.TotalLoss], Interval],
    *,
    of_epsilon: bool = False,
) -> Interval:
    """The larger answer of the two directions; one whose losses are too small need not be asked."""
    totals = [composition.total_loss(counts) for counts in _directions(parts)]
    known = answer(totals[0])
    for total in totals[1:]:
        small = of_epsilon and total.largest is not None and total.largest <= known.lower
        if not (small and not any(total.infinite)):
            found = answer(total)
            known = Interval(max(known.lower, found.lower), max(known.upper, found.upper))
    return known


def _directions(parts: Sequence[Part]) -> list[Counts]:
    """How often each loss occurs, removing a record and, where that differs, adding it."""
    removed: dict[losses.PrivacyLoss, int] = {}
    for part in parts:
        if part.count:
            loss = part.loss
            removed[loss] = removed.get(loss, 0) + part.count
    turned = [(loss.reverse(), count) for loss, count in removed.items()]
    if all(loss is back for loss, (back, _) in zip(removed, turned, strict=True)):
        return [removed]
    added: dict[losses.PrivacyLoss, int] = {}
    for loss, count in turned:
        added[loss] = added.get(loss, 0) + count
    return [removed, added]
