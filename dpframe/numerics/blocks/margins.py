"""x'theta of rows on a grid: exact sums, so that a row's is a function of that row and theta alone,
whatever stands around it in memory.

Rows are whole numbers k, |k| <= 2^bits in 2-norm. theta becomes whole numbers t with |t| < 2^(53 -
bits). By Cauchy-Schwarz every sum of products k_j t_j, over whichever columns, is below 2^53: exact
in doubles in any order, with or without fused operations. Proof page: proofs/divided.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

FAR = 1e150  # beyond it, a margin has a square that may overflow
DIGITS = 53  # bits of whole numbers that doubles hold
HUGE = 1e300  # any margin but 0 in steps of this size is far


def margins_on_grid(steps: Array, theta: Array, step: float, bits: int) -> Array:
    """x'theta of each row, shape (m,), in [-1e150, 1e150]: `steps` are the rows in whole steps,
    shape (m, d), and theta, shape (d,), is finite.
    """
    whole, exponent = whole_coefficients(theta, DIGITS - bits)
    with np.errstate(all="ignore"):  # a warning would tell of the data
        size = min(float(np.ldexp(step, exponent)), HUGE)
        margins: Array = np.clip((steps @ whole) * size, -FAR, FAR)
    return margins


def whole_coefficients(theta: Array, bits: int) -> tuple[Array, int]:
    """(t, e): theta in steps of 2^e, rounded towards zero to whole numbers, |t| < 2^bits in 2-norm,
    since each of the d entries is below 2^bits/sqrt(d).
    """
    _, largest = math.frexp(float(np.max(np.abs(theta), initial=0.0)))  # all are below 2^largest
    places = bits - (len(theta).bit_length() + 1) // 2
    with np.errstate(under="ignore"):
        return np.trunc(np.ldexp(theta, places - largest)), largest - places


def margins(rows: Array, theta: Array) -> Array:
    """x'theta of each row, shape (m,), in [-1e150, 1e150]. Added column by column, so that a row's
    is the same to the last bit wherever it stands.
    """
    size = float(np.max(np.abs(theta), initial=0.0))
    found = np.zeros(len(rows))
    with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of the data
        for column, coefficient in zip(rows.T, theta / (size or 1.0), strict=True):
            found += column * coefficient
        reached: Array = np.clip(np.nan_to_num(found * size), -FAR, FAR)
    return reached
