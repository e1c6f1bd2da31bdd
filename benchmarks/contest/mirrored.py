"""adaSSP to the letter of its paper, its noise matrix too."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.statistics import LambdaMin
from dpframe.mechanisms import Gaussian, MirroredGaussian
from dpframe.privacy import Share
from dpframe.regressions.adassp import RHO
from dpframe.regressions.solve import adaptive_ridge
from dpframe.symbols import Expression, constant, log, sqrt


class AdaSSPWangMirrored(Regression):
    """adaSSP with the noise matrix that Wang prints too: one draw for each entry of the upper
    triangle, mirrored. AdaSSPWang draws with half of its variance off the diagonal, for the same
    privacy. [Wang18, Alg. 2]
    """

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "adaSSP, mirrored noise"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Thirds of the budget."""
        for_floor, for_gram, for_moment = budget.split_evenly(3)
        tail = sqrt(log(6 / budget.delta))
        unit = tail / (budget.epsilon / 3)
        square, matrix = Gaussian(unit * X.radius**2), MirroredGaussian(unit * X.radius**2)
        floor = release(LambdaMin(X.T @ X), square, for_floor, name="floor")
        gram = release(X.T @ X, matrix, for_gram, name="gram")
        moment = release(X.T @ y, Gaussian(unit * X.radius * y.radius), for_moment, name="moment")
        shift = tail * floor.std
        return post(adaptive_ridge, floor, gram, moment, shift, gram.std, self.rho, constant(0))
