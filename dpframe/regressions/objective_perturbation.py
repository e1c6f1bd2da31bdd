"""Objective perturbation: ridge regression on a ball, its objective tilted by noise."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Regression, RowsNode, post
from dpframe.graph.procedures import approximate_minimum, perturbed_minimum
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, log, sqrt

from .solve import Fit

Array = NDArray[Any]


def minimised(theta: Array, penalty: float) -> Fit:
    """The minimiser as a fit."""
    return Fit(np.asarray(theta, dtype=float), penalty, ridge_was_zero=False)


class ObjPert(Regression):
    """Objective perturbation with Gaussian noise by the exact profile; a half of epsilon for the
    noise. [KiferST12, Thm 2]

    Coefficients lie in the ball of `radius`, which is public; the penalty B^2/(epsilon/2) is the
    least that the theorem allows.
    """

    paper: ClassVar[str] = "KiferST12; Wang18"
    title: ClassVar[str] = "ObjPert"
    use: ClassVar[str] = (
        "Where coefficients lie in a small public ball and columns are many: noise falls on d "
        "numbers, not on d^2. Its minimiser must be exact."
    )
    radius: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One minimiser, for the whole budget."""
        penalty = X.radius**2 / (budget.epsilon / 2)
        theta = perturbed_minimum(
            X.T @ X, X.T @ y, penalty=penalty, radius=self.radius, share=budget, name="theta"
        )
        return post(minimised, theta, penalty)


class ObjPertPure(Regression):
    """Objective perturbation with noise of density exp(-|z|/scale): spends no delta.
    [ChaudhuriMS11, Thm 9]
    """

    paper: ClassVar[str] = "ChaudhuriMS11"
    title: ClassVar[str] = "ObjPert, pure"
    use: ClassVar[str] = (
        "As ObjPert, where delta must be 0. Its noise grows with d, so for few columns."
    )
    radius: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One minimiser, for the whole epsilon."""
        penalty = X.radius**2 / (budget.epsilon / 2)
        theta = perturbed_minimum(
            X.T @ X,
            X.T @ y,
            penalty=penalty,
            radius=self.radius,
            share=budget,
            noise="l2_laplace",
            name="theta",
        )
        return post(minimised, theta, penalty)


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


class ApproximateMinima(Regression):
    """Objective perturbation that does not ask for exact minimisers: a part of the budget pays for
    noise that hides what the solver left. [IyengarNSTTW19, Alg. 1]
    """

    paper: ClassVar[str] = "IyengarNSTTW19"
    title: ClassVar[str] = "approximate minima perturbation"
    use: ClassVar[str] = (
        "As ObjPert, where minimisers are accurate to a tolerance only; a part of the budget pays"
        " for that. With exact minimisers take ObjPert."
    )
    radius: Expression = constant(1)
    tolerance: Expression = constant("1e-6")
    output_share: Expression = constant("1/10")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """`output_share` of the budget for the difference, at most tolerance times the radius."""
        own, rest = budget.split(self.output_share, 1 - self.output_share)
        penalty = X.radius**2 / (rest.epsilon / 2)
        minimum = perturbed_minimum(
            X.T @ X, X.T @ y, penalty=penalty, radius=self.radius, share=rest
        )
        theta = approximate_minimum(
            minimum,
            tolerance=self.tolerance * self.radius,
            noise_share=own,
            share=budget,
            name="theta",
        )
        return post(minimised, theta, penalty)
