"""SSP and constSSPfull as papers print them and as public code has them: kept to be audited."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.regressions.solve import Array, Fit, constant_ridge, ridge_solve
from dpframe.symbols import Expression, constant, log, sqrt


class SSPPiazza(Regression):
    """SSP as Piazza prints it: std sqrt(2 log(4/delta)) sensitivity/(epsilon/2) for both, ridge 1.
    [Piazza21, Alg. 1]
    """

    paper: ClassVar[str] = "Piazza21"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "SSP"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Halves of the budget."""
        for_gram, for_moment = budget.split_evenly(2)
        unit = sqrt(2 * log(4 / budget.delta)) / (budget.epsilon / 2)
        gram = release(X.T @ X, Gaussian(std=unit * X.radius**2), for_gram, name="gram")
        moment = release(
            X.T @ y, Gaussian(std=unit * X.radius * y.radius), for_moment, name="moment"
        )
        return post(ridge_solve, gram, moment, constant(1))


class SSPWang(Regression):
    """SSP as Wang prints it: variance 4 B^4 log(4/delta)/epsilon^2, which lacks a factor 2 for its
    proof; ridge 0. [Wang18, Sec. 3.2, with the variance that Thesis, Sec. 3.1 quotes]
    """

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "SSP"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Halves claimed; jointly they hold."""
        for_gram, for_moment = budget.split_evenly(2)
        unit = sqrt(4 * log(4 / budget.delta)) / budget.epsilon
        gram = release(X.T @ X, Gaussian(std=unit * X.radius**2), for_gram, name="gram")
        moment = release(
            X.T @ y, Gaussian(std=unit * X.radius * y.radius), for_moment, name="moment"
        )
        return post(ridge_solve, gram, moment, constant(0))


class SSPWangCoded(Regression):
    """SSP as Wang's code does it: std sqrt(log(4/delta))/epsilon for each, epsilon not split; not
    private as claimed. [Wang18, suffstats_perturb.m]
    """

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "SSP"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Both releases at the whole epsilon."""
        unit = sqrt(log(4 / budget.delta)) / budget.epsilon
        gram = release(X.T @ X, Gaussian(std=unit * X.radius**2), name="gram")
        moment = release(X.T @ y, Gaussian(std=unit * X.radius * y.radius), name="moment")
        return post(ridge_solve, gram, moment, constant(1))


class SSPThesis(Regression):
    """SSP with the fixed noise of the thesis, read word for word: std sqrt(2 log(1.25/delta))/
    epsilon for X'X and for X'y, epsilon not split. [Thesis, Sec. 3.1]
    """

    paper: ClassVar[str] = "Thesis"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "SSP, fixed noise"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Both releases at the whole budget."""
        unit = sqrt(2 * log(constant("1.25") / budget.delta)) / budget.epsilon
        gram = release(X.T @ X, Gaussian(std=unit * X.radius**2), name="gram")
        moment = release(X.T @ y, Gaussian(std=unit * X.radius * y.radius), name="moment")
        return post(ridge_solve, gram, moment, constant(0))


class SSPStatsmodels(Regression):
    """SSP as dp-statsmodels has it: the classical std for 40%, 40% and 20% of epsilon, also beyond
    epsilon = 1 where its theorem ends; n is used in the clear.
    [Ghenis25, dp_statsmodels/models/ols.py]

    Its sensitivities are those of add/remove, for rows of norm sqrt(k) times the bound of an entry,
    to which every entry is clipped after rows are weighed. Under add/remove it is n alone that is
    wrong: it is reported, and standard errors divide by n - k. Standard errors are left out.
    """

    paper: ClassVar[str] = "Ghenis25; DworkR14"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "SSP, dp-statsmodels"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """X'X, X'y, y'y; a third of delta each."""
        third = ("1/3", "1/3", "1/3")
        shares = budget.split(epsilon=("2/5", "2/5", "1/5"), delta=third)
        sizes = (X.radius**2, X.radius * y.radius, y.radius**2)
        gram, moment, squares = (
            release(statistic, Gaussian(std=classical(share) * size), share, name=name)
            for statistic, share, size, name in zip(
                (X.T @ X, X.T @ y, y @ y), shares, sizes, ("gram", "moment", "squares"), strict=True
            )
        )
        return post(with_variance, gram, moment, squares, X.rows)


def classical(share: Share) -> Any:
    """sqrt(2 log(1.25/delta))/epsilon. [DworkR14, Thm A.1]"""
    return sqrt(2 * log(constant("1.25") / share.delta)) / share.epsilon


def with_variance(gram: Array, moment: Array, squares: float, n: float) -> Fit:
    """The solution; the code also reports standard errors from y'y and n."""
    del squares, n
    return ridge_solve(gram, moment, 0.0)


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
