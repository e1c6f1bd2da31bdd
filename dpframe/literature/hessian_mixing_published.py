"""Iterative Hessian mixing as its authors coded it, for audits."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import (
    ColumnNode,
    Regression,
    RowsNode,
    iterate,
    loop,
    post,
    release,
)
from dpframe.graph.functions import gradient
from dpframe.graph.procedure import Huber
from dpframe.literature.adassp_published import TOLERANCE, over_largest, over_longest
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.regressions.hessian_mixing import newton, sketched
from dpframe.regressions.solve import averaged
from dpframe.symbols import analytic_sigma, constant, log, maximum, sqrt


class HessianMixingCoded(Regression):
    """Iterative Hessian mixing as its authors' code has it: rows over the largest norm and labels
    over the largest label of the data itself; three rounds, sketches of 6 max(d, log(120/delta))
    rows. [Lev26, PrivateHessianSketch_main.py]

    What is refuted is these bounds. The std of a gradient is sqrt(3) times the analytic one of half
    of epsilon and a quarter of delta, which the code's search meets within 1e-12 of delta, on
    either side: here it is the least that this allows. The code calibrates sketches and bound
    together by Renyi privacy; here each has a quarter of epsilon, and the exact profile. The code
    takes delta = 1/n^2 and standardises the columns of some tables; neither is declared here.
    """

    paper: ClassVar[str] = "Lev26; BalleW18"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "iterative Hessian mixing"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """A quarter, a quarter and a half of epsilon."""
        return self.bounded(over_longest(X), over_largest(y), budget)

    def bounded(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The same of rows and labels that have public bounds."""
        T, quarter, half = constant(3), constant("1/4"), constant("1/2")
        for_floor, for_sketches, for_gradient = budget.split(
            epsilon=(quarter, quarter, half / T), delta=(quarter, quarter, quarter / T)
        )
        own = 6 * maximum(X.columns, log(40 * T / budget.delta))
        sketches = sketched(X, (for_floor, for_sketches), quarter * budget.delta, own, T)
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, loss=Huber(y.radius))
        unit = analytic_sigma(half * budget.epsilon, quarter * budget.delta + TOLERANCE)
        noise = Gaussian(sqrt(T) * unit * X.radius * y.radius)
        step = release(gradients, noise, for_gradient, times=T, name="gradients")
        return post(averaged, loop(point, step, newton, sketches, constant("1e9")), constant(0))
