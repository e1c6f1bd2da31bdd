"""Regressions that aggregate many small models: by Tukey depth, a median of slopes, or a mean."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, partition, post, release
from dpframe.graph.partition import MOST as MOST_CELLS
from dpframe.graph.procedures import deep_point_tested
from dpframe.graph.procedures.deep_point import deep_point
from dpframe.graph.statistics import BlockEstimates, CellSums
from dpframe.mechanisms import Calibration, Gaussian, L2Laplace, Mechanism
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .solve import Array, Fit, whole

# -------------------------------------------------------------------------------------- Tukey depth
HALF = constant("1/2")


class Tukey(Regression):
    """A point of large Tukey depth among least squares models of disjoint parts of the table,
    selected by a propose-test-release exponential mechanism. [Amin23, Alg. 2, 3, repaired]

    The table is divided into `models` parts, 1 to 1000, by a public hash of the record; `penalty`
    is the ridge of each model. The share `test` of epsilon, from 0 to 1, tests that a few records
    cannot change which points have depth models/4 or more; if the test fails the result is 0.
    Otherwise a point of that depth is drawn with probability proportional to e^(rate depth), from a
    grid of step `grain` Y/B within |theta_j| <= `radius` Y/B. No noise is proportional to the
    bounds of rows and labels.

    The test passes with about 1000/epsilon models at delta = 1e-6, with twice as many under
    replace-one: for epsilon below 1 (below 2) the result is 0. Each model needs several times as
    many records as columns. Different from the paper: the hash, the scale of the noise in the test,
    the grid, which allows exact sampling, and a mixture of boxes in place of shells.

    Use: Very many records of few columns with very wide bounds, which hardly affect it. With
    tighter bounds use AdaSSP.
    """

    title: ClassVar[str] = "Tukey depth"
    models: Expression = constant(1000)
    penalty: Expression = constant(0)
    radius: Expression = constant(10)
    grain: Expression = constant("1/10000")
    test: Expression = HALF

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Draw one point for the whole budget."""
        point = deep_point_tested(
            cell_sums(X, y, whole(self.models, "models", 1, MOST_CELLS)),
            penalty=self.penalty,
            radius=self.radius,
            grain=self.grain,
            test=self.test,
            share=budget,
            name="point",
        )
        return post(as_it_is, point)


class TukeyPure(Regression):
    """A point of large Tukey depth among least squares models of disjoint parts of the table,
    selected from a public cube by the exponential mechanism. [Amin23, Alg. 2, in a cube]

    The parameters are those of Tukey. The cube |theta_j| <= `radius` Y/B with a grid of step
    `grain` Y/B is public, so that neither a test nor a delta is needed. A point is drawn with
    probability proportional to e^(rate depth); the width of the cube lowers the depth, which is up
    to models/2, by about 4 d log(radius)/epsilon.

    Use: Like Tukey, without delta or with fewer models: it needs about 4 d
    log(radius/error)/epsilon models.
    """

    title: ClassVar[str] = "Tukey depth, pure"
    models: Expression = constant(500)
    penalty: Expression = constant(0)
    radius: Expression = constant(10)
    grain: Expression = constant("1/10000")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Draw one point for the whole epsilon."""
        point = deep_point(
            cell_sums(X, y, whole(self.models, "models", 1, MOST_CELLS)),
            penalty=self.penalty,
            radius=self.radius,
            grain=self.grain,
            share=budget,
            name="point",
        )
        return post(as_it_is, point)


def cell_sums(X: RowsNode, y: ColumnNode, cells: int, salt: str = "Tukey") -> CellSums:
    """The sums over hashed cells, one cell per model."""
    return CellSums(partition(X, y, cells=cells, salt=salt))


def as_it_is(point: Array) -> Fit:
    """The released point, shape (d,), as a fit."""
    return Fit(point)


# ---------------------------------------------------------------------------------------- Theil-Sen
MOST = 10  # exact sampling computes with numbers of as many words as there are models


class TheilSen(Regression):
    """The Theil-Sen estimator: the median of the slopes of lines through few records each, selected
    from a public grid by the exponential mechanism. [Alabi22, DPTheilSen, with hashed cells]

    Each of the `matchings`, 1 to 10, assigns every record to one of `pairs` cells by a public hash;
    the least squares line of a cell is a model, unless the cell determines none. The slope lies on
    a grid of step `grain` Y/B within `radius` Y/B.

    Different from the paper, which matches records by their positions in the table: one more record
    would shift these. The grid in place of an interval allows exact sampling, and equal slopes need
    no widening. With an intercept, both coefficients are one point of large depth among all lines;
    the paper draws two medians of predictions, each for half of epsilon.

    Use: One column and a few hundred to a few thousand records, with wide bounds or outliers in y.
    It needs more than 60/epsilon records; set pairs to about half of them.
    """

    title: ClassVar[str] = "Theil-Sen"
    pairs: Expression = constant(500)
    matchings: Expression = constant(5)
    radius: Expression = constant(10)
    grain: Expression = constant("1/10000")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Draw one point for the whole epsilon."""
        matchings = whole(self.matchings, "matchings", 1, MOST)
        pairs = whole(self.pairs, "pairs", 1, MOST_CELLS)
        sums = [cell_sums(X, y, pairs, f"matching {k}") for k in range(matchings)]
        point = deep_point(
            sums, penalty=0, radius=self.radius, grain=self.grain, share=budget, name="point"
        )
        return post(as_it_is, point)


# ------------------------------------------------------------------------------------------ Sub-Agg
class SubAgg(Regression):
    """Subsample-and-aggregate: the mean of ridge regressions in disjoint parts of the table,
    released with Gaussian noise calibrated by the exact profile. [Smith08] [DworkS10]

    The parts are `cells` cells, 1 to 1000, of a public hash of the record; each needs more records
    than columns. `penalty` is the ridge of each model, whose coefficients are projected onto
    |theta| <= `radius`. The noise shrinks as 1/cells for all tables.

    Use: Many records of few columns, with more records than columns in every cell. For fewer
    records use AdaSSP.
    """

    title: ClassVar[str] = "Sub-Agg"
    rule: ClassVar[Calibration] = Gaussian.analytic
    cells: Expression = constant(100)
    penalty: Expression = constant(1)
    radius: Expression = constant(1)

    def noise(self, budget: Share) -> Calibration | Mechanism:
        """The noise on the mean: here calibrated to the share."""
        del budget
        return self.rule

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the mean for the whole budget."""
        mean = estimates(X, y, self.cells, self.penalty, self.radius)
        theta = release(mean, self.noise(budget), budget, name="coefficients")
        return post(averaged, theta, self.penalty)


class SubAggPure(SubAgg):
    """Subsample-and-aggregate with noise of density exp(-|z|/scale) in the 2-norm, for pure
    differential privacy. [Smith08] [DworkS10]

    The parameters are those of SubAgg.

    Use: Like SubAgg, without delta.
    """

    title: ClassVar[str] = "Sub-Agg, pure"
    rule: ClassVar[Calibration] = L2Laplace.pure


def averaged(theta: Array, penalty: float) -> Fit:
    """The released mean, shape (d,), as a fit."""
    return Fit(theta, ridge=penalty, ridge_was_zero=penalty == 0)


def estimates(
    X: RowsNode, y: ColumnNode, cells: Expression, penalty: Expression, radius: Expression
) -> BlockEstimates:
    """The mean of the estimates of hashed cells. Raises InvalidArgument."""
    parted = partition(X, y, cells=whole(cells, "cells"), salt="Sub-Agg")
    return BlockEstimates(parted, penalty, radius)
