"""SSP: ridge regression on noisy X'X and X'y."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly, post
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .solve import released, ridge_solve, sums


class SSP(Regression):
    """Ridge on noisy X'X and X'y, both calibrated together to the whole budget by the exact
    Gaussian profile. [Wang18, Sec. 3.2; Piazza21, Alg. 1]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "SSP"
    use: ClassVar[str] = (
        "For many records of few columns, where noise on X'X is small beside it. With fewer "
        "records its ridge does not outweigh the noise: take AdaSSP."
    )
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases, equal squared mu."""
        statistics = sums(X, y)
        gram, moment = released(statistics, jointly(budget, [*statistics.values()]))
        return post(ridge_solve, gram, moment, self.ridge)
