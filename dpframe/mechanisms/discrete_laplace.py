"""Discrete Laplace noise: pure differential privacy for statistics in whole numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact
from dpframe.pld import losses
from dpframe.privacy import ADD_REMOVE, Relation, number
from dpframe.sensitivity import L1, Norm
from dpframe.symbols import Expression, exact, exp, sqrt
from dpframe.theory.guarantees import APPROX, PURE

from .base import Array, Calibration, Generator, PureNoise, Shape, Theorem

if TYPE_CHECKING:
    from dpframe.randomness import Bits


@attrs.frozen(cache_hash=True)
class DiscreteLaplace(PureNoise):
    """Noise proportional to e^(-|x|/scale) on the integers, on every number; a symmetric matrix
    gets one draw for each entry of its upper triangle, mirrored.

    Guarantees (Delta/scale)-DP for a statistic in whole numbers of L1 sensitivity Delta.
    [GhoshRS12, Def 2.3]
    """

    kind: ClassVar[str] = "discrete_laplace"
    attained: ClassVar[bool] = True
    norm: ClassVar[Norm] = L1
    integer: ClassVar[bool] = True
    exact: ClassVar[bool] = True
    pure: ClassVar[Calibration] = Theorem.of(
        "DiscreteLaplace.pure", "[GhoshRS12, Def 2.3]", PURE, APPROX
    )

    @property
    def deviation(self) -> Expression:
        """sqrt(2a)/(1 - a) with a = e^(-1/scale)."""
        a = exp(-1 / self.scale)
        return sqrt(2 * a) / (1 - a)

    def loss(
        self, sensitivity: Exact | Expression = 1, relation: Relation = ADD_REMOVE
    ) -> losses.DiscreteLaplaceLoss:
        """The exact one, for a whole L1 sensitivity. (docs/proofs/shifts.md)"""
        rate = number("scale", 1 / self.scale)
        return losses.DiscreteLaplaceLoss(rate, whole_sensitivity(sensitivity))

    @staticmethod
    def sample(size: float, shape: Shape, rng: Generator, *, symmetric: bool) -> Array:
        """Independent draws of scale `size`, whole numbers, exact in distribution."""
        from dpframe.randomness import discrete_laplace

        from .whole_noise import whole_noise

        return whole_noise(discrete_laplace, "scale", size, shape, rng, symmetric=symmetric)

    @staticmethod
    def on_grid(size: Fraction, n: int, bits: Bits) -> Array:
        """The discrete Laplace law of scale `size`, which needs no rounding."""
        from dpframe.randomness import discrete_laplace

        return discrete_laplace(bits, size, n)


def whole_sensitivity(value: Exact | Expression) -> int:
    """A sensitivity as a whole number of at least 1. Raises InvalidArgument."""
    sensitivity = number("sensitivity", exact(value, "sensitivity"))
    if sensitivity.denominator != 1 or sensitivity < 1:
        way_out = "Whole numbers move by whole numbers: round a bound down."
        raise InvalidArgument("sensitivity", "a whole number of at least 1", sensitivity, way_out)
    return int(sensitivity)
