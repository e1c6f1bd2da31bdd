"""Logarithms of the density of noise: what a score reads. A wrong one costs power, not truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.mechanisms import AdditiveNoise, L2Laplace
from dpframe.mechanisms.base import PureNoise, StdNoise

from .events import Reals

Array = NDArray[Any]


def log_density(
    kind: type[AdditiveNoise], size: float, noise: Array, *, symmetric: bool
) -> Reals | None:
    """Of noise, (n, *shape), n draws; up to a constant. None for noise of another form."""
    if issubclass(kind, L2Laplace):
        return np.asarray(
            -np.sqrt(_sum(_entries(noise, symmetric=symmetric, both=True) ** 2)) / size
        )
    if issubclass(kind, PureNoise):
        return np.asarray(-_sum(np.abs(_entries(noise, symmetric=symmetric, both=False))) / size)
    if issubclass(kind, StdNoise):
        squares = _entries(noise, symmetric=symmetric, both=kind.isotropic) ** 2
        return np.asarray(-_sum(squares) / (2 * size * size))
    return None


def _entries(noise: Array, *, symmetric: bool, both: bool) -> Array:
    """(n, m) entries; of a symmetric matrix its upper triangle, unless both triangles count."""
    if not symmetric or both:
        return noise.reshape(len(noise), -1)
    rows, columns = np.triu_indices(noise.shape[-1])
    return np.asarray(noise[..., rows, columns].reshape(len(noise), -1))


def _sum(entries: Array) -> Reals:
    return np.asarray(entries.sum(axis=1), dtype=np.float64)
