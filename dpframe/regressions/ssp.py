"""SSP and adaSSP: ridge regression from noisy X'X and X'y, with a fixed or an adaptive ridge."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, Release, RowsNode, jointly, post
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, parameter

from .solve import QUANTILE, RHO, adapted, constant_ridge, released, ridge_solve, sums


def noisy_sums(
    X: RowsNode, y: ColumnNode, budget: Share, weights: tuple[Expression, ...] | None = None
) -> list[Release]:
    """X'X and X'y, calibrated jointly in equal parts of the squared mu; with three `weights` also
    lambda_min(X'X) before them.
    """
    statistics = sums(X, y, floor=weights is not None)
    return released(statistics, jointly(budget, [*statistics.values()], weights))


# ---------------------------------------------------------------------------------------------- SSP
class SSP(Regression):
    """Ridge regression from noisy X'X and X'y, sufficient statistics perturbation (SSP), calibrated
    jointly to the whole budget by the exact Gaussian profile. [Wang18, Sec. 3.2; Piazza21, Alg. 1]

    Both statistics have equal parts of the squared mu. `ridge`, 0 or more, is added to the diagonal
    of X'X, in the units of the scaled rows.

    Use: Many records of few columns, if the noise on X'X is relatively small. With fewer records
    the noise exceeds its ridge: use AdaSSP.
    """

    title: ClassVar[str] = "SSP"
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release X'X and X'y."""
        return post(ridge_solve, *noisy_sums(X, y, budget), self.ridge)


class ConstSSPFull(Regression):
    """SSP with a ridge that depends on the noise only, sqrt(d log(2 d^2/rho)) std, calibrated
    jointly to the whole budget by the exact Gaussian profile. [Piazza21, Alg. 4]

    std is that of the noise on X'X; the spectral norm of the noise exceeds the ridge with
    probability at most `rho`, from 0 to 1.

    Use: Ill-conditioned X'X, whose smallest eigenvalue need not be released. On well-conditioned
    data its ridge is too large: use AdaSSP.
    """

    title: ClassVar[str] = "constSSPfull"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release X'X and X'y."""
        gram, moment = noisy_sums(X, y, budget)
        return post(constant_ridge, gram, moment, gram.std, self.rho, constant(0))


# ------------------------------------------------------------------------------------------- adaSSP
class AdaSSP(Regression):
    """Ridge regression from noisy X'X and X'y with an adaptive ridge (adaSSP), calibrated jointly
    to the whole budget by the exact Gaussian profile. [Wang18, Alg. 2]

    lambda_min(X'X), X'X and X'y are released with equal parts of the squared mu. The ridge is
    sqrt(d log(2 d^2/rho)) stds of the noise on X'X, less the released lambda_min lowered by the 95%
    quantile of its noise. `rho`, from 0 to 1, is the failure probability of the bound on the noise.

    Use: Least squares with a delta in one pass; its ridge adapts to the information in the data.
    With few records it returns almost zero.
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "adaSSP"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release lambda_min(X'X), X'X and X'y."""
        equal = (constant(1), constant(1), constant(1))
        return adapted(noisy_sums(X, y, budget, equal), QUANTILE, self.rho)


class AdaSSPBudgetTight(Regression):
    """adaSSP with a chosen part of the budget for the smallest eigenvalue (adaSSPbudget),
    calibrated jointly by the exact Gaussian profile. [Piazza21, Alg. 3]

    `gamma`, from 0 to 1, is the part of the squared mu for lambda_min(X'X); X'X and X'y divide the
    rest equally. `rho` is that of AdaSSP.

    Use: AdaSSP with a public choice of the share for the ridge. By default use AdaSSP, which has
    equal shares.
    """

    title: ClassVar[str] = "adaSSPbudget"
    gamma: Expression = parameter("gamma", 0, 1)
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release lambda_min(X'X), X'X and X'y."""
        rest = (1 - self.gamma) / 2
        return adapted(noisy_sums(X, y, budget, (self.gamma, rest, rest)), QUANTILE, self.rho)
