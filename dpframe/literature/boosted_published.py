"""Boosted adaSSP as its authors' code and google-research have it: kept to be audited."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from dpframe.errors import InvalidArgument
from dpframe.graph import (
    ColumnNode,
    Regression,
    RowsNode,
    iterate,
    post,
)
from dpframe.graph.functions import gradient
from dpframe.graph.joint import unit_std
from dpframe.graph.procedure import Huber
from dpframe.graph.statistics import LambdaMin
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.regressions.adassp import RHO
from dpframe.regressions.boosted import boosted
from dpframe.regressions.descent import averaged
from dpframe.symbols import Expression, Number, constant, parameter, sqrt


class BoostedAdaSSPCoded(Regression):
    """Boosted adaSSP as its authors' code has it: the mu that the budget affords serves as the std
    of every release, where its inverse is needed. Residuals are clipped to Y. [Tang23, code]

    The code takes the smallest *positive* eigenvalue, which nothing bounds where columns depend on
    each other; here it is the smallest of all. What that costs is a lower bound on what the code
    costs (exact, under add/remove, for the smallest of all).
    """

    paper: ClassVar[str] = "Tang23"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "boosted adaSSP"
    understated: ClassVar[str] = "the code releases the smallest positive eigenvalue"
    rounds: Expression = constant(100)
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, the last one T times over."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, loss=Huber(y.radius))
        mu, square = 1 / unit_std(budget), X.radius**2
        sizes = (square, square, X.radius * y.radius)
        noises = tuple(Gaussian(std=mu * size) for size in sizes)
        statistics = (LambdaMin(X.T @ X), X.T @ X, gradients)
        return post(averaged, boosted(statistics, noises, self.rounds, self.rho), constant(0))


class BoostedAdaSSPKendall(Regression):
    """Boosted adaSSP as google-research has it: mu is the first point of a grid that violates
    (epsilon, delta), so that noise is always a little too small. Where the first point of the grid
    violates already it is far too small: at (10, 1e-5) the exact delta is 4.918 times the claimed.
    [Dick23, private_kendall/boosted_adassp.py]

    mu/sqrt 3 for the smallest eigenvalue, for X'X and for all rounds. The code takes 1 for every
    sensitivity whatever bounds it is given; here they are B^2, B^2 and B Y. Where epsilon and delta
    are numbers the grid is that of the code, in doubles; elsewhere `excess`, unknown and positive,
    stands for what mu has too much, and no number of it is the code's.
    """

    paper: ClassVar[str] = "Dick23; Tang23"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "boosted adaSSP, google-research"
    rounds: Expression = constant(100)
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, the last one T times over; equal squared mu."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, loss=Huber(y.radius))
        unit, square = sqrt(3) / affordable(budget), X.radius**2
        sizes = (square, square, sqrt(self.rounds) * X.radius * y.radius)
        noises = tuple(Gaussian(std=unit * size) for size in sizes)
        statistics = (LambdaMin(X.T @ X), X.T @ X, gradients)
        return post(averaged, boosted(statistics, noises, self.rounds, self.rho), constant(0))


def affordable(budget: Share) -> Expression:
    """The code's mu: exactly its double at numbers; else (1 + excess) times what may be spent.
    Raises InvalidArgument without a delta, and for numbers that the code has no end for.
    """
    epsilon, delta = budget.epsilon, budget.delta
    if isinstance(delta, Number) and not delta.value:
        raise InvalidArgument("budget", "one of epsilon and delta", "delta = 0", "Give a delta.")
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
    import numpy as np
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
