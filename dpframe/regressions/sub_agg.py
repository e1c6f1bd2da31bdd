"""Sub-Agg: the mean of estimates from the cells of a public partition."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, partition, post, release
from dpframe.graph.statistics import BlockEstimates
from dpframe.mechanisms import Calibration, Gaussian, L2Laplace, Mechanism
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .solve import Array, Fit
from .whole import whole


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
        "For many records of few columns, so that every cell has more records than columns. For "
        "fewer records take AdaSSP."
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
    use: ClassVar[str] = "As SubAgg, where delta must be 0."

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
