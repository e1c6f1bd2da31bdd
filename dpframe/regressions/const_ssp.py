"""constSSPfull: SSP with a ridge that depends on the noise only."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly, post, release
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

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
