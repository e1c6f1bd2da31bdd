"""What is known of coefficients, of linear functions of them, and of labels yet to come."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument

from .identified import Unseen
from .residual import Residual
from .spread import Spread

Array = NDArray[Any]

COVERED = {
    "population": "the population's coefficients, so sampling and the noise for privacy",
    "sample": "the least squares coefficients of this very table, so the noise for privacy alone",
}


@attrs.frozen(eq=False)
class Estimates:
    """Of m linear functions of the coefficients, (m,) each: `values`; what is known of their
    variances; and `hidden`, how far a value may be off along directions that noise hides, infinite
    where nothing bounds that.
    """

    values: Array
    spread: Spread
    hidden: Array

    @property
    def variances(self) -> Array:
        """Squares of standard errors."""
        return self.spread.errors

    @property
    def private(self) -> Array:
        """The part of them that the noise for privacy makes."""
        return self.spread.private

    @property
    def errors(self) -> Array:
        """Standard errors, infinite where nothing is known."""
        found: Array = np.where(np.isfinite(self.hidden), np.sqrt(self.variances), np.inf)
        return found

    @property
    def shares(self) -> Array:
        """The part of each variance that the noise for privacy makes, in [0, 1]; not a number where
        nothing is known.
        """
        known = np.isfinite(self.errors) & (self.variances > 0)
        found: Array = np.where(known, self.private / np.where(known, self.variances, 1.0), np.nan)
        return np.clip(found, 0.0, 1.0)

    @property
    def sizes(self) -> Array:
        """How far values are from 0 at least, after what may be hidden is taken off; 0 where
        nothing is known.
        """
        known = np.isfinite(self.hidden)
        least = np.abs(self.values) - np.where(known, self.hidden, np.inf)
        found: Array = np.maximum(least, 0.0)
        return found

    @property
    def z(self) -> Array:
        """Those sizes over standard errors, with the signs of the values; 0 where nothing is
        known.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = np.sign(self.values) * self.sizes / self.errors
        return np.nan_to_num(found, nan=0.0)

    @property
    def p_values(self) -> Array:
        """Two-sided; 1 where nothing is known."""
        return self.spread.p_values(self.sizes)

    def intervals(self, level: float) -> Array:
        """Lower and upper ends, (m, 2); infinite where nothing is known. Raises InvalidArgument."""
        half = self.spread.half(checked_level(level)) + self.hidden
        return np.stack([self.values - half, self.values + half], axis=1)


@attrs.frozen(eq=False)
class Inference:
    """What released values say about coefficients (d,): their estimate `centre`, its `covariance`
    (d, d) and the part of it that the noise for privacy makes; what is not identified, `unseen`;
    the variance of labels about the regression, None where that is not known at all.

    `bound` is that of labels; of each label and residual at least `kept` was inside its clip.
    `settled` says whether the iteration found its fixed point, and clips took no more than half off
    the sizes of labels, of which `lost_share` is what they may have taken; `normal_residuals`,
    whether sums of clipped residuals count, by the normal law; `equal_variance`, whether residuals
    have one variance in every row.
    """

    target: str
    centre: Array
    covariance: Array
    private: Array
    unseen: Unseen
    residual: Residual | None
    bound: float
    kept: float
    settled: bool
    lost_share: float = 0.0
    normal_residuals: bool = False
    equal_variance: bool = True

    @property
    def identified(self) -> int:
        """How many directions of the coefficients are clear of the noise on X'X."""
        return int(len(self.centre) - self.unseen.lost.shape[1])

    @property
    def open_ended(self) -> bool:
        """Whether nothing is claimed: some direction is not identified and nothing bounds it."""
        lost = self.unseen.lost.size and np.isinf(self.unseen.length)
        return not self.settled or bool(lost)

    def of(self, rows: Array) -> Estimates:
        """rows @ coefficients, for rows (m, d)."""
        rows = np.atleast_2d(np.asarray(rows, dtype=float))
        variances = np.einsum("ia,ab,ib->i", rows, self.covariance, rows)
        private = np.einsum("ia,ab,ib->i", rows, self.private, rows)
        hidden = self.unseen.off(rows) if self.settled else np.full(len(rows), np.inf)
        return Estimates(rows @ self.centre, self.spread(variances, private), hidden)

    def spread(self, variances: Array, private: Array) -> Spread:
        """What is known of variances (m,) whose part beside the `private` one is proportional to
        the residual variance, which was seen with noise.
        """
        residual = self.residual
        if residual is None or not 0 < residual.std < np.inf:
            return Spread(variances, private, variances, np.zeros(len(variances)))
        most = self.bound**2
        unit = np.maximum(variances - private, 0.0) / min(residual.taken, most)
        seen = private + unit * min(residual.variance, most)
        return Spread(variances, private, seen, unit * residual.std)

    def intervals(self, level: float = 0.95) -> Array:
        """Of each coefficient, (d, 2). Raises InvalidArgument."""
        return self.of(np.eye(len(self.centre))).intervals(level)

    def predictive(self, rows: Array, level: float = 0.95) -> Array:
        """Where the labels of new records with these rows (m, d) lie, (m, 2): inside the bound of
        labels, and all of that where nothing is known of coefficients or the residual variance, or
        where that may change from row to row.

        Residuals are taken for normal. Raises InvalidArgument.
        """
        found, residual = self.of(rows), self.residual
        half = np.full(len(found.values), np.inf)
        checked_level(level)
        if self.equal_variance and residual is not None and np.isfinite(residual.std):
            taken = min(residual.taken, self.bound**2)
            label = self.spread(found.variances + taken, found.private)
            half = label.half(level) + found.hidden
        ends = np.stack([found.values - half, found.values + half], axis=1)
        found_ends: Array = np.clip(ends, -self.bound, self.bound)
        return found_ends


def checked_level(level: float) -> float:
    """A level in (0, 1). Raises InvalidArgument."""
    if not 0 < level < 1:
        raise InvalidArgument("level", "above 0 and below 1", level, "0.95 is usual.")
    return level
