"""adaSSP: ridge on noisy X'X and X'y, with a ridge that adapts to a noisy smallest eigenvalue."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly, post, release
from dpframe.graph.statistics import LambdaMin
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .solve import adaptive_ridge

RHO = constant("0.05")


class AdaSSP(Regression):
    """adaSSP with its three releases calibrated together to the whole budget by the exact Gaussian
    profile. [Wang18, Alg. 2]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "adaSSP"
    use: ClassVar[str] = (
        "The first to try for least squares with a delta: its ridge grows where the data say "
        "little. With so few records that X'X is mostly noise it returns almost zero."
    )
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, equal squared mu; the eigenvalue is lowered by the 5% quantile of its
        noise.
        """
        statistics = [LambdaMin(X.T @ X), X.T @ X, X.T @ y]
        for_floor, for_gram, for_moment = jointly(budget, statistics)
        floor = release(LambdaMin(X.T @ X), for_floor, name="floor")
        gram = release(X.T @ X, for_gram, name="gram")
        moment = release(X.T @ y, for_moment, name="moment")
        shift = constant("1.645") * floor.std
        return post(adaptive_ridge, floor, gram, moment, shift, gram.std, self.rho, constant(0))
