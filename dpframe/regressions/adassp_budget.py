"""adaSSPbudget: adaSSP whose ridge parameter is paid by a share gamma of the budget."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly, post, release
from dpframe.graph.statistics import LambdaMin
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, parameter

from .solve import adaptive_ridge


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
    rho: Expression = constant("0.05")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """gamma of the squared mu to the eigenvalue, the rest to X'X and X'y in halves."""
        rest = (1 - self.gamma) / 2
        for_floor, for_gram, for_moment = jointly(
            budget, [LambdaMin(X.T @ X), X.T @ X, X.T @ y], [self.gamma, rest, rest]
        )
        floor = release(LambdaMin(X.T @ X), for_floor, name="floor")
        gram = release(X.T @ X, for_gram, name="gram")
        moment = release(X.T @ y, for_moment, name="moment")
        return post(
            adaptive_ridge,
            floor,
            gram,
            moment,
            constant("1.645") * floor.std,
            gram.std,
            self.rho,
            constant(0),
        )
