"""Laplace noise: pure differential privacy from an L1 sensitivity."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.guarantees import ADD_REMOVE, Guarantee, PureDP, Relation, Share, number
from dpframe.losses import LaplaceLoss
from dpframe.numerics import Exact
from dpframe.sensitivity import L1, Norm
from dpframe.symbols import Expression, exact, sqrt

from .base import AdditiveNoise, Calibration, positive_formula

if TYPE_CHECKING:
    import numpy as np


@attrs.frozen(cache_hash=True)
class PureLaplace(Calibration):
    """scale = Delta_1/epsilon, for every epsilon > 0; spends no delta. [DworkR14, Thm 3.6]"""

    name: ClassVar[str] = "Laplace.pure"
    citation: ClassVar[str] = "[DworkR14, Thm 3.6]"
    mechanism: ClassVar[type[AdditiveNoise]]
    currencies: ClassVar[tuple[tuple[str, ...], ...]] = (("epsilon",), ("epsilon", "delta"))

    def calibrate(self, share: Share, sensitivity: Expression) -> Laplace:
        """Delta_1/epsilon."""
        return Laplace(sensitivity / share.epsilon)

    def limit(self, share: Share) -> tuple[Expression, Expression, bool] | None:
        """Always holds."""
        del share
        return None


@attrs.frozen(cache_hash=True)
class Laplace(AdditiveNoise):
    """Laplace(scale) on every number; a symmetric matrix gets one draw for each entry of its upper
    triangle, mirrored.

    Guarantees (Delta/scale)-DP for a statistic of L1 sensitivity Delta. [DworkR14, Thm 3.6]
    """

    kind: ClassVar[str] = "laplace"
    gives: ClassVar[type[Guarantee]] = PureDP
    norm: ClassVar[Norm] = L1
    noise: ClassVar[str] = "scale"
    pure: ClassVar[Calibration] = PureLaplace()
    scale: Expression = attrs.field(converter=positive_formula)

    @property
    def formula(self) -> Expression:
        """The scale."""
        return self.scale

    @property
    def deviation(self) -> Expression:
        """sqrt(2) times the scale."""
        return sqrt(2) * self.scale

    def guarantee(self, sensitivity: Expression) -> PureDP:
        """(sensitivity/scale)-DP."""
        return PureDP(sensitivity / self.scale)

    def loss(
        self, sensitivity: Exact | Expression = 1, relation: Relation = ADD_REMOVE
    ) -> LaplaceLoss:
        """The exact one, which is below that of PureDP. (docs/proofs/shifts.md)"""
        del relation
        return LaplaceLoss(number("epsilon", exact(sensitivity, "sensitivity") / self.scale))

    @staticmethod
    def sample(
        size: float, shape: tuple[int, ...], rng: np.random.Generator, *, symmetric: bool
    ) -> np.ndarray:
        """Independent Laplace draws of scale `size`, mirrored from the upper triangle for a
        symmetric statistic.
        """
        import numpy as np

        noise = rng.laplace(0.0, size, shape)
        return np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2) if symmetric else noise


PureLaplace.mechanism = Laplace
