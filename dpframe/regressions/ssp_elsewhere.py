"""SSP as others have it: a thesis read word for word, and dp-statsmodels from its public code."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import constant, log, sqrt

from .solve import Array, Fit, ridge_solve


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
