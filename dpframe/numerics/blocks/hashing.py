"""A salted hash of records, a block at a time: the same for a record wherever it stands, on every
machine.

Not cryptographic: privacy needs a function of the record, not a good one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def hashed(columns: Sequence[Array], count: int, salt: str, cells: int) -> Array:
    """A number from 0 to cells - 1 for each of `count` records, given as columns of doubles."""
    start = hashlib.sha256(salt.encode()).digest()[:8]
    state = np.full(count, int.from_bytes(start, "little"), dtype=np.uint64)
    for column in columns:
        exact = np.ascontiguousarray(column, dtype="<f8") + 0.0  # -0.0 + 0.0 is 0.0
        state = _mixed(state ^ exact.astype("<f8").view("<u8").astype(np.uint64))
    high = _mixed(state) >> np.uint64(32)
    return ((high * np.uint64(cells)) >> np.uint64(32)).astype(np.int64)


def _mixed(state: Array) -> Array:
    """The finaliser of splitmix64, modulo 2^64."""
    mixed = state + GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * SECOND
    found: Array = mixed ^ (mixed >> np.uint64(31))
    return found
