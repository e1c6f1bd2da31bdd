"""adaSSP: ridge on noisy X'X and X'y, with a ridge that adapts to a noisy smallest eigenvalue."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, jointly, post, release
from dpframe.graph.statistics import LambdaMin
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, log, sqrt

from .solve import adaptive_ridge

RHO = constant("0.05")


class AdaSSP(Regression):
    """adaSSP with its three releases calibrated together to the whole budget by the exact Gaussian
    profile. [Wang18, Alg. 2]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "adaSSP"
    use: ClassVar[str] = (
        "The first to try for least squares with a delta: its ridge grows where the data say "
        "little. With so few records that X'X is mostly noise it returns almost zero."
    )
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


class StatedAdaSSP(Regression):
    """Abstract: adaSSP as papers state it, with `tail` standard deviations of margin.

    Three releases of std tail/(epsilon/3) times (B^2, B^2, B Y), each claiming a third of the
    budget; the eigenvalue is lowered by `tail` of its stds; `identity` I is added to X'X.
    """

    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "adaSSP"
    identity: ClassVar[int] = 0
    rho: Expression = RHO

    @abstractmethod
    def tail(self, delta: Expression) -> Expression:
        """The margin, from the whole delta."""

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Thirds of the budget."""
        for_floor, for_gram, for_moment = budget.split_evenly(3)
        tail = self.tail(budget.delta)
        unit = tail / (budget.epsilon / 3)
        square, product = Gaussian(unit * X.radius**2), Gaussian(unit * X.radius * y.radius)
        floor = release(LambdaMin(X.T @ X), square, for_floor, name="floor")
        gram = release(X.T @ X, square, for_gram, name="gram")
        moment = release(X.T @ y, product, for_moment, name="moment")
        shift, identity = tail * floor.std, constant(self.identity)
        return post(adaptive_ridge, floor, gram, moment, shift, gram.std, self.rho, identity)


class AdaSSPWang(StatedAdaSSP):
    """adaSSP as Wang prints it: stds that lack sqrt 2 for their shares and hold jointly.
    [Wang18, Alg. 2]
    """

    paper: ClassVar[str] = "Wang18"

    def tail(self, delta: Expression) -> Expression:
        """sqrt(log(6/delta))."""
        return sqrt(log(6 / delta))


class AdaSSPWangCoded(StatedAdaSSP):
    """adaSSP as Wang's code does it: the printed stds, on X'X + I. [Wang18, adassp.m]"""

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    identity: ClassVar[int] = 1

    def tail(self, delta: Expression) -> Expression:
        """sqrt(log(6/delta))."""
        return sqrt(log(6 / delta))


class AdaSSPPiazza(StatedAdaSSP):
    """adaSSP as Piazza prints it, on X'X + I. [Piazza21, Alg. 2]"""

    paper: ClassVar[str] = "Piazza21"
    identity: ClassVar[int] = 1

    def tail(self, delta: Expression) -> Expression:
        """sqrt(2 log(6/delta))."""
        return sqrt(2 * log(6 / delta))


class AdaSSPThesis(StatedAdaSSP):
    """adaSSP with the noise that the thesis fixes. [Thesis, Alg. 3]"""

    paper: ClassVar[str] = "Thesis"
    title: ClassVar[str] = "adaSSP, fixed noise"

    def tail(self, delta: Expression) -> Expression:
        """sqrt(2 log(3.75/delta)): constant 1.25 at a third of delta."""
        return sqrt(2 * log(constant("3.75") / delta))
