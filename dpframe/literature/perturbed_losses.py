"""Objective perturbation as printed and as coded, for audits.

The functional mechanism as printed: noise for the sensitivity 2 (d^2 + 2 d + 1), and no repair.

The exact sensitivity of what is released is (d + 1)^2, under both relations: the printed noise is
twice what the printed release needs. (docs/proofs/monomials.md)

The noisy polynomial may have no minimum. The paper's closed forms (Eq. 3, 5) are its stationary
points then, which may lie far away: the instability that the paper reports. They are taken here;
with a penalty on |theta|_1, where the paper has a solver that fits no such form, the stationary
point that continues them. (stationary.py)
"""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.functions import monomials
from dpframe.graph.maps.grid import unit_of_entries
from dpframe.graph.procedures import perturbed_minimum
from dpframe.mechanisms import Laplace
from dpframe.privacy import Share
from dpframe.regressions.functional import (
    Functional,
    FunctionalElasticNet,
    FunctionalLasso,
    FunctionalLinear,
    FunctionalRidge,
    check_penalty,
)
from dpframe.regressions.perturbation import minimised
from dpframe.symbols import Expression, constant, log, sqrt

from .stationary import stationary_fit


class ObjPertPrinted(Regression):
    """Objective perturbation as it is printed: penalty 2 B^2/epsilon and std A sqrt(8 log(2/delta)
    + 4 epsilon)/epsilon, A = B (B R + Y). [KiferST12, Thm 2]

    A record that joins or leaves moves the gradient by A, and it is for that that the std is
    enough; one that is replaced moves it by up to 2 A. Under replace-one nothing here proves the
    claim, and no pair of neighbours is known that refutes it.
    """

    paper: ClassVar[str] = "KiferST12; Wang18"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "ObjPert"
    radius: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One minimiser, for the whole budget."""
        epsilon, penalty = budget.epsilon, 2 * X.radius**2 / budget.epsilon
        slope = X.radius * (X.radius * self.radius + y.radius)
        theta = perturbed_minimum(
            X.T @ X,
            X.T @ y,
            penalty=penalty,
            radius=self.radius,
            share=budget,
            size=slope * sqrt(8 * log(2 / budget.delta) + 4 * epsilon) / epsilon,
            name="theta",
        )
        return post(minimised, theta, penalty)


class ObjPertCoded(Regression):
    """Objective perturbation as it is coded, for B = Y = R = 1: the noise divided by epsilon^2, the
    labels halved by a missing factor, a penalty of 2/epsilon^2. [Wang18, ObjPert.m]
    """

    paper: ClassVar[str] = "Wang18"
    variant: ClassVar[str] = "coded"
    claimed_for: ClassVar[str] = "add/remove"
    title: ClassVar[str] = "ObjPert"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """min |R theta - v/2|, R'R = X'X + 2/epsilon^2 I, v = R'^-1 (X'y - noise): the objective at
        labels y/2 and half of the noise.
        """
        epsilon, penalty = budget.epsilon, 2 / budget.epsilon**2
        theta = perturbed_minimum(
            X.T @ X,
            X.T @ y.scaled(2),
            penalty=penalty,
            radius=1,
            share=budget,
            size=sqrt(4 * log(2 / budget.delta) + 2 * epsilon) / epsilon**2,
            name="theta",
        )
        return post(minimised, theta, penalty)


class PrintedFunctional(Functional):
    """Abstract: the printed noise, 2 (d^2 + 2 d + 1)/epsilon, on every monomial, of degree 0 too;
    the stationary point as it is.
    """

    variant: ClassVar[str] = "printed"
    use: ClassVar[str] = ""

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget. Raises InvalidArgument for a penalty that is none."""
        check_penalty(*self.penalty)
        noise = Laplace(scale=2 * (X.columns + 1) ** 2 / budget.epsilon)
        noisy = release(monomials(X, y), noise, budget, name="coefficients")
        return post(stationary_fit, noisy, unit_of_entries(X), y.radius, *self.penalty)


class FunctionalLinearPrinted(PrintedFunctional, FunctionalLinear):
    """Linear regression from the coefficients of the squared loss, y'y among them, each with
    Laplace(2 (d^2 + 2 d + 1)/epsilon): the stationary point of the noisy loss, convex or not.
    [Dandekar18, Alg. 1, Lem 2]
    """


class FunctionalRidgePrinted(PrintedFunctional, FunctionalRidge):
    """Ridge regression, penalty lam |theta|_2^2, from the noisy coefficients of
    FunctionalLinearPrinted. [Dandekar18, Alg. 1, Eq. 9]
    """


class FunctionalLassoPrinted(PrintedFunctional, FunctionalLasso):
    """LASSO, penalty lam |theta|_1, from the noisy coefficients of FunctionalLinearPrinted.
    [Dandekar18, Alg. 1, Eq. 9]
    """


class FunctionalElasticNetPrinted(PrintedFunctional, FunctionalElasticNet):
    """Elastic net, penalty lam (alpha |theta|_2^2 + (1 - alpha) |theta|_1), from the noisy
    coefficients of FunctionalLinearPrinted. [Dandekar18, Alg. 1, Eq. 9]
    """
