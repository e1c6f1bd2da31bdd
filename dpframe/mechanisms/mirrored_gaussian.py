"""Gaussian noise that is drawn for the upper triangle of a symmetric matrix, and mirrored."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.privacy import GaussianDP, Guarantee
from dpframe.sensitivity import L2, Norm
from dpframe.symbols import Expression

from .base import StdNoise, mirrored

if TYPE_CHECKING:
    import numpy as np

    from dpframe.randomness import Bits


@attrs.frozen(cache_hash=True)
class MirroredGaussian(StdNoise):
    """N(0, std^2) on every number; a symmetric matrix gets one draw for each entry of its upper
    triangle, mirrored: what most papers on X'X do.

    Guarantees (Delta/std)-Gaussian DP for a statistic of L2 (Frobenius) sensitivity Delta, since
    the upper triangle moves by no more [DongRS22, Thm 2.7]. `Gaussian` guarantees the same with
    noise that is smaller off the diagonal by sqrt 2. Proof page: proofs/matrix_noise.
    """

    kind: ClassVar[str] = "mirrored_gaussian"
    exact: ClassVar[bool] = True
    gives: ClassVar[type[Guarantee]] = GaussianDP
    norm: ClassVar[Norm] = L2

    def guarantee(self, sensitivity: Expression) -> GaussianDP:
        """(sensitivity/std)-Gaussian DP."""
        return GaussianDP(sensitivity / self.std)

    @staticmethod
    def sample(
        size: float, shape: tuple[int, ...], rng: np.random.Generator, *, symmetric: bool
    ) -> np.ndarray:
        """Independent normal draws of std `size`, mirrored from the upper triangle for a symmetric
        statistic.
        """
        return mirrored(rng.normal(0.0, size, shape), symmetric=symmetric)

    @staticmethod
    def on_grid(size: Fraction, n: int, bits: Bits) -> np.ndarray:
        """N(0, size^2), rounded to the nearest whole number."""
        from dpframe.randomness import rounded_gaussian

        return rounded_gaussian(bits, size, n)
