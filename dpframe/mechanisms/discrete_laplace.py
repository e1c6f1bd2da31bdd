"""Discrete Laplace noise: pure differential privacy for statistics in whole numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.guarantees import ADD_REMOVE, Relation, number
from dpframe.losses import DiscreteLaplaceLoss
from dpframe.numerics import Exact
from dpframe.sensitivity import L1, Norm
from dpframe.symbols import Expression, exact, exp, sqrt

from .base import Calibration
from .pure_noise import PureNoise, PureScale

if TYPE_CHECKING:
    import numpy as np


@attrs.frozen(cache_hash=True)
class PureDiscreteLaplace(PureScale):
    """scale = Delta_1/epsilon, for every epsilon > 0; spends no delta. [GhoshRS12, Def 2.3]"""

    name: ClassVar[str] = "DiscreteLaplace.pure"
    citation: ClassVar[str] = "[GhoshRS12, Def 2.3]"


@attrs.frozen(cache_hash=True)
class DiscreteLaplace(PureNoise):
    """Noise proportional to e^(-|x|/scale) on the integers, on every number; a symmetric matrix
    gets one draw for each entry of its upper triangle, mirrored.

    Guarantees (Delta/scale)-DP for a statistic in whole numbers of L1 sensitivity Delta.
    [GhoshRS12, Def 2.3]
    """

    kind: ClassVar[str] = "discrete_laplace"
    norm: ClassVar[Norm] = L1
    integer: ClassVar[bool] = True
    pure: ClassVar[Calibration] = PureDiscreteLaplace()

    @property
    def deviation(self) -> Expression:
        """sqrt(2a)/(1 - a) with a = e^(-1/scale)."""
        a = exp(-1 / self.scale)
        return sqrt(2 * a) / (1 - a)

    def loss(
        self, sensitivity: Exact | Expression = 1, relation: Relation = ADD_REMOVE
    ) -> DiscreteLaplaceLoss:
        """The exact one, for a whole L1 sensitivity. (docs/proofs/shifts.md)"""
        del relation
        rate = number("scale", 1 / self.scale)
        return DiscreteLaplaceLoss(rate, whole_sensitivity(sensitivity))

    @staticmethod
    def sample(
        size: float, shape: tuple[int, ...], rng: np.random.Generator, *, symmetric: bool
    ) -> np.ndarray:
        """Independent draws of scale `size`, whole numbers, exact in distribution."""
        from .coins import in_shape, noise_size, two_sided

        draws = two_sided(rng, 1 / noise_size("scale", size), math.prod(shape))
        return in_shape(draws, shape, symmetric=symmetric)


def whole_sensitivity(value: Exact | Expression) -> int:
    """A sensitivity as a whole number of at least 1. Raises InvalidArgument."""
    sensitivity = number("sensitivity", exact(value, "sensitivity"))
    if sensitivity.denominator != 1 or sensitivity < 1:
        way_out = "Whole numbers move by whole numbers: round a bound down."
        raise InvalidArgument("sensitivity", "a whole number of at least 1", sensitivity, way_out)
    return int(sensitivity)


PureDiscreteLaplace.mechanism = DiscreteLaplace
