"""OPS: one sample from the posterior of a ridge regression."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Regression, RowsNode, known, post
from dpframe.graph.procedures import TransposedPosterior
from dpframe.graph.procedures.posterior import posterior
from dpframe.graph.statistics import Count
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, parameter

from .ops_choices import (
    balanced_penalty,
    coded_temperature,
    concentrated_penalty,
    concentrated_penalty_coded,
    conservative_penalty,
    diffused_penalty,
)
from .solve import Fit

Array = NDArray[Any]
LEAST, MOST = "1e-9", "1e15"


def sampled(theta: Array, penalty: float) -> Fit:
    """The sample as a fit."""
    return Fit(np.asarray(theta, dtype=float), penalty, ridge_was_zero=False)


class OPS(Regression):
    """Abstract: OPS whose penalty is chosen from n, d and the budget. n must be public."""

    paper: ClassVar[str] = "Wang18"
    title: ClassVar[str] = "OPS"

    @abstractmethod
    def choose(self) -> Callable[..., Any]:
        """(n, d, epsilon, delta) -> the penalty in units of B^2."""

    def own(self, epsilon: Expression) -> Expression:
        """The epsilon that penalties are chosen for."""
        return epsilon

    def penalty(self, X: RowsNode, budget: Share) -> Expression:
        """The penalty, in the units of X'X."""
        sizes = (Count(X.origin), X.columns, self.own(budget.epsilon), budget.delta)
        chosen = known(post(self.choose(), *sizes), LEAST, MOST, name="penalty")
        return chosen * X.radius**2


class GuardedOPS(OPS):
    """Abstract: the temperature is the largest that is admissible for the share. A replacement is a
    removal and an addition, each for half of epsilon.
    """

    def own(self, epsilon: Expression) -> Expression:
        """Half."""
        return epsilon / 2

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One sample, for the whole budget."""
        penalty = self.penalty(X, budget)
        theta = posterior(X.T @ X, X.T @ y, penalty=penalty, share=budget, name="theta")
        return post(sampled, theta, penalty)


class OPSBalanced(GuardedOPS):
    """OPS with the penalty for the prediction error at |theta| = 1. [Wang18, Sec 3]"""

    use: ClassVar[str] = (
        "Under replace-one only, as it reads n: where one posterior sample is wanted and "
        "coefficients have norm near 1. Where a sample is no aim in itself take AdaSSP."
    )

    def choose(self) -> Callable[..., Any]:
        """(C1 n/2)^(1/3)."""
        return balanced_penalty


class OPSConcentrated(GuardedOPS):
    """OPS with a penalty so large that temperatures near 1 are admissible. [Wang18, Sec 3]"""

    use: ClassVar[str] = (
        "Under replace-one only, as it reads n: where a sample at a temperature near 1 is wanted."
        " Its large penalty pulls the coefficients towards zero."
    )

    def choose(self) -> Callable[..., Any]:
        """As temperature 1 needs."""
        return concentrated_penalty


class OPSDiffused(GuardedOPS):
    """OPS with the smallest penalty. [Wang18, Sec 3]"""

    use: ClassVar[str] = (
        "Under replace-one only, as it reads n: where the penalty must be small. Its sample is "
        "spread widely for that, so it is for many records."
    )

    def choose(self) -> Callable[..., Any]:
        """(1 + log(2/delta))/epsilon."""
        return diffused_penalty


class OPSConservative(GuardedOPS):
    """OPS with the penalty for the worst prediction error. [Wang18, Sec 3]"""

    use: ClassVar[str] = (
        "Under replace-one only, as it reads n: where coefficients may be large and the worst "
        "prediction error counts."
    )

    def choose(self) -> Callable[..., Any]:
        """sqrt(C1)."""
        return conservative_penalty


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


def stated_temperature(X: RowsNode, penalty: Expression, budget: Share) -> Expression:
    """A quadratic in sqrt(gamma), for B = Y = 1."""
    sizes = (Count(X.origin), penalty, budget.epsilon, budget.delta)
    found = post(coded_temperature, *sizes)
    return known(found, "1e-300", "1e300", name="temperature")


class CodedOPS(OPS):
    """Abstract: the temperature of the code, and its sampler, whose factor is transposed."""

    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"

    def temperature(self, X: RowsNode, penalty: Expression, budget: Share) -> Expression:
        """A quadratic in sqrt(gamma), for B = Y = 1."""
        return stated_temperature(X, penalty, budget)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One sample, on X'X + I."""
        penalty = self.penalty(X, budget)
        theta = TransposedPosterior(
            gram=X.T @ X,
            moment=X.T @ y,
            penalty=penalty + 1,
            floor=constant(0),
            log_residual=None,
            temperature=self.temperature(X, penalty, budget),
            share=budget,
            name="theta",
        )
        return post(sampled, theta, penalty)


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
