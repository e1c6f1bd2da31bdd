"""Noise whose density falls with the 2-norm: pure differential privacy from an L2 sensitivity."""

from __future__ import annotations

import math
from typing import ClassVar

import attrs

from dpframe.sensitivity import L2, Norm
from dpframe.symbols import Expression, sqrt
from dpframe.theory.guarantees import APPROX, PURE

from .base import Array, Calibration, Generator, PureNoise, Shape, Theorem


@attrs.frozen(cache_hash=True)
class L2Laplace(PureNoise):
    """Density proportional to exp(-|z|_2/scale) over all d numbers of a statistic together; of a
    symmetric matrix, to exp(-|Z|_F/scale) over the d = k(k + 1)/2 dimensions of such matrices.

    Guarantees (Delta_2/scale)-DP [HardtT10, Sec 4]. One number has the std sqrt(d + 1) scale.
    Proof page: proofs/matrix_noise.
    """

    kind: ClassVar[str] = "l2_laplace"
    attained: ClassVar[bool] = True
    norm: ClassVar[Norm] = L2
    joint: ClassVar[bool] = True
    isotropic: ClassVar[bool] = True
    pure: ClassVar[Calibration] = Theorem.of("L2Laplace.pure", "[HardtT10, Sec 4]", PURE, APPROX)

    @property
    def deviation(self) -> Expression:
        """sqrt(2) times the scale: that of one number released alone, where it is Laplace noise."""
        return sqrt(2) * self.scale

    def deviation_among(self, entries: Expression) -> Expression:
        """sqrt(entries + 1) times the scale."""
        return sqrt(entries + 1) * self.scale

    @staticmethod
    def sample(size: float, shape: Shape, rng: Generator, *, symmetric: bool) -> Array:
        """One vector of all the numbers of `shape`; where symmetric, independent matrices over its
        last two axes.
        """
        import numpy as np

        normal = rng.normal(size=shape)
        entries, axes = math.prod(shape), tuple(range(len(shape)))
        if symmetric:
            normal = (normal + normal.swapaxes(-1, -2)) / 2
            entries, axes = shape[-1] * (shape[-1] + 1) // 2, axes[-2:]
        length = np.sqrt(np.sum(normal * normal, axis=axes, keepdims=True))
        return np.asarray(normal * (rng.gamma(entries, size, length.shape) / length))
