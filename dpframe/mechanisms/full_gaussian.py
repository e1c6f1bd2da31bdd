"""Gaussian noise that is drawn for every entry of a symmetric matrix, which it leaves lopsided."""

from __future__ import annotations

from typing import ClassVar

import attrs

from .base import Array, Generator, NormalNoise, Shape


@attrs.frozen(cache_hash=True)
class FullGaussian(NormalNoise):
    """N(0, std^2) on every number; a symmetric matrix gets a draw for each of its d^2 entries, so
    that what is released of it is not symmetric: what some public code does.

    Guarantees (Delta/std)-Gaussian DP for a statistic of L2 (Frobenius) sensitivity Delta
    [DongRS22, Thm 2.7]: a symmetric move costs exactly what it costs under `Gaussian`, which keeps
    the symmetric part of this noise. Proof page: proofs/matrix_noise.
    """

    kind: ClassVar[str] = "full_gaussian"
    symmetric: ClassVar[bool] = False
    exact: ClassVar[bool] = True

    @staticmethod
    def sample(size: float, shape: Shape, rng: Generator, *, symmetric: bool) -> Array:
        """Independent normal draws of std `size`, whether the statistic is symmetric or not."""
        del symmetric
        return rng.normal(0.0, size, shape)
