"""Least squares with noise for the smallest eigenvalue of the data, re-declared: to be audited."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.functions import aggregate
from dpframe.graph.statistics import LambdaMin
from dpframe.guarantees import Share
from dpframe.mechanisms import Gaussian
from dpframe.symbols import analytic_sigma, exact

from .solve import Array, Fit


class LeastSquaresDPrivStats(Regression):
    """Least squares as DPrivStats has it: coefficients plus Gaussian noise for the sensitivity
    max|x| 2 Y/lambda_min(X'X) of the data itself, private though both are.
    [Bijalwan26, R/dp_regression.R]

    The package calls the design public by default, and triples the noise where it is not; columns
    are clipped to their own range. Residuals and X'X, which it also returns, are left out.
    """

    paper: ClassVar[str] = "Bijalwan26"
    variant: ClassVar[str] = "coded"
    title: ClassVar[str] = "least squares, DPrivStats"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        longest, least = exact(aggregate("max_norm", X)), exact(LambdaMin(X.T @ X))
        std = analytic_sigma(budget.epsilon, budget.delta) * 2 * y.radius * longest / least
        found = release(aggregate("least_squares", X), Gaussian(std), budget, name="coefficients")
        return post(as_fit, found)


def as_fit(theta: Array) -> Fit:
    """The coefficients. Never run: nothing here is certified."""
    return Fit(np.asarray(theta, dtype=float))
