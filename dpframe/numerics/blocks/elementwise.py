"""Functions of records with the same bits for a record in any block, on every processor.

The exponential function of numpy and solvers of LAPACK differ in their last bits between
processors, with the place in memory, the number of threads and the neighbouring entries. Here every
step is an addition, a product, a quotient, a comparison or a rounding of one entry, which IEEE 754
determines, in a fixed order; numpy never fuses two of them. The hash is salted and not
cryptographic: privacy needs only that it is a function of the record.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

FARTHEST = 700.0  # beyond it, e^-z is below 1e-304; all are equal
LOG_2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # its upper 33 bits, and the rest
PER_LOG_2 = 1.4426950408889634
TERMS = [1 / math.factorial(k) for k in range(13, -1, -1)]  # what is left out is below 2^-57
BIAS, PLACES = 1023, 52  # of the exponent of a double


def decay(sizes: Array) -> Array:
    """e^-z of each entry z >= 0, in [0, 1], shape as given; off by at most 2 units in the last
    place up to z = 700, and e^-700 from there on.

    e^-z = 2^-k e^r, k whole and |r| <= log(2)/2, e^r by Taylor's sum.
    """
    z = np.fmin(sizes, FARTHEST)
    k = np.rint(z * PER_LOG_2)
    r = k * LOG_2[0]  # exact: k has 10 bits
    r -= z
    r += k * LOG_2[1]
    found = np.full_like(r, TERMS[0])
    for term in TERMS[1:]:
        found *= r
        found += term
    found *= ((BIAS - k).astype(np.int64) << PLACES).view(np.float64)
    np.minimum(found, 1.0, out=found)
    return found


def solutions(systems: Array, sides: Array) -> Array:
    """x with A x = b for each symmetric A, shape (k, d, d), and b, shape (k, d): shape (k, d).

    By A = L D L', without pivoting, as positive definite matrices allow. nan where A is not
    positive definite in doubles: where a pivot is at most d 2^-52 of its diagonal entry, or
    something is not finite.
    """
    left, found = np.array(systems, dtype=float), np.array(sides, dtype=float)
    d = found.shape[1]
    least = np.einsum("kii->ki", left) * (d * np.finfo(float).eps)
    definite = np.isfinite(left).all(axis=(1, 2)) & np.isfinite(found).all(axis=1)
    with np.errstate(all="ignore"):  # a warning would tell of the data
        for j in range(d):
            pivot = left[:, j, j]
            definite &= (pivot > least[:, j]) & (pivot > 0)
            column = left[:, j + 1 :, j] / pivot[:, None]
            left[:, j + 1 :, j + 1 :] -= column[:, :, None] * left[:, None, j, j + 1 :]
            left[:, j + 1 :, j] = column
            found[:, j + 1 :] -= column * found[:, j, None]
        found /= np.einsum("kii->ki", left)
        for j in range(d - 1, 0, -1):
            found[:, :j] -= left[:, j, :j] * found[:, j, None]
    definite &= np.isfinite(found).all(axis=1)
    return np.where(definite[:, None], found, np.nan)


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
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


# --------------------------------------------------------------------- Projection and normalisation
# Blocks of rows, without a copy where nothing changes.
# Lengths are right up to rounding, |x| <= norm (1 + (d + 8) 2^-53), for every finite row and
# every norm above 1e-290: where squares overflow or underflow, rows are divided by their largest
# entry.

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
    factors, overflowed = _factors(block, norm)
    if factors is None:
        return block
    projected: Array = block * factors[:, None]
    if overflowed.any():
        projected[overflowed] = _directions(block[overflowed]) * norm
    return projected


def shrinking(block: Array, norm: float) -> Array | None:
    """min(1, norm/|x|) of each row, shape (m,): what `project` multiplies it by; None where there
    is nothing to shrink. Domain: finite rows and norm > 1e-290.
    """
    if not SHORT <= norm <= LONG:
        return _shrinking_any(block, norm)
    factors, overflowed = _factors(block, norm)
    if factors is not None and overflowed.any():
        factors[overflowed] = _shrinking_any(block[overflowed], norm)
    return factors


def _factors(block: Array, norm: float) -> tuple[Array | None, NDArray[np.bool_]]:
    """norm/|x| of rows that are longer, 1 of others, None where there are none; and the rows whose
    squares overflow, for which it is 0.
    """
    known = squared_norms(block)
    outside, factors = known > norm * norm, np.ones(len(block))
    if not outside.any():
        return None, outside
    np.divide(norm, np.sqrt(known), out=factors, where=outside)
    return factors, np.isinf(known)


def _shrinking_any(block: Array, norm: float) -> Array | None:
    """`shrinking` where squares may overflow or underflow."""
    largest, _, lengths, outside = _beyond(block, norm)
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
    _, scaled, lengths, outside = _beyond(block, norm)
    if not outside.any():
        return block
    projected: Array = block.copy()
    projected[outside] = scaled[outside] / lengths[outside, None] * norm
    return projected


def _beyond(block: Array, norm: float) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """`_scaled` rows, the lengths of these, and which rows of the block are longer than `norm`."""
    largest, scaled = _scaled(block)
    lengths = np.sqrt(squared_norms(scaled))
    return largest, scaled, lengths, largest > norm / np.maximum(lengths, 1.0)


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
