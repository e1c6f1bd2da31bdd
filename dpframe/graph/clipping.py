"""Projection and normalisation of rows, in blocks, without a copy where nothing changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def project(block: Array, norm: float) -> Array:
    """Rows of norm above `norm` scaled onto it, shape (m, d); `block` itself when there are none."""
    squares = np.einsum("ij,ij->i", block, block)
    outside = np.flatnonzero(~(squares <= norm * norm))
    if outside.size == 0:
        return block
    clipped = block.copy()
    clipped[outside] = normalize(block[outside]) * norm
    return clipped


def normalize(block: Array) -> Array:
    """Each row over its 2-norm, shape (m, d); a zero row becomes the first unit vector. No row overflows or underflows."""
    largest = np.max(np.abs(block), axis=1, initial=0.0)
    zero = largest == 0
    scaled = block / np.where(zero, 1.0, largest)[:, None]
    if scaled.shape[1]:
        scaled[zero, 0] = 1.0
    return scaled / np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
