"""constSSPfull: SSP with a ridge that depends on the noise only."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly, post, release
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, log, sqrt

from .solve import constant_ridge


class ConstSSPFull(Regression):
    """SSP with the ridge sqrt(d log(2 d^2/rho)) std, both releases calibrated together by the exact
    Gaussian profile. [Piazza21, Alg. 4]
    """

    paper: ClassVar[str] = "Piazza21"
    title: ClassVar[str] = "constSSPfull"
    use: ClassVar[str] = (
        "Where X'X is ill-conditioned, so that its smallest eigenvalue is not worth a release. On"
        " well-conditioned data its ridge is larger than it need be: take AdaSSP."
    )
    rho: Expression = constant("0.05")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases, equal squared mu."""
        for_gram, for_moment = jointly(budget, [X.T @ X, X.T @ y])
        gram = release(X.T @ X, for_gram, name="gram")
        moment = release(X.T @ y, for_moment, name="moment")
        return post(constant_ridge, gram, moment, gram.std, self.rho, constant(0))


class ConstSSPFullPiazza(Regression):
    """constSSPfull as printed: halves of the budget, std sqrt(2 log(4/delta))/(epsilon/2), on X'X +
    I. [Piazza21, Alg. 4]
    """

    paper: ClassVar[str] = "Piazza21"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "constSSPfull"
    rho: Expression = constant("0.05")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Halves of the budget."""
        for_gram, for_moment = budget.split_evenly(2)
        unit = sqrt(2 * log(4 / budget.delta)) / (budget.epsilon / 2)
        gram = release(X.T @ X, Gaussian(std=unit * X.radius**2), for_gram, name="gram")
        moment = release(
            X.T @ y, Gaussian(std=unit * X.radius * y.radius), for_moment, name="moment"
        )
        return post(constant_ridge, gram, moment, gram.std, self.rho, constant(1))
