"""adaSSPbudget: adaSSP whose ridge parameter is paid by a share gamma of the budget."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly
from dpframe.privacy import Share
from dpframe.symbols import Expression, parameter

from .solve import QUANTILE, RHO, adapted, released, sums


class AdaSSPBudgetTight(Regression):
    """adaSSPbudget with gamma a share of the squared mu, calibrated together by the exact Gaussian
    profile. [Piazza21, Alg. 3]
    """

    paper: ClassVar[str] = "Piazza21"
    title: ClassVar[str] = "adaSSPbudget"
    use: ClassVar[str] = (
        "Where the part of the budget for the ridge is to be chosen, publicly. Without a reason "
        "for a gamma of your own take AdaSSP, which has equal parts."
    )
    gamma: Expression = parameter("gamma", 0, 1)
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """gamma of the squared mu to the eigenvalue, the rest to X'X and X'y in halves."""
        rest = (1 - self.gamma) / 2
        statistics = sums(X, y, floor=True)
        noises = jointly(budget, [*statistics.values()], [self.gamma, rest, rest])
        return adapted(released(statistics, noises), QUANTILE, self.rho)
