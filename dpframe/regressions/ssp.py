"""SSP and adaSSP: ridge on noisy X'X and X'y, whose ridge may adapt to the data or the noise."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import (
    ColumnNode,
    Regression,
    RowsNode,
    jointly,
    post,
)
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, parameter

from .solve import (
    QUANTILE,
    RHO,
    adapted,
    constant_ridge,
    released,
    ridge_solve,
    sums,
)


# ---------------------------------------------------------------------------------------------- SSP
class SSP(Regression):
    """Ridge on noisy X'X and X'y, both calibrated together to the whole budget by the exact
    Gaussian profile. [Wang18, Sec. 3.2; Piazza21, Alg. 1]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "SSP"
    use: ClassVar[str] = (
        "Many records of few columns, if the noise on X'X is relatively small. With fewer records"
        " the noise exceeds its ridge: use AdaSSP."
    )
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases, equal squared mu."""
        statistics = sums(X, y)
        gram, moment = released(statistics, jointly(budget, [*statistics.values()]))
        return post(ridge_solve, gram, moment, self.ridge)


class ConstSSPFull(Regression):
    """SSP with the ridge sqrt(d log(2 d^2/rho)) std, both releases calibrated together by the exact
    Gaussian profile. [Piazza21, Alg. 4]
    """

    paper: ClassVar[str] = "Piazza21"
    title: ClassVar[str] = "constSSPfull"
    use: ClassVar[str] = (
        "Ill-conditioned X'X, whose smallest eigenvalue need not be released. On well-conditioned"
        " data its ridge is too large: use AdaSSP."
    )
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases, equal squared mu."""
        statistics = sums(X, y)
        gram, moment = released(statistics, jointly(budget, [*statistics.values()]))
        return post(constant_ridge, gram, moment, gram.std, self.rho, constant(0))


# ------------------------------------------------------------------------------------------- adaSSP
class AdaSSP(Regression):
    """adaSSP with its three releases calibrated together to the whole budget by the exact Gaussian
    profile. [Wang18, Alg. 2]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "adaSSP"
    use: ClassVar[str] = (
        "Least squares with a delta in one pass; its ridge adapts to the information in the data."
        " With few records it returns almost zero."
    )
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, equal squared mu; the eigenvalue is lowered by the 5% quantile of its
        noise.
        """
        statistics = sums(X, y, floor=True)
        noises = jointly(budget, [*statistics.values()])
        return adapted(released(statistics, noises), QUANTILE, self.rho)


class AdaSSPBudgetTight(Regression):
    """adaSSPbudget with gamma a share of the squared mu, calibrated together by the exact Gaussian
    profile. [Piazza21, Alg. 3]
    """

    paper: ClassVar[str] = "Piazza21"
    title: ClassVar[str] = "adaSSPbudget"
    use: ClassVar[str] = (
        "AdaSSP with a public choice of the share for the ridge. By default use AdaSSP, which has"
        " equal shares."
    )
    gamma: Expression = parameter("gamma", 0, 1)
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """gamma of the squared mu to the eigenvalue, the rest to X'X and X'y in halves."""
        rest = (1 - self.gamma) / 2
        statistics = sums(X, y, floor=True)
        noises = jointly(budget, [*statistics.values()], [self.gamma, rest, rest])
        return adapted(released(statistics, noises), QUANTILE, self.rho)
