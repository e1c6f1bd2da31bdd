"""Complex functions from real ones, each with a bound on its absolute error.

numpy's real exp, log, sin, cos, sinh, arctan2, hypot, log1p and expm1 are trusted to 4 ulp, as
their authors state, complex products and quotients to 3 and 10 units by the norm;
`tests/pld/losses`
checks every cumulant against ball arithmetic.
"""

from __future__ import annotations

import numpy as np

from .base import UNIT, Complexes, Reals

TINY = 1e-290
"""In units of rounding: far more than what underflow loses of a parameter or of a square."""


def log1p(u: Complexes, error: Reals) -> tuple[Complexes, Reals]:
    """log(1 + u) for u known up to `error`, and a bound on its error; infinite near 1 + u = 0."""
    size = np.abs(u)
    small = size < 0.5
    squared = np.where(small, 2 * u.real + size * size, 0.0)
    whole = np.maximum(np.abs(1 + u), 1e-300)
    modulus = np.where(small, 0.5 * np.log1p(squared), np.log(np.where(small, 1.0, whole)))
    value = modulus + 1j * np.arctan2(u.imag, 1 + u.real)
    relative = (error + 8 * UNIT * size) / whole
    bound = 1.01 * relative + np.where(small, 8 * UNIT * size / whole**2, 12 * UNIT)
    return value, np.where(relative < 0.01, bound + 8 * UNIT * np.abs(value), np.inf)


def cosh_minus_one(x: Complexes) -> Complexes:
    """cosh x - 1 = 2 sinh(x/2)^2, accurate near 0; meant for |Re x| of order 1."""
    half = x / 2
    a, b = half.real, half.imag
    root = np.sinh(a) * np.cos(b) + 1j * np.cosh(a) * np.sin(b)
    return 2 * root * root


def sinhc(x: Complexes) -> Complexes:
    """sinh(x)/x; meant for |Re x| of order 1."""
    a, b = x.real, x.imag
    value = np.sinh(a) * np.cos(b) + 1j * np.cosh(a) * np.sin(b)
    tiny = np.abs(x) < 1e-9
    return np.where(tiny, 1.0, value / np.where(tiny, 1.0, x))
