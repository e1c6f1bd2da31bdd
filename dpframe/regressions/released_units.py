"""Rows in released units: columns divided by released sizes, long records shrunk to a released
norm.

Two small releases determine both: counts of the entries of each column between public cuts, and
counts of the norms of rows, in these units, between public cuts. Privacy: docs/proofs/divided;
statistics: docs/flagship.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Self

import attrs
import numpy as np

from dpframe.graph import ColumnNode, Node, RowsNode, known, post, release
from dpframe.graph.functions import bin_counts
from dpframe.graph.maps.bounds import Intercept
from dpframe.graph.statistics import NormCounts, Statistic
from dpframe.mechanisms import Gaussian
from dpframe.symbols import Expression, constant, sqrt

from .solve import Array

Noise = Callable[[Expression, Statistic], Gaussian]

HALVINGS = 12
SIZES = tuple(Fraction(1, 2**k) for k in range(HALVINGS, 2, -1)) + tuple(
    Fraction(k, 16) for k in (3, 4, 6, 8, 12, 16)
)
"""Cuts of entries, over the bound of rows: halvings, with more cuts between the largest."""
LONGEST = 4  # the largest norm of rows, over the root mean square sqrt(d)
NORMS = tuple(Fraction(round(2 ** (20 - k / 4)), 2**20) for k in range(15, -1, -1))
"""Cuts of norms, over LONGEST sqrt(d), in ratios of 2^(1/4)."""
LEAST = SIZES[0] / 4  # the lower limit of units
COLUMNS = constant("3/5")  # the part of the counts of entries in the budget of both releases
CHANCE = 0.01  # the probability that noise alone makes a count of any column significant
CLEAR = 3.0  # stds of noise subtracted from sums of squares and from the weight
VISIBLE = 4.0  # n is significant if it is above so many stds of its noise
REACH = 0.5  # a unit is at least REACH/sqrt(d) times the largest significant cut of its column
SMALL, MANY = 4.0, 0.3  # columns differ if a share MANY have units SMALL times below the mean
OUTSIDE, ENOUGH = 0.07, 10.0  # the share of rows to shrink; it falls where n mu^2/d exceeds ENOUGH


@attrs.frozen(eq=False)
class InUnits:
    """Rows and labels in released units; `units`, the matrix (d, d) that converts coefficients of
    these rows to those of the original rows; and `weight`, a lower bound on the mean square of the
    factors by which records are shrunk.
    """

    rows: RowsNode
    labels: ColumnNode
    units: Node
    weight: Node | float

    @classmethod
    def of(
        cls, rows: RowsNode, y: ColumnNode, units: Node, norm: Expression, weight: Node | float
    ) -> Self:
        """Shrink rows longer than `norm` to it, and their labels by the same factor."""
        return cls(rows.clip(norm=norm), y.shrunk_with(rows, norm=norm), units, weight)


def in_released_units(X: RowsNode, y: ColumnNode, noise: Noise, part: Expression) -> InUnits:
    """Divide columns by released units, append the intercept, and shrink long records with their
    labels. `noise` calibrates a release to a part of the squared mu; both releases spend `part`.
    """
    source = X.source if isinstance(X, Intercept) else X
    n = source.rows if X.unit.relation.replaced else None
    relative, longest = source.scaled(source.radius), LONGEST * sqrt(X.columns)
    entries = bin_counts(relative, SIZES, absolute=True)
    sizes = release(entries, noise(part * COLUMNS, entries), name="sizes")
    units = post(units_of, sizes, sizes.std, n, X.columns)
    rows: RowsNode = relative.divided(by=units, lower=LEAST, upper=1)
    if isinstance(X, Intercept):
        rows = rows.with_intercept()
    norms = NormCounts(rows.scaled(longest), NORMS)
    counts = release(norms, noise(part * (1 - COLUMNS), norms), name="norms")
    strength = 1 / (counts.std**2 * part * (1 - COLUMNS) * X.columns)  # mu^2/d
    count = post(rows_of, sizes, n)
    norm = post(norm_of, counts, counts.std, count, units, X.columns, strength)
    share = known(norm, NORMS[0], 1, name="row_norm")
    value = X.value if isinstance(X, Intercept) else 0
    weight = post(weight_of, counts, counts.std, count, share, units, X.columns)
    own = post(own_units, units, source.radius, value)
    return InUnits.of(rows, y, own, share * longest, weight)


def rows_of(sizes: Array, n: float | None) -> float:
    """n: the public number, or the mean over columns of the sum of noisy counts."""
    if n is not None:
        return float(n)
    return float(np.mean(np.reshape(sizes, (-1, len(SIZES) + 1)).sum(axis=1)))


def units_of(sizes: Array, std: float, n: float | None, columns: float) -> Array:
    """The approximate root mean square of each column, over the bound of rows, shape (d,), from
    noisy counts (d (k + 1),) of |entries| between SIZES; clipped to [LEAST, 1].

    A unit is at least REACH/sqrt(columns) times the next cut above the largest one that a
    significant number of entries exceed (times 1 if there is none), so that a rare indicator does
    not make long rows. If few units are far below the others, all are set to their root mean
    square: a column may look small because noise hides its rare large entries, and dividing by its
    unit would cost more than it gains. If n is not significant, units are 1/sqrt(columns), those of
    rows that fill their ball.
    """
    counts, cuts = np.reshape(sizes, (-1, len(SIZES) + 1)), np.array(SIZES, dtype=float)
    even, bins = 1 / math.sqrt(columns), counts.shape[1]
    count, unsure = rows_of(sizes, n), std * math.sqrt(bins / len(counts))
    if count <= VISIBLE * unsure:
        return np.full(len(counts), even)
    above = np.cumsum(counts[:, :0:-1], axis=1)[:, ::-1]  # entries above each cut
    noise = std * np.sqrt(np.arange(bins - 1, 0, -1))
    clear = above > math.sqrt(2 * math.log(counts.size / CHANCE)) * noise
    last = bins - 2 - np.argmax(clear[:, ::-1], axis=1)  # the largest significant cut
    top = np.where(clear.any(axis=1), np.minimum(last + 1, bins - 2), bins - 2)
    middles = np.square((cuts[1:] + cuts[:-1]) / 2)
    sums = np.cumsum(counts[:, 1:-1] * middles, axis=1)  # of squares, up to each cut
    errors = std * np.sqrt(np.cumsum(middles**2))
    squares = np.maximum(np.max(sums - CLEAR * errors, axis=1), 0.0) / count
    units = np.maximum(np.sqrt(squares), REACH * even * cuts[top])
    mean = float(np.sqrt(np.mean(units**2)))
    if np.mean(SMALL * units < mean) < MANY:
        units[:] = mean
    return np.asarray(np.clip(units, float(LEAST), 1.0))


def norm_of(  # noqa: PLR0917 - dp.post passes by position
    norms: Array, std: float, n: float, units: Array, columns: float, strength: float
) -> float:
    """The smallest cut that few rows exceed, over LONGEST sqrt(columns), from noisy counts (k,) of
    norms between NORMS; at most the norm that rows can have. If n is not significant it is that
    norm, so that no row is shrunk, or 1 if this is smaller.
    """
    longest, most = LONGEST * math.sqrt(columns), longest_row(units, columns)
    unsure = std * np.sqrt(np.arange(len(norms), 0, -1))
    cuts = np.array(NORMS, dtype=float) * longest
    if n > VISIBLE * unsure[0]:
        above = np.cumsum(norms[::-1])[::-1]
        few = OUTSIDE * min(1.0, ENOUGH / (n * strength)) * n + unsure
        fits = np.append(cuts[above <= few], longest)
        most = min(most, float(fits[0]))
    return float(min(most, longest) / longest)


def longest_row(units: Array, columns: float) -> float:
    """A bound on the norms of rows in these units, with an intercept if there are more columns."""
    return math.hypot(1 / float(np.min(units)), float(len(units) < columns))


def weight_of(  # noqa: PLR0917 - dp.post passes by position
    norms: Array, std: float, n: float, share: float, units: Array, columns: float
) -> float:
    """A lower bound on the mean of min(1, norm/|x|)^2, for a norm `share` times the largest. Each
    row is counted at the next cut, or at the longest row that these units allow if it is smaller;
    CLEAR stds of noise are subtracted.
    """
    longest = longest_row(units, columns) / (LONGEST * math.sqrt(columns))
    above = np.minimum([*map(float, NORMS[1:]), math.inf], longest)
    lost = 1 - np.minimum(1.0, share / above) ** 2
    most = float(lost @ norms) + CLEAR * std * float(np.linalg.norm(lost))
    return float(np.clip(1 - most / max(n, 1.0), 0.0, 1.0))


def own_units(units: Array, bound: float, value: float) -> Array:
    """The matrix (d, d) that converts coefficients of columns divided by `bound` and `units`, with
    an intercept of 1, to those of the original columns, with an intercept of `value`.
    """
    columns = bound * units
    return np.diag(1 / (columns if value == 0 else np.append(columns, value)))
