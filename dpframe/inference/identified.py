"""Which directions of the coefficients a noisy X'X identifies."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.numerics.edge import APART, least_visible

Array = NDArray[Any]


@attrs.frozen(eq=False)
class Directions:
    """Eigenvectors of the released X'X: `vectors` (d, k) with eigenvalues `values` (k,) clear of
    the noise, and the `lost` others (d, d - k).
    """

    values: Array
    vectors: Array
    lost: Array


@attrs.frozen(eq=False)
class Unseen:
    """The directions that are not identified, columns of `lost` (d, d - k), along all of which
    together coefficients have at most the `length`, infinite where nothing bounds it; `declared`
    says that somebody did, so that whatever overlaps them is claimed as well.
    """

    lost: Array
    length: float
    declared: bool

    @classmethod
    def of(cls, found: Directions, largest: float, believed: float) -> Unseen:
        """By a declared bound `largest` on all, or one `believed` of each."""
        declared = bool(np.isfinite(largest))
        each = float(believed * np.sqrt(max(found.lost.shape[1], 1)))
        return cls(found.lost, largest if declared else each, declared)

    @property
    def counted(self) -> float:
        """The length that noise is multiplied by, 0 where nothing is claimed."""
        return self.length if self.lost.size and np.isfinite(self.length) else 0.0

    def overlaps(self, rows: Array) -> Array:
        """The part of the length of each row (m, d) along them, (m,) in [0, 1]."""
        lengths = np.linalg.norm(rows, axis=1)
        found: Array = np.linalg.norm(rows @ self.lost, axis=1) / np.where(lengths > 0, lengths, 1)
        return found

    def off(self, rows: Array) -> Array:
        """How far row @ coefficients may lie along them, (m,); infinite for what is not claimed."""
        if not self.lost.size:
            return np.zeros(len(rows))
        if not np.isfinite(self.length):
            return np.full(len(rows), np.inf)
        moved = np.linalg.norm(rows @ self.lost, axis=1) * self.length
        return np.where(self.declared | (self.overlaps(rows) <= APART), moved, np.inf)


def directions(gram: Array, std: float) -> Directions:
    """Those with eigenvalues clear of the noise, and above rounding."""
    values, vectors = np.linalg.eigh(gram)
    rounding = len(gram) * np.finfo(float).eps * np.abs(values).max(initial=0)
    clear = values > max(least_visible(std, len(gram)), rounding)
    return Directions(values[clear], vectors[:, clear], vectors[:, ~clear])
