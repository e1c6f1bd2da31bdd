"""Noise with a scale that is differentially private without a delta: what its kinds share."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.privacy import Guarantee, PureDP
from dpframe.symbols import Expression

from .base import AdditiveNoise, positive_formula


@attrs.frozen(cache_hash=True)
class PureNoise(AdditiveNoise):
    """Abstract: (Delta/scale)-DP for a statistic of sensitivity Delta in the norm of the noise."""

    gives: ClassVar[type[Guarantee]] = PureDP
    noise: ClassVar[str] = "scale"
    scale: Expression = attrs.field(converter=positive_formula)

    @property
    def formula(self) -> Expression:
        """The scale."""
        return self.scale

    def guarantee(self, sensitivity: Expression) -> PureDP:
        """(sensitivity/scale)-DP."""
        return PureDP(sensitivity / self.scale)
