"""The Mills ratio R(x) = (1 - Phi(x)) / phi(x) in doubles, and differences of it, uncancelled.

With J_k(x) = int_0^oo s^k exp(-x s - s^2/2) ds, so that R = J_0, the quotients r_k = J_k / J_(k-1)
obey r_k = k / (x + r_(k+1)): a continued fraction of positive numbers, walked from the far end to
the near one. It starts at a Taylor polynomial of r_50, whose own error the walk forgets.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

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
    """Where the difference of two Mills ratios is to be had from `spread`, not by subtraction."""
    return np.asarray(mu / 2 <= np.maximum(1.25, 0.4 * x))


def _by_erfc(x: Reals) -> Reals:
    tail: Reals = erfc(x * math.sqrt(0.5))
    return math.sqrt(math.pi / 2) * np.exp(x * x / 2) * tail


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
