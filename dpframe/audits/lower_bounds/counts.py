"""Bounds on a probability from how often an event was seen: exact binomial, whatever the event."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

Reals: TypeAlias = NDArray[np.float64]
ROUNDING = 1e-11  # what the inverse of the incomplete beta function may be off by, and more


def at_least(hits: ArrayLike, draws: int, failing: float) -> Reals:
    """A lower bound on the probability of an event that was seen `hits` times in `draws`
    independent draws; too large with probability at most `failing`. [ClopperP34]
    """
    seen = np.asarray(hits, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        found = betaincinv(np.maximum(seen, 1), draws - np.maximum(seen, 1) + 1, failing)
    return np.where(seen > 0, np.maximum(found * (1 - ROUNDING) - ROUNDING, 0.0), 0.0)


def at_most(hits: ArrayLike, draws: int, failing: float) -> Reals:
    """An upper bound, too small with probability at most `failing`. [ClopperP34]"""
    misses = draws - np.asarray(hits, dtype=np.float64)
    return 1.0 - at_least(misses, draws, failing)
