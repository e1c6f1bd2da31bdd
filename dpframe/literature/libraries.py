"""Regressions of diffprivlib and DPrivStats, re-declared from their public code, for audits."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from dpframe.graph import ColumnNode, RowsNode, known, post, release
from dpframe.graph.functions import total
from dpframe.mechanisms import Gaussian, Laplace
from dpframe.privacy import Share
from dpframe.regressions.solve import Array, Fit
from dpframe.symbols import Expression, analytic_sigma, parameter

from .published import Coded
from .without_theorem import BoundedMonomials


class DiffprivlibNoIntercept(Coded):
    """diffprivlib's LinearRegression with fit_intercept=False: Laplace noise on every monomial, of
    rows that are never clipped. [Holohan19, models/linear_regression.py]

    Entries are declared to lie in [lower B, B]. Noise on the square of a column is for max(|lower|,
    |lower|)^2: the lower bound twice, so that bounds (0, 1) leave it without noise.
    """

    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "functional mechanism, diffprivlib without intercept"
    lower: Expression = parameter("lower", -1, 1, closed="left")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget, of X and y as they come."""
        rows, labels = X.origin, y.inputs[0] if y.inputs else y
        noisy = BoundedMonomials(
            rows=rows,
            column=labels,  # type: ignore[arg-type]  # the labels before they are clipped
            lower=self.lower * X.radius,
            upper=X.radius,
            square_of=self.lower * X.radius,
            share=budget,
            name="monomials",
        )
        return post(minimiser, noisy)


class DiffprivlibWithIntercept(Coded):
    """diffprivlib's LinearRegression as it comes: means of the columns and of the labels, then
    noisy monomials of what is centred by them. [Holohan19, models/linear_regression.py]

    epsilon/(d + 1) pays for the means of the columns, as much for that of the labels, and d/(d + 1)
    of it for the monomials: (d + 2)/(d + 1) in sum. Entries are declared to lie in [-B, B]; centred
    by a mean m they lie in [-B - m, B - m], and noise on squares is for the lower bound alone,
    which is 0 at m = -B. Here the least mean of a column stands for all of them and for the labels.
    """

    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "functional mechanism, diffprivlib"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three charges; n is read as public."""
        d, row = X.columns, X.radius
        one = 1 / (d + 1)
        for_columns, for_labels, for_monomials = budget.split(one, one, d * one)
        rows = X.boxed(row)
        columns = release(
            total(rows), Laplace(2 * row * d / for_columns.epsilon), for_columns, name="columns"
        )
        labels = release(
            total(y), Laplace(2 * y.radius / for_labels.epsilon), for_labels, name="labels"
        )
        mean = known(post(least_mean, columns, X.rows), -1, 1, name="mean") * row
        noisy = BoundedMonomials(
            rows=rows,
            column=y,
            lower=-row - mean,
            upper=row - mean,
            square_of=-row - mean,
            share=for_monomials,
            name="monomials",
            after=(columns, labels),
        )
        return post(minimiser, noisy)


def least_mean(sums: Array, n: float) -> float:
    """The least of the noisy means of the columns."""
    return float(np.min(sums, initial=np.inf)) / max(n, 1.0)


def minimiser(monomials: Array) -> Fit:
    """Never run: nothing here is certified."""
    return Fit(np.asarray(monomials, dtype=float))


class LeastSquaresDPrivStats(Coded):
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
