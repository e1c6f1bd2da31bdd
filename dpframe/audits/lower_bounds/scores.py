"""Scores of draws: logarithms of the density of noise, or learned where nobody says what their law
is. A wrong one costs power, not truth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpframe.mechanisms import AdditiveNoise, L2Laplace
from dpframe.mechanisms.base import PureNoise, StdNoise

from .threshold_events import Reals


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


Array: TypeAlias = NDArray[Any]
Score: TypeAlias = Callable[[Array], Reals]
ATOMS = 500  # as many different answers are counted one by one
NEIGHBOURS = 8  # coordinates, up to which nearest neighbours are asked
TINY = 1e-9


def fitted(first: Array, second: Array) -> Score:
    """The best of several scores: learned on two thirds of the draws, compared on the third."""
    cut = 2 * len(first) // 3
    learned = [make(first[:cut], second[:cut]) for make in _makers(first, second)]
    apart = [_apart(score(first[cut:]), score(second[cut:])) for score in learned]
    best = int(np.argmax(apart))
    return _makers(first, second)[best](first, second)


def _makers(first: Array, second: Array) -> list[Callable[[Array, Array], Score]]:
    different = len(np.unique(np.vstack([first, second]), axis=0))
    if different <= min(ATOMS, len(first) // 4):
        return [counted]
    smooth: list[Callable[[Array, Array], Score]] = [linear, quadratic]
    return [*smooth, near] if first.shape[1] <= NEIGHBOURS else smooth


def _apart(first: Reals, second: Reals) -> float:
    """The largest gap of their distributions."""
    cuts = np.unique(np.concatenate([first, second]))
    one, other = (np.searchsorted(np.sort(part), cuts, side="right") for part in (first, second))
    return float(np.max(np.abs(one / len(first) - other / len(second))))


def counted(first: Array, second: Array) -> Score:
    """The logarithm of how often each answer came, with a half added to each."""
    seen, place = np.unique(np.vstack([first, second]), axis=0, return_inverse=True)
    split = len(first)
    ones, others = (
        np.bincount(part, minlength=len(seen)) + 0.5
        for part in (place.ravel()[:split], place.ravel()[split:])
    )
    known = {
        row.tobytes(): float(value) for row, value in zip(seen, np.log(ones / others), strict=True)
    }

    def score(rows: Array) -> Reals:
        wanted, back = np.unique(rows, axis=0, return_inverse=True)
        values = np.array([known.get(row.tobytes(), 0.0) for row in wanted])
        return np.asarray(values[back.ravel()])

    return score


def linear(first: Array, second: Array) -> Score:
    """Fisher's discriminant."""
    pooled = (_covariance(first) + _covariance(second)) / 2
    direction = np.linalg.solve(pooled, first.mean(axis=0) - second.mean(axis=0))
    return lambda rows: np.asarray(rows @ direction)


def quadratic(first: Array, second: Array) -> Score:
    """The ratio of two normal densities."""
    one, other = _normal(first), _normal(second)
    return lambda rows: np.asarray(one(rows) - other(rows))


def near(first: Array, second: Array) -> Score:
    """The share of the first table among the nearest draws."""
    from scipy.spatial import cKDTree

    both = np.vstack([first, second])
    middle, spread = np.median(both, axis=0), np.std(both, axis=0) + TINY
    tree = cKDTree((both - middle) / spread)
    k = int(np.sqrt(len(first)))

    def score(rows: Array) -> Reals:
        _, found = tree.query((rows - middle) / spread, k=k)
        return np.asarray((found < len(first)).mean(axis=1))

    return score


def _covariance(rows: Array) -> Array:
    found = np.atleast_2d(np.cov(rows.T))
    ridge = TINY * max(float(np.trace(found)), TINY)
    return np.asarray(found + ridge * np.eye(len(found)))


def _normal(rows: Array) -> Score:
    mean, covariance = rows.mean(axis=0), _covariance(rows)
    inverse, (_, log) = np.linalg.inv(covariance), np.linalg.slogdet(covariance)

    def density(at: Array) -> Reals:
        gaps = at - mean
        return np.asarray(-(np.einsum("ni,ij,nj->n", gaps, inverse, gaps) + log) / 2)

    return density
