"""Composition of pure and approximate guarantees: basic, by sums; and optimal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact
from dpframe.numerics import Interval
from dpframe.pld import composition, losses
from dpframe.privacy import ApproxDP, Guarantee, PureDP, number
from dpframe.symbols import add
from dpframe.wording import Cited

from .base import Accountant, AdditiveAccountant, Part, delta_argument, epsilon_argument, grouped


@attrs.frozen(cache_hash=True)
class BasicAccountant(AdditiveAccountant):
    """k adaptive releases, each (epsilon_i, delta_i)-DP, are (sum epsilon_i, sum delta_i)-DP.
    [DworkR14, Thm B.1]
    """

    name: ClassVar[str] = "basic"
    citation: ClassVar[str] = Cited("[DworkR14, Thm B.1]")
    proof: ClassVar[str] = "shares"
    tried: ClassVar[int] = 1
    argument: ClassVar[str] = "basic composition of shares"
    adds: ClassVar[type[Guarantee]] = ApproxDP

    times = AdditiveAccountant.repeated

    def total(self, guarantees: Sequence[Guarantee]) -> Guarantee:
        """The sums; pure when every part is."""
        epsilon = add(*(part.amounts[0] for part in guarantees))
        deltas = [part.amounts[1] for part in guarantees if isinstance(part, ApproxDP)]
        return ApproxDP(epsilon, add(*deltas)) if deltas else PureDP(epsilon)

    def admit(self, guarantee: Guarantee) -> Guarantee | None:
        """Pure and approximate guarantees, as they are."""
        return guarantee if isinstance(guarantee, (ApproxDP, PureDP)) else None

    def _whole(self, counts: Mapping[Guarantee, int]) -> Guarantee | None:
        approximate = ((own, n) for own, n in counts.items() if isinstance(own, ApproxDP))
        delta = sum(n * number("delta", own.delta) for own, n in approximate)
        return None if delta >= 1 else super()._whole(counts)


@attrs.frozen(cache_hash=True)
class OptimalAccountant(Accountant):
    """The least (epsilon, delta) that pure and approximate guarantees imply together, both ends.
    [KairouzOV15, Thm 3.3] [MurtaghV16, Thm 1.5]

    Randomised responses with these guarantees attain it; other mechanisms with them may cost less.
    """

    name: ClassVar[str] = "optimal"
    citation: ClassVar[str] = Cited("[KairouzOV15, Thm 3.3]")
    argument: ClassVar[str] = "optimal composition of pure and approximate guarantees"

    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """By the randomised responses that attain it."""
        return composition.response_epsilon(_groups(parts), delta_argument(delta))

    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """By the randomised responses that attain it."""
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
