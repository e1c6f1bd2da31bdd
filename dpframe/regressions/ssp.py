"""SSP: ridge regression on noisy X'X and X'y."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly, post, release
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, log, sqrt

from .solve import ridge_solve


class SSP(Regression):
    """Ridge on noisy X'X and X'y, both calibrated together to the whole budget by the exact
    Gaussian profile. [Wang18, Sec. 3.2; Piazza21, Alg. 1]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "SSP"
    use: ClassVar[str] = (
        "For many records of few columns, where noise on X'X is small beside it. With fewer "
        "records its ridge does not outweigh the noise: take AdaSSP."
    )
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases, equal squared mu."""
        gram_noise, moment_noise = jointly(budget, [X.T @ X, X.T @ y])
        gram = release(X.T @ X, gram_noise, name="gram")
        moment = release(X.T @ y, moment_noise, name="moment")
        return post(ridge_solve, gram, moment, self.ridge)


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
