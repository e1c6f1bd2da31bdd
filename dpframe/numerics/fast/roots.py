"""Roots of profile = delta in doubles: Newton steps, then one correction by the accurate profile.

log delta is concave in log mu and in epsilon, with slopes in closed form; Newton starts on the side
from which it cannot overshoot, and follows the curvature near the root of mu. (For delta > 1/2,
log(1 - delta) is used instead.) The last correction evaluates the profile at the double that the
steps end at.

The Mills ratio R(x) = (1 - Phi(x)) / phi(x) and its differences are evaluated without cancellation.
With J_k(x) = int_0^oo s^k exp(-x s - s^2/2) ds, so that R = J_0, the quotients r_k = J_k / J_(k-1)
obey r_k = k / (x + r_(k+1)): a continued fraction of positive numbers, evaluated from a Taylor
polynomial of r_50, whose error the recursion damps.

The Gaussian privacy profile at one point (epsilon, mu), to a few units of 2^-53.

    delta = phi(t) [R(t) - R(w)],   1 - delta = phi(t) [R(-t) + R(w)],
    t = epsilon/mu - mu/2,          w = epsilon/mu + mu/2.

The arguments are exact doubles, and t is found to twice their precision, since an error of t is
magnified t times in delta.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc, ndtri

from ..calibrate import analytic_mu, profile_epsilon

Reals = NDArray[np.float64]

_DEPTH = 49
_DEGREE = 16
_NEAR = 0.5  # below it rounding errors add up along the walk, and 1 - Phi does not cancel
ROOT_2PI = Fraction("2.506628274631000502415765284811045253006986740609938316629923")


def mills(x: Reals) -> Reals:
    """R(x) for x >= -0.75. Worst error measured: 4.7 units of 2^-53."""
    walked = np.maximum(x, _NEAR)
    r = _start(walked)
    for k in range(_DEPTH, 0, -1):
        r = k / (walked + r)
    ratio = 1 / (walked + r)
    near = x < _NEAR
    ratio[near] = _by_erfc(x[near])
    return ratio


def spread(x: Reals, mu: Reals) -> Reals:
    """R(x - mu/2) - R(x + mu/2) where `is_close`. Worst error measured: 3.9 units of 2^-53.

    2 (h J_1 + h^3 J_3 / 3! + ...) at h = mu/2, nested: each term is the one before times
    h^2 / ((x + r_(k+1)) (x + r_(k+2))), and J_1 = r_1 R = 1 / (1 + x (x + r_2)).
    """
    half = mu / 2
    total = np.ones_like(x)
    r = _start(x)
    for k in range(_DEPTH, 2, -2):
        outer = 1 / (x + r)
        inner = 1 / (x + k * outer)
        total = 1 + (half * outer) * (half * inner) * total
        r = (k - 1) * inner
    return mu * (total / (1 + x * (x + r)))


def is_close(x: Reals, mu: Reals) -> NDArray[np.bool_]:
    """Where `spread` gives the difference of two Mills ratios more accurately than subtraction."""
    return np.asarray(mu / 2 <= np.maximum(1.25, 0.4 * x))


def _by_erfc(x: Reals) -> Reals:
    return np.asarray(math.sqrt(math.pi / 2) * np.exp(x * x / 2) * erfc(x * math.sqrt(0.5)))


def _start(x: Reals) -> Reals:
    """r_50 for 0 <= x <= 3; beyond, any value of its size will do."""
    nearby = np.minimum(x, 3)
    value = np.full_like(x, _TAYLOR[-1])
    for coefficient in _TAYLOR[-2::-1]:
        value = value * nearby + coefficient
    return value


def _taylor(k: int) -> tuple[float, ...]:
    """The Taylor coefficients of r_k at 0 for an even k, from r' = r^2 + x r - k.

    Exactly, since the equation magnifies errors as fast as the walk forgets them.
    """
    a = [ROOT_2PI * Fraction(math.prod(range(1, k, 2)), math.prod(range(2, k, 2)) * 2)]
    for n in range(_DEGREE):
        convolved = sum((a[i] * a[n - i] for i in range(n + 1)), Fraction(0))
        a.append((convolved + (a[n - 1] if n else -k)) / (n + 1))
    return tuple(map(float, a))


_TAYLOR = _taylor(_DEPTH + 1)


Signs = NDArray[np.float64]
"""+1 for delta, -1 for 1 - delta; the latter only where t <= 0.75."""

_FAR = 64.0  # phi(64) is 0 in doubles
_CUT = 600.0
_PHI_0 = float(1 / ROOT_2PI)
_PHI_0_REST = float(1 / (ROOT_2PI * Fraction(_PHI_0)) - 1)
_SPLITTER = 134217729.0  # 2^27 + 1


class ProfilePoint(NamedTuple):
    """delta, or 1 - delta, as phi(t) * brackets."""

    t: Reals
    w: Reals
    exponent: Reals
    """t^2 / 2, without its last bits"""
    rest: Reals
    """phi(t) = exp(-exponent) (1 + rest) / sqrt(2 pi), the root as a double"""
    brackets: Reals
    """R(t) - R(w), or R(-t) + R(w)"""
    tail: Reals
    """R(w)"""

    def value(self) -> Reals:
        """Delta, or 1 - delta."""
        first, second = self._exponentials()
        return first * self.brackets * (_PHI_0 * (1 + self.rest)) * second

    def log_over(self, target: Reals) -> Reals:
        """log(value / target) of a value near the target, by the way that rounds less."""
        first, second = self._exponentials()
        far = np.log(first * self.brackets / target * second * _PHI_0)
        near = np.log(self.brackets / target * _PHI_0) - self.exponent
        return np.where(self.exponent < 0.5, near, far) + self.rest

    def _exponentials(self) -> tuple[Reals, Reals]:
        """Two normal doubles, whose product is exp(-exponent); the second is 1 almost always."""
        rest = np.maximum(self.exponent - _CUT, 0)
        return np.exp(-np.minimum(self.exponent, _CUT)), np.exp(-rest)


def point(epsilon: Reals, mu: Reals, sign: Signs) -> ProfilePoint:
    """The profile at epsilon >= 0 and mu > 0, both finite."""
    x, t, rest = _centre(epsilon, mu)
    w = x + mu / 2
    tail = mills(w)
    brackets = mills(np.maximum(sign * t, -0.75)) - sign * tail
    close = (sign > 0) & is_close(x, mu)
    brackets[close] = spread(x[close], mu[close])
    square, error = _product(t, t)
    return ProfilePoint(t, w, square / 2, _PHI_0_REST - (error / 2 + t * rest), brackets, tail)


def _centre(epsilon: Reals, mu: Reals) -> tuple[Reals, Reals, Reals]:
    """epsilon/mu, and epsilon/mu - mu/2 as an unevaluated sum; the latter cut at -64 and 64."""
    mantissa, power = np.frexp(mu)
    scaled = np.ldexp(epsilon, -power)
    x, half = scaled / mantissa, mu / 2
    above, below = x - half > _FAR, x - half < -_FAR
    x = np.where(above, half + _FAR, x)
    product, error = _product(x, mantissa)
    rest = ((scaled - product) - error) / mantissa
    rough = x - half
    moved = rough - x
    rest = rest + ((x - (rough - moved)) + (-half - moved))  # Knuth's sum of two
    t = rough + rest
    rest = rest - (t - rough)
    t = np.where(above, _FAR, np.where(below, -_FAR, t))
    return x, t, np.where(above | below, 0.0, rest)


def _product(a: Reals, b: Reals) -> tuple[Reals, Reals]:
    """a * b = product + error, exactly. [Dekker71]"""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _split(a: Reals) -> tuple[Reals, Reals]:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


_STEPS = 60
_ENOUGH = 1e-7  # of log delta: the correction is of second order
_ENOUGH_CURVED = 0.02  # of log delta: the step that follows leaves its third power
_LOG_ROOT_2PI = math.log(2 * math.pi) / 2
_SHORT = 0.5  # beyond, Newton's step alone cannot overshoot
_NARROW = 1e-4
_NEARBY = 1e-4


def root_mu(epsilon: Reals, delta: Reals) -> Reals:
    """The mu with delta(epsilon; mu) = delta, before any rounding to a side."""
    sign, target = _side(delta)
    log_target = np.log(target) + _LOG_ROOT_2PI
    mu = np.maximum(_mu_of_one_tail(epsilon, -ndtri(delta)), _mu_at_zero(delta))
    active = np.arange(mu.size)  # entries are independent of their neighbours
    for _ in range(_STEPS):
        gap, step = _step(epsilon[active], mu[active], sign[active], log_target[active])
        mu[active] *= np.exp(step)
        active = active[~(np.abs(gap) <= _ENOUGH_CURVED)]
        if not active.size:
            break
    at = point(epsilon, mu, sign)
    slope = sign * mu / at.brackets  # d log value / d log mu
    first = -at.log_over(target) / slope
    second = _corrected(first, 1 + at.t * at.w - slope)
    root = mu + mu * np.expm1(second)
    return _or_proved(analytic_mu, root, np.abs(first) < _NEARBY, epsilon, delta)


def root_epsilon(delta: Reals, mu: Reals) -> tuple[Reals, Reals]:
    """The epsilon with delta(epsilon; mu) = delta, before any rounding, for delta < delta(0; mu);
    and how far it moves when log delta (or log(1 - delta), for delta > 1/2) moves by 1.
    """
    sign, target = _side(delta)
    log_target = np.log(target) + _LOG_ROOT_2PI
    t = -ndtri(delta)
    active = np.ones_like(t, dtype=np.bool_)
    for _ in range(_STEPS):
        brackets, tail = _brackets(t, np.maximum(t + mu, 0), mu, sign)
        gap = np.log(brackets) - t * t / 2 - log_target
        t = np.where(active, t + sign * gap * (brackets / mu) / tail, t)
        active &= ~(np.abs(gap) <= _ENOUGH)
        if not np.any(active):
            break
    epsilon = np.minimum(mu * np.maximum(t + mu / 2, 0), np.finfo(float).max)
    at = point(epsilon, mu, sign)
    moves = at.brackets / at.tail
    over = sign * at.log_over(target)
    root = np.maximum(epsilon + over * moves, 0)
    return _or_proved(profile_epsilon, root, np.abs(over) < _NEARBY, delta, mu), moves


def _step(epsilon: Reals, mu: Reals, sign: Signs, log_target: Reals) -> tuple[Reals, Reals]:
    """log delta less its target, and the step in log mu."""
    x, half = epsilon / mu, mu / 2
    t, w = x - half, x + half
    brackets = _brackets(t, w, mu, sign)[0]
    gap, slope = np.log(brackets) - t * t / 2 - log_target, sign * mu / brackets
    return gap, _corrected(-gap / slope, 1 + t * w - slope)


def _corrected(step: Reals, curvature: Reals) -> Reals:
    """Newton's step in log mu, corrected for the curvature where it is short (Chebyshev's)."""
    share = curvature * step / 2
    return np.where(np.abs(share) < _SHORT, step - share * step, step)


def _or_proved(
    proved: Callable[[float, float], float],
    root: Reals,
    found: NDArray[np.bool_],
    first: Reals,
    second: Reals,
) -> Reals:
    """The root where the steps converged; elsewhere (extreme arguments) the proved one."""
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
