"""Boosted adaSSP and iterative Hessian mixing as their authors and google-research coded them, for
audits.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import ColumnNode, RowsNode, iterate, loop, post, release
from dpframe.graph.functions import gradient
from dpframe.graph.joint import unit_std
from dpframe.graph.procedure import Huber
from dpframe.graph.statistics import LambdaMin
from dpframe.mechanisms import FullGaussian, Gaussian, MirroredGaussian
from dpframe.privacy import Share
from dpframe.regressions.hessian_mixing import newton, sketched
from dpframe.regressions.solve import Array, averaged, ridge_solve
from dpframe.symbols import (
    Expression,
    Number,
    analytic_sigma,
    constant,
    log,
    maximum,
    parameter,
    sqrt,
)

from .adassp_published import TOLERANCE, over_largest, over_longest
from .published import Coded


class BoostedAdaSSPCoded(Coded):
    """Boosted adaSSP as its authors' code has it: the mu that the budget affords serves as the std
    of every release, where its inverse is needed. Residuals are clipped to Y; noise on X'X is
    mirrored, its ridge sqrt(d) 1.96 stds less the eigenvalue lowered by 1.96 stds. [Tang23, code]

    The code takes the smallest *positive* eigenvalue, which nothing bounds where columns depend on
    each other; here it is the smallest of all. What that costs is a lower bound on what the code
    costs (exact, under add/remove, for the smallest of all).
    """

    title: ClassVar[str] = "boosted adaSSP"
    understated: ClassVar[str] = "the code releases the smallest positive eigenvalue"
    rounds: Expression = constant(100)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, the last one T times over."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, loss=Huber(y.radius))
        mu, square = 1 / unit_std(budget), X.radius**2
        floor = release(LambdaMin(X.T @ X), Gaussian(mu * square), name="floor")
        gram = release(X.T @ X, MirroredGaussian(mu * square), name="gram")
        noise = Gaussian(mu * X.radius * y.radius)
        step = release(gradients, noise, times=self.rounds, name="gradients")
        path = loop(point, step, with_ridge, floor, gram, gram.std)
        return post(averaged, path, constant(0))


class BoostedAdaSSPKendall(Coded):
    """Boosted adaSSP as google-research has it: mu is the first point of a grid that violates
    (epsilon, delta), so that noise is always a little too small. Where the first point of the grid
    violates already it is far too small: at (10, 1e-5) the exact delta is 4.918 times the claimed.
    [Dick23, private_kendall/boosted_adassp.py]

    The ridge is the noisy eigenvalue itself, and the system is solved by its pseudoinverse.
    mu/sqrt 3 for the smallest eigenvalue, for X'X, with a draw for every entry, and for all rounds.
    The code takes 1 for every sensitivity whatever bounds it is given; here they are B^2, B^2 and B
    Y. Where epsilon and delta are numbers the grid is that of the code, in doubles; elsewhere
    `excess`, unknown and positive, stands for what mu has too much, and no number of it is the
    code's.
    """

    paper: ClassVar[str] = "Dick23; Tang23"
    title: ClassVar[str] = "boosted adaSSP, google-research"
    rounds: Expression = constant(100)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, the last one T times over; equal squared mu."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, loss=Huber(y.radius))
        unit, square = sqrt(3) / affordable(budget), X.radius**2
        floor = release(LambdaMin(X.T @ X), Gaussian(unit * square), name="floor")
        gram = release(X.T @ X, FullGaussian(unit * square), name="gram")
        noise = Gaussian(unit * sqrt(self.rounds) * X.radius * y.radius)
        step = release(gradients, noise, times=self.rounds, name="gradients")
        return post(averaged, loop(point, step, by_pseudoinverse, floor, gram), constant(0))


def with_ridge(  # noqa: PLR0917 - dp.loop passes by position
    theta: Array, gradient: Array, turn: int, floor: float, gram: Array, std: float
) -> Array:
    """theta - (X'X + ridge I)^-1 gradient, ridge = max(0, sqrt(d) 1.96 std - max(0, floor - 1.96
    std)). [Tang23, code]
    """
    del turn
    wide = 1.96 * std
    ridge = max(0.0, float(np.sqrt(len(theta))) * wide - max(0.0, floor - wide))
    return theta + ridge_solve(gram, -gradient, ridge).coefficients


def by_pseudoinverse(theta: Array, gradient: Array, turn: int, floor: float, gram: Array) -> Array:
    """theta - (X'X + floor I)^+ gradient; theta where that is not finite. [Dick23, code]"""
    del turn
    try:
        down = np.linalg.pinv(gram + floor * np.eye(len(theta))) @ gradient
    except np.linalg.LinAlgError:
        return theta
    return theta - down if np.isfinite(down).all() else theta


def affordable(budget: Share) -> Expression:
    """The code's mu: exactly its double at numbers; else (1 + excess) times what may be spent.
    Raises InvalidArgument without a delta, and for numbers that the code has no end for.
    """
    epsilon, delta = budget.epsilon, budget.delta
    if isinstance(delta, Number) and not delta.value:
        raise InvalidArgument(
            "budget", "one of epsilon and delta", Plain("delta = 0"), "Give a delta."
        )
    if isinstance(epsilon, Number) and isinstance(delta, Number):
        return constant(grid_mu(epsilon.value, delta.value))
    return (1 + parameter("excess", 0, 1)) / unit_std(budget)


POINTS = 1000  # of the grid of mu
LARGEST = 709  # epsilon, beyond which the search of the code does not end: e^epsilon is infinite


@lru_cache(maxsize=64)
def grid_mu(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The first point of the code's grids whose delta, in doubles, exceeds the target.

    mu is doubled from epsilon^2/(2 log(1.25/delta)) until it violates; then 1,000 points from half
    of it are tried in order. Raises InvalidArgument where e^epsilon is no double.
    """
    if epsilon > LARGEST:
        way_out = "Beyond, the search of the code does not end: its doubles overflow."
        raise InvalidArgument("epsilon", f"at most {LARGEST}", epsilon, way_out)
    from scipy.stats import norm

    e, target = float(epsilon), float(delta)

    def violates(mu: Any) -> Any:
        near, far = -e / mu + mu / 2, -e / mu - mu / 2
        return target < norm.cdf(near) - np.exp(e) * norm.cdf(far)

    mu = e**2 / (2 * np.log(1.25 / target))
    while not violates(mu):
        mu *= 2
    tried = np.linspace(mu / 2, mu, POINTS)
    return Fraction(float(tried[np.argmax(violates(tried))]))


class HessianMixingCoded(Coded):
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
