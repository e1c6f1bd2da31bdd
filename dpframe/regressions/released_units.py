"""Rows in released units: columns divided by released sizes, long records shrunk to a released
norm.

Two small releases determine both: counts of the entries of each column between public cuts, and
counts of the norms of rows, in these units, between public cuts. A released n determines first
whether each is clear of its noise; one that is not spends almost nothing. Privacy:
docs/proofs/divided, docs/proofs/events; statistics: docs/flagship.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Self

import attrs
import numpy as np

from dpframe.graph import ColumnNode, Node, RowsNode, known, post, release
from dpframe.graph.functions import bin_counts, count
from dpframe.graph.maps.bounds import Encoded, Intercept
from dpframe.graph.statistics import NormCounts
from dpframe.mechanisms import Gaussian
from dpframe.symbols import ZERO, Expression, constant, sqrt

from .solve import Array, Budget

HALVINGS = 12
SIZES = tuple(Fraction(1, 2**k) for k in range(HALVINGS, 2, -1)) + tuple(
    Fraction(k, 16) for k in (3, 4, 6, 8, 12, 16)
)
"""Cuts of entries, over the bound of rows: halvings, with more cuts between the largest."""
LONGEST = 4  # the largest norm of rows, over the root mean square sqrt(d)
NORMS = tuple(Fraction(round(2 ** (20 - k / 4)), 2**20) for k in range(15, -1, -1))
"""Cuts of norms, over LONGEST sqrt(d), in ratios of 2^(1/4)."""
LEAST = SIZES[0] / 4  # the lower limit of units
COLUMNS, COUNT = constant("3/5"), constant("1/30")  # the parts of counts of entries, and of n
SHORTEST = Fraction(1, 2**20)  # the lower limit of the norm, over LONGEST sqrt(d)
UNSEEN = Fraction(1, 1000)  # the part that hidden counts spend of their own
CHANCE = 0.01  # the probability that noise alone makes a count of any column significant
BELOW = 1.5  # how much clearer the number of entries above a cut must be than the counts above it
CLEAR = 3.0  # stds of noise subtracted from sums of squares and from the weight
CLEAR_SIZES, CLEAR_NORMS = 5.0, 4.0  # n over the noise on the sum of counts, from which they help
REACH = 1.0  # a unit is at least REACH/sqrt(d) times the largest significant cut of its column
SURE = 10.0  # n over the noise on the sum of counts, from which columns may have different units
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
    spent: Expression = ZERO

    @classmethod
    def of(
        cls, rows: RowsNode, y: ColumnNode, units: Node, norm: Expression, weight: Node | float
    ) -> Self:
        """Shrink rows longer than `norm` to it, and their labels by the same factor."""
        return cls(rows.clip(norm=norm), y.shrunk_with(rows, norm=norm), units, weight)


def by_codebook(X: RowsNode) -> bool:
    """Whether a codebook states the bounds of columns."""
    return isinstance(X.source if isinstance(X, Intercept) else X, Encoded)


def in_released_units(X: RowsNode, y: ColumnNode, budget: Budget, part: Expression) -> InUnits:
    """Divide columns by released units, append the intercept, and shrink long records with their
    labels. The releases spend at most `part` of the squared mu: those of counts that are not clear
    of their noise, by n, which is released first if it is private, spend almost nothing.
    """
    source = X.source if isinstance(X, Intercept) else X
    value = X.value if isinstance(X, Intercept) else ZERO
    n, unsure, counted = released_count(X, budget, part * COUNT)
    relative, longest = source.scaled(source.radius), LONGEST * sqrt(X.columns)
    entries, rest = bin_counts(relative, SIZES, absolute=True), part * (1 - COLUMNS) - counted
    (of_sizes,) = budget.noises(part * COLUMNS, [entries])
    (of_norms,) = budget.noises(rest, [NormCounts(relative, NORMS)])
    seen = post(is_clear, n, of_sizes.std, len(SIZES) + 1, CLEAR_SIZES)
    sizes_clear = known(seen, UNSEEN, 1, name="sizes_clear", likely=1)
    seen = post(is_clear, n, of_norms.std, len(NORMS), CLEAR_NORMS)
    norms_clear = known(seen, UNSEEN, 1, name="norms_clear", likely=1)
    sizes = release(entries, Gaussian(std=of_sizes.std / sqrt(sizes_clear)), name="sizes")
    shown = (sizes_clear, norms_clear)
    units = post(units_of, sizes, sizes.std, n, unsure, X.columns, *shown, value / source.radius)
    rows: RowsNode = relative.divided(by=units, lower=LEAST, upper=1)
    if isinstance(X, Intercept):
        rows = rows.with_intercept()
    norms = NormCounts(rows.scaled(longest), NORMS)
    counts = release(norms, Gaussian(std=of_norms.std / sqrt(norms_clear)), name="norms")
    strength = 1 / (of_norms.std**2 * rest * X.columns)  # mu^2/d
    norm = post(norm_of, counts, counts.std, n, units, X.columns, strength, norms_clear)
    likely = Fraction(1, LONGEST)  # rows that fill their ball
    share = known(norm, SHORTEST, 1, name="row_norm", likely=likely)
    weight = post(weight_of, counts, counts.std, n, share, units, X.columns)
    own = post(own_units, units, source.radius, value)
    spent = counted + part * COLUMNS * sizes_clear + rest * norms_clear
    return attrs.evolve(InUnits.of(rows, y, own, share * longest, weight), spent=spent)


def released_count(
    X: RowsNode, budget: Budget, part: Expression
) -> tuple[Node | Expression, Expression, Expression]:
    """n, its std, and the part of the squared mu that it spends: `part`, or 0 if n is public."""
    if X.unit.relation.replaced:
        return X.rows, ZERO, ZERO
    (noise,) = budget.noises(part, [count(X.origin)])
    return release(count(X.origin), noise, name="n"), noise.std, part


def is_clear(n: float, std: float, bins: int, most: float) -> float:
    """1 if n exceeds `most` stds of the noise on the sum of `bins` counts, else 0."""
    return float(n > most * std * math.sqrt(bins))


def units_of(  # noqa: PLR0917 - dp.post passes by position
    sizes: Array,
    std: float,
    n: float,
    n_std: float,
    columns: float,
    sizes_clear: float = 1.0,
    norms_clear: float = 1.0,
    value: float = 0.0,
) -> Array:
    """The approximate root mean square of each column, over the bound of rows, shape (d,), from
    noisy counts (d (k + 1),) of |entries| between SIZES and n; clipped to [LEAST, 1].

    A unit is at least REACH/sqrt(columns) times the next cut above the largest one that a
    significant number of entries exceed (times 1 if there is none), so that a rare indicator does
    not make long rows. If few units are far below the others, or n is not far above the noise, all
    are set to their root mean square: a column may look small because noise hides its rare large
    entries, and dividing by its unit would cost more than it gains. If counts of entries are not
    clear of noise, units are 1/sqrt(columns), those of rows that fill their ball; if those of norms
    are not clear either, units keep the ratio of an intercept, of `value` times the bound of rows,
    to the columns.
    """
    counts, cuts = np.reshape(sizes, (-1, len(SIZES) + 1)), np.array(SIZES, dtype=float)
    even, bins = 1 / math.sqrt(columns), counts.shape[1]
    if sizes_clear < 1:
        keep = norms_clear < 1 and value > 0
        one = float(np.clip(value if keep else even, float(LEAST), 1.0))
        return np.full(len(counts), one)
    clear = significant(counts, std, n, n_std)
    last = bins - 2 - np.argmax(clear[:, ::-1], axis=1)  # the largest significant cut
    top = np.where(clear.any(axis=1), np.minimum(last + 1, bins - 2), bins - 2)
    middles = np.square((cuts[1:] + cuts[:-1]) / 2)
    sums = np.cumsum(counts[:, 1:-1] * middles, axis=1)  # of squares, up to each cut
    errors = std * np.sqrt(np.cumsum(middles**2))
    squares = np.maximum(np.max(sums - CLEAR * errors, axis=1), 0.0) / max(n, 1.0)
    units = np.maximum(np.sqrt(squares), REACH * even * cuts[top])
    mean = float(np.sqrt(np.mean(units**2)))
    sure = n > SURE * std * math.sqrt(bins)
    if not sure or np.mean(SMALL * units < mean) < MANY:
        units[:] = mean
    return np.asarray(np.clip(units, float(LEAST), 1.0))


def significant(counts: Array, std: float, n: float, n_std: float) -> Array:
    """Whether a significant number of entries exceed each cut, shape (d, k): by the counts above
    it, or clearly by the entries above as they are counted from both ends.
    """
    bins, least = counts.shape[1], math.sqrt(2 * math.log(counts.size / CHANCE))
    above = np.cumsum(counts[:, :0:-1], axis=1)[:, ::-1]
    by_sums = above > least * std * np.sqrt(np.arange(bins - 1, 0, -1))
    found, stds = entries_above(counts, std, n, n_std)
    return np.asarray(by_sums | (found > BELOW * least * stds))


def entries_above(counts: Array, std: float, n: float, n_std: float) -> tuple[Array, Array]:
    """The number of entries above each cut, shape (d, k), and its std, shape (k,): the mean, by
    precision, of the sum of the counts above, and of the records less the counts at or below. The
    number of records is that of `n` and of the sums of counts of all columns.
    """
    bins, below = counts.shape[1], np.arange(1, counts.shape[1])
    whole, tiny = counts.sum(axis=1, keepdims=True), 1e-300
    of_whole = std**2 * bins / len(counts)
    trust = of_whole / max(of_whole + n_std**2, tiny)  # in n
    records, of_records = trust * n + (1 - trust) * whole.mean(), trust * n_std**2
    of_sums, of_rest = std**2 * (bins - below), std**2 * below + of_records
    share = of_sums / np.maximum(of_sums + of_rest, tiny)
    found = whole - np.cumsum(counts, axis=1)[:, :-1] + share * (records - whole)
    return found, np.sqrt(share * of_rest)


def norm_of(  # noqa: PLR0917 - dp.post passes by position
    norms: Array,
    std: float,
    n: float,
    units: Array,
    columns: float,
    strength: float,
    clear: float = 1.0,
) -> float:
    """The smallest cut that few rows exceed, over LONGEST sqrt(columns), from noisy counts (k,) of
    norms between NORMS; at most the norm that rows can have. If the counts are not clear of noise
    it is that norm, so that no row is shrunk, or 1 if this is smaller.
    """
    longest, most = LONGEST * math.sqrt(columns), longest_row(units, columns)
    unsure = std * np.sqrt(np.arange(len(norms), 0, -1))
    cuts = np.array(NORMS, dtype=float) * longest
    if clear >= 1:
        above = np.cumsum(norms[::-1])[::-1]
        few = min(n, ENOUGH / strength) * OUTSIDE + unsure
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
