"""Least squares as DPrivStats returns them, re-declared from its public code, for audits."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.regressions.solve import Array, Fit
from dpframe.symbols import Expression, analytic_sigma, parameter


class LeastSquaresDPrivStats(Regression):
    """Least squares as DPrivStats has it by default, for a public design: noisy coefficients, and
    with them the residuals of the clipped labels and the table itself, both without noise.
    [Bijalwan26, R/dp_regression.R]

    Its neighbours differ in one label, its X is public, and its coefficients have the sensitivity
    max|x| 2 Y/lambda_min(X'X) that it states: they are not what is refuted. But the residuals that
    it returns are y - X theta, and `model` is the data frame: each gives every label, at any
    epsilon. X'y stands for the coefficients here, a public map of it where X is public, with max|x|
    and lambda_min(X'X) as parameters. The mode for a private design triples the noise, by what its
    documentation calls a heuristic, and returns the same; it is not declared.
    """

    paper: ClassVar[str] = "Bijalwan26"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "replace-one, of a label"
    title: ClassVar[str] = "least squares, DPrivStats"
    longest: Expression = parameter("C", 0)
    curvature: Expression = parameter("lambda_min", 0)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget, and what is returned beside it."""
        size = 2 * y.radius * self.longest / self.curvature
        noise = Gaussian(analytic_sigma(budget.epsilon, budget.delta) * size)
        theta = release(X.T @ y, noise, budget, name="coefficients")
        return post(with_residuals, theta, y)


def with_residuals(theta: Array, y: Array) -> Fit:
    """The coefficients, and y less what they predict. Never run: nothing here is certified."""
    del y
    return Fit(np.asarray(theta, dtype=float))
