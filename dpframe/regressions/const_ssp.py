"""constSSPfull: SSP with a ridge that depends on the noise only."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly, post
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .solve import RHO, constant_ridge, released, sums


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
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases, equal squared mu."""
        statistics = sums(X, y)
        gram, moment = released(statistics, jointly(budget, [*statistics.values()]))
        return post(constant_ridge, gram, moment, gram.std, self.rho, constant(0))
