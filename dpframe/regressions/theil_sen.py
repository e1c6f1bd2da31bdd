"""Regression by the median of slopes through few records each."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Regression, RowsNode, post
from dpframe.graph.procedures.deep_point import deep_point
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .tukey import as_it_is, cell_sums
from .whole import whole

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
        "For one column and a few hundred to a few thousand records, with wide bounds or outliers "
        "in y. It needs more than 60/epsilon records; set pairs to about half of them."
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
