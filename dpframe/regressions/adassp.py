"""adaSSP: ridge on noisy X'X and X'y, with a ridge that adapts to a noisy smallest eigenvalue."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly, post, release
from dpframe.graph.statistics import LambdaMin
from dpframe.guarantees import Share
from dpframe.mechanisms import Gaussian
from dpframe.symbols import Expression, constant, log, sqrt

from .solve import adaptive_ridge

RHO = constant("0.05")


class AdaSSP(Regression):
    """adaSSP with its three releases calibrated together to the whole budget by the exact Gaussian
    profile. [Wang18, Alg. 2]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "adaSSP"
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


def stated(
    X: RowsNode,
    y: ColumnNode,
    budget: Share,
    unit: Expression,
    tail: Expression,
    identity: int,
    rho: Expression,
) -> Any:
    """Three releases of std `unit` times (B^2, B^2, B Y), each claiming a third; the eigenvalue is
    lowered by `tail` of its stds.
    """
    for_floor, for_gram, for_moment = budget.split_evenly(3)
    floor = release(LambdaMin(X.T @ X), Gaussian(std=unit * X.radius**2), for_floor, name="floor")
    gram = release(X.T @ X, Gaussian(std=unit * X.radius**2), for_gram, name="gram")
    moment = release(X.T @ y, Gaussian(std=unit * X.radius * y.radius), for_moment, name="moment")
    return post(
        adaptive_ridge, floor, gram, moment, tail * floor.std, gram.std, rho, constant(identity)
    )


class AdaSSPWang(Regression):
    """adaSSP as Wang prints it: stds sqrt(log(6/delta))/(epsilon/3), which lack sqrt 2 for their
    shares and hold jointly. [Wang18, Alg. 2]
    """

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "printed"
    title: ClassVar[str] = "adaSSP"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """As printed."""
        tail = sqrt(log(6 / budget.delta))
        return stated(X, y, budget, tail / (budget.epsilon / 3), tail, 0, self.rho)


class AdaSSPWangCoded(Regression):
    """adaSSP as Wang's code does it: the printed stds, on X'X + I. [Wang18, adassp.m]"""

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "coded"
    title: ClassVar[str] = "adaSSP"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The printed stds; the identity added."""
        tail = sqrt(log(6 / budget.delta))
        return stated(X, y, budget, tail / (budget.epsilon / 3), tail, 1, self.rho)


class AdaSSPPiazza(Regression):
    """adaSSP as Piazza prints it: stds sqrt(2 log(6/delta))/(epsilon/3), on X'X + I. [Piazza21,
    Alg. 2]
    """

    paper: ClassVar[str] = "Piazza21"
    variant: ClassVar[str] = "printed"
    title: ClassVar[str] = "adaSSP"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Thirds of the budget."""
        tail = sqrt(2 * log(6 / budget.delta))
        return stated(X, y, budget, tail / (budget.epsilon / 3), tail, 1, self.rho)


class AdaSSPThesis(Regression):
    """adaSSP with the noise that the thesis fixes: stds sqrt(2 log(3.75/delta))/(epsilon/3).
    [Thesis, Alg. 3]
    """

    paper: ClassVar[str] = "Thesis"
    variant: ClassVar[str] = "printed"
    title: ClassVar[str] = "adaSSP, fixed noise"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Thirds of the budget, constant 1.25."""
        tail = sqrt(2 * log(constant("3.75") / budget.delta))
        return stated(X, y, budget, tail / (budget.epsilon / 3), tail, 0, self.rho)
