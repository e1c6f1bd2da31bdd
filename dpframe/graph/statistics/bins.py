"""Statistics of records in public bins: sums per bin, linear maps of them for running totals, and
medians that are released if a test passes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.numbers import whole
from dpframe.symbols import Expression, Number, exact
from dpframe.theory.statistics import FACTORS, GRAIN, MOST_BINS, square_root, tree_levels

from ..maps.grid import gridded
from ..node import Array, Numbers, Values, np, reads, titled
from ..reached import AT_MOST_L1, Metrics, Reached, every_size, opposite, rounded
from ..rows import ColumnNode, RowsNode
from .base import RecordSum, Statistic
from .counts import BinCounts, cuts_of


@attrs.frozen(cache_hash=True)
class BinnedSums(RecordSum):
    """The sums of the rows whose label is at most the first of k cuts, above it and at most the
    second, ..., above the last: shape (d (k + 1),), bin after bin.

    One record is in one bin, so one row moves it as it moves the sum of all rows. Proof page:
    proofs/continual.
    """

    kind: ClassVar[str] = "binned_sums"
    label = titled(lambda one: f"sums between {len(one.cuts)} cuts")
    rows: RowsNode = attrs.field(converter=gridded)
    column: ColumnNode
    cuts: tuple[Any, ...] = attrs.field(converter=cuts_of)

    def block(self, values: Values) -> Array:
        """The sums of the block."""
        rows, labels = values[self.rows], values[self.column]
        ends = np.array(self.cuts, dtype=float)
        place = np.searchsorted(ends, labels, side="left")
        sums = [rows[place == t].sum(axis=0) for t in range(len(ends) + 1)]
        return np.concatenate(sums)

    def attains(self, at: Metrics) -> Reached:
        """By a longest row; replaced, in one bin, by its negative."""
        rule = "one goes, another comes: 2 B" if at.replaced else "one bin gains x, |x| <= B"
        return rule, opposite(self.rows, at)


def _factor(value: object) -> str:
    if value not in FACTORS:
        way_out = "Both are for running totals."
        raise InvalidArgument("factor", f"one of {', '.join(sorted(FACTORS))}", value, way_out)
    return str(value)


@attrs.frozen(cache_hash=True)
class Factored(Statistic):
    """A nonnegative public matrix times sums of bins, from whose release `running_totals` computes
    totals up to every bin.

    "square_root" is the lower triangular Toeplitz matrix of binom(2k, k)/4^k, rounded down to 2^-30
    [FichtenbergerHU23]; "tree" has a row for each node of the binary tree over the bins
    [DworkNPR10] [ChanSS11]. The sensitivity to one record is the norm of a column times that of the
    record; for counts, a replaced record moves it by the difference of two columns. Proof page:
    proofs/continual.
    """

    kind: ClassVar[str] = "factored"
    label = titled(lambda one: f"{one.factor.replace('_', ' ')} of {one.sums.label}")
    sums: BinCounts | BinnedSums = attrs.field()
    factor: str = attrs.field(converter=_factor)

    @sums.validator
    def _bins(self, attribute: object, value: Any) -> None:
        counts = isinstance(value, BinCounts) and isinstance(value.data, ColumnNode)
        if not (counts or isinstance(value, BinnedSums)) or len(value.cuts) >= MOST_BINS:
            wanted = f"counts of labels, or sums, in 2 to {MOST_BINS} bins"
            raise InvalidArgument("sums", wanted, value, "Such as dp.graph.bin_counts(y, cuts).")

    def compute(self, values: Values, number: Numbers) -> Array:
        """The map of every column of the sums; of whole steps, in whole steps."""
        bins = len(self.sums.cuts) + 1
        sums = np.reshape(values[self.sums], (bins, -1))
        if self.factor == "tree":
            return np.concatenate([_folded(sums, level) for level in range(len(tree_levels(bins)))])
        whole: Any = square_root(bins)
        if self.step is None:
            whole = np.array(whole, dtype=float) / 2.0**GRAIN
        rows = [sum(whole[t - s] * sums[s] for s in range(t + 1)) for t in range(bins)]
        return np.concatenate(rows)

    def attains(self, at: Metrics) -> Reached:
        """By a record in the bin of the largest column."""
        if at.replaced and isinstance(self.sums, BinCounts):
            return "the largest difference of two columns of the matrix", self.every_bin
        alone = self.sums.one_row(at.norm, at.relation)
        same = self.factor == "tree" or self.every_bin  # all columns of a tree have one norm
        rule = "one column times the record: the largest column's norm"
        return rule, same and alone is not None and alone.attained

    def attains_range(self, at: Metrics) -> Reached:
        """Entries of the matrix are in [0, 1]."""
        if not isinstance(self.sums, BinCounts):
            return AT_MOST_L1
        return f"entries of {'two columns' if at.replaced else 'a column'} in [0, 1]", False

    @property
    def every_bin(self) -> bool:
        """Whether labels may occur in every bin, none of which is too narrow for doubles."""
        sums = self.sums
        data, absolute = (
            (sums.data, sums.absolute) if isinstance(sums, BinCounts) else (sums.column, False)
        )
        bound = getattr(data, "bound", None)
        if not isinstance(bound, Number) or absolute or not every_size(data):  # type: ignore[arg-type]
            return False
        ends = [-bound.value, *sums.cuts, bound.value]
        wide = all(high - low > bound.value / 2**40 for low, high in pairwise(ends))
        return wide and not rounded(data)


def _folded(sums: Array, level: int) -> Array:
    """The sums of 2^level bins each."""
    width = 2**level
    return np.concatenate([sums[at : at + width].sum(axis=0) for at in range(0, len(sums), width)])


def running_totals(released: Array, factor: str, bins: int) -> Array:
    """The totals up to each bin, shape (bins,) or (bins, d), of a release of Factored sums: by the
    other factor of the matrix of ones, or by the fewest nodes of the tree. A function for dp.post.
    """
    rows = FACTORS[_factor(factor)](bins).rows
    answers = np.asarray(released, dtype=float).reshape(rows, -1)
    if factor == "tree":
        starts = np.cumsum([0, *tree_levels(bins)])
        totals = np.stack([answers[_nodes(t + 1, starts)].sum(axis=0) for t in range(bins)])
    else:
        from scipy.linalg import solve_triangular, toeplitz

        first = np.array(square_root(bins), dtype=float) / 2.0**GRAIN
        lower = np.tril(toeplitz(first))
        totals = solve_triangular(lower, answers, lower=True).cumsum(axis=0)
    return totals[:, 0] if totals.shape[1] == 1 else totals


def _nodes(count: int, starts: Array) -> list[int]:
    """The fewest nodes of the tree whose bins are the first `count`."""
    nodes, at = [], 0
    for level in reversed(range(count.bit_length())):
        if count >> level & 1:
            nodes.append(int(starts[level]) + (at >> level))
            at += 1 << level
    return nodes


def _radius(value: object) -> int:
    way_out = "By how many bins may one record move the median?"
    return whole("radius", value, 1, MOST_BINS, way_out=way_out)


def _of_labels(_: object, __: Any, value: BinCounts) -> None:
    if not isinstance(value, BinCounts) or not isinstance(value.data, ColumnNode):
        raise InvalidArgument("counts", "dp.graph.bin_counts(y, cuts)", value, "")


@attrs.frozen(cache_hash=True)
class MedianDistance(Statistic):
    """The number of records that must be added or removed before one more can move the median bin
    by more than `radius` bins; 0 if it can already. Sensitivity 1, under replace-one 2. Proof page:
    proofs/median.
    """

    kind: ClassVar[str] = "median_distance"
    label = titled("distance to a median that moves by more than {0.radius} bins")
    counts: BinCounts = attrs.field(validator=_of_labels)
    radius: int = attrs.field(converter=_radius)

    def compute(self, values: Values, number: Numbers) -> Array:
        """The least over windows of `radius` + 1 ends of bins."""
        counts = [int(one) for one in values[self.counts]]
        return np.asarray(median_distance(counts, self.radius), dtype=object)

    def attains(self, at: Metrics) -> Reached:
        """Nothing is known."""
        return "a distance to a set of tables: 1 a record", False


def median_distance(counts: list[int], radius: int) -> int:
    """From whole counts. With b_j the number of records up to bin j minus that after it, the
    records of bins u + 1 to u + radius must be removed, and the mean of b_u and b_(u + radius) must
    become 0.
    """
    total, below = sum(counts), np.cumsum([0, *counts]).tolist()[1:]
    balance = [2 * one - total for one in below]
    windows = range(len(counts) - 1 - radius)
    return min((_window(balance[u], balance[u + radius]) for u in windows), default=total)


def _window(low: int, high: int) -> int:
    inside = (high - low) // 2
    return inside + abs(low + inside)


def median_bin(counts: list[int]) -> int:
    """The first bin up to which there are at least as many records as after it."""
    total, below = sum(counts), 0
    for place, one in enumerate(counts):
        below += one
        if 2 * below >= total:
            return place
    return len(counts) - 1


def _passed(value: object) -> Expression:
    return exact(value, "passed")


@attrs.frozen(cache_hash=True)
class TestedMedian(Statistic):
    """The median bin of counts of labels if `passed` is above 0, else 0; `passed` is a
    dp.graph.lower_bound of a released MedianDistance of these counts and this radius. Except where
    that bound fails, which delta pays for, one record moves it by at most `radius`, a replacement
    by twice that: propose-test-release [DworkL09]. Proof page: proofs/median.
    """

    __test__: ClassVar[bool] = False
    kind: ClassVar[str] = "tested_median"
    label: ClassVar[str] = "median bin, tested"
    counts: BinCounts = attrs.field(validator=_of_labels)
    radius: int = attrs.field(converter=_radius)
    passed: Expression = attrs.field(converter=_passed, metadata=reads())

    def compute(self, values: Values, number: Numbers) -> Array:
        """The bin, or 0."""
        counts = [int(one) for one in values[self.counts]]
        return np.asarray(median_bin(counts) if number(self.passed) > 0 else 0, dtype=object)

    def attains(self, at: Metrics) -> Reached:
        """Nothing is known."""
        return "the radius, where the bound on the distance holds", False
