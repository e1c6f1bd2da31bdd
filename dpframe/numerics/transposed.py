"""How far apart two neighbours are when a posterior is sampled with the factor transposed."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr


def transposed_delta(n: int, epsilon: float, gamma: float, penalty: float) -> float:
    """A lower bound on delta(epsilon) between n rows (1, 1)/sqrt 2 with label 0 and the same with
    one row (1, -1)/sqrt 2 with label 1: of events along one line, in double precision.
    """
    row, other = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
    gram = n * np.outer(row, row) + penalty * np.eye(2)
    one, mean = gram + np.outer(other, other), other / (penalty + 1)
    covariances = [_covariance(gram, gamma), _covariance(one, gamma)]
    found = [_along(turn, mean, covariances, epsilon) for turn in np.linspace(0, np.pi, 721)]
    return float(max(found))


def _covariance(system: np.ndarray, gamma: float) -> np.ndarray:
    factor = np.linalg.inv(np.linalg.cholesky(system))
    return np.asarray(factor @ factor.T / gamma)


def _along(turn: float, mean: np.ndarray, covariances: list[np.ndarray], epsilon: float) -> float:
    """The best half-line or its complement along one direction, in both orders."""
    line = np.array([np.cos(turn), np.sin(turn)])
    at, spread = line @ mean, [float(np.sqrt(line @ c @ line)) for c in covariances]
    ends = np.linspace(-12, 12, 241) * max(spread) + np.array([[0.0], [at]])
    p, q = ndtr(ends / spread[0]), ndtr((ends - at) / spread[1])
    sides = [p, 1 - p], [q, 1 - q]
    gaps = [a - np.exp(epsilon) * b for a, b in zip(*sides, strict=True)]
    gaps += [b - np.exp(epsilon) * a for a, b in zip(*sides, strict=True)]
    return float(np.max(gaps))
