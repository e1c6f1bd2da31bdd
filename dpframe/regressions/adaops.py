"""AdaOPS: a posterior sample whose temperature adapts to released properties of the table."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from dpframe.graph import (
    ColumnNode,
    Post,
    Regression,
    RowsNode,
    known,
    lower_bound,
    post,
    release,
    upper_bound,
)
from dpframe.graph.procedures.posterior import posterior
from dpframe.graph.statistics import LambdaMin, LogResidual, Statistic
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.sensitivity import L2
from dpframe.symbols import Expression, constant, log, sqrt

from .ops import LEAST, MOST, adaptive_penalty_of, sampled

RHO = constant("0.05")


@attrs.frozen
class Parts:
    """The three shares of the budget, and the failures of the two bounds."""

    floor: Share
    residual: Share
    sample: Share
    failure: Expression


def quarters(budget: Share) -> Parts:
    """epsilon/4, epsilon/4, epsilon/2; of each third of delta, the first two pay a quarter for
    their bound's failure.
    """
    epsilon, delta = ("1/4", "1/4", "1/2"), ("1/4", "1/4", "1/3")
    floor, residual, sample = budget.split(epsilon=epsilon, delta=delta)
    return Parts(floor, residual, sample, budget.delta / 12)


def move(statistic: Statistic) -> Expression:
    """Its derived sensitivity."""
    found = statistic.sensitivity(L2)
    return constant(1) if found is None else found.value


@attrs.frozen
class Steered:
    """What a sample is steered by: a penalty, a floor under lambda_min, a bound on residuals."""

    penalty: Expression
    floor: Expression
    log_residual: Expression

    def sample(
        self, X: RowsNode, y: ColumnNode, share: Share, temperature: Expression | None = None
    ) -> Post:
        """A sample of the posterior, as a fit."""
        theta = posterior(
            X.T @ X,
            X.T @ y,
            penalty=self.penalty,
            floor=self.floor,
            log_residual=self.log_residual,
            temperature=temperature,
            share=share,
            name="theta",
        )
        return post(sampled, theta, self.penalty)


def penalty_of(X: RowsNode, floor: Expression, budget: Share, rho: Expression) -> Expression:
    """Wang's penalty for a bound below lambda_min, a released number."""
    square, tail = X.radius**2, log(6 / budget.delta)
    sizes = (X.columns, budget.epsilon, tail, rho, budget.delta / 3)
    return (
        known(post(adaptive_penalty_of, floor, square, *sizes), LEAST, MOST, name="penalty")
        * square
    )


class AdaOPSRepaired(Regression):
    """AdaOPS with every step repaired: stds sqrt(2 log(6/delta)) Delta/(epsilon/4), bounds moved by
    as many stds and by what one record changes, and a sample of the right covariance at the largest
    admissible temperature. [Wang18, Alg. 1]
    """

    paper: ClassVar[str] = "Wang18"
    title: ClassVar[str] = "AdaOPS, repaired"
    use: ClassVar[str] = (
        "For comparison with the published AdaOPS: the same steps, with correct constants. AdaOPS"
        " has less noise."
    )
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """A floor, a bound on residuals, a sample."""
        parts, stds = quarters(budget), sqrt(2 * log(6 / budget.delta))
        unit = stds / (budget.epsilon / 4)
        lowest = LambdaMin(X.T @ X)
        noisy = release(lowest, Gaussian(unit * X.radius**2), parts.floor, name="floor")
        floor = lower_bound(noisy, parts.failure, stds=stds, name="floor_bound")
        penalty = penalty_of(X, floor, budget, self.rho)
        size = LogResidual(X.T @ X, X.T @ y, penalty, floor)
        large = release(size, Gaussian(unit * move(size)), parts.residual, name="log_residual")
        most = upper_bound(large, parts.failure, stds=stds, name="residual_bound")
        return Steered(penalty, floor, most).sample(X, y, parts.sample)


class AdaOPS(Regression):
    """AdaOPS with noise by the exact Gaussian profile, small shares for what only steers it, and
    the largest admissible temperature by the exact pair. [Wang18, Alg. 1]
    """

    paper: ClassVar[str] = "Wang18"
    title: ClassVar[str] = "AdaOPS"
    use: ClassVar[str] = (
        "One posterior sample that adapts to the table, under either relation. Part of the budget"
        " only tunes the sample: without need for a sample use AdaSSP."
    )
    rho: Expression = RHO
    steering: Expression = constant("1/5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """`steering` of epsilon for the floor, as much for residuals, the rest for the sample."""
        own = self.steering
        delta = ("1/6", "1/6", "1/3")
        for_floor, for_residual, rest = budget.split(epsilon=(own, own, 1 - 2 * own), delta=delta)
        failure = budget.delta / 6
        noisy = release(LambdaMin(X.T @ X), Gaussian.analytic, for_floor, name="floor")
        floor = lower_bound(noisy, failure, name="floor_bound")
        penalty = penalty_of(X, floor, budget, self.rho)
        size = LogResidual(X.T @ X, X.T @ y, penalty, floor)
        large = release(size, Gaussian.analytic, for_residual, name="log_residual")
        most = upper_bound(large, failure, name="residual_bound")
        return Steered(penalty, floor, most).sample(X, y, rest)
