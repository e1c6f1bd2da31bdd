"""Whether K - t I is positive semidefinite, for a symmetric integer matrix K and an integer t.

Exact always. Rounded eigenvectors V make V'(K - t I)V nearly diagonal, and nearly always that
decides; they are a hint, and a bad one costs time, never truth. D1-D6 are the steps of the proof
page, proofs/floor_eigenvalue.
"""

from __future__ import annotations

from typing import TypeAlias

import attrs
import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

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

    More than half of the rows in P are left to the exact ways, which cost less then.
    """
    if secure.all():
        return True
    if 2 * secure.sum() < len(secure):
        return False
    across = whole_matrix(form[np.ix_(~secure, secure)])
    return _by_signs(
        least * whole_matrix(form[np.ix_(~secure, ~secure)]) - across * across.transpose()
    )


def _by_signs(matrix: fmpz_mat) -> bool:
    """The signs of the characteristic polynomial alternate, or vanish. [D6]"""
    falling = reversed(matrix.charpoly().coeffs())
    return all(c <= 0 if odd % 2 else c >= 0 for odd, c in enumerate(falling))
