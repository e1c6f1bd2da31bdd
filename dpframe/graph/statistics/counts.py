"""Numbers of records in the parts of a public division, and sums over the records of each cell."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable, of_kind
from dpframe.symbols import Number, rational

from ..maps.grid import labels_on_a_grid, on_a_grid
from ..node import Array, Node, Values, np, titled
from ..partition import Partition, in_partition
from ..reached import Metrics, Reached, of_classes, zero_occurs
from ..rows import ColumnNode, RowsNode, RowsOrLabels, occurring
from .base import RecordSum
from .sums import products

MOST_CELLS = 10**6
MOST_A_SIDE = 1000
MOST_CUTS = 10_000
FEW = 16  # cuts, for which comparing is faster than sorting


def cuts_of(value: object, *, above: Fraction | None = None) -> tuple[Fraction, ...]:
    """1 to 10,000 increasing numbers, optionally all above another. Raises InvalidArgument."""
    way_out = "Cut points are public: say them before looking."
    numbers = "increasing numbers" if above is None else "increasing positive numbers"
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise InvalidArgument("cuts", f"a list of {numbers}", value, way_out)
    cuts = tuple(rational(one, "cut") for one in value)
    ends = cuts if above is None else (above, *cuts)
    if not 1 <= len(cuts) <= MOST_CUTS or any(one >= other for one, other in pairwise(ends)):
        raise InvalidArgument("cuts", f"1 to {MOST_CUTS:,} {numbers}", value, way_out)
    return cuts


@attrs.frozen(cache_hash=True)
class BinCounts(RecordSum):
    """For every column in turn (or for the labels) the number of values at most the first of k
    cuts, of those above it and at most the second, ..., of those above the last: shape (d (k + 1),)
    or (k + 1,). Of |value| where `absolute`.

    One record is in one bin of each column: L1 sensitivity d, L2 sqrt(d); replaced, 2 d and sqrt(2
    d). Proof page: proofs/bin_counts.
    """

    kind: ClassVar[str] = "bin_counts"
    label = titled(lambda one: f"counts between {len(one.cuts)} cuts")
    data: RowsOrLabels = attrs.field(validator=of_kind(RowsOrLabels, "declared rows or labels"))
    cuts: tuple[Fraction, ...] = attrs.field(converter=cuts_of)
    absolute: bool = attrs.field(default=False, validator=of_kind(bool))

    def block(self, values: Values) -> Array:
        """The counts of the block."""
        block = values[self.data]
        sized, cuts = np.abs(block) if self.absolute else block, cut_points(self)
        columns = sized.T if block.ndim > 1 else [sized]
        ends = [[0, *at_most(column, cuts), len(block)] for column in columns]
        return np.array([b - a for one in ends for a, b in pairwise(one)], dtype=float)

    def attains(self, at: Metrics) -> Reached:
        """By every record; replaced, of labels, by two on both sides of a cut."""
        if not at.replaced:
            return "one record is in one bin a column", True
        rule = "one bin a column loses a record, one gains it"
        return rule, isinstance(self.data, ColumnNode) and self.parted

    def attains_range(self, at: Metrics) -> Reached:
        """By records on both sides of a cut."""
        return range_of_counts(at), self.parted

    @property
    def exchanged(self) -> ColumnNode | None:
        """Its labels, if they may occur on both sides of some cut."""
        labels = self.data if isinstance(self.data, ColumnNode) and not self.absolute else None
        return labels if self.parted else None

    @property
    def parted(self) -> bool:
        """Whether numbers of one column, or labels, may occur on both sides of some cut: at a bound
        and at the opposite one, or, where sizes are counted, at 0.
        """
        data, occurs = self.data, occurring(self.data)
        labels = isinstance(data, ColumnNode)
        if not occurs.ball and (labels or not occurs.box):
            return False
        bound = data.bound if isinstance(data, ColumnNode) else data.entry or data.norm  # type: ignore[attr-defined]
        cuts = [Fraction(float(cut)) for cut in self.cuts]
        if self.absolute:
            classes, zero = labels and of_classes(data), labels and zero_occurs(data)
            cuts = [cut for cut in cuts if (cut > 0 and not classes) or (cut == 0 and zero)]
        size = bound.value if isinstance(bound, Number) else 0
        return any(cut == 0 or abs(cut) < size for cut in cuts)


def range_of_counts(at: Metrics) -> str:
    """The rule of the range of a move of counts."""
    if at.replaced:
        return "one count falls by 1, another rises by 1"
    return "no count falls: each moves by 0 or 1"


@lru_cache(maxsize=64)
def cut_points(counts: BinCounts | NormCounts) -> Array:
    """Its cuts as doubles for comparison, shape (k,)."""
    return np.array(counts.cuts, dtype=float)


def at_most(entries: Array, cuts: Array) -> list[int]:
    """The number of entries (m,) that are at most each of k increasing cuts."""
    if len(cuts) > FEW:
        return list(np.searchsorted(np.sort(entries), cuts, side="right"))
    below = np.ascontiguousarray(entries) <= cuts[:, None]
    return [int(np.count_nonzero(one)) for one in below]


def _positive_cuts(value: object) -> tuple[Fraction, ...]:
    return cuts_of(value, above=Fraction(0))


@attrs.frozen(cache_hash=True)
class NormCounts(RecordSum):
    """The number of rows with a norm above the first cut and at most the second, ..., above the
    last of k: shape (k,). Rows with a norm at or below the first cut, such as zeros, are not
    counted. One row is in one bin: sensitivity 1 in L1 and L2; replaced, 2 and sqrt(2). Proof page:
    proofs/adaptive_clipping.
    """

    kind: ClassVar[str] = "norm_counts"
    label = titled(lambda one: f"norms above {len(one.cuts)} cuts")
    rows: RowsNode = attrs.field(validator=of_kind(RowsNode, "declared rows"))
    cuts: tuple[Fraction, ...] = attrs.field(converter=_positive_cuts)

    def block(self, values: Values) -> Array:
        """The counts of the block."""
        from dpframe.numerics.blocks.elementwise import LONG, SHORT, squared_norms

        rows, k = values[self.rows], len(self.cuts)
        squares = squared_norms(rows)
        lengths = np.sqrt(squares)
        far = ~((squares >= SHORT**2) & (squares <= LONG**2))  # elsewhere no entry exceeds |x|
        if far.any():
            largest = np.max(np.abs(rows[far]), axis=1, initial=0.0)
            lengths[far] = np.nan_to_num(np.fmax(lengths[far], largest), nan=0.0, posinf=np.inf)
        place = np.searchsorted(cut_points(self), lengths)
        return np.bincount(place, minlength=k + 1)[1:].astype(float)

    def attains(self, at: Metrics) -> Reached:
        """Nothing is known: rows may all be in no bin."""
        if at.replaced:
            return "one bin loses a row, one gains it", False
        return "one row is in at most one bin", False


@attrs.frozen(cache_hash=True)
class Histogram(RecordSum):
    """The number of records in each of cells^(d + 1) equal cells of [-B, B]^d x [-Y, Y], shape
    (cells^(d + 1),), the label's cell varying fastest. B is the bound on the entries of a row, or
    on its 2-norm where no box bounds it.

    One record is in one cell: L1 and L2 sensitivity 1; replaced, 2 and sqrt(2). Proof page:
    proofs/histogram. Raises InvalidArgument where a known d makes too many cells.
    """

    kind: ClassVar[str] = "histogram"
    label = titled("records in cells, {0.cells} a side")
    rows: RowsNode = attrs.field(converter=on_a_grid)
    column: ColumnNode = attrs.field(converter=labels_on_a_grid)
    cells: int = attrs.field()

    @cells.validator
    def _whole(self, attribute: object, value: int) -> None:
        if type(value) is not int or not 2 <= value <= MOST_A_SIDE:
            wanted = f"a whole number from 2 to {MOST_A_SIDE}"
            raise InvalidArgument("cells", wanted, value, "It is public: say it before looking.")

    def __attrs_post_init__(self) -> None:
        """Refuse a grid that is known to be too large."""
        d = self.rows.columns
        if isinstance(d, Number) and self.cells ** (int(d.value) + 1) > MOST_CELLS:
            wanted, count = f"at most {MOST_CELLS:,} in all", _count(self.cells, int(d.value))
            raise InvalidArgument("cells", wanted, count, _way_out(int(d.value)))

    def block(self, values: Values) -> Array:
        """The counts of the block. Raises NotExecutable if there are too many cells."""
        rows, labels = values[self.rows], values[self.column]
        d = rows.shape[1]
        if self.cells ** (d + 1) > MOST_CELLS:
            many = f"{_count(self.cells, d)}, more than {MOST_CELLS:,}"
            raise NotExecutable(f"a histogram of {many}. {_way_out(d)}")
        place = np.zeros(len(rows), dtype=np.int64)
        for axis, node in [*((column, self.rows) for column in rows.T), (labels, self.column)]:
            place = place * self.cells + cell(axis, self.cells, node.bits)  # type: ignore[attr-defined]
        return np.bincount(place, minlength=self.cells ** (d + 1)).astype(float)

    def attains(self, at: Metrics) -> Reached:
        """By every record; replaced, by labels at both bounds."""
        if at.replaced:
            return "one cell loses a record, one gains it", self.column.ball
        return "one record is in one cell", True

    def attains_range(self, at: Metrics) -> Reached:
        """By labels at both bounds."""
        return range_of_counts(at), self.column.ball


def cell(steps: Array, cells: int, bits: int) -> Array:
    """The cell of each entry in whole steps, |k| <= 2^bits: 0 to cells - 1, exactly."""
    above = np.asarray(steps).astype(np.int64) + 2**bits
    return np.asarray(np.minimum(above * cells // 2 ** (bits + 1), cells - 1))


def _count(cells: int, d: int) -> str:
    return f"{cells}^{d + 1} cells ({cells} a side of {d} columns and the label)"


def _way_out(d: int) -> str:
    most = max(k for k in range(1, MOST_A_SIDE + 1) if k ** (d + 1) <= MOST_CELLS)
    if most < 2:
        return "A histogram is for few columns; dp.regressions.FunctionalLinear takes any number."
    return f"At most {most} a side for {d} columns; dp.regressions.FunctionalLinear needs no cells."


@attrs.frozen(cache_hash=True)
class CellCount(RecordSum):
    """The number of records in a cell. Adding or replacing one record changes it by at most 1, so
    it is private under both relations. Proof page: proofs/partition.
    """

    kind: ClassVar[str] = "cell_count"
    label = titled("n of cell {0.cell} of {0.partition.cells}")
    partition: Partition
    cell: int = attrs.field(validator=in_partition)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows, and the labels where there are any."""
        return self.partition.inputs

    def block(self, values: Values) -> Array:
        """Those of the block."""
        return np.asarray(float(np.count_nonzero(self.partition.places(values) == self.cell)))

    def attains(self, at: Metrics) -> Reached:
        """Nothing is known of a cell."""
        return "one record is in the cell, or it is not", False


@attrs.frozen(cache_hash=True)
class CellSums(RecordSum):
    """For every cell the upper triangle of X'X, row by row, then X'y, of x/B and y/Y: shape
    (cells d (d + 3)/2,). B is the bound on the entries of a row, or on its 2-norm where no box
    bounds it.

    One record moves the sums of one cell by those of a record; replaced, perhaps of two cells by as
    much each. Proof page: proofs/partition.
    """

    kind: ClassVar[str] = "cell_sums"
    label = titled("(X'X, X'y) of each of {0.partition.cells} cells")
    partition: Partition

    def __attrs_post_init__(self) -> None:
        """Check that there are labels."""
        if not isinstance(self.partition, Partition) or self.partition.column is None:
            way_out = "Make it by dp.partition(X, y, ...): the sums are of labels too."
            raise InvalidArgument("partition", "one of rows and labels", self.partition, way_out)

    @property
    def rows(self) -> RowsNode:
        """X on its grid."""
        rows: RowsNode = on_a_grid(self.partition.rows)
        return rows

    @property
    def column(self) -> ColumnNode:
        """y on its grid."""
        column: ColumnNode = labels_on_a_grid(self.partition.column)
        return column

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X and y on their grids, and as the partition reads them."""
        return (self.rows, self.column, *self.partition.inputs)

    def block(self, values: Values) -> Array:
        """Those of the block."""
        rows, labels = values[self.rows], values[self.column]
        places, d = self.partition.places(values), rows.shape[1]
        sums = np.zeros((self.partition.cells, d * (d + 3) // 2))
        for cell in np.unique(places):
            sums[cell] = products(rows[places == cell], labels[places == cell])
        return np.ravel(sums)

    def attains(self, at: Metrics) -> Reached:
        """Nothing is known of a cell."""
        return "of one cell, by one record", False
