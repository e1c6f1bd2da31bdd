"""Noise with a scale that is differentially private without a delta: what its kinds share."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.privacy import Guarantee, PureDP, Share
from dpframe.symbols import Expression

from .base import AdditiveNoise, Calibration, positive_formula


class PureScale(Calibration):
    """Abstract: scale = Delta/epsilon in the norm of the noise, for every epsilon > 0; spends no
    delta.
    """

    __slots__ = ()
    mechanism: ClassVar[type[PureNoise]]
    currencies: ClassVar[tuple[tuple[str, ...], ...]] = (("epsilon",), ("epsilon", "delta"))

    def calibrate(self, share: Share, sensitivity: Expression) -> PureNoise:
        """Delta/epsilon."""
        return self.mechanism(sensitivity / share.epsilon)

    def limit(self, share: Share) -> tuple[Expression, Expression, bool] | None:
        """Always holds."""
        del share
        return None


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
