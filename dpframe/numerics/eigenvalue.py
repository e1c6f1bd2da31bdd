"""The smallest eigenvalue of an integer matrix, rounded down to whole units, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, listed_words

from .semidefinite import Definiteness, Whole, rayleigh, whole_matrix

_BITS = 52  # of a hint: what lies below is noise of the doubles
_EXPONENT = 500  # of the largest entry as a double: LAPACK may square it


def floor_smallest_eigenvalue(matrix: NDArray[np.generic], unit: int) -> int:
    """floor(lambda_min(K) / unit): the largest integer m with K - m unit I >= 0. Exact.

    `matrix` is K (d, d), d >= 1, symmetric and positive semidefinite, of an integer type or of
    Python integers of any size; `unit` >= 1. Whatever moves lambda_min by at most s unit, s an
    integer, moves the answer by at most s. Proof page: proofs/floor_eigenvalue.

    That K is semidefinite is the caller's promise: a breach is refused where it is met, not sought.
    """
    whole, step = _symmetric(matrix), _unit(unit)
    floors: list[int] = []
    for block in _blocks(whole):
        floors.append(_floor(block, step))
        if floors[-1] == 0:
            break
    return min(floors)


def _floor(block: Whole, unit: int) -> int:
    """Of one block; from the bound of the lowest eigenvector alone where that gives 0."""
    if len(block) == 1:
        return _promised(int(block[0, 0]) // unit)
    matrix, hints = whole_matrix(block), _hints(block)
    lowest = whole_matrix(hints[:, :1])
    across = lowest.transpose()
    if _promised(rayleigh(across * (matrix * lowest), across * lowest, unit)) == 0:
        return 0
    proof = Definiteness.of(matrix, whole_matrix(hints))
    highest = _promised(proof.at_most(unit))
    return _largest(lambda m: proof.at_least(m * unit), highest)


def _largest(holds: Callable[[int], bool], highest: int) -> int:
    """The largest m <= `highest` that holds; what holds is downward closed, and 0 holds."""
    if highest == 0 or holds(highest):
        return highest
    fails, step = highest, 1
    while step < fails and not holds(fails - step):
        fails, step = fails - step, 2 * step
    return _between(holds, max(fails - step, 0), fails)


def _between(holds: Callable[[int], bool], good: int, bad: int) -> int:
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


def _blocks(matrix: Whole) -> Iterator[Whole]:
    """The irreducible diagonal blocks of a symmetric matrix, small ones first."""
    from scipy.sparse.csgraph import connected_components

    labels = connected_components(matrix != 0, directed=False)[1]
    columns = np.argsort(labels, kind="stable")
    parts = np.split(columns, np.cumsum(np.bincount(labels))[:-1])
    return (matrix[np.ix_(part, part)] for part in sorted(parts, key=len))


def _hints(matrix: Whole) -> NDArray[np.int64]:
    """Eigenvectors (d, d) as columns from the lowest on, times 2^52; I where there are none."""
    try:
        vectors = np.linalg.eigh(_doubles(matrix))[1]
    except np.linalg.LinAlgError:
        vectors = np.zeros(matrix.shape)
    if np.abs(vectors).max() <= 2:  # false where one is not a number
        whole: NDArray[np.int64] = np.rint(np.ldexp(vectors, _BITS)).astype(np.int64)
        if whole.any(axis=0).all():
            return whole
    return np.eye(len(matrix), dtype=np.int64)


def _doubles(matrix: Whole) -> NDArray[np.float64]:
    excess = max(int(np.abs(matrix).max()).bit_length() - _EXPONENT, 0)
    return np.array(matrix >> excess, dtype=np.float64)


def _promised(bound: int) -> int:
    """A bound of the floor from above; below 0 it shows that the caller's promise is broken."""
    if bound < 0:
        raise InvalidArgument(
            "matrix",
            "positive semidefinite",
            "one with a negative eigenvalue",
            "Pass X'X of integer rows.",
        )
    return bound


def _unit(unit: int) -> int:
    if isinstance(unit, bool) or not isinstance(unit, Integral) or unit < 1:
        raise InvalidArgument("unit", "an integer >= 1", unit)
    return int(unit)


def _symmetric(matrix: NDArray[np.generic]) -> Whole:
    """As Python integers. Messages show types and shapes, never an entry."""
    if not isinstance(matrix, np.ndarray):
        raise InvalidArgument("matrix", "a square array (d, d), d >= 1", type(matrix))
    if matrix.ndim != 2 or matrix.size == 0 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidArgument("matrix", "of a shape (d, d), d >= 1", matrix.shape)
    whole = _whole(matrix)
    if (whole != whole.T).any():
        raise InvalidArgument("matrix", "symmetric", "one that is not", "Pass X'X.")
    return whole


def _whole(matrix: NDArray[np.generic]) -> Whole:
    entries = matrix.ravel().tolist()
    others = {kind.__name__ for kind in {type(entry) for entry in entries} if not _is_whole(kind)}
    if others:
        way_out = "Put the rows on a grid of integers first."
        raise InvalidArgument("matrix", "of integers", listed_words(sorted(others)), way_out)
    return np.array([int(entry) for entry in entries], dtype=object).reshape(matrix.shape)


def _is_whole(kind: type) -> bool:
    return issubclass(kind, int | np.integer) and kind is not bool
