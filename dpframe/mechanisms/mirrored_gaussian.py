"""Gaussian noise that is drawn for the upper triangle of a symmetric matrix, and mirrored."""

from __future__ import annotations

from typing import ClassVar

import attrs

from .base import Array, Generator, NormalNoise, Shape, mirrored


@attrs.frozen(cache_hash=True)
class MirroredGaussian(NormalNoise):
    """N(0, std^2) on every number; a symmetric matrix gets one draw for each entry of its upper
    triangle, mirrored: what most papers on X'X do.

    Guarantees (Delta/std)-Gaussian DP for a statistic of L2 (Frobenius) sensitivity Delta, since
    the upper triangle moves by no more [DongRS22, Thm 2.7]. `Gaussian` guarantees the same with
    noise that is smaller off the diagonal by sqrt 2. Proof page: proofs/matrix_noise.
    """

    kind: ClassVar[str] = "mirrored_gaussian"
    uneven: ClassVar[bool] = True
    exact: ClassVar[bool] = True

    @staticmethod
    def sample(size: float, shape: Shape, rng: Generator, *, symmetric: bool) -> Array:
        """Independent normal draws of std `size`, mirrored from the upper triangle for a symmetric
        statistic.
        """
        return mirrored(rng.normal(0.0, size, shape), symmetric=symmetric)
