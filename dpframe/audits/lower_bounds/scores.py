"""Scores of draws: log-ratios of stated densities, or learned where no density is stated. A wrong
score costs power, not truth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpframe.mechanisms import AdditiveNoise, L2Laplace
from dpframe.mechanisms.base import PureNoise, StdNoise

from .bounds import Reals, Scores

Array: TypeAlias = NDArray[Any]
Score: TypeAlias = Callable[[Array], Reals]
Density: TypeAlias = Callable[[Array], Reals | None]
ATOMS = 500  # at most so many different outcomes are counted one by one
NEIGHBOURS = 8  # coordinates, at most, of draws that nearest neighbours classify
TINY = 1e-9


def density_scores(first: Array, second: Array, densities: tuple[Density, Density]) -> Scores:
    """Draws on both tables, (n, ...), scored by the ratio of their log-densities; by a learned
    score where one is not stated.
    """
    ratios = []
    for draws in (first, second):
        one, other = (density(draws) for density in densities)
        if one is None or other is None:
            return learned_scores(first, second)
        ratios.append(one - other)
    return Scores(*ratios)


def log_density(
    kind: type[AdditiveNoise], size: float, noise: Array, *, symmetric: bool
) -> Reals | None:
    """Of noise, (n, *shape), n draws; up to a constant. None for noise of another form."""
    if not issubclass(kind, (PureNoise, StdNoise)):
        return None
    euclidean = issubclass(kind, L2Laplace)
    both = euclidean or (issubclass(kind, StdNoise) and kind.isotropic)
    if symmetric and not both:  # the upper triangle alone is independent
        noise = noise[(..., *np.triu_indices(noise.shape[-1]))]
    flat = noise.reshape(len(noise), -1)
    squares = np.asarray((flat**2).sum(axis=1), dtype=np.float64)
    if euclidean:
        return np.asarray(-np.sqrt(squares) / size)
    if issubclass(kind, PureNoise):
        return np.asarray(-np.abs(flat).sum(axis=1) / size)
    return np.asarray(-squares / (2 * size * size))


def learned_scores(first: Array, second: Array) -> Scores:
    """Scores of draws, (n, ...), learned on their first quarter."""
    first, second = (one.reshape(len(one), -1) for one in (first, second))
    quarter = len(first) // 4
    score = _fitted(first[:quarter], second[:quarter])
    return Scores(score(first), score(second))


def _fitted(first: Array, second: Array) -> Score:
    """The best of several scores: fitted to two thirds of the draws, compared on the third."""
    cut, kinds = 2 * len(first) // 3, _kinds(first, second)
    scores = [fit(first[:cut], second[:cut]) for fit in kinds]
    apart = [_distance(score(first[cut:]), score(second[cut:])) for score in scores]
    return kinds[int(np.argmax(apart))](first, second)


def _kinds(first: Array, second: Array) -> list[Callable[[Array, Array], Score]]:
    different = len(np.unique(np.vstack([first, second]), axis=0))
    if different <= min(ATOMS, len(first) // 4):
        return [_frequencies]
    few = first.shape[1] <= NEIGHBOURS
    return [_linear, _quadratic, *([_nearest_neighbours] if few else [])]


def _distance(first: Reals, second: Reals) -> float:
    """The largest gap between two empirical distributions (Kolmogorov-Smirnov)."""
    cuts = np.unique(np.concatenate([first, second]))
    one, other = (np.searchsorted(np.sort(part), cuts, side="right") for part in (first, second))
    return float(np.max(np.abs(one / len(first) - other / len(second))))


def _frequencies(first: Array, second: Array) -> Score:
    """The log-ratio of the frequencies of each outcome, with a half added to each count."""
    outcomes, place = np.unique(np.vstack([first, second]), axis=0, return_inverse=True)
    places = np.split(place.ravel(), [len(first)])
    ones, others = (np.bincount(part, minlength=len(outcomes)) + 0.5 for part in places)
    logs = zip(outcomes, np.log(ones / others), strict=True)
    values = {row.tobytes(): float(value) for row, value in logs}

    def score(rows: Array) -> Reals:
        different, back = np.unique(rows, axis=0, return_inverse=True)
        return np.array([values.get(row.tobytes(), 0.0) for row in different])[back.ravel()]

    return score


def _linear(first: Array, second: Array) -> Score:
    """Fisher's discriminant."""
    pooled = (_covariance(first) + _covariance(second)) / 2
    direction = np.linalg.solve(pooled, first.mean(axis=0) - second.mean(axis=0))
    return lambda rows: np.asarray(rows @ direction)


def _quadratic(first: Array, second: Array) -> Score:
    """The log-ratio of two fitted normal densities."""
    one, other = _normal(first), _normal(second)
    return lambda rows: np.asarray(one(rows) - other(rows))


def _nearest_neighbours(first: Array, second: Array) -> Score:
    """The share of the first table among the nearest draws."""
    from scipy.spatial import cKDTree

    both = np.vstack([first, second])
    middle, spread = np.median(both, axis=0), np.std(both, axis=0) + TINY
    tree, k = cKDTree((both - middle) / spread), int(np.sqrt(len(first)))

    def score(rows: Array) -> Reals:
        _, nearest = tree.query((rows - middle) / spread, k=k)
        return np.asarray((nearest < len(first)).mean(axis=1))

    return score


def _covariance(rows: Array) -> Array:
    matrix = np.atleast_2d(np.cov(rows.T))
    ridge = TINY * max(float(np.trace(matrix)), TINY)
    return np.asarray(matrix + ridge * np.eye(len(matrix)))


def _normal(rows: Array) -> Score:
    mean, covariance = rows.mean(axis=0), _covariance(rows)
    inverse, (_, log) = np.linalg.inv(covariance), np.linalg.slogdet(covariance)

    def density(at: Array) -> Reals:
        gaps = at - mean
        return np.asarray(-(np.einsum("ni,ij,nj->n", gaps, inverse, gaps) + log) / 2)

    return density
