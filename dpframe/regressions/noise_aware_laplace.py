"""The noise-aware Gibbs sampler for Laplace noise, which is normal of a random variance."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .noise_aware import Noisy, symmetric

Array = NDArray[Any]
MOST = 150  # numbers beyond which noise is taken for normal: a sweep solves as large a system


@attrs.frozen(eq=False)
class LaplaceNoise(Noisy):
    """Laplace noise of one `size`, the scale, on every number of the upper triangle.

    It is normal with an exponential variance, drawn anew in every sweep from its inverse Gaussian
    law given the noise. [Bernstein19, Sec. 3; ParkC08]
    """

    size: float

    def scattered(self, chains: int, rng: np.random.Generator) -> Array:
        """Laplace noise once more."""
        p = len(self.values)
        noise = rng.laplace(0.0, self.size, (chains, p, p))
        return np.asarray(self.values + np.triu(noise) + np.triu(noise, 1).swapaxes(1, 2))

    def given(self, sums: Array, factor: Array, n: float, rng: np.random.Generator) -> Array:
        """A draw of S and noise without the released values, moved to them by their covariance."""
        chains, p, _ = factor.shape
        i, j = np.triu_indices(p)
        variances = self.variances((self.values - sums)[:, i, j], rng)
        omega = factor @ factor.swapaxes(1, 2)
        normal = n * np.eye(p) + np.sqrt(n) * symmetric((chains, p, p), rng)
        drawn = factor @ normal @ factor.swapaxes(1, 2)
        noise = np.sqrt(variances) * rng.standard_normal((chains, len(i)))
        gap = self.values[i, j] - drawn[:, i, j] - noise
        covariance = n * (
            omega[:, i[:, None], i] * omega[:, j[:, None], j]
            + omega[:, i[:, None], j] * omega[:, j[:, None], i]
        )
        covariance[:, np.arange(len(i)), np.arange(len(i))] += variances
        solved = np.linalg.solve(covariance, gap[:, :, None])[:, :, 0]
        multipliers = np.zeros((chains, p, p))
        multipliers[:, i, j] = solved
        both = multipliers + multipliers.swapaxes(1, 2)  # twice the diagonal
        return np.asarray(drawn + n * (omega @ both @ omega))

    def variances(self, noise: Array, rng: np.random.Generator) -> Array:
        """Of noise as found: 1/variance is inverse Gaussian of mean 1/(size |noise|) and shape
        1/size^2.
        """
        least = np.finfo(float).eps * self.size
        inverse = rng.wald(1 / (self.size * np.maximum(np.abs(noise), least)), self.size**-2)
        return np.asarray(1 / np.maximum(inverse, np.finfo(float).eps / self.size**2))
