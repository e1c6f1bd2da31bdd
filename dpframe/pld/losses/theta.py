"""Jacobi's theta series, where four terms a side are all that a double can see."""

from __future__ import annotations

import numpy as np

from .base import UNIT, Complexes, Reals

_TERMS = 4
_TAIL = 4e-23  # sum_(k > 4) of both sides, e^(-g k (k - 3/2)) and less, for g >= 3


def theta_minus_one(g: Reals, w: Complexes, moved: Reals) -> tuple[Complexes, Reals]:
    """2 sum_(k >= 1) e^(-g k^2) cosh(k w) for g >= 3 and |Re w| <= g, with a bound on its error.

    g is known up to 6 units, w up to `moved`; |Re w| may pass g by as much. The bound is infinite
    where `moved` is too large to say anything.
    """
    value = np.zeros(np.broadcast(g, w).shape, dtype=np.complex128)
    error = np.full(value.shape, _TAIL)
    lost = moved > g / 2
    for k in (*range(1, _TERMS + 1), *range(-_TERMS, 0)):
        depth = k * k * g - k * w.real
        lost = lost | (depth < -1)
        depth = np.maximum(depth, -1)
        size = np.exp(-depth)
        value += size * (np.cos(k * w.imag) + 1j * np.sin(k * w.imag))
        off = UNIT * (10 * k * k * g + 4 * abs(k) * np.abs(w)) + abs(k) * moved
        error += np.exp(np.minimum(off - depth, 9)) * np.minimum(off, 2) + 40 * UNIT * size
    return value, np.where(lost, np.inf, error)
