"""What descents do with released gradients: ordinary numpy on noisy values and public numbers."""

from __future__ import annotations

import math

import numpy as np

from .solve import Array, Fit


def descend(  # noqa: PLR0917 - dp.loop passes by position
    theta: Array, gradient: Array, turn: int, n: float, least: float, pace: float, radius: float
) -> Array:
    """The next point, shape (d,): pace/n of the summed gradient down, then onto |theta| <= radius.
    A released n counts as at least `least`, 1 or more.
    """
    del turn
    moved = theta - (pace / max(n, least, 1.0)) * gradient
    return projected(moved, radius)


def projected(theta: Array, radius: float) -> Array:
    """The nearest point of the ball, shape (d,); zeros for what is not finite."""
    if not np.isfinite(theta).all():
        return np.zeros_like(theta)
    largest = float(np.max(np.abs(theta), initial=0.0))
    scaled = theta / (largest or 1.0)
    length = float(np.linalg.norm(scaled))
    inside = largest <= radius / max(length, 1.0)
    return theta if inside else scaled * (radius / length)


def averaged(path: Array, share: float) -> Fit:
    """The mean of the last `share` of the points of a path, shape (T + 1, d), the last one at
    least; never the first, which is 0.
    """
    rounds = len(path) - 1
    last = min(max(1, math.ceil(share * rounds)), rounds)
    return Fit(np.mean(path[-last:], axis=0))
