"""Regressions from many small models: the deepest, the median of slopes, the mean."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Regression, RowsNode, partition, post, release
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
    """A point deep among the least squares of `models` disjoint parts of the table, drawn with a
    chance proportional to e^(rate depth) among those of depth models/4 or more, after a test that
    few records decide which those are; zeros where the test fails. [Amin23, Alg. 2, 3, repaired]

    Ours: parts go by a public hash of the record, the test's noise has the scale that the share
    needs, points lie on a grid of `grain` Y/B within |theta_j| <= `radius` Y/B, so that they are
    drawn exactly, and a mixture of boxes takes the place of shells. No bound on rows or labels
    enters. About 1000/epsilon models pass the test at delta = 1e-6, twice that under replace-one,
    and a partition has at most 1000: below epsilon of 1 (2) it returns zeros. Each model needs
    several times as many records as there are columns.
    """

    paper: ClassVar[str] = "Amin23"
    title: ClassVar[str] = "Tukey depth"
    use: ClassVar[str] = (
        "Very many records of few columns with very wide bounds, which hardly affect it. With "
        "tighter bounds use AdaSSP."
    )
    models: Expression = constant(1000)
    penalty: Expression = constant(0)
    radius: Expression = constant(10)
    grain: Expression = constant("1/10000")
    test: Expression = HALF

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget, `test` of epsilon for the test."""
        point = deep_point_tested(
            cell_sums(X, y, self.models),
            penalty=self.penalty,
            radius=self.radius,
            grain=self.grain,
            test=self.test,
            share=budget,
            name="point",
        )
        return post(as_it_is, point)


class TukeyPure(Regression):
    """A point deep among the least squares of `models` disjoint parts of the table, drawn from a
    public cube with a chance proportional to e^(rate depth). [Amin23, Alg. 2, in a cube]

    Ours: no test and no delta, since the cube |theta_j| <= `radius` Y/B, cut into a grid of `grain`
    Y/B, is public. A wide cube costs d log(radius) only, of a depth of models epsilon/4.
    """

    paper: ClassVar[str] = "Amin23"
    title: ClassVar[str] = "Tukey depth, pure"
    use: ClassVar[str] = (
        "Like Tukey, without delta or with fewer models: it needs about 4 d "
        "log(radius/error)/epsilon models."
    )
    models: Expression = constant(500)
    penalty: Expression = constant(0)
    radius: Expression = constant(10)
    grain: Expression = constant("1/10000")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole epsilon."""
        point = deep_point(
            cell_sums(X, y, self.models),
            penalty=self.penalty,
            radius=self.radius,
            grain=self.grain,
            share=budget,
            name="point",
        )
        return post(as_it_is, point)


def cell_sums(X: RowsNode, y: ColumnNode, models: Expression, salt: str = "Tukey") -> CellSums:
    """The sums of hashed cells, one a model. Raises InvalidArgument."""
    return CellSums(partition(X, y, cells=whole(models, "models"), salt=salt))


def as_it_is(point: Array) -> Fit:
    """The released point, shape (d,)."""
    return Fit(point)


# ---------------------------------------------------------------------------------------- Theil-Sen
MOST = 10  # the exact draw holds numbers of as many words as there are models


class TheilSen(Regression):
    """The median of slopes of lines through two or three records each, by the exponential
    mechanism on a public grid. [Alabi22, DPTheilSen, with cells of a hash]

    Each of the `matchings` puts every record into one of `pairs` cells by a public hash, and the
    least squares line through a cell is a model; a cell that has no such line has none. Ours: the
    paper matches records by their places in the table, which one more record would shift. A grid of
    `grain` Y/B within `radius` Y/B takes the place of an interval, so that a point is drawn
    exactly, and equal slopes need no widening. With an intercept, both coefficients are one point
    deep among all lines, where the paper draws two medians of predictions, for half of epsilon
    each.
    """

    paper: ClassVar[str] = "Alabi22"
    title: ClassVar[str] = "Theil-Sen"
    use: ClassVar[str] = (
        "One column and a few hundred to a few thousand records, with wide bounds or outliers in "
        "y. It needs more than 60/epsilon records; set pairs to about half of them."
    )
    pairs: Expression = constant(500)
    matchings: Expression = constant(5)
    radius: Expression = constant(10)
    grain: Expression = constant("1/10000")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole epsilon."""
        matchings = whole(self.matchings, "matchings")
        if not 1 <= matchings <= MOST:
            raise InvalidArgument("matchings", f"from 1 to {MOST}", matchings, "5 is the default.")
        sums = [cell_sums(X, y, self.pairs, f"matching {k}") for k in range(matchings)]
        point = deep_point(
            sums, penalty=0, radius=self.radius, grain=self.grain, share=budget, name="point"
        )
        return post(as_it_is, point)


# ------------------------------------------------------------------------------------------ Sub-Agg
class SubAgg(Regression):
    """Ridge regression in each of `cells` cells of a public hash of the records, every estimate put
    inside the ball of `radius`, their mean released with Gaussian noise that is calibrated by the
    exact profile. [Smith08] [DworkS10]

    Noise shrinks as 1/cells, whatever the data are; each cell sees a share 1/cells of them. A cell
    needs more records than columns, so it is for many records of few columns.
    """

    paper: ClassVar[str] = "Smith08; DworkS10"
    title: ClassVar[str] = "Sub-Agg"
    use: ClassVar[str] = (
        "Many records of few columns, with more records than columns in every cell. For fewer "
        "records use AdaSSP."
    )
    cells: Expression = constant(100)
    penalty: Expression = constant(1)
    radius: Expression = constant(1)

    def noise(self, budget: Share) -> Calibration | Mechanism:
        """Gaussian, by the exact profile."""
        del budget
        return Gaussian.analytic

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        mean = estimates(X, y, self.cells, self.penalty, self.radius)
        theta = release(mean, self.noise(budget), budget, name="coefficients")
        return post(averaged, theta, self.penalty)


class SubAggPure(SubAgg):
    """Sub-Agg with noise whose density falls with the 2-norm, of the derived sensitivity; spends no
    delta. [Smith08] [DworkS10]
    """

    title: ClassVar[str] = "Sub-Agg, pure"
    use: ClassVar[str] = "Like SubAgg, without delta."

    def noise(self, budget: Share) -> Calibration | Mechanism:
        """Of the derived sensitivity in the 2-norm."""
        del budget
        return L2Laplace.pure


def averaged(theta: Array, penalty: float) -> Fit:
    """The released mean, shape (d,), as it is."""
    return Fit(theta, ridge=penalty, ridge_was_zero=penalty == 0)


def estimates(
    X: RowsNode, y: ColumnNode, cells: Expression, penalty: Expression, radius: Expression
) -> BlockEstimates:
    """The mean over hashed cells. Raises InvalidArgument."""
    parted = partition(X, y, cells=whole(cells, "cells"), salt="Sub-Agg")
    return BlockEstimates(parted, penalty, radius)
