"""Discrete Gaussian noise: zero-concentrated privacy for statistics in whole numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.numbers import Exact
from dpframe.pld import losses
from dpframe.privacy import ADD_REMOVE, Guarantee, Relation, ZeroConcentratedDP, number
from dpframe.sensitivity import L2, Norm
from dpframe.symbols import Expression, exact, power
from dpframe.theory.guarantees import APPROX, ZCDP

from .base import Array, Calibration, Generator, Shape, StdNoise, Theorem
from .discrete_laplace import whole_sensitivity

if TYPE_CHECKING:
    from dpframe.randomness import Bits


@attrs.frozen(cache_hash=True)
class DiscreteGaussian(StdNoise):
    """Noise proportional to e^(-x^2/(2 std^2)) on the integers, on every number; a symmetric matrix
    gets one draw for each entry of its upper triangle, mirrored.

    Guarantees (Delta^2/(2 std^2))-zCDP for a statistic in whole numbers of L2 sensitivity Delta.
    [CanonneKS20, Thm 4] `std` is the parameter sigma; the noise deviates by a little less.
    The deviation is at most sigma = std, and within 1e-6 of it from sigma = 1 on.
    """

    kind: ClassVar[str] = "discrete_gaussian"
    attained: ClassVar[bool] = True
    gives: ClassVar[type[Guarantee]] = ZeroConcentratedDP
    norm: ClassVar[Norm] = L2
    integer: ClassVar[bool] = True
    exact: ClassVar[bool] = True
    concentrated: ClassVar[Calibration] = Theorem.of(
        "DiscreteGaussian.concentrated", "[CanonneKS20, Thm 4] [BunS16, Prop 1.3]", ZCDP, APPROX
    )

    def guarantee(self, sensitivity: Expression) -> ZeroConcentratedDP:
        """(sensitivity^2/(2 std^2))-zCDP."""
        return ZeroConcentratedDP(power(sensitivity / self.std, 2) * Fraction(1, 2))

    def loss(
        self,
        sensitivity: Exact | Expression = 1,
        relation: Relation = ADD_REMOVE,
        *,
        one_coordinate: bool = False,
    ) -> losses.DiscreteGaussianLoss:
        """The exact one where only one coordinate moves, by a whole number; also where
        `sensitivity` is in L1. (docs/proofs/shifts.md)

        At an L2 sensitivity of at least 1 and below sqrt(2) only one coordinate can move, by 1. At
        a larger one it is refused unless `one_coordinate` is true: no worst pair is known for
        vectors with an L2 bound.
        """
        size = number("sensitivity", exact(sensitivity, "sensitivity"))
        variance = number("std^2", power(self.std, 2))
        if one_coordinate is not True:
            if not 1 <= size**2 < 2:
                wanted = "at least 1 and below sqrt(2) for the exact law of discrete Gaussian noise"
                way_out = (
                    "If only one coordinate moves, give dp.compose the loss "
                    "noise.loss(sensitivity, one_coordinate=True); else accountant='zcdp' adds it."
                )
                raise InvalidArgument("sensitivity", wanted, Plain(size), way_out)
            size = Fraction(1)
        return losses.DiscreteGaussianLoss(variance, whole_sensitivity(size))

    @staticmethod
    def sample(size: float, shape: Shape, rng: Generator, *, symmetric: bool) -> Array:
        """Independent draws of parameter `size`, whole numbers, exact in distribution.
        [CanonneKS20]
        """
        from dpframe.randomness import discrete_gaussian

        from .whole_noise import whole_noise

        return whole_noise(discrete_gaussian, "std", size, shape, rng, symmetric=symmetric)

    @staticmethod
    def on_grid(size: Fraction, n: int, bits: Bits) -> Array:
        """The discrete Gaussian of parameter `size`, which needs no rounding."""
        from dpframe.randomness import discrete_gaussian

        return discrete_gaussian(bits, size, n)
