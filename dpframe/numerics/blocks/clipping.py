"""Projection and normalisation of rows, a block at a time, without a copy where nothing changes.

Lengths are right up to rounding, |x| <= norm (1 + (d + 8) 2^-53), for every finite row and every
norm above 1e-290: where squares overflow or underflow, rows are divided by their largest entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Norms between these have squares that neither overflow nor lose digits to underflow.
SHORT, LONG = 1e-140, 1e140


def squared_norms(block: Array) -> Array:
    """|x|^2 of each row, shape (m,); infinite where it overflows, not finite where x is not.

    Added column by column, so that a row's is the same to the last bit wherever it stands.
    """
    squares: Array = np.zeros(len(block))
    with np.errstate(over="ignore"):
        for column in block.T:
            squares += column * column
    return squares


def project(block: Array, norm: float) -> Array:
    """Rows longer than `norm` scaled onto it, shape (m, d); `block` itself where there are none.

    Domain: finite rows and norm > 1e-290.
    """
    if not SHORT <= norm <= LONG:
        return _project_any(block, norm)
    known = squared_norms(block)
    outside = known > norm * norm
    if not outside.any():
        return block
    factors = np.ones(len(block))
    np.divide(norm, np.sqrt(known), out=factors, where=outside)
    projected: Array = block * factors[:, None]
    overflowed = np.isinf(known)
    if overflowed.any():
        projected[overflowed] = _directions(block[overflowed]) * norm
    return projected


def shrinking(block: Array, norm: float) -> Array | None:
    """min(1, norm/|x|) of each row, shape (m,): what `project` multiplies it by; None where there
    is nothing to shrink. Domain: finite rows and norm > 1e-290.
    """
    largest, scaled = _scaled(block)
    lengths = np.sqrt(squared_norms(scaled))
    outside = largest > norm / np.maximum(lengths, 1.0)
    if not outside.any():
        return None
    factors = np.ones(len(block))
    np.divide(norm / np.maximum(lengths, 1.0), largest, out=factors, where=outside)
    return factors


def normalize(block: Array) -> Array:
    """Each row over its own 2-norm, shape (m, d); a zero row becomes the first unit vector.

    Domain: finite rows.
    """
    known = squared_norms(block)
    far = (known < SHORT**2) | (known > LONG**2)
    normalized: Array = block * (1 / np.sqrt(np.where(far, 1.0, known)))[:, None]
    if far.any():
        normalized[far] = _directions(block[far])
    return normalized


def _project_any(block: Array, norm: float) -> Array:
    """`project` where the square of the norm itself may overflow or underflow."""
    largest, scaled = _scaled(block)
    lengths = np.sqrt(squared_norms(scaled))
    outside = largest > norm / np.maximum(lengths, 1.0)
    if not outside.any():
        return block
    projected: Array = block.copy()
    projected[outside] = scaled[outside] / lengths[outside, None] * norm
    return projected


def _directions(block: Array) -> Array:
    """x/|x|, and the first unit vector for a zero row, however large or small the entries."""
    largest, scaled = _scaled(block)
    if block.shape[1]:
        scaled[largest == 0, 0] = 1.0
    directions: Array = scaled / np.sqrt(squared_norms(scaled))[:, None]
    return directions


def _scaled(block: Array) -> tuple[Array, Array]:
    """Each row's largest |entry|, shape (m,), and the rows divided by it (unless it is 0)."""
    largest: Array = np.max(np.abs(block), axis=1, initial=0.0)
    return largest, block / np.where(largest == 0, 1.0, largest)[:, None]
