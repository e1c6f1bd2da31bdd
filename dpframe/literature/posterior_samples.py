"""OPS and AdaOPS as printed and as coded, for audits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from dpframe.graph.procedures.posterior import posterior
from dpframe.graph.statistics import Count, LambdaMin, LogResidual
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.regressions.adaops import RHO, Steered, move
from dpframe.regressions.ops import (
    LEAST,
    MOST,
    OPS,
    balanced_penalty,
    coded_adaptive_penalty,
    coded_adaptive_temperature,
    coded_floor,
    coded_temperature,
    concentrated_penalty_coded,
    conservative_penalty,
    diffused_penalty,
    printed_penalty,
    sampled,
)
from dpframe.symbols import Expression, constant, exp, log, parameter, sqrt

from .without_theorem import TransposedPosterior


class OPSPrinted(Regression):
    """OPS as it is printed: a sample of the posterior exp(-gamma (F + lam |theta|^2/2)), F half the
    sum of squares, with parameters gamma and lam. [Wang18, Sec 3]

    The paper does not say which gamma and lam a budget affords, so that there is no claim to judge
    before they are chosen: no gamma is enough for tables of every length, and no value of either is
    the paper's. The choices of the authors' code are OPSBalancedCoded and its like.
    """

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "printed"
    title: ClassVar[str] = "OPS"
    gamma: Expression = parameter("gamma", 0)
    lam: Expression = parameter("lam", 0)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One sample, its temperature and penalty stated; lam in units of B^2."""
        penalty = self.lam * X.radius**2
        theta = posterior(
            X.T @ X,
            X.T @ y,
            penalty=penalty,
            temperature=self.gamma,
            share=budget,
            name="theta",
        )
        return post(sampled, theta, penalty)


def transposed(
    X: RowsNode, y: ColumnNode, penalty: Expression, temperature: Expression, share: Share
) -> TransposedPosterior:
    """The sample that the code draws, on X'X + I."""
    return TransposedPosterior(
        gram=X.T @ X,
        moment=X.T @ y,
        penalty=penalty + 1,
        floor=constant(0),
        log_residual=None,
        temperature=temperature,
        share=share,
        name="theta",
    )


class CodedOPS(OPS):
    """Abstract: the temperature of the code, and its sampler, whose factor is transposed."""

    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"

    def temperature(self, X: RowsNode, penalty: Expression, budget: Share) -> Expression:
        """A quadratic in sqrt(gamma), for B = Y = 1."""
        sizes = (Count(X.origin), penalty, budget.epsilon, budget.delta)
        return known(post(coded_temperature, *sizes), "1e-300", "1e300", name="temperature")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One sample, on X'X + I."""
        penalty = self.penalty(X, budget)
        temperature = self.temperature(X, penalty, budget)
        return post(sampled, transposed(X, y, penalty, temperature, budget), penalty)


class OPSBalancedCoded(CodedOPS):
    """OPS, balanced, as the code has it. [Wang18, OPS_epsdelta_balanced.m]"""

    def choose(self) -> Callable[..., Any]:
        """(C1 n/2)^(1/3)."""
        return balanced_penalty


class OPSConcentratedCoded(CodedOPS):
    """OPS, concentrated, as the code has it: temperature 1, and a penalty from a coefficient that a
    typing error turned into 1. [Wang18, OPS_epsdelta_concentrated.m]
    """

    def choose(self) -> Callable[..., Any]:
        """As the code has it."""
        return concentrated_penalty_coded

    def temperature(self, X: RowsNode, penalty: Expression, budget: Share) -> Expression:
        """1."""
        return constant(1)


class OPSDiffusedCoded(CodedOPS):
    """OPS, diffused, as the code has it. [Wang18, OPS_epsdelta_diffused.m]"""

    def choose(self) -> Callable[..., Any]:
        """(1 + log(2/delta))/epsilon."""
        return diffused_penalty


class OPSConservativeCoded(CodedOPS):
    """OPS, conservative, as the code has it. [Wang18, OPS_epsdelta_conservative.m]"""

    def choose(self) -> Callable[..., Any]:
        """sqrt(C1)."""
        return conservative_penalty


def shares(budget: Share) -> Sequence[Share]:
    """Two quarters and a half of epsilon, thirds of delta."""
    return budget.split(epsilon=("1/4", "1/4", "1/2"), delta=("1/3", "1/3", "1/3"))


class AdaOPSPrinted(Regression):
    """AdaOPS as it is printed: no B^2 in the noise of the eigenvalue, stds and shifts without
    sqrt 2, no margin for the record that leaves, a temperature that does not read the leverage of
    a record, and each third of delta spent twice. [Wang18, Alg. 1]

    In equation (8), L = log(6/delta), the bracket is the product (1/L)(1 + L)/L, as it stands.
    """

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
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
