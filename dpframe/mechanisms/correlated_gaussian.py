"""Gaussian noise of any covariance on a vector."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import attrs

from dpframe.errors import InvalidArgument
from dpframe.numerics.rounding import to_float
from dpframe.privacy import GaussianDP, Guarantee
from dpframe.symbols import Expression, Number, exact, rational

from .base import Mechanism

if TYPE_CHECKING:
    import numpy as np

Matrix: TypeAlias = tuple[tuple[Fraction, ...], ...]
LARGEST = 50  # rows: positivity is decided in exact arithmetic
LIMIT = 10**100
CONDITION = 1e-10  # least eigenvalue over the largest: below it doubles draw another law


def _matrix(value: object) -> Matrix:
    try:
        rows = [list(row) for row in value]  # type: ignore[attr-defined]
    except TypeError:
        rows = []
    square = rows and all(len(row) == len(rows) for row in rows)
    if not square or len(rows) > LARGEST:
        wanted = f"a square matrix of numbers, of at most {LARGEST} rows"
        raise InvalidArgument("covariance", wanted, value)
    found = tuple(tuple(rational(entry, "covariance") for entry in row) for row in rows)
    if any(abs(entry) > LIMIT for row in found for entry in row):
        raise InvalidArgument("covariance", "at most 1e100 in size", value, "Change the unit.")
    if found != tuple(zip(*found, strict=True)):
        raise InvalidArgument("covariance", "symmetric, exactly", value, "Mirror one triangle.")
    return found


def positive_definite(matrix: Matrix) -> bool:
    """Sylvester's criterion, exactly: whether every leading principal minor is positive."""
    common = math.lcm(*(entry.denominator for row in matrix for entry in row))
    rows = [[int(entry * common) for entry in row] for row in matrix]
    before = 1
    for k, pivots in enumerate(rows):
        pivot = pivots[k]
        if pivot <= 0:
            return False
        for row in rows[k + 1 :]:
            factor = row[k]
            for j in range(k, len(row)):  # Bareiss: every division is exact
                row[j] = (pivot * row[j] - factor * pivots[j]) // before
        before = pivot
    return True


@attrs.frozen(cache_hash=True)
class CorrelatedGaussian(Mechanism):
    """N(0, S) on a vector of d numbers, for a covariance S of exact numbers: (d, d), d <= 50.

    Guarantees (Delta/sqrt(l))-Gaussian DP for L2 sensitivity Delta and l the least eigenvalue of S:
    a move v costs sqrt(v' S^-1 v), at most |v|/sqrt(l) [DongRS22, Thm 2.7]. Accounted and drawn,
    but not released by a graph, whose noise has one size. Proof page: proofs/matrix_noise.
    """

    kind: ClassVar[str] = "correlated_gaussian"
    gives: ClassVar[type[Guarantee]] = GaussianDP
    covariance: Matrix = attrs.field(converter=_matrix)
    std: Fraction = attrs.field(init=False, eq=False)
    """At most the std in the direction of least noise: S - std^2 I is positive definite, exactly;
    mostly within a part in 10^9."""

    @std.default
    def _least(self) -> Fraction:
        if not positive_definite(self.covariance):
            way_out = "In some direction there would be no noise; drop it, or add noise there."
            raise InvalidArgument("covariance", "positive definite", self.covariance, way_out)
        return next(std for std in self._candidates() if self._exceeds(std))

    def guarantee(self, sensitivity: Expression) -> GaussianDP:
        """(sensitivity/std)-Gaussian DP."""
        return GaussianDP(exact(sensitivity, "sensitivity") / Number(self.std))

    def sample(self, copies: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Independent draws, shape (*copies, d). Raises InvalidArgument where the condition of the
        covariance, above 1e10, is beyond doubles.
        """
        import numpy as np

        spectrum = np.linalg.eigvalsh(self._doubles())
        if spectrum[0] < CONDITION * spectrum[-1]:
            way_out = "Draw along the eigenvectors, one number at a time."
            raise InvalidArgument("covariance", "well conditioned", list(spectrum), way_out)
        root = np.linalg.cholesky(self._doubles())
        return rng.normal(size=(*copies, len(root))) @ root.T

    def _doubles(self) -> np.ndarray:
        import numpy as np

        return np.array([[float(entry) for entry in row] for row in self.covariance])

    def _candidates(self) -> Iterator[Fraction]:
        """Guesses, each below the one before: the eigenvalue in doubles, then halves of it."""
        import numpy as np

        estimate = float(np.linalg.eigvalsh(self._doubles())[0])
        smallest = min(self.covariance[i][i] for i in range(len(self.covariance)))
        start = estimate if estimate > 0 else to_float(smallest, up=True)
        std = Fraction(math.sqrt(start))
        yield from (std * (1 - Fraction(1, 2**power)) for power in (48, 40, 30, 20, 10))
        while True:
            std /= 2
            yield std

    def _exceeds(self, std: Fraction) -> bool:
        """Whether S - std^2 I is positive definite."""
        square = std * std
        moved = enumerate(self.covariance)
        return positive_definite(
            tuple(
                tuple(entry - square if i == j else entry for j, entry in enumerate(row))
                for i, row in moved
            )
        )
