"""OPS as printed and as coded, for audits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from dpframe.graph import ColumnNode, RowsNode, known, post
from dpframe.graph.procedures.posterior import posterior
from dpframe.graph.statistics import Count
from dpframe.privacy import Share
from dpframe.regressions.ops import (
    OPS,
    balanced_penalty,
    coded_temperature,
    concentrated_penalty_coded,
    conservative_penalty,
    diffused_penalty,
    sampled,
)
from dpframe.symbols import Expression, constant, parameter

from .published import Printed
from .without_theorem import TransposedPosterior


class OPSPrinted(Printed):
    """OPS as it is printed: a sample of the posterior exp(-gamma (F + lam |theta|^2/2)), F half the
    sum of squares, with parameters gamma and lam. [Wang18, Sec 3]

    The paper does not say which gamma and lam a budget affords, so that there is no claim to judge
    before they are chosen: no gamma is enough for tables of every length, and no value of either is
    the paper's. The choices of the authors' code are OPSBalancedCoded and its like.
    """

    claimed_for: ClassVar[str] = ""
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

    rule: ClassVar[Callable[..., Any]] = balanced_penalty


class OPSConcentratedCoded(CodedOPS):
    """OPS, concentrated, as the code has it: temperature 1, and a penalty from a coefficient that a
    typing error turned into 1. [Wang18, OPS_epsdelta_concentrated.m]
    """

    rule: ClassVar[Callable[..., Any]] = concentrated_penalty_coded

    def temperature(self, X: RowsNode, penalty: Expression, budget: Share) -> Expression:
        """1."""
        return constant(1)


class OPSDiffusedCoded(CodedOPS):
    """OPS, diffused, as the code has it. [Wang18, OPS_epsdelta_diffused.m]"""

    rule: ClassVar[Callable[..., Any]] = diffused_penalty


class OPSConservativeCoded(CodedOPS):
    """OPS, conservative, as the code has it. [Wang18, OPS_epsdelta_conservative.m]"""

    rule: ClassVar[Callable[..., Any]] = conservative_penalty
