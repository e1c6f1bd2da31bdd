"""Sums over records of powers and products of their entries. Their sensitivities are derived by the
rule book (`dpframe.theory.statistics`).
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from dpframe.errors import of_kind
from dpframe.sensitivity import L1
from dpframe.symbols import ONE

from ..maps.bounds import Box, Encoded, Intercept
from ..maps.grid import Grid, gridded, labels_on_a_grid, on_a_grid
from ..node import Array, Values, np, titled
from ..reached import Metrics, Reached, corner, corners, every_entry, every_size, opposite
from ..rows import ColumnNode, RowsNode
from .base import RecordSum, variable


def _even(own: Any) -> bool:
    return bool(own.rows.ball) and own.rows.entry is None


def range_of(rows: RowsNode, at: Metrics, rule: str, ball: str, box: str) -> Reached:
    """The rule of the range of a move, with its bounds in a ball and in a box; attained where rows
    may occur whose entries differ as much as that.
    """
    bound = f"{rule}{ball if rows.entry is None else box}{', twice' if at.replaced else ''}"
    return bound, every_entry(rows)


@attrs.frozen(cache_hash=True)
class Count(RecordSum):
    """n, a number: moves by 1 under add/remove, is constant over neighbours under replace-one.
    Proof page: proofs/count.
    """

    kind: ClassVar[str] = "count"
    even: ClassVar[bool] = True
    label: ClassVar[str] = "n"
    template: ClassVar[str] = "dp.count({X})"
    rows: RowsNode

    def block(self, values: Values) -> Array:
        """Rows of the block."""
        return np.asarray(float(len(values[self.rows])))

    def attains(self, at: Metrics) -> Reached:
        """By every row."""
        return "n is public" if at.replaced else "one row counts once", True


@attrs.frozen(cache_hash=True)
class RowSum(RecordSum):
    """X'1, shape (d,): one row moves it by |x| <= B, a replacement by at most 2 B. Proof page:
    proofs/row_sum.
    """

    kind: ClassVar[str] = "row_sum"
    unbounded: ClassVar[bool] = True
    template: ClassVar[str] = "{X}.sum()"
    label = titled(lambda one: f"sum({variable(one.rows)})")
    rows: RowsNode = attrs.field(converter=gridded)

    def block(self, values: Values) -> Array:
        """The column sums of the block."""
        return np.asarray(values[self.rows].sum(axis=0))

    def attains(self, at: Metrics) -> Reached:
        """By a longest row; replaced, by its negative."""
        return "|x - z| <= 2 B" if at.replaced else "|x| <= B", opposite(self.rows, at)

    def attains_range(self, at: Metrics) -> Reached:
        """By a row of two opposite entries."""
        return range_of(self.rows, at, "|x_j - x_k| <= ", "sqrt(2) B", "2 b")

    even = property(_even)


@attrs.frozen(cache_hash=True)
class LabelSum(RecordSum):
    """1'y, a number: one label moves it by at most Y, a replacement by at most 2 Y. Proof page:
    proofs/label_sum.
    """

    kind: ClassVar[str] = "label_sum"
    even: ClassVar[bool] = True
    unbounded: ClassVar[bool] = True
    label: ClassVar[str] = "sum(y)"
    template: ClassVar[str] = "{y}.sum()"
    column: ColumnNode = attrs.field(converter=gridded)

    def block(self, values: Values) -> Array:
        """The sum of the block."""
        return np.asarray(values[self.column].sum())

    def attains(self, at: Metrics) -> Reached:
        """By labels at their bounds."""
        return "|y - w| <= 2 Y" if at.replaced else "|y| <= Y", self.column.ball


@attrs.frozen(cache_hash=True)
class Gram(RecordSum):
    """X'X, shape (d, d), symmetric.

    One row x adds xx', of Frobenius and operator norm |x|^2 <= B^2. Replaced rows: |xx' -
    zz'|_F^2 = |x|^4 + |z|^4 - 2 (x.z)^2 <= 2 B^4, and -zz' <= xx' - zz' <= xx' keeps the
    operator norm at B^2. The upper triangle of xx' has L1 norm (|x|_1^2 + |x|^2)/2; replaced,
    by Cauchy-Schwarz over d diagonal and d(d-1)/2 off-diagonal entries, at most sqrt(d(d+3)/2)
    B^2. Proof page: proofs/gram.
    """

    kind: ClassVar[str] = "gram"
    angled: ClassVar[bool] = True
    unbounded: ClassVar[bool] = True
    label: ClassVar[str] = "X'X"
    template: ClassVar[str] = "{X}.T @ {X}"
    rows: RowsNode = attrs.field(converter=gridded)

    def block(self, values: Values) -> Array:
        """X'X of the block."""
        return values[self.rows].T @ values[self.rows]

    def attains(self, at: Metrics) -> Reached:
        """By a longest row; replaced, by one that is orthogonal to it."""
        if not at.replaced and at.norm is L1:
            return "upper triangle of xx': (|x|_1^2 + |x|^2)/2", self.rows.ball
        if not at.replaced:
            return "|xx'| = |x|^2 <= B^2", self.rows.extreme
        if at.norm is L1:
            return "Cauchy-Schwarz over the upper triangle", False
        return "|xx' - zz'|_F^2 <= 2 B^4, operator norm <= B^2", self.rows.ball

    even = property(_even)


@attrs.frozen(cache_hash=True)
class Moment(RecordSum):
    """X'y, shape (d,). One row adds y x, of norm at most |y| |x| <= Y B; replaced rows move it by
    at most 2 Y B. Proof page: proofs/moment.
    """

    kind: ClassVar[str] = "moment"
    unbounded: ClassVar[bool] = True
    label: ClassVar[str] = "X'y"
    template: ClassVar[str] = "{X}.T @ {y}"
    rows: RowsNode = attrs.field(converter=gridded)
    column: ColumnNode = attrs.field(converter=gridded)

    def block(self, values: Values) -> Array:
        """X'y of the block."""
        return values[self.rows].T @ values[self.column]

    def attains(self, at: Metrics) -> Reached:
        """By a longest row with |y| = Y; replaced, by its negative."""
        rows = corners(self.rows) if at.norm is L1 else self.rows.extreme
        rule = "|y x - w z| <= 2 Y B" if at.replaced else "|y x| <= Y B"
        return rule, rows and self.column.ball

    def attains_range(self, at: Metrics) -> Reached:
        """By a row of two opposite entries with |y| = Y."""
        rule, rows = range_of(
            self.rows, at, "|x_j - x_k| <= ", "sqrt(2) B, times Y", "2 b, times Y"
        )
        return rule, rows and self.column.ball

    even = property(_even)


@attrs.frozen(cache_hash=True)
class Squares(RecordSum):
    """y'y, a number. One label adds y^2, in [0, Y^2]; so does a replacement move it by at most Y^2.
    Proof page: proofs/squares.
    """

    kind: ClassVar[str] = "squares"
    even: ClassVar[bool] = True
    unbounded: ClassVar[bool] = True
    label: ClassVar[str] = "y'y"
    template: ClassVar[str] = "{y} @ {y}"
    column: ColumnNode = attrs.field(converter=gridded)

    def block(self, values: Values) -> Array:
        """y'y of the block."""
        return np.asarray(values[self.column] @ values[self.column])

    def attains(self, at: Metrics) -> Reached:
        """By labels of size Y and 0."""
        return "0 <= y^2 <= Y^2", every_size(self.column) if at.replaced else self.column.ball


def _norms(rows: RowsNode) -> Any:
    """On the grid, unless every row has norm 1: then the trace is the number of rows."""
    before = rows.source if isinstance(rows, Grid) else rows
    return before if before.unit_norm else gridded(rows)


@attrs.frozen(cache_hash=True)
class Trace(RecordSum):
    """trace(X'X) = sum |x|^2, a number: moves by at most B^2, since 0 <= |x|^2 <= B^2.

    Where every row has norm exactly B and one row is replaced, it does not move at all. Proof
    page: proofs/trace.
    """

    kind: ClassVar[str] = "trace"
    unbounded: ClassVar[bool] = True
    label: ClassVar[str] = "trace(X'X)"
    template: ClassVar[str] = "dp.trace({X}.T @ {X})"
    rows: RowsNode = attrs.field(converter=_norms)

    def block(self, values: Values) -> Array:
        """The sum of squares of the block; for rows of norm 1 the number of rows, so that rounding
        reveals nothing.
        """
        rows = values[self.rows]
        return np.asarray(float(len(rows)) if self.rows.unit_norm else np.vdot(rows, rows))

    def attains(self, at: Metrics) -> Reached:
        """By a longest row."""
        if at.replaced and self.rows.unit_norm:
            return "every row has the same norm", True
        return "0 <= |x|^2 <= B^2", self.rows.ball if at.replaced else self.rows.extreme


def _entries(rows: Any) -> Any:
    """The rows on the grid of their table, if it has one; entry by entry in a box, also for columns
    of a codebook with one column each.
    """
    coded = rows.source if isinstance(rows, Intercept) and rows.value == ONE else rows
    if isinstance(coded, Encoded) and (boxed := Box(rows, 1)).entry is not None:
        rows = boxed
    return rows if isinstance(rows, RowsNode) and rows.grid is None else on_a_grid(rows)


@attrs.frozen(cache_hash=True)
class ColumnSquares(RecordSum):
    """(sum of x_j^2)_j, shape (d,): the diagonal of X'X. One row adds a nonnegative vector of L1
    norm |x|^2 <= B^2; in a box of side b, of L2 norm at most sqrt(d) b^2. Proof page:
    proofs/column_squares.
    """

    kind: ClassVar[str] = "column_squares"
    unbounded: ClassVar[bool] = True
    label: ClassVar[str] = "sum(X^2)"
    template: ClassVar[str] = "dp.graph.column_squares({X})"
    rows: RowsNode = attrs.field(converter=_entries)

    def block(self, values: Values) -> Array:
        """The sums of squares of the block."""
        rows = values[self.rows]
        return np.asarray(np.einsum("ij,ij->j", rows, rows))

    def attains(self, at: Metrics) -> Reached:
        """By a corner of the box, or by a longest row that is added."""
        if self.rows.entry is not None:
            return "0 <= x_j^2 <= b^2", self.rows.box if at.replaced else self.rows.extreme
        if at.replaced:
            return "two vectors without negative entries", False
        return "|x o x| <= |x|^2 <= B^2", self.rows.ball

    def attains_range(self, at: Metrics) -> Reached:
        """By a row along an axis."""
        return range_of(self.rows, at, "0 <= x_j^2 <= ", "B^2", "b^2")


@attrs.frozen(cache_hash=True)
class SufficientStatistics(RecordSum):
    """The upper triangle of X'X, row by row, then X'y, then y'y where `constant`, of x/B and y/Y: a
    vector of d (d + 3)/2 numbers, or one more. B is the bound on the entries of a row, or on its
    2-norm where no box bounds it.

    Its L1 norm counts every product once: noise of one scale on all, one draw each, and a
    matrix that is symmetric by construction. Of rows in a box, sharp under both relations: (d +
    1)(d + 2)/2 with y'y; without it d (d + 3)/2, and d (d + 2)^2/(2 (d + 1)) under replace-one.
    Proof page: proofs/sufficient_statistics.
    """

    kind: ClassVar[str] = "sufficient_statistics"
    unbounded: ClassVar[bool] = True
    rows: RowsNode = attrs.field(converter=on_a_grid)
    column: ColumnNode = attrs.field(converter=labels_on_a_grid)
    constant: bool = attrs.field(default=False, validator=of_kind(bool))

    @property
    def label(self) -> str:
        """`(X'X, X'y) once each`."""
        return f"(X'X, X'y{', y' + chr(39) + 'y' if self.constant else ''}) once each"

    def block(self, values: Values) -> Array:
        """Those of the block."""
        return products(values[self.rows], values[self.column], constant=self.constant)

    def attains(self, at: Metrics) -> Reached:
        """By a corner."""
        added = "each product of u = (x, y) once: (|u|_1^2 + |u|^2)/2"
        replaced = "uu' - vv' = 2 (pq' + qp'), |p_j| + |q_j| <= 1"
        return by_a_corner(self, at, "|uu'| = |u|^2", added, replaced)


def by_a_corner(own: Any, at: Metrics, other: str, added: str, replaced: str) -> Reached:
    """Of products of all entries and labels, the rule in words: in L1 it is attained by a corner;
    replaced, of a box alone, by another record inside it.
    """
    if at.norm is not L1:
        return other, False
    attained = corner(own.rows, own.column, at, constant=own.constant)
    if not at.replaced:
        return added, attained
    return ("remove and add", False) if own.rows.entry is None else (replaced, attained)


def products(rows: Array, labels: Array, *, constant: bool = False) -> Array:
    """Upper X'X, X'y, perhaps y'y, of rows (m, d) and labels (m,), as one vector."""
    gram = rows.T @ rows
    parts = [gram[np.triu_indices(len(gram))], rows.T @ labels]
    return np.concatenate([*parts, [labels @ labels]] if constant else parts)
