"""What clipping does to a normal residual: the slope that is left, the noise that it adds, and the
variance before it, from that after it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

ROUNDS = 60  # halvings of an interval of widths over stds
MOST = 20.0  # widths over stds beyond which nothing is clipped


def kept_slope(ratio: Array) -> Array:
    """P(|u| <= w) for u ~ N(0, s^2) and ratio = w/s: by Stein's lemma the factor on X'X theta in
    X'clip(x'theta + e, w).
    """
    from scipy.special import erf

    slope: Array = erf(np.asarray(ratio) / np.sqrt(2))
    return slope


def clipped_square(ratio: Array) -> Array:
    """E clip(u, w)^2/s^2 for u ~ N(0, s^2), ratio = w/s: at most 1, and at most ratio^2."""
    ratio = np.minimum(ratio, MOST)
    density = np.exp(-(ratio**2) / 2) / np.sqrt(2 * np.pi)
    slope = kept_slope(ratio)
    square: Array = slope - 2 * ratio * density + ratio**2 * (1 - slope)
    return square


def added_share(ratio: Array) -> Array:
    """E (clip(u, w) - slope u)^2/(s slope)^2, what clipping adds to noise: 0 without it."""
    slope = kept_slope(ratio)
    added: Array = np.maximum(clipped_square(ratio) - slope**2, 0.0) / slope**2
    return added


def skewed_share(ratio: Array) -> Array:
    """E (u - clip(u, w))^2/s^2 for u + s exponential of mean s, ratio = w/s at least 1: 2
    exp(-1 - ratio). What is lost may be this much where residuals are not normal.
    """
    lost: Array = 2 * np.exp(-1 - ratio)
    return lost


def skewed_shift(ratio: Array) -> Array:
    """E (u - clip(u, w))/s for the same u: exp(-1 - ratio), what clips may move a mean by."""
    moved: Array = np.exp(-1 - ratio)
    return moved


def square_before(square: float, width: float) -> float:
    """The variance s^2 of normal labels whose mean square after clipping to [-width, width] is
    `square`; where that is so near width^2 that the labels fill the interval, at most width^2 10^4.
    """
    share = square / width**2
    low, high = 0.01, MOST
    for _ in range(ROUNDS):
        ratio = (low + high) / 2
        narrower = float(clipped_square(np.asarray(ratio))) / ratio**2 > share
        low, high = (ratio, high) if narrower else (low, ratio)
    return square if share <= 1 / MOST**2 else width**2 / ((low + high) / 2) ** 2
