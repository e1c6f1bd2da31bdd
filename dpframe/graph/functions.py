"""Statistics by name."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.errors import InvalidArgument

from . import statistics as st
from .columns import Column
from .loop import Iterate
from .node import DataNode
from .procedure import Objective, Squared
from .rows import Rows


def lambda_min(gram: st.Gram) -> st.LambdaMin:
    """The smallest eigenvalue of X.T @ X; sensitivity B^2 under both relations. Raises
    InvalidArgument for anything else.
    """
    return st.LambdaMin(gram)


def trace(gram: st.Gram) -> st.Trace:
    """trace(X.T @ X), the sum of squared row norms; sensitivity B^2."""
    return st.Trace(st.LambdaMin(gram).gram.rows)


def count(rows: Rows) -> st.Count | st.CellCount:
    """The number of rows; sensitivity 1 under add/remove, 0 under replace-one. Of rows of a cell of
    a partition the number of records in the cell; sensitivity 1 under both.
    """
    _declared(rows)
    from .maps.cells import cell_under

    cell = cell_under(rows)
    return st.Count(rows) if cell is None else st.CellCount(cell.partition, cell.cell)


def total(data: Rows | Column) -> st.RowSum | st.LabelSum:
    """The sum of the rows, shape (d,), or of the labels, shape ()."""
    if isinstance(data, Column):
        return st.LabelSum(data)
    _declared(data)
    return st.RowSum(data)


def stack(*statistics: st.Statistic) -> st.Stack:
    """Several statistics released as one vector, by one mechanism."""
    return st.Stack(statistics)


def sufficient_statistics(rows: Rows, column: Column, *, constant: bool = False) -> st.Statistic:
    """The upper triangle of X'X, then X'y, then y'y where `constant`: each once, of x/B and y/Y.
    Sharp L1 sensitivity for rows in a box.
    """
    _declared(rows, column)
    return st.SufficientStatistics(rows, column, constant)


def monomials(rows: Rows, column: Column, *, constant: bool = True) -> st.Statistic:
    """The coefficients of |y - X theta|^2 of x/B and y/Y, one a monomial in theta; without that of
    1, y'y, where not `constant`.
    """
    _declared(rows, column)
    return st.Monomials(st.SufficientStatistics(rows, column, constant))


def histogram(rows: Rows, column: Column, cells: int) -> st.Statistic:
    """The number of records in each of cells^(d + 1) equal cells of the box of rows and labels.
    Raises InvalidArgument where a known d makes too many.
    """
    _declared(rows, column)
    return st.Histogram(rows, column, cells)


def argmin(
    rows: Rows,
    column: Column,
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
    rows: Rows,
    column: Column,
    *,
    at: Iterate,
    clip: object = None,
    loss: Objective | None = None,
) -> st.RowSum:
    """The sum over records of the gradient of `loss`, dp.graph.Squared() by default, at the point
    of a loop, shape (d,); each record's is clipped to norm `clip`, a public positive formula, so
    that one row moves it by at most that. None clips nothing, for losses of bounded slope. Raises
    InvalidArgument.
    """
    _declared(rows, column)
    from .maps.residuals import Gradient

    each = Gradient(rows, column, at, Squared() if loss is None else loss)
    return st.RowSum(each if clip is None else each.clip(norm=clip))


def log_residual(
    gram: st.Gram, moment: st.Moment, penalty: object, floor: object = 0
) -> st.LogResidual:
    """log(Y + B |theta|) of the ridge regression with this penalty, a number: the logarithm of a
    bound on every residual. `floor` is 0, or dp.graph.lower_bound of a released
    dp.lambda_min(gram).
    """
    return st.LogResidual(gram, moment, penalty, floor)


def column_squares(rows: Rows) -> st.Statistic:
    """The sum of the squares of every column, shape (d,): the diagonal of X.T @ X."""
    _declared(rows)
    return st.ColumnSquares(rows)


def bin_counts(
    data: Rows | Column, cuts: Sequence[object], *, absolute: bool = False
) -> st.Statistic:
    """How many entries of every column, or how many labels, are at most the first of k public cuts,
    between each two, and above the last: k + 1 numbers. Of their sizes where `absolute`. Raises
    InvalidArgument.
    """
    return st.BinCounts(data, cuts, absolute)


def binned_sums(rows: Rows, column: Column, cuts: Sequence[object]) -> st.Statistic:
    """The sums of the rows between public cuts of the label, bin after bin, shape (d (k + 1),).
    Raises InvalidArgument.
    """
    _declared(rows, column)
    return st.BinnedSums(rows, column, cuts)


def factored(sums: st.Statistic, factor: str) -> st.Statistic:
    """A factor of the matrix of running totals, times `bin_counts` of labels or `binned_sums`:
    "square_root" or "tree". dp.graph.running_totals makes the totals of its release. Raises
    InvalidArgument.
    """
    return st.Factored(sums, factor)  # type: ignore[arg-type]


def median_distance(counts: st.Statistic, radius: int) -> st.Statistic:
    """How many records must come or go until one more may move the median bin of
    dp.graph.bin_counts(y, cuts) by more than `radius` bins. Raises InvalidArgument.
    """
    return st.MedianDistance(counts, radius)  # type: ignore[arg-type]


def tested_median(counts: st.Statistic, radius: int, passed: object) -> st.Statistic:
    """The median bin of these counts where `passed` is above 0, else 0: `passed` is
    dp.graph.lower_bound of a released dp.graph.median_distance(counts, radius). Raises
    InvalidArgument.
    """
    return st.TestedMedian(counts, radius, passed)  # type: ignore[arg-type]


def aggregate(name: str, data: DataNode) -> st.RawAggregate:
    """An aggregate of raw rows that no rule bounds ("max_abs", "mean", "std", "quantile", ...): the
    verifier refuses it by its path.
    """
    return st.RawAggregate(name, data)


def _declared(rows: object, *labels: object) -> None:
    """What a statistic is taken of: rows, and perhaps labels. Raises InvalidArgument."""
    kinds: list[tuple[object, type, str]] = [(rows, Rows, "rows, such as X")]
    kinds += [(one, Column, "labels, such as y") for one in labels]
    for data, kind, said in kinds:
        if not isinstance(data, kind):
            way_out = "What is released is computed with in dp.post(function, release)."
            raise InvalidArgument("what a statistic is taken of", f"declared {said}", data, way_out)
