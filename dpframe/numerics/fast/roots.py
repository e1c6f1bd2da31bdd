"""Where the profile equals delta: Newton steps, then one exact look and a last correction.

log delta is concave in log mu and in epsilon, with slopes in closed form; Newton starts on the side
from which it cannot overshoot, and follows the curvature near the root of mu. (For delta > 1/2,
log(1 - delta) takes its place.) What the steps leave is mended by the profile at the double that
they found.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..calibrate import analytic_mu, profile_epsilon
from .mills import Reals, mills
from .point import Signs, point

_STEPS = 60
_ENOUGH = 1e-7  # of log delta: the correction is of second order
_ENOUGH_BENT = 0.02  # of log delta: the step that follows leaves its third power
_LOG_ROOT_2PI = math.log(2 * math.pi) / 2
_SHORT = 0.5  # beyond, Newton's step alone cannot overshoot
_NARROW = 1e-4
_NEARBY = 1e-4


def root_mu(epsilon: Reals, delta: Reals) -> Reals:
    """The mu with delta(epsilon; mu) = delta, before any rounding to a side."""
    sign, target = _side(delta)
    goal = np.log(target) + _LOG_ROOT_2PI
    mu = np.maximum(_mu_of_one_tail(epsilon, -ndtri(delta)), _mu_at_zero(delta))
    sought = np.arange(mu.size)  # the others rest: no answer depends on its neighbours
    for _ in range(_STEPS):
        gap, step = _step(epsilon[sought], mu[sought], sign[sought], goal[sought])
        mu[sought] *= np.exp(step)
        sought = sought[~(np.abs(gap) <= _ENOUGH_BENT)]
        if not sought.size:
            break
    at = point(epsilon, mu, sign)
    slope = sign * mu / at.brackets  # d log value / d log mu
    first = -at.log_over(target) / slope
    second = _bent(first, 1 + at.t * at.w - slope)
    root = mu + mu * np.expm1(second)
    return _or_proved(analytic_mu, root, np.abs(first) < _NEARBY, epsilon, delta)


def root_epsilon(delta: Reals, mu: Reals) -> tuple[Reals, Reals]:
    """The epsilon with delta(epsilon; mu) = delta, before any rounding, for delta < delta(0; mu);
    and how far it moves when log delta (or log(1 - delta), for delta > 1/2) moves by 1.
    """
    sign, target = _side(delta)
    goal = np.log(target) + _LOG_ROOT_2PI
    t = -ndtri(delta)
    sought = np.ones_like(t, dtype=np.bool_)
    for _ in range(_STEPS):
        brackets, tail = _brackets(t, np.maximum(t + mu, 0), mu, sign)
        gap = np.log(brackets) - t * t / 2 - goal
        t = np.where(sought, t + sign * gap * (brackets / mu) / tail, t)
        sought &= ~(np.abs(gap) <= _ENOUGH)
        if not np.any(sought):
            break
    epsilon = np.minimum(mu * np.maximum(t + mu / 2, 0), np.finfo(float).max)
    at = point(epsilon, mu, sign)
    moves = at.brackets / at.tail
    over = sign * at.log_over(target)
    root = np.maximum(epsilon + over * moves, 0)
    return _or_proved(profile_epsilon, root, np.abs(over) < _NEARBY, delta, mu), moves


def _step(epsilon: Reals, mu: Reals, sign: Signs, goal: Reals) -> tuple[Reals, Reals]:
    """How far log delta is from its goal, and the step in log mu."""
    x, half = epsilon / mu, mu / 2
    t, w = x - half, x + half
    brackets = _brackets(t, w, mu, sign)[0]
    gap, slope = np.log(brackets) - t * t / 2 - goal, sign * mu / brackets
    return gap, _bent(-gap / slope, 1 + t * w - slope)


def _bent(step: Reals, bend: Reals) -> Reals:
    """Newton's step in log mu, corrected for the curvature where it is short (Chebyshev's)."""
    share = bend * step / 2
    return np.where(np.abs(share) < _SHORT, step - share * step, step)


def _or_proved(
    proved: Callable[[float, float], float],
    root: Reals,
    found: NDArray[np.bool_],
    first: Reals,
    second: Reals,
) -> Reals:
    """The root where it was found; elsewhere (far outside the usual domain) from its slow twin."""
    for i in np.flatnonzero(~found):
        root[i] = proved(float(first[i]), float(second[i]))
    return root


def _side(delta: Reals) -> tuple[Signs, Reals]:
    """Which of delta and 1 - delta is at most 1/2, and that one, exactly."""
    return np.where(delta > 0.5, -1.0, 1.0), np.where(delta > 0.5, 1 - delta, delta)


def _brackets(t: Reals, w: Reals, mu: Reals, sign: Signs) -> tuple[Reals, Reals]:
    """R(t) - R(w), or R(-t) + R(w), to about eight digits; and R(w)."""
    near, tail = mills(np.maximum(sign * t, -0.75)), mills(w)
    narrow = mu * (1 - (t * near + w * tail) / 2)  # the mean of R' = x R - 1 at the two ends
    return np.where((sign > 0) & (mu < _NARROW), narrow, near - sign * tail), tail


def _mu_of_one_tail(epsilon: Reals, z: Reals) -> Reals:
    """The mu with epsilon/mu - mu/2 = z: at most the root if Pr[Z > z] = delta."""
    root = np.hypot(z, math.sqrt(2) * np.sqrt(epsilon))
    return np.where(z > 0, epsilon / ((z + root) / 2), root - z)


def _mu_at_zero(delta: Reals) -> Reals:
    """The root at epsilon = 0, where delta = 2 Phi(mu/2) - 1; at most about a double above it."""
    small = delta * math.sqrt(2 * math.pi)
    return np.where(delta < 1e-8, small, -2 * ndtri((1 - delta) / 2))
