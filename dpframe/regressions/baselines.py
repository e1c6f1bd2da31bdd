"""Baselines for comparison, which are not private and never certified."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from dpframe.graph import ColumnNode, Regression, RowsNode, post
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .penalised import Quadratic, penalised
from .solve import Array, Fit, ridge_solve


class Baseline(Regression):
    """Abstract: a baseline, which spends no budget and is not private."""

    variant: ClassVar[str] = "baseline"


class OLS(Baseline):
    """Ordinary least squares on the raw table, not private; the minimum norm solution if there are
    several. [Gauss09]
    """

    title: ClassVar[str] = "least squares"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Solve with the raw X'X and X'y."""
        del budget
        return post(least_squares, X.T @ X, X.T @ y)


class Ridge(Baseline):
    """Ridge regression on the raw table, penalty `penalty` |theta|_2^2: not private. [HoerlK70]"""

    title: ClassVar[str] = "ridge"
    penalty: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Solve with the raw X'X and X'y."""
        del budget
        return post(ridge_solve, X.T @ X, X.T @ y, self.penalty)


class Lasso(Baseline):
    """LASSO on the raw table, penalty lam |theta|_1 beside |y - X theta|^2: not private.
    [Tibshirani96]
    """

    title: ClassVar[str] = "LASSO"
    lam: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Solve with the raw X'X and X'y."""
        del budget
        return post(penalised_fit, X.T @ X, X.T @ y, self.lam, constant(0))


class ElasticNet(Baseline):
    """Elastic net on the raw table, penalty lam (alpha |theta|_2^2 + (1 - alpha) |theta|_1) beside
    |y - X theta|^2: not private. [ZouH05]
    """

    title: ClassVar[str] = "elastic net"
    lam: Expression = constant(1)
    alpha: Expression = constant("1/2")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Solve with the raw X'X and X'y."""
        del budget
        return post(penalised_fit, X.T @ X, X.T @ y, self.lam, self.alpha)


class ZeroPredictor(Baseline):
    """The prediction 0 for every record, the least that a regression must beat. [Wang18, Sec 5]"""

    title: ClassVar[str] = "zero"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Read no data."""
        del y, budget
        return post(zeros, X.columns)


class PublicMean(Baseline):
    """The public number `mean` as prediction for every record; rows must end with an intercept of
    1. [Wang18, Sec 5]
    """

    title: ClassVar[str] = "public mean"
    mean: Expression = constant(0)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Read no data."""
        del y, budget
        return post(constant_prediction, X.columns, self.mean)


def least_squares(gram: Array, moment: Array) -> Fit:
    """The minimum norm solution of the normal equations."""
    theta = np.linalg.lstsq(gram, moment, rcond=None)[0]
    return Fit(np.nan_to_num(theta))


def penalised_fit(gram: Array, moment: Array, lam: float, alpha: float) -> Fit:
    """The minimiser with the penalty of the functional mechanism."""
    return penalised(Quadratic(gram, moment), lam, alpha)


def zeros(d: float) -> Fit:
    """d coefficients of 0."""
    return Fit(np.zeros(round(d)))


def constant_prediction(d: float, mean: float) -> Fit:
    """The mean as the coefficient of the last column."""
    theta = np.zeros(round(d))
    theta[-1] = mean
    return Fit(theta)
