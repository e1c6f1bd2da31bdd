"""Rows onto a grid, a block at a time, exactly: what becomes of a row is a function of that row
alone, whatever stands around it in memory.

Every step is either elementwise, hence correctly rounded by IEEE arithmetic, or a sum of
non-negative whole numbers in doubles. Such a sum is exact below 2^53 in any order, and a partial
sum that leaves this range never comes back; so the comparison with a bound below 2^53 is exact too.
"""

from __future__ import annotations

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
    steps = np.multiply(block, scale, dtype=float)
    np.trunc(steps, out=steps)
    squares = squared_steps(steps)
    outside = ~(squares <= 4.0**bits)
    if outside.any():
        _project(block, steps, squares, outside, (scale, bits))
    return steps if most is None else _within(steps, most)


def squared_steps(steps: Array) -> Array:
    """|k|^2 of whole numbers in doubles, shape (m,): exact below 2^53, not below it elsewhere."""
    squares: Array = np.einsum("ij,ij->i", steps, steps)
    return squares


def _project(
    block: Array, steps: Array, squares: Array, outside: Array, grid: tuple[float, int]
) -> None:
    """Scale rows outside the ball onto it, in place of their `steps`; `grid`: scale, bits."""
    scale, bits = grid
    far = ~(squares < EXACT)
    near = outside & ~far
    if 8 * np.count_nonzero(near) > len(block):  # rows inside keep their factor, hence their steps
        factors = np.where(near, _factors(squares, block, scale, bits), scale)
        np.multiply(block, factors[:, None], out=steps)
        np.trunc(steps, out=steps)
    elif near.any():
        factors = _factors(squares[near], block, scale, bits)
        steps[near] = np.trunc(block[near] * factors[:, None])
    if far.any():
        steps[far] = _far(block[far], bits)
    steps[~(squared_steps(steps) <= 4.0**bits)] = 0.0  # against all arithmetic: never outside


def _factors(squares: Array, block: Array, scale: float, bits: int) -> Array:
    """What takes rows onto the ball, by the exact squares of the rows rounded towards zero."""
    length = np.sqrt(squares) + (np.sqrt(block.shape[1]) + 1)  # at least that of the row itself
    factors: Array = scale * (2.0**bits * LESS / length)
    return factors


def _far(block: Array, bits: int) -> Array:
    """Rows of any finite size onto the ball: first divided by a power of 2 above their entries."""
    _, exponents = np.frexp(np.max(np.abs(block), axis=1))
    small = np.ldexp(block, -exponents[:, None])
    fine = 2.0 ** min(26, (53 - int(block.shape[1]).bit_length()) // 2)
    squares = squared_steps(np.trunc(small * fine))
    projected: Array = np.trunc(small * _factors(squares, block, fine, bits)[:, None])
    return projected


def _within(steps: Array, most: int) -> Array:
    """Rows of 1-norm at most `most`; longer ones are scaled towards zero."""
    sizes = np.abs(steps).sum(axis=1)
    outside = sizes > most
    if outside.any():
        shrunk = np.trunc(steps[outside] * (most * LESS / sizes[outside])[:, None])
        shrunk[np.abs(shrunk).sum(axis=1) > most] = 0.0
        steps[outside] = shrunk
    return steps
