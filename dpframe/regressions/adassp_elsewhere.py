"""adaSSP as baselines of other people's experiments have it, re-declared from their public code."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.functions import aggregate
from dpframe.graph.statistics import LambdaMin
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, analytic_sigma, constant, exact, log, sqrt

from .adassp import RHO
from .solve import adaptive_ridge

TOLERANCE = constant("1e-12")  # of delta, in the search for an analytic std


class AdaSSPGoogle(Regression):
    """adaSSP as the baseline of google-research: Wang's noise, scaled by the largest norm and the
    largest label of the data itself. Not private; a comment in the code says so.
    [Amin23, dp_regression/baselines.py] [Wang18, Alg. 2]

    The docstring of the code says (epsilon, delta)-DP. What is refuted is the bounds: at public
    ones its noise is that of AdaSSPWang.
    """

    paper: ClassVar[str] = "Amin23; Wang18"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "adaSSP, google-research"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Thirds; every std reads raw bounds."""
        for_floor, for_gram, for_moment = budget.split_evenly(3)
        row, label = exact(aggregate("max_norm", X)), exact(aggregate("max_abs", y))
        tail = sqrt(log(6 / budget.delta))
        unit = tail / (budget.epsilon / 3)
        floor = release(LambdaMin(X.T @ X), Gaussian(unit * row**2), for_floor, name="floor")
        gram = release(X.T @ X, Gaussian(unit * row**2), for_gram, name="gram")
        moment = release(X.T @ y, Gaussian(unit * row * label), for_moment, name="moment")
        shift = tail * floor.std
        return post(adaptive_ridge, floor, gram, moment, shift, gram.std, self.rho, constant(0))


class AdaSSPHessianMix(Regression):
    """adaSSP as the baseline of iterative Hessian mixing: the std of the analytic mechanism for a
    third of the budget each, on sensitivities of add/remove, of rows over the largest norm and
    labels over the largest label of the data itself. [Lev26, PrivateHessianSketch_main.py]

    As for google-research's baseline, what is refuted is these bounds: on rows and labels of public
    bounds the noise costs 0.564 of 1 at delta = 1e-6 under add/remove. The shift of the eigenvalue
    is the squared std. The code's search for a std ends within 1e-12 of its delta, on either side:
    here it is the least std that this allows. The code takes delta = 1/n^2 and standardises the
    columns of some tables; neither is declared here.
    """

    paper: ClassVar[str] = "Lev26; BalleW18"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "adaSSP, HessianMix"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Thirds of the budget."""
        rows = X.scaled(aggregate("max_norm", X)).clip(norm=1)
        return self.bounded(rows, y.scaled(aggregate("max_abs", y)).clip(-1, 1), budget)

    def bounded(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The same of rows and labels that have public bounds."""
        for_floor, for_gram, for_moment = budget.split_evenly(3)
        unit = analytic_sigma(for_floor.epsilon, for_floor.delta + TOLERANCE)
        square, product = unit * X.radius**2, unit * X.radius * y.radius
        floor = release(LambdaMin(X.T @ X), Gaussian(square), for_floor, name="floor")
        gram = release(X.T @ X, Gaussian(square), for_gram, name="gram")
        moment = release(X.T @ y, Gaussian(product), for_moment, name="moment")
        shift = unit * floor.std
        return post(adaptive_ridge, floor, gram, moment, shift, gram.std, self.rho, constant(0))
