"""Rows in released units: columns over released sizes, and long records shrunk to a released norm.

Two small releases say how: how many entries of each column lie between public cuts, and how many
rows, in these units, have norms between public cuts. What is read from them is post-processing.
Privacy: docs/proofs/divided; statistics: docs/flagship.
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
"""Cuts of entries, over the bound of rows: halvings, and one more between the largest of them."""
LONGEST = 4  # root mean square rows: longer ones are shrunk, whatever is released
NORMS = tuple(Fraction(round(2 ** (20 - k / 4)), 2**20) for k in range(15, -1, -1))
"""Cuts of norms, over LONGEST sqrt(d): each is the next one over 2^(1/4)."""
LEAST = SIZES[0] / 4  # of units
COLUMNS = constant("3/5")  # of what both releases spend
CHANCE = 0.01  # that noise alone makes any count of any column large enough to be seen
CLEAR = 3.0  # stds of noise by which sums of squares and the weight are taken lower
VISIBLE = 4.0  # stds of its noise that n must have
REACH = 0.5  # sqrt(d) of it: the largest entry of a column, in its unit, if it is larger than that
ALIKE = 2.0  # units that differ by less are taken for one
OUTSIDE, ENOUGH = 0.07, 10.0  # the share of rows to shrink, where n mu^2/d is not above the second


@attrs.frozen(eq=False)
class InUnits:
    """Rows and labels to be fitted; what takes coefficients of these rows to those of the rows
    before, a matrix (d, d); and about how many records in weighted least squares count like one,
    from below, the mean square of what records are multiplied by.
    """

    rows: RowsNode
    labels: ColumnNode
    units: Node
    weight: Node | float

    @classmethod
    def of(
        cls, rows: RowsNode, y: ColumnNode, units: Node, norm: Expression, weight: Node | float
    ) -> Self:
        """Records with rows longer than `norm` are shrunk to it, their labels too."""
        return cls(rows.clip(norm=norm), y.shrunk_with(rows, norm=norm), units, weight)


def in_released_units(X: RowsNode, y: ColumnNode, noise: Noise, part: Expression) -> InUnits:
    """Divide columns, put an intercept beside them, and shrink records that are long then, their
    labels too. `noise` is what a part of the squared mu affords; both releases spend `part`.
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
    seen = release(norms, noise(part * (1 - COLUMNS), norms), name="norms")
    strength = 1 / (seen.std**2 * part * (1 - COLUMNS) * X.columns)  # mu^2/d
    count = post(rows_of, sizes, n)
    norm = post(norm_of, seen, seen.std, count, units, X.columns, strength)
    share = known(norm, NORMS[0], 1, name="row_norm")
    value = X.value if isinstance(X, Intercept) else 0
    weight = post(weight_of, seen, seen.std, count, share)
    own = post(own_units, units, source.radius, value)
    return InUnits.of(rows, y, own, share * longest, weight)


def rows_of(sizes: Array, n: float | None) -> float:
    """n: the public number, or the mean over columns of the sums of their noisy counts."""
    if n is not None:
        return float(n)
    return float(np.mean(np.reshape(sizes, (-1, len(SIZES) + 1)).sum(axis=1)))


def units_of(sizes: Array, std: float, n: float | None, columns: float) -> Array:
    """About the root mean square of each column, over the bound of rows, shape (d,), from noisy
    counts (d (k + 1),) of |entries| between SIZES; from LEAST to 1.

    At least REACH/sqrt(columns) times the largest cut that entries are seen to reach, or times 1
    where none are seen, so that a rare indicator does not make long rows; all alike where they
    differ little; 1/sqrt(columns), as rows have that fill their ball, where n is not clear of its
    noise. Entries are seen where those above a cut are more than noise makes in any column.
    """
    counts, cuts = np.reshape(sizes, (-1, len(SIZES) + 1)), np.array(SIZES, dtype=float)
    even, bins = 1 / math.sqrt(columns), counts.shape[1]
    count, unsure = rows_of(sizes, n), std * math.sqrt(bins / len(counts))
    if count <= VISIBLE * unsure:
        return np.full(len(counts), even)
    above = np.cumsum(counts[:, :0:-1], axis=1)[:, ::-1]  # beyond each cut
    noise = std * np.sqrt(np.arange(bins - 1, 0, -1))
    seen = above > math.sqrt(2 * math.log(counts.size / CHANCE)) * noise
    last = bins - 2 - np.argmax(seen[:, ::-1], axis=1)  # the largest cut that entries are beyond
    top = np.where(seen.any(axis=1), np.minimum(last + 1, bins - 2), bins - 2)
    middles = np.square((cuts[1:] + cuts[:-1]) / 2)
    sums = np.cumsum(counts[:, 1:-1] * middles, axis=1)  # of squares, up to each cut
    errors = std * np.sqrt(np.cumsum(middles**2))
    squares = np.maximum(np.max(sums - CLEAR * errors, axis=1), 0.0) / count
    units = np.maximum(np.sqrt(squares), REACH * even * cuts[top])
    if units.max() < ALIKE * units.min():
        units[:] = math.exp(float(np.mean(np.log(units))))
    return np.asarray(np.clip(units, float(LEAST), 1.0))


def norm_of(  # noqa: PLR0917 - dp.post passes by position
    norms: Array, std: float, n: float, units: Array, columns: float, strength: float
) -> float:
    """The first cut beyond which few rows are left, over LONGEST sqrt(columns), from noisy counts
    (k,) of rows above each of NORMS and at most the next; never more than a row can have. Where n
    is not clear of noise no row is shrunk, if the bound of rows allows it.
    """
    longest = LONGEST * math.sqrt(columns)
    most = math.hypot(1 / float(np.min(units)), float(len(units) < columns))
    unsure = std * np.sqrt(np.arange(len(norms), 0, -1))
    cuts = np.array(NORMS, dtype=float) * longest
    if n > VISIBLE * unsure[0]:
        above = np.cumsum(norms[::-1])[::-1]
        few = OUTSIDE * min(1.0, ENOUGH / (n * strength)) * n + unsure
        fits = np.append(cuts[above <= few], longest)
        most = min(most, float(fits[0]))
    return float(min(most, longest) / longest)


def weight_of(norms: Array, std: float, n: float, share: float) -> float:
    """The mean of min(1, norm/|x|)^2, where the norm is `share` of the longest, from below: by the
    cut above each row, 0 for rows that may be longer than all cuts, and CLEAR stds of noise less;
    0 where that leaves nothing.
    """
    above = np.array([*NORMS[1:], math.inf], dtype=float)
    lost = 1 - np.minimum(1.0, share / above) ** 2
    most = float(lost @ norms) + CLEAR * std * float(np.linalg.norm(lost))
    return float(np.clip(1 - most / max(n, 1.0), 0.0, 1.0))


def own_units(units: Array, bound: float, value: float) -> Array:
    """Coefficients of columns that were divided by `bound` and by `units`, and of an intercept of
    `value` that is 1 beside them, to those of the columns before: (d, d).
    """
    columns = bound * units
    return np.diag(1 / (columns if value == 0 else np.append(columns, value)))
