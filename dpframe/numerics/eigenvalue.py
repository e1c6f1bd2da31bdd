"""The smallest eigenvalue of an integer matrix, rounded down to whole units, exactly.

It decides whether K - t I is positive semidefinite, for a symmetric integer matrix K and an integer
t. Rounded eigenvectors V make V'(K - t I)V nearly diagonal, which nearly always decides; bad
eigenvectors cost time, and the answer stays exact. D1-D6 are the steps of the proof page,
proofs/floor_eigenvalue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral
from typing import TypeAlias

import attrs
import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument, Plain, listed_words

Whole: TypeAlias = NDArray[np.object_]
"""An array of whole numbers of any size."""


@attrs.frozen(eq=False)
class Definiteness:
    """K (d, d) and V'KV, V'V for an invertible integer matrix V of hints."""

    matrix: fmpz_mat
    form: fmpz_mat
    gram: fmpz_mat

    @classmethod
    def of(cls, matrix: fmpz_mat, hints: fmpz_mat) -> Definiteness:
        """`hints` (d, d) has approximate eigenvectors as columns; V = I if it may be singular."""
        across = hints.transpose()
        gram = across * hints
        if not _secured(_entries(gram))[0].all():
            return cls(matrix, matrix, _identity(matrix.nrows()))
        return cls(matrix, across * (matrix * hints), gram)

    def at_most(self, unit: int) -> int:
        """An m >= floor(lambda_min(K) / unit): the least Rayleigh quotient of the columns of V."""
        return rayleigh(self.form, self.gram, unit)

    def at_least(self, bound: int) -> bool:
        """K - bound I is positive semidefinite."""
        form = _entries(self.form - bound * self.gram)
        secure, least = _secured(form)
        return _rest_follows(form, secure, least) or self._exactly(bound, int(secure.sum()))

    def _exactly(self, bound: int, positive: int) -> bool:
        """By D4, D5 or D6; at least `positive` eigenvalues of K - bound I are known to be > 0."""
        order = self.matrix.nrows()
        shifted = self.matrix - bound * _identity(order)
        if positive == order - 1:
            return bool(shifted.det() >= 0)
        return shifted.rank() == positive or _by_signs(shifted)


def whole_matrix(entries: NDArray[np.object_] | NDArray[np.int64]) -> fmpz_mat:
    """The same matrix for FLINT."""
    rows, columns = entries.shape
    return fmpz_mat(rows, columns, entries.ravel().tolist())


def rayleigh(form: fmpz_mat, gram: fmpz_mat, unit: int) -> int:
    """The least floor(v'Kv / (unit v'v)) of several v, from the matrices of v'Kw and of v'w."""
    return min(int(form[i, i]) // (int(gram[i, i]) * unit) for i in range(form.nrows()))


def _identity(order: int) -> fmpz_mat:
    return whole_matrix(np.eye(order, dtype=np.int64))


def _entries(matrix: fmpz_mat) -> Whole:
    return np.array(matrix.tolist(), dtype=object)


def _secured(form: Whole) -> tuple[NDArray[np.bool_], int]:
    """The rows Q that outweigh twice the rest of their row, and a mu > 0 with B_QQ >= mu I. [D1]"""
    diagonal = form.diagonal()
    rest = np.abs(form).sum(axis=1) - np.abs(diagonal)
    secure = diagonal > 2 * rest
    return secure, min((diagonal - rest)[secure], default=1)


def _rest_follows(form: Whole, secure: NDArray[np.bool_], least: int) -> bool:
    """B is semidefinite because mu B_PP - B_PQ B_QP is. [D2, D3]; False where that is open.

    With more than half of the rows in P the exact methods cost less.
    """
    if secure.all():
        return True
    if 2 * secure.sum() < len(secure):
        return False
    across = whole_matrix(form[np.ix_(~secure, secure)])
    inner = whole_matrix(form[np.ix_(~secure, ~secure)])
    return _by_signs(least * inner - across * across.transpose())


def _by_signs(matrix: fmpz_mat) -> bool:
    """The signs of the characteristic polynomial alternate, or vanish. [D6]"""
    falling = reversed(matrix.charpoly().coeffs())
    return all(c <= 0 if odd % 2 else c >= 0 for odd, c in enumerate(falling))


_BITS = 52  # of a hint: finer digits are rounding of doubles
_EXPONENT = 500  # of the largest entry as a double: LAPACK may square it


def floor_smallest_eigenvalue(matrix: NDArray[np.generic], unit: int) -> int:
    """floor(lambda_min(K) / unit): the largest integer m with K - m unit I >= 0. Exact.

    `matrix` is K (d, d), d >= 1, symmetric and positive semidefinite, of an integer type or of
    Python integers of any size; `unit` >= 1. A change of lambda_min by at most s unit, s an
    integer, changes the answer by at most s. Proof page: proofs/floor_eigenvalue.

    That K is semidefinite is a precondition: a violation is refused where it shows.
    """
    if isinstance(unit, bool) or not isinstance(unit, Integral) or unit < 1:
        raise InvalidArgument("unit", "an integer >= 1", unit)
    whole, step = _symmetric(matrix), int(unit)
    floors: list[int] = []
    for block in _blocks(whole):
        floors.append(_floor(block, step))
        if floors[-1] == 0:
            break
    return min(floors)


def _floor(block: Whole, unit: int) -> int:
    """Of one block; from the bound of the lowest eigenvector alone where that gives 0."""
    if len(block) == 1:
        return _at_least_zero(int(block[0, 0]) // unit)
    matrix, hints = whole_matrix(block), _hints(block)
    lowest = whole_matrix(hints[:, :1])
    across = lowest.transpose()
    if _at_least_zero(rayleigh(across * (matrix * lowest), across * lowest, unit)) == 0:
        return 0
    proof = Definiteness.of(matrix, whole_matrix(hints))
    highest = _at_least_zero(proof.at_most(unit))
    return _largest(lambda m: proof.at_least(m * unit), highest)


def _largest(holds: Callable[[int], bool], highest: int) -> int:
    """The largest m <= `highest` that holds; what holds is downward closed, and 0 holds."""
    if highest == 0 or holds(highest):
        return highest
    fails, step = highest, 1
    while step < fails and not holds(fails - step):
        fails, step = fails - step, 2 * step
    good = max(fails - step, 0)
    while fails - good > 1:
        middle = (good + fails) // 2
        good, fails = (middle, fails) if holds(middle) else (good, middle)
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


def _at_least_zero(bound: int) -> int:
    """An upper bound of the floor. Raises InvalidArgument below 0: K is not semidefinite."""
    if bound < 0:
        got = Plain("one with a negative eigenvalue")
        raise InvalidArgument("matrix", "positive semidefinite", got, "Pass X'X of integer rows.")
    return bound


def _symmetric(matrix: NDArray[np.generic]) -> Whole:
    """As Python integers. Messages show types and shapes, never an entry."""
    if not isinstance(matrix, np.ndarray):
        raise InvalidArgument("matrix", "a square array (d, d), d >= 1", type(matrix))
    if matrix.ndim != 2 or matrix.size == 0 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidArgument("matrix", "of a shape (d, d), d >= 1", matrix.shape)
    whole = _whole(matrix)
    if (whole != whole.T).any():
        raise InvalidArgument("matrix", "symmetric", Plain("one that is not"), "Pass X'X.")
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
