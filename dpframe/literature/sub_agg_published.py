"""Sub-Agg with the noise of its papers: kept to be audited."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.mechanisms import L2Laplace
from dpframe.privacy import Share
from dpframe.regressions.sub_agg import averaged, estimates
from dpframe.symbols import Expression, constant


class SubAggSmith(Regression):
    """Sub-Agg with the noise of the papers, for one block that changes: scale 2 radius/(cells
    epsilon). [Smith08] [DworkS10]

    The papers' blocks go by position, so that a replaced record stays in its block, and their noise
    is right for that. Cells here go by a hash of the record's own numbers, which needs no order of
    the table, but a replaced record may leave one cell for another. What is not proved under
    replace-one is this partition, not the papers' claim.
    """

    paper: ClassVar[str] = "Smith08; DworkS10"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "Sub-Agg, pure"
    cells: Expression = constant(100)
    penalty: Expression = constant(1)
    radius: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget, of sensitivity 2 radius/cells."""
        mean = estimates(X, y, self.cells, self.penalty, self.radius)
        noise = L2Laplace(scale=2 * self.radius / (self.cells * budget.epsilon))
        theta = release(mean, noise, budget, name="coefficients")
        return post(averaged, theta, self.penalty)
