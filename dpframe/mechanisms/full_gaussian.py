"""Gaussian noise that is drawn for every entry of a symmetric matrix, which it leaves lopsided."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.privacy import GaussianDP, Guarantee
from dpframe.sensitivity import L2, Norm
from dpframe.symbols import Expression

from .base import StdNoise

if TYPE_CHECKING:
    import numpy as np

    from dpframe.randomness import Bits


@attrs.frozen(cache_hash=True)
class FullGaussian(StdNoise):
    """N(0, std^2) on every number; a symmetric matrix gets a draw for each of its d^2 entries, so
    that what is released of it is not symmetric: what some public code does.

    Guarantees (Delta/std)-Gaussian DP for a statistic of L2 (Frobenius) sensitivity Delta
    [DongRS22, Thm 2.7]: a symmetric move costs exactly what it costs under `Gaussian`, which keeps
    the symmetric part of this noise. Proof page: proofs/matrix_noise.
    """

    kind: ClassVar[str] = "full_gaussian"
    symmetric: ClassVar[bool] = False
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
        """Independent normal draws of std `size`, whether the statistic is symmetric or not."""
        del symmetric
        return rng.normal(0.0, size, shape)

    @staticmethod
    def on_grid(size: Fraction, n: int, bits: Bits) -> np.ndarray:
        """N(0, size^2), rounded to the nearest whole number."""
        from dpframe.randomness import rounded_gaussian

        return rounded_gaussian(bits, size, n)
