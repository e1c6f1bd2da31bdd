"""Rows onto a grid, and x'theta of rows on a grid, exactly: each a function of its own row alone.

Every step onto the grid is either elementwise, hence correctly rounded by IEEE arithmetic, or a sum
of non-negative whole numbers in doubles. Such a sum is exact below 2^53 in any order, and a partial
sum above 2^53 stays above it; so the comparison with a bound below 2^53 is exact too.

For x'theta, rows are whole numbers k, |k| <= 2^bits in 2-norm, and theta becomes whole numbers t
with |t| < 2^(53 - bits). By Cauchy-Schwarz every sum of products k_j t_j, over any columns, is
below 2^53: exact in doubles in any order, with or without fused operations. (proofs/divided)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

EXACT = 2.0**53
LESS = 1 - 2.0**-40  # more than what a few roundings can add


@np.errstate(over="ignore", invalid="ignore")
def onto_grid(block: Array, scale: float, bits: int, most: int | None = None) -> Array:
    """Whole numbers k in doubles, shape (m, d), for finite rows times `scale`.

    k is the row rounded towards zero where |k|^2 <= 4^bits and, with `most`, |k|_1 <= most; other
    rows are scaled towards zero first until this holds. `block` is not changed.
    """
    steps: Array = np.multiply(block, scale, dtype=float)
    np.trunc(steps, out=steps)
    squares = squared_steps(steps)
    outside = np.flatnonzero(~(squares <= 4.0**bits))
    if len(outside):
        _project(block, steps, outside, squares[outside], (scale, bits))
    return steps if most is None else _within(steps, most)


def squared_steps(steps: Array) -> Array:
    """|k|^2 of whole numbers in doubles, shape (m,): exact below 2^53, not below it elsewhere."""
    return np.asarray(_row_products(steps, steps))


# numpy 2 has vecdot
_row_products = getattr(np, "vecdot", lambda rows, others: np.einsum("ij,ij->i", rows, others))


def _project(
    block: Array, steps: Array, outside: Array, squares: Array, grid: tuple[float, int]
) -> None:
    """Scale the rows `outside` the ball, with their `squares`, onto it, in place of their `steps`;
    `grid`: scale, bits.
    """
    scale, bits = grid
    exact = squares < EXACT
    near = outside if exact.all() else outside[exact]
    factors = _factors(squares if near is outside else squares[exact], block, scale, bits)
    if 2 * len(near) > len(block):  # rows inside keep their factor, hence their steps
        every = np.full(len(block), scale)
        every[near] = factors
        np.multiply(block, every[:, None], out=steps)
        _checked(np.trunc(steps, out=steps), bits)
    elif len(near):
        moved = np.take(block, near, axis=0).astype(float, copy=False)
        np.multiply(moved, factors[:, None], out=moved)
        steps[near] = _checked(np.trunc(moved, out=moved), bits)
    if len(near) < len(outside):
        far = outside[~exact]
        steps[far] = _checked(_far(block[far], bits), bits)


def _checked(steps: Array, bits: int) -> Array:
    """Rows inside the ball, in place; rows that rounding left outside become 0."""
    outside = ~(squared_steps(steps) <= 4.0**bits)
    if outside.any():
        steps[outside] = 0.0
    return steps


def _factors(squares: Array, block: Array, scale: float, bits: int) -> Array:
    """Factors of rows onto the ball, by the exact squares of the rows rounded towards zero."""
    length = np.sqrt(squares) + (np.sqrt(block.shape[1]) + 1)  # at least that of the row itself
    return np.asarray(scale * (2.0**bits * LESS / length))


def _far(block: Array, bits: int) -> Array:
    """Rows of any finite size onto the ball: first divided by a power of 2 above their entries."""
    _, exponents = np.frexp(np.max(np.abs(block), axis=1))
    small = np.ldexp(block, -exponents[:, None])
    fine = 2.0 ** min(26, (53 - int(block.shape[1]).bit_length()) // 2)
    squares = squared_steps(np.trunc(small * fine))
    return np.asarray(np.trunc(small * _factors(squares, block, fine, bits)[:, None]))


def _within(steps: Array, most: int) -> Array:
    """Rows of 1-norm at most `most`; longer ones are scaled towards zero."""
    sizes = np.abs(steps).sum(axis=1)
    outside = sizes > most
    if outside.any():
        shrunk = np.trunc(steps[outside] * (most * LESS / sizes[outside])[:, None])
        shrunk[np.abs(shrunk).sum(axis=1) > most] = 0.0
        steps[outside] = shrunk
    return steps


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
        found = np.clip(np.nan_to_num(found * size), -FAR, FAR)
    return found
