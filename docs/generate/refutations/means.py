"""Lower bounds on means of simulated numbers, with confidence 1 - 1e-9.

[MaurerP09, Thm 4]: of N independent numbers in [0, 1] with sample variance V, the mean is at least
the average - sqrt(2 V l / N) - 7 l / (3 (N - 1)), l = log(2/alpha), with confidence 1 - alpha.
"""

from __future__ import annotations

import math

import numpy as np

_LOG = math.log(2e9)


def mean_at_least(numbers: np.ndarray, low: float, high: float) -> float:
    """A lower bound on the mean of independent numbers >= `low`; those above `high` count as it.

    Both limits are chosen without a look at the numbers.
    """
    cut = (np.minimum(numbers, high) - low) / (high - low)
    spread = math.sqrt(2 * float(np.var(cut, ddof=1)) * _LOG / cut.size)
    bound = float(np.mean(cut)) - spread - 7 * _LOG / (3 * (cut.size - 1))
    return float(low + (high - low) * bound)
