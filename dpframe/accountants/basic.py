"""Basic composition: epsilons add, deltas add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import attrs

from dpframe.privacy import ApproxDP, Guarantee, PureDP, number
from dpframe.symbols import add

from .base import AdditiveAccountant


@attrs.frozen(cache_hash=True)
class BasicAccountant(AdditiveAccountant):
    """k adaptive releases, each (epsilon_i, delta_i)-DP, are (sum epsilon_i, sum delta_i)-DP.
    [DworkR14, Thm B.1]
    """

    name: ClassVar[str] = "basic"
    citation: ClassVar[str] = "[DworkR14, Thm B.1]"
    proof: ClassVar[str] = "shares"
    automatic: ClassVar[bool] = True
    argument: ClassVar[str] = "basic composition of shares"
    adds: ClassVar[type[Guarantee]] = ApproxDP

    def total(self, guarantees: Sequence[Guarantee]) -> Guarantee:
        """The sums; pure when every part is."""
        epsilon = add(*(part.amounts[0] for part in guarantees))
        deltas = [part.amounts[1] for part in guarantees if isinstance(part, ApproxDP)]
        return ApproxDP(epsilon, add(*deltas)) if deltas else PureDP(epsilon)

    def admit(self, guarantee: Guarantee) -> Guarantee | None:
        """Pure and approximate guarantees, as they are."""
        return guarantee if isinstance(guarantee, (ApproxDP, PureDP)) else None

    def times(self, guarantee: Guarantee, count: int) -> Guarantee:
        """count times epsilon and delta."""
        epsilon = count * guarantee.amounts[0]
        if isinstance(guarantee, ApproxDP):
            return ApproxDP(epsilon, count * guarantee.amounts[1])
        return PureDP(epsilon)

    def _whole(self, counts: Mapping[Guarantee, int]) -> Guarantee | None:
        deltas = [
            count * number("delta", own.amounts[1])
            for own, count in counts.items()
            if isinstance(own, ApproxDP)
        ]
        return None if sum(deltas) >= 1 else super()._whole(counts)
