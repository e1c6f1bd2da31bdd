"""Rows onto a grid as it was first written: slower, and to the same last bit."""

from __future__ import annotations

import numpy as np

EXACT = 2.0**53
LESS = 1 - 2.0**-40


@np.errstate(over="ignore", invalid="ignore")
def slowly_onto_grid(
    block: np.ndarray, scale: float, bits: int, most: int | None = None
) -> np.ndarray:
    """Whole numbers in doubles, row by row inside the ball, and inside the bound on the 1-norm."""
    steps = np.trunc(block * scale)
    squares = squared(steps)
    outside = ~(squares <= 4.0**bits)
    far = ~(squares < EXACT)
    near = outside & ~far
    steps[near] = np.trunc(block[near] * factors(squares[near], block, scale, bits)[:, None])
    if far.any():
        steps[far] = from_far(block[far], bits)
    steps[~(squared(steps) <= 4.0**bits)] = 0.0
    return steps if most is None else within(steps, most)


def squared(steps: np.ndarray) -> np.ndarray:
    """Squared 2-norms."""
    return np.einsum("ij,ij->i", steps, steps)


def factors(squares: np.ndarray, block: np.ndarray, scale: float, bits: int) -> np.ndarray:
    """What takes rows onto the ball."""
    return scale * (2.0**bits * LESS / (np.sqrt(squares) + (np.sqrt(block.shape[1]) + 1)))


def from_far(block: np.ndarray, bits: int) -> np.ndarray:
    """Rows of any size onto the ball."""
    _, exponents = np.frexp(np.max(np.abs(block), axis=1))
    small = np.ldexp(block, -exponents[:, None])
    fine = 2.0 ** min(26, (53 - int(block.shape[1]).bit_length()) // 2)
    squares = squared(np.trunc(small * fine))
    return np.trunc(small * factors(squares, block, fine, bits)[:, None])


def within(steps: np.ndarray, most: int) -> np.ndarray:
    """Rows of 1-norm at most `most`."""
    sizes = np.abs(steps).sum(axis=1)
    outside = sizes > most
    shrunk = np.trunc(steps[outside] * (most * LESS / sizes[outside])[:, None])
    shrunk[np.abs(shrunk).sum(axis=1) > most] = 0.0
    steps[outside] = shrunk
    return steps
