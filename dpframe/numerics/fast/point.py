"""The Gaussian privacy profile at one point (epsilon, mu), to a few units of 2^-53.

    delta = phi(t) [R(t) - R(w)],   1 - delta = phi(t) [R(-t) + R(w)],
    t = epsilon/mu - mu/2,          w = epsilon/mu + mu/2.

The arguments are exact doubles, and t is found to twice their precision, since an error of t is
magnified t times in delta.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .mills import ROOT_2PI, Reals, is_close, mills, spread

Signs = NDArray[np.float64]
"""+1 where delta is meant, -1 where 1 - delta is; the latter only where t <= 0.75."""

_FAR = 64.0  # phi(64) is 0 in doubles
_CUT = 600.0
_PHI_0 = float(1 / ROOT_2PI)
_PHI_0_REST = float(1 / (ROOT_2PI * Fraction(_PHI_0)) - 1)
_SPLITTER = 134217729.0  # 2^27 + 1


class Point(NamedTuple):
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
        return np.exp(-np.minimum(self.exponent, _CUT)), np.exp(
            -np.maximum(self.exponent - _CUT, 0)
        )


def point(epsilon: Reals, mu: Reals, sign: Signs) -> Point:
    """The profile at epsilon >= 0 and mu > 0, both finite."""
    x, t, rest = _centre(epsilon, mu)
    w = x + mu / 2
    tail = mills(w)
    brackets = mills(np.maximum(sign * t, -0.75)) - sign * tail
    close = (sign > 0) & is_close(x, mu)
    brackets[close] = spread(x[close], mu[close])
    square, error = _product(t, t)
    return Point(t, w, square / 2, _PHI_0_REST - (error / 2 + t * rest), brackets, tail)


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
