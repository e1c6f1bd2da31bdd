"""Laplace noise: pure differential privacy from an L1 sensitivity."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.numbers import Exact
from dpframe.pld import losses
from dpframe.privacy import ADD_REMOVE, Relation, number
from dpframe.sensitivity import L1, Norm
from dpframe.symbols import Expression, exact, sqrt
from dpframe.theory.guarantees import APPROX, PURE

from .base import Array, Calibration, Generator, PureNoise, Shape, Theorem, mirrored

if TYPE_CHECKING:
    from dpframe.randomness import Bits


@attrs.frozen(cache_hash=True)
class Laplace(PureNoise):
    """Laplace(scale) on every number; a symmetric matrix gets one draw for each entry of its upper
    triangle, mirrored.

    Guarantees (Delta/scale)-DP for a statistic of L1 sensitivity Delta. [DworkR14, Thm 3.6]
    """

    kind: ClassVar[str] = "laplace"
    attained: ClassVar[bool] = True
    exact: ClassVar[bool] = True
    norm: ClassVar[Norm] = L1
    pure: ClassVar[Calibration] = Theorem.of("Laplace.pure", "[DworkR14, Thm 3.6]", PURE, APPROX)

    @property
    def deviation(self) -> Expression:
        """sqrt(2) times the scale."""
        return sqrt(2) * self.scale

    def loss(
        self, sensitivity: Exact | Expression = 1, relation: Relation = ADD_REMOVE
    ) -> losses.LaplaceLoss:
        """The exact one, which is below that of PureDP. (docs/proofs/shifts.md)"""
        return losses.LaplaceLoss(number("epsilon", exact(sensitivity, "sensitivity") / self.scale))

    @staticmethod
    def sample(size: float, shape: Shape, rng: Generator, *, symmetric: bool) -> Array:
        """Independent Laplace draws of scale `size`, mirrored from the upper triangle for a
        symmetric statistic.
        """
        return mirrored(rng.laplace(0.0, size, shape), symmetric=symmetric)

    @staticmethod
    def on_grid(size: Fraction, n: int, bits: Bits) -> Array:
        """Laplace(size), rounded to the nearest whole number."""
        from dpframe.randomness import rounded_laplace

        return rounded_laplace(bits, size, n)
