"""Functions that construct statistics."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.errors import InvalidArgument

from . import maps
from . import statistics as st
from .node import DataNode
from .partition import cell_under
from .post import Iterate
from .procedure import Objective, Squared
from .rows import ColumnNode, RowsNode, RowsOrLabels


def lambda_min(gram: st.Gram) -> st.LambdaMin:
    """The smallest eigenvalue of X.T @ X; sensitivity B^2 under both relations. Raises
    InvalidArgument for anything else.
    """
    return st.LambdaMin(gram)


def trace(gram: st.Gram) -> st.Trace:
    """trace(X.T @ X), the sum of squared row norms; sensitivity B^2."""
    return st.Trace(st.LambdaMin(gram).gram.rows)


def count(rows: RowsNode) -> st.Count | st.CellCount:
    """The number of rows; sensitivity 1 under add/remove, 0 under replace-one. For rows of a cell
    of a partition, the number of records in the cell; sensitivity 1 under both.
    """
    _declared(rows)
    cell = cell_under(rows)
    return st.Count(rows) if cell is None else st.CellCount(cell.partition, cell.cell)


def total(data: RowsNode | ColumnNode) -> st.RowSum | st.LabelSum:
    """The sum of the rows, shape (d,), or of the labels, shape ()."""
    if isinstance(data, ColumnNode):
        return st.LabelSum(data)
    _declared(data)
    return st.RowSum(data)


def stack(*statistics: st.Statistic) -> st.Stack:
    """Several statistics released as one vector, by one mechanism."""
    return st.Stack(statistics)


def sufficient_statistics(
    rows: RowsNode, column: ColumnNode, *, constant: bool = False
) -> st.Statistic:
    """The upper triangle of X'X, then X'y, then y'y if `constant`, each entry once, for x/B and
    y/Y. The L1 sensitivity is sharp for rows in a box.
    """
    _declared(rows, column)
    return st.SufficientStatistics(rows, column, constant)


def monomials(rows: RowsNode, column: ColumnNode, *, constant: bool = True) -> st.Statistic:
    """The coefficients of |y - X theta|^2 for x/B and y/Y, one per monomial in theta; without the
    constant term y'y unless `constant`.
    """
    _declared(rows, column)
    return st.Monomials(st.SufficientStatistics(rows, column, constant))


def histogram(rows: RowsNode, column: ColumnNode, cells: int) -> st.Statistic:
    """The number of records in each of cells^(d + 1) equal cells of the box of rows and labels.
    Raises InvalidArgument if a known d makes too many.
    """
    _declared(rows, column)
    return st.Histogram(rows, column, cells)


def argmin(
    rows: RowsNode,
    column: ColumnNode,
    objective: Objective,
    penalty: object,
    *,
    radius: object = None,
    weight: object = None,
) -> st.Argmin:
    """The minimiser of the summed losses and penalty/2 |theta|^2 over |theta|_2 <= radius, shape
    (d,), for a public positive penalty. Squared losses need a radius. `weight`, a positive formula
    of each record's budget, multiplies its loss.
    """
    _declared(rows, column)
    return st.Argmin(rows, column, objective, penalty, radius, weight=weight)


def gradient(
    rows: RowsNode,
    column: ColumnNode,
    *,
    at: Iterate,
    clip: object = None,
    loss: Objective | None = None,
) -> st.RowSum:
    """The sum over records of the gradient of `loss` (default: dp.graph.Squared()) at the point of
    a loop, shape (d,). Each record's gradient is clipped to norm `clip`, a public positive formula,
    which bounds the sensitivity; None does not clip, for losses of bounded slope. Raises
    InvalidArgument.
    """
    _declared(rows, column)
    each = maps.Gradient(rows, column, at, Squared() if loss is None else loss)
    return st.RowSum(each if clip is None else each.clip(norm=clip))


def log_residual(
    gram: st.Gram, moment: st.Moment, penalty: object, floor: object = 0
) -> st.LogResidual:
    """log(Y + B |theta|) of the ridge regression with this penalty: the logarithm of a bound on
    every residual. `floor` is 0, or dp.graph.lower_bound of a released dp.lambda_min(gram).
    """
    return st.LogResidual(gram, moment, penalty, floor)


def column_squares(rows: RowsNode) -> st.Statistic:
    """The sum of the squares of every column, shape (d,): the diagonal of X.T @ X."""
    _declared(rows)
    return st.ColumnSquares(rows)


def bin_counts(
    data: RowsOrLabels, cuts: Sequence[object], *, absolute: bool = False
) -> st.Statistic:
    """The number of entries in each bin between k public cuts, for every column of rows or for
    labels: k + 1 numbers per column. With `absolute`, absolute values are counted. Raises
    InvalidArgument.
    """
    return st.BinCounts(data, cuts, absolute)


def binned_sums(rows: RowsNode, column: ColumnNode, cuts: Sequence[object]) -> st.Statistic:
    """The sums of the rows in each bin between public cuts of the label, shape (d (k + 1),). Raises
    InvalidArgument.
    """
    _declared(rows, column)
    return st.BinnedSums(rows, column, cuts)


def factored(sums: st.Statistic, factor: str) -> st.Statistic:
    """A factor of the matrix of running totals ("square_root" or "tree") times `bin_counts` of
    labels or `binned_sums`. dp.graph.running_totals computes the totals from its release. Raises
    InvalidArgument.
    """
    return st.Factored(sums, factor)  # type: ignore[arg-type]


def median_distance(counts: st.Statistic, radius: int) -> st.Statistic:
    """The number of records that must be added or removed before one more can move the median bin
    of dp.graph.bin_counts(y, cuts) by more than `radius` bins. Raises InvalidArgument.
    """
    return st.MedianDistance(counts, radius)  # type: ignore[arg-type]


def tested_median(counts: st.Statistic, radius: int, passed: object) -> st.Statistic:
    """The median bin of these counts if `passed` is above 0, else 0. `passed` is
    dp.graph.lower_bound of a released dp.graph.median_distance(counts, radius). Raises
    InvalidArgument.
    """
    return st.TestedMedian(counts, radius, passed)  # type: ignore[arg-type]


def aggregate(name: str, data: DataNode) -> st.RawAggregate:
    """An aggregate of raw rows without bounded sensitivity ("max_abs", "mean", "std", "quantile",
    ...). The verifier refuses it and shows the path by which it is used.
    """
    return st.RawAggregate(name, data)


def _declared(rows: object, *labels: object) -> None:
    """Check the inputs of a statistic: rows, and labels if needed. Raises InvalidArgument."""
    kinds: list[tuple[object, type, str]] = [(rows, RowsNode, "rows, such as X")]
    kinds += [(one, ColumnNode, "labels, such as y") for one in labels]
    for data, kind, wanted in kinds:
        if not isinstance(data, kind):
            way_out = "What is released is computed with in dp.post(function, release)."
            raise InvalidArgument(
                "what a statistic is taken of", f"declared {wanted}", data, way_out
            )
