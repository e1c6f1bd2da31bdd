"""AdaOPS as it was printed and as it was coded: kept to be audited."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import (
    ColumnNode,
    Regression,
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
from dpframe.regressions.adaops import RHO, Steered, move, penalty_of
from dpframe.regressions.ops import sampled
from dpframe.regressions.ops_choices import (
    coded_adaptive_penalty,
    coded_adaptive_temperature,
    coded_floor,
)
from dpframe.symbols import Expression, constant, exp, log, sqrt

from .without_theorem import TransposedPosterior


class AdaOPSPrinted(Regression):
    """AdaOPS as it is printed: no B^2 in the noise of the eigenvalue, stds and shifts without
    sqrt 2, no margin for the record that leaves, a temperature by a lemma that lacks sqrt 2, and
    each third of delta spent twice. [Wang18, Alg. 1]
    """

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "AdaOPS"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Quarters and a half of epsilon, thirds of delta."""
        thirds = ("1/3", "1/3", "1/3")
        epsilon = ("1/4", "1/4", "1/2")
        for_floor, for_residual, rest = budget.split(epsilon=epsilon, delta=thirds)
        tail = log(6 / budget.delta)
        unit, failure = sqrt(tail) / (budget.epsilon / 4), budget.delta / 3
        lowest = release(LambdaMin(X.T @ X), Gaussian(unit), for_floor, name="floor")
        floor = lower_bound(lowest, failure, stds=sqrt(tail), margin=0, name="floor_bound")
        penalty = penalty_of(X, floor, budget, self.rho)
        size = LogResidual(X.T @ X, X.T @ y, penalty, floor)
        large = release(size, Gaussian(unit * move(size)), for_residual, name="log_residual")
        most = upper_bound(large, failure, stds=sqrt(tail), margin=0, name="residual_bound")
        h, square = penalty + floor, X.radius**2
        temperature = printed_temperature(h, square, exp(most), tail, rest.epsilon)
        return Steered(penalty, floor, most).sample(X, y, rest, temperature)


def printed_temperature(
    h: Expression, square: Expression, residual: Expression, tail: Expression, epsilon: Expression
) -> Expression:
    """gamma at which residual^2 gamma/(2 (h + B^2)) + residual B sqrt(gamma tail/h) + B^2 (1 +
    tail)/(2 h) = epsilon.
    """
    a = square * residual**2 / (2 * (h + square))
    b = residual * sqrt(square * tail / h)
    c = square * (1 + tail) / (2 * h) - epsilon
    return ((sqrt(b**2 - 4 * a * c) - b) / (2 * a)) ** 2


class AdaOPSCoded(Regression):
    """AdaOPS as it is coded, for B = Y = 1, on X'X + I: a bound on residuals that reads n and is no
    bound, and a sampler whose factor is transposed. [Wang18, adaops.m]
    """

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "AdaOPS"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Quarters and a half of epsilon, thirds of delta."""
        thirds = ("1/3", "1/3", "1/3")
        epsilon = ("1/4", "1/4", "1/2")
        for_floor, for_residual, rest = budget.split(epsilon=epsilon, delta=thirds)
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
        theta = TransposedPosterior(
            gram=X.T @ X,
            moment=X.T @ y,
            penalty=penalty + 1,
            floor=constant(0),
            log_residual=None,
            temperature=gamma,
            share=rest,
            name="theta",
        )
        return post(sampled, theta, penalty)
