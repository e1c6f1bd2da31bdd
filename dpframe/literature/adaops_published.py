"""AdaOPS as printed and as coded, for audits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from dpframe.graph import (
    ColumnNode,
    RowsNode,
    known,
    lower_bound,
    post,
    release,
    upper_bound,
)
from dpframe.graph.statistics import Count, LambdaMin, LogResidual
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.regressions.adaops import RHO, Steered, move
from dpframe.regressions.ops import (
    LEAST,
    MOST,
    coded_adaptive_penalty,
    coded_adaptive_temperature,
    coded_floor,
    printed_penalty,
    sampled,
)
from dpframe.symbols import Expression, exp, log, sqrt

from .ops_published import transposed
from .published import Coded, Printed


def shares(budget: Share) -> Sequence[Share]:
    """Two quarters and a half of epsilon, thirds of delta."""
    return budget.split(epsilon=("1/4", "1/4", "1/2"), delta=("1/3", "1/3", "1/3"))


class AdaOPSPrinted(Printed):
    """AdaOPS as it is printed: no B^2 in the noise of the eigenvalue, stds and shifts without
    sqrt 2, no margin for the record that leaves, a temperature that does not read the leverage of
    a record, and each third of delta spent twice. [Wang18, Alg. 1]

    In equation (8), L = log(6/delta), the bracket is the product (1/L)(1 + L)/L, as it stands.
    """

    title: ClassVar[str] = "AdaOPS"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Quarters and a half of epsilon, thirds of delta."""
        for_floor, for_residual, rest = shares(budget)
        tail = log(6 / budget.delta)
        unit, failure = sqrt(tail) / (budget.epsilon / 4), budget.delta / 3
        lowest = release(LambdaMin(X.T @ X), Gaussian(unit), for_floor, name="floor")
        floor = lower_bound(lowest, failure, stds=sqrt(tail), margin=0, name="floor_bound")
        square = X.radius**2
        chosen = post(printed_penalty, floor, square, X.columns, budget.epsilon, tail, self.rho)
        penalty = known(chosen, LEAST, MOST, name="penalty")
        size = LogResidual(X.T @ X, X.T @ y, penalty, floor)
        large = release(size, Gaussian(unit * move(size)), for_residual, name="log_residual")
        most = upper_bound(large, failure, stds=sqrt(tail), margin=0, name="residual_bound")
        a = (1 + tail) / tail**2
        own = (sqrt(1 + 2 * a * rest.epsilon) - 1) / a  # a x^2/2 + x = epsilon/2, eq (8)
        temperature = (penalty + floor) * own**2 / (tail * square * exp(2 * most))
        return Steered(penalty, floor, most).sample(X, y, rest, temperature)


class AdaOPSCoded(Coded):
    """AdaOPS as it is coded, for B = Y = 1, on X'X + I: a bound on residuals that reads n and is no
    bound, and a sampler whose factor is transposed. [Wang18, adaops.m]
    """

    title: ClassVar[str] = "AdaOPS"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Quarters and a half of epsilon, thirds of delta."""
        for_floor, for_residual, rest = shares(budget)
        tail = log(6 / budget.delta)
        std = sqrt(tail) / (budget.epsilon / 4)
        lowest = release(LambdaMin(X.T @ X), Gaussian(std), for_floor, name="floor")
        floor = known(post(coded_floor, lowest, sqrt(tail) * std), 0, None, name="lowest")
        sizes = (X.columns, budget.epsilon, tail, self.rho, budget.delta / 3)
        chosen = post(coded_adaptive_penalty, floor, *sizes)
        penalty = known(chosen, "1e-9", None, name="penalty")
        size = LogResidual(X.T @ X, X.T @ y, penalty + 1)
        sigma = log(1 + 1 / (penalty + floor)) / (budget.epsilon / 4)
        noise = Gaussian(sigma * sqrt(tail))
        large = release(size, noise, for_residual, name="log_residual")
        shifted = (large, sigma * tail, Count(X.origin), penalty + floor, tail, budget.epsilon)
        gamma = known(post(coded_adaptive_temperature, *shifted), "1e-300", "1e300", name="gamma")
        return post(sampled, transposed(X, y, penalty, gamma, rest), penalty)
