"""Optimal composition of pure and approximate differential privacy."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact
from dpframe.numerics import Interval
from dpframe.pld import composition, losses
from dpframe.privacy import Guarantee

from .base import Accountant, Part, delta_argument, epsilon_argument, grouped


@attrs.frozen(cache_hash=True)
class OptimalAccountant(Accountant):
    """The least (epsilon, delta) that pure and approximate guarantees imply together, both ends.
    [KairouzOV15, Thm 3.3] [MurtaghV16, Thm 1.5]

    Randomised responses with these guarantees attain it; other mechanisms with them may cost less.
    """

    name: ClassVar[str] = "optimal"
    citation: ClassVar[str] = "[KairouzOV15, Thm 3.3]"
    argument: ClassVar[str] = "optimal composition of pure and approximate guarantees"

    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """By the responses that attain it."""
        return composition.response_epsilon(_groups(parts), delta_argument(delta))

    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """By the responses that attain it."""
        return composition.response_delta(_groups(parts), epsilon_argument(epsilon))


def _groups(parts: Sequence[Part]) -> list[tuple[Fraction, Fraction, int]]:
    groups = []
    for what, count in grouped(parts).items():
        loss = what.loss if isinstance(what, Guarantee) else what
        if not isinstance(loss, losses.ResponseLoss):
            way_out = "The numeric accountant adds everything that has a privacy loss."
            required = "a pure or approximate guarantee, or the loss of a response"
            raise InvalidArgument("part", required, what, way_out)
        groups.append((loss.epsilon, loss.delta, count))
    return groups
