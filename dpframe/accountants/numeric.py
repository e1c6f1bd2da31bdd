"""Certified numeric composition: privacy losses add, and their sum's profile is enclosed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, TypeAlias

import attrs

from dpframe.numbers import Exact
from dpframe.numerics import Interval
from dpframe.pld import composition, losses
from dpframe.wording import Cited

from .base import Accountant, Part, delta_argument, directions, epsilon_argument

Counts: TypeAlias = "tuple[tuple[losses.PrivacyLoss, int], ...]"


@attrs.frozen(cache_hash=True)
class NumericAccountant(Accountant):
    """Everything that has a dominating pair, in any mixture: the exact profile of the product of
    the pairs, as an interval whose ends are both theorems. [ZhuDW22, Thm 10]

    Where a pair is not symmetric, all parts are taken in one direction, then all in the other: one
    record is either removed or added. The larger answer holds for both.
    """

    name: ClassVar[str] = "numeric"
    citation: ClassVar[str] = Cited("[ZhuDW22, Thm 10]")
    tried: ClassVar[int] = 4
    argument: ClassVar[str] = "certified numeric composition of all privacy losses"
    reads_losses: ClassVar[bool] = True

    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """Of atoms (responses, noises on the integers) one by one, else by Newton's method on the
        contour integral of the profile; width about 1e-13 where a Gaussian part smooths the sum,
        wider where atoms are mixed with too little of it, or thousands of distinct ones.
        """
        target = delta_argument(delta)
        return _worst(parts, lambda counts: _epsilon_of(counts, target), of_epsilon=True)

    def searched(
        self, parts: Sequence[Part], delta: Exact
    ) -> tuple[float, Callable[[Sequence[Part]], float]]:
        """For similar parts, only the direction that costs more for these parts is evaluated."""
        target = delta_argument(delta)

        def ends(similar: Sequence[Part], only: slice = slice(None)) -> list[float]:
            counts = _directions(similar)
            return [_epsilon_of(tuple(c.items()), target).upper for c in counts[only] or counts]

        both = ends(parts)
        larger = both.index(max(both))
        return max(both), lambda similar: max(ends(similar, slice(larger, larger + 1)))

    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """Of atoms one by one, else by the contour integral of the profile."""
        point = epsilon_argument(epsilon)
        return _worst(parts, lambda counts: _delta_of(counts, point))


@lru_cache(maxsize=64)
def _epsilon_of(counts: Counts, delta: Fraction) -> Interval:
    """Cached: a search for a factor evaluates a composition several times."""
    return composition.epsilon_interval(composition.total_loss(dict(counts)), delta)


@lru_cache(maxsize=64)
def _delta_of(counts: Counts, epsilon: Fraction) -> Interval:
    """Cached: an audit evaluates a composition several times."""
    return composition.delta_interval(composition.total_loss(dict(counts)), epsilon)


def _worst(
    parts: Sequence[Part], answer: Callable[[Counts], Interval], *, of_epsilon: bool = False
) -> Interval:
    """The larger answer of the two directions; one with too small losses is not evaluated."""
    first, *others = _directions(parts)
    worst = answer(tuple(first.items()))
    for counts in others:
        total = composition.total_loss(counts)
        small = of_epsilon and total.largest is not None and total.largest <= worst.lower
        if not small or any(total.infinite):
            other = answer(tuple(counts.items()))
            worst = Interval(max(worst.lower, other.lower), max(worst.upper, other.upper))
    return worst


def _directions(parts: Sequence[Part]) -> list[dict[losses.PrivacyLoss, int]]:
    return directions((part.loss, part.count) for part in parts if part.count)
