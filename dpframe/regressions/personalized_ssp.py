"""Sufficient statistics for people with budgets of their own: each record weighs what it allows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Regression, Release, RowsNode, jointly, post
from dpframe.graph.joint import unit_std
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, minimum

from .solve import Fit, released, ridge_solve, sums

Array = NDArray[Any]
BALANCE, MARGIN, RHO = constant(2), constant("1/2"), constant("1/20")
SPREAD = 32  # twice the squared bound on labels over a residual's, say a quarter of it


def weighted_statistics(
    X: RowsNode, y: ColumnNode, budget: Share, balance: Expression
) -> list[Release]:
    """X'WX and X'Wy, released together with the Gaussian noise that the most cautious allow.

    The weight of a record is the mu that its budget affords (that of Gaussian privacy), up to the
    cap that is best for the public budgets, over the largest; so almost everybody pays all of it.
    Of the squared mu, `balance` parts are for X'Wy and one for X'WX. Proof page:
    proofs/personalized.
    """
    own = 1 / unit_std(budget)
    capped = minimum(own, X.cap(own, noise=SPREAD * X.columns))
    weight = capped / X.largest(capped)
    rows, labels = X.weighted(weight), y.weighted(weight)
    statistics = sums(rows, labels)
    return released(statistics, jointly(budget, [*statistics.values()], [1, balance]))


class PersonalizedSSP(Regression):
    """Ridge regression on weighted sufficient statistics, with a ridge that the noise alone sets.
    [Acharya24, Sec 5, as future work; dpframe]

    The ridge is `margin` sqrt(d log(2 d^2/rho)) stds of X'WX, added after the noisy matrix has lost
    its negative eigenvalues.
    """

    paper: ClassVar[str] = "dpframe; Acharya24"
    title: ClassVar[str] = "personalised SSP"
    use: ClassVar[str] = (
        "Where people differ in what they allow and a small delta is allowed. With few records, or"
        " budgets far below 1, it returns almost zero."
    )
    balance: Expression = BALANCE
    margin: Expression = MARGIN
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases."""
        gram, moment = weighted_statistics(X, y, budget, self.balance)
        return post(damped, gram, moment, gram.std, self.margin, self.rho)


class PersonalizedAdaSSP(Regression):
    """Ridge regression on weighted sufficient statistics, with a ridge that is lowered by the noisy
    matrix's own smallest eigenvalue. [Wang18, Alg. 2, without its first release; dpframe]
    """

    paper: ClassVar[str] = "dpframe; Acharya24; Wang18"
    title: ClassVar[str] = "personalised adaSSP"
    use: ClassVar[str] = (
        "As PersonalizedSSP; better where records are many, since its ridge vanishes as they grow."
    )
    balance: Expression = BALANCE
    margin: Expression = MARGIN
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases."""
        gram, moment = weighted_statistics(X, y, budget, self.balance)
        return post(adapted, gram, moment, gram.std, self.margin, self.rho)


def nearest(gram: Array) -> tuple[Array, float]:
    """The nearest positive semidefinite matrix in the Frobenius norm, and the smallest eigenvalue
    that was there, at least 0.
    """
    values, vectors = np.linalg.eigh(gram)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T, max(0.0, float(values[0]))


def spread(d: int, std: float, rho: float) -> float:
    """What the noise of X'X stays below but with probability rho: sqrt(d log(2 d^2/rho)) std.
    [Wang18, Alg. 2]
    """
    return float(np.sqrt(d * np.log(2 * d * d / rho)) * std)


def damped(gram: Array, moment: Array, std: float, margin: float, rho: float) -> Fit:
    """The noise's ridge, whatever the data."""
    return ridge_solve(nearest(gram)[0], moment, margin * spread(len(moment), std, rho))


def adapted(gram: Array, moment: Array, std: float, margin: float, rho: float) -> Fit:
    """The noise's ridge, less the smallest eigenvalue."""
    whole, smallest = nearest(gram)
    return ridge_solve(whole, moment, max(0.0, margin * spread(len(moment), std, rho) - smallest))
