"""AdaOPS: a posterior sample whose penalty and temperature adapt to released statistics."""

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


def move(statistic: Statistic) -> Expression:
    """The derived L2 sensitivity; 1 for an unbounded statistic, which is then refused."""
    bound = statistic.sensitivity(L2)
    return constant(1) if bound is None else bound.value


@attrs.frozen
class Steered:
    """The parameters of a posterior sample: a penalty, a lower bound on lambda_min and an upper
    bound on the logarithm of residuals.
    """

    penalty: Expression
    floor: Expression
    log_residual: Expression

    def sample(
        self, X: RowsNode, y: ColumnNode, share: Share, temperature: Expression | None = None
    ) -> Post:
        """A posterior sample as a fit; the largest admissible temperature if none is given."""
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
    """Wang's penalty, given a released lower bound on lambda_min."""
    square, tail = X.radius**2, log(6 / budget.delta)
    sizes = (X.columns, budget.epsilon, tail, rho, budget.delta / 3)
    chosen = post(adaptive_penalty_of, floor, square, *sizes)
    return known(chosen, LEAST, MOST, name="penalty") * square


class AdaOPSRepaired(Regression):
    """AdaOPS, one sample from the posterior of a ridge regression with released penalty and
    temperature, with every step of the published algorithm repaired. [Wang18, Alg. 1]

    A quarter of epsilon releases lambda_min(X'X), a quarter a bound on residuals, half the sample.
    Repaired are the stds of the noise, sqrt(2 log(6/delta)) Delta/(epsilon/4); the two bounds,
    which allow for as many stds and for the sensitivity to one record; and the covariance of the
    sample, drawn at the largest admissible temperature. `rho`, from 0 to 1, is the failure
    probability in the error bound that the penalty minimises.

    Use: For comparison with the published AdaOPS: the same steps, with correct constants. AdaOPS
    has less noise.
    """

    title: ClassVar[str] = "AdaOPS, repaired"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release lambda_min and a bound on residuals, then draw the sample."""
        epsilon, delta = ("1/4", "1/4", "1/2"), ("1/4", "1/4", "1/3")
        for_floor, for_residual, rest = budget.split(epsilon=epsilon, delta=delta)
        stds, failure = sqrt(2 * log(6 / budget.delta)), budget.delta / 12
        unit = stds / (budget.epsilon / 4)
        lowest = LambdaMin(X.T @ X)
        noisy = release(lowest, Gaussian(unit * X.radius**2), for_floor, name="floor")
        floor = lower_bound(noisy, failure, stds=stds, name="floor_bound")
        penalty = penalty_of(X, floor, budget, self.rho)
        size = LogResidual(X.T @ X, X.T @ y, penalty, floor)
        large = release(size, Gaussian(unit * move(size)), for_residual, name="log_residual")
        most = upper_bound(large, failure, stds=stds, name="residual_bound")
        return Steered(penalty, floor, most).sample(X, y, rest)


class AdaOPS(Regression):
    """AdaOPS, one sample from the posterior of a ridge regression with released penalty and
    temperature, calibrated by the exact Gaussian profile. [Wang18, Alg. 1]

    `steering`, from 0 to 1/2, is the share of epsilon for lambda_min(X'X), and again for a bound on
    residuals; the sample has the rest, at the largest admissible temperature. `rho`, from 0 to 1,
    is the failure probability in the error bound that the penalty minimises.

    Use: One posterior sample that adapts to the table, under either relation. Part of the budget
    only tunes the sample: without need for a sample use AdaSSP.
    """

    title: ClassVar[str] = "AdaOPS"
    rho: Expression = RHO
    steering: Expression = constant("1/5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release lambda_min and a bound on residuals, then draw the sample."""
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
