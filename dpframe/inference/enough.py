"""Whether what noise takes is little beside what sampling takes, so that no residual is worth
another look at the table.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .evidence import Evidence
from .shrinkage import Posterior

Array = NDArray[Any]

LITTLE = 0.15  # of what sampling takes
CLEAR = 2.0  # of residuals, in stds of the noise on their sum; of eigenvalues, in edges of noise


def sampling_rules(evidence: Evidence, fit: Posterior, gained: float) -> bool:
    """Whether the expected excess error that noise makes is at most LITTLE of what sampling makes,
    if the variance of the noise on X'y is divided by `gained`; False where an eigenvalue of X'X or
    the size of residuals is not clear of noise.
    """
    values = fit.spectrum.values
    edge = evidence.gram_std * math.sqrt(len(values) / 2)
    if not values.min() > CLEAR * edge:
        return False
    turned = fit.spectrum.vectors.T @ fit.mean
    twisted = evidence.gram_std**2 / 2 * (turned @ turned + turned**2)
    private = float(np.sum((evidence.moments[0].std ** 2 / gained + twisted) / values))
    variance = residual_variance(evidence, fit.mean, fit.count)
    return variance > 0 and private <= LITTLE * len(values) * variance


def residual_variance(evidence: Evidence, theta: Array, count: float) -> float:
    """That of residuals at theta (d,), from below by CLEAR stds of the noise on it; at least 0."""
    moment = evidence.moments[0]
    left = evidence.squares - 2 * theta @ moment.moment + theta @ evidence.gram @ theta
    length = float(theta @ theta)
    stds = (evidence.squares_std, 2 * moment.std * math.sqrt(length), evidence.gram_std * length)
    return max(float(left) - CLEAR * math.hypot(*stds), 0.0) / count
