"""Eigenvalues and eigenvectors of X'X, estimated from X'X plus symmetric Gaussian noise."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@attrs.frozen(eq=False)
class Spectrum:
    """Positive eigenvalues (d,), and orthonormal vectors as columns (d, d)."""

    values: Array
    vectors: Array

    @property
    def matrix(self) -> Array:
        """The positive definite matrix that they make, (d, d)."""
        made: Array = (self.vectors * self.values) @ self.vectors.T
        return made


def spectrum(gram: Array, std: float, least: float) -> Spectrum:
    """Of a released gram (d, d) with noise of `std` on the diagonal and std/sqrt 2 off it: vectors
    as they are, values shrunken together, made nonnegative, and `least` stds at least.
    """
    values, vectors = np.linalg.eigh(gram)
    kept = nonnegative(increasing(shrunken(values, std)))
    return Spectrum(np.maximum(kept, least * std), vectors)


def shrunken(values: Array, std: float) -> Array:
    """Noisy eigenvalues (d,), moved towards each other: value_i - std^2 sum_j 1/(value_i -
    value_j), which minimises Stein's unbiased estimate of the squared Frobenius error up to the
    slopes of the corrections. Their sum stays. [Stein86; BunABP16]
    """
    tiny = np.finfo(float).eps * (np.abs(values).max(initial=0) + std)
    pushes = np.array([_push(values, i, tiny) for i in range(len(values))])
    moved: Array = values - std**2 * pushes
    return moved


def noise_left(values: Array, std: float, hidden: float) -> Array:
    """The part of the noise on X'X that a coefficient along each direction (d,) still brings after
    eigenvalues were shrunken, from 0 to 1.

    Directions with eigenvalues nearer to each other than std sqrt(d/2) are not told apart
    [BunABP16]: shrunken, X'X is a multiple of the identity among m of them, and is off by what
    their true eigenvalues vary, not by the noise. Its entries there have mean squares of about the
    variance of eigenvalues over m: that of the shrunken ones, and `hidden` std^2 that they do not
    show; between other directions they have the std^2/2 of the noise.
    """
    d = len(values)
    near = np.abs(values[:, None] - values) <= std * np.sqrt(d / 2)
    alike = near.sum(axis=1)
    middle = (near @ values) / alike
    spread = np.maximum((near @ values**2) / alike - middle**2, 0.0) / max(std**2, 1e-300)
    among = np.minimum(2 * (spread + hidden) / alike, 1.0)
    found: Array = (d - alike + alike * among) / d
    return found


def _push(values: Array, i: int, tiny: float) -> float:
    """The sum over j of 1/(value_i - value_j), no gap below `tiny`."""
    gaps = np.delete(values[i] - values, i)
    safe = np.where(np.abs(gaps) < tiny, np.copysign(tiny, gaps), gaps)
    return float(np.sum(1 / safe))


def increasing(values: Array) -> Array:
    """The nearest increasing sequence: neighbours out of order are averaged. [Stein86]"""
    from scipy.optimize import isotonic_regression

    found: Array = isotonic_regression(values).x
    return found


def nonnegative(values: Array) -> Array:
    """The nearest nonnegative numbers of the same sum (d,); zeros where the sum is not positive."""
    total = float(np.sum(values))
    if not total > 0:
        return np.zeros_like(values)
    down = np.sort(values)[::-1]
    levels = (np.cumsum(down) - total) / np.arange(1, len(down) + 1)
    level = levels[np.nonzero(down > levels)[0][-1]]
    kept: Array = np.maximum(values - level, 0.0)
    return kept
