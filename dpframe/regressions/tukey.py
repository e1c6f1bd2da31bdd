"""Regression by the Tukey depth of many models: with a test, pure, and as public code has it."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, partition, post
from dpframe.graph.procedures import deep_point_tested
from dpframe.graph.procedures.deep_point import deep_point
from dpframe.graph.statistics import CellSums
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .solve import Array, Fit
from .whole import whole

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
        "For very many records of few columns with bounds so wide that noise for them would drown "
        "all: bounds hardly matter. Otherwise take AdaSSP."
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
        "As Tukey, where delta must be 0 or models are fewer: it needs about 4 d log(radius/error)"
        "/epsilon of them."
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
