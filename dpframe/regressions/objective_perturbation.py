"""Objective perturbation: ridge regression on a ball, its objective tilted by noise."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Regression, RowsNode, post
from dpframe.graph.procedures import approximate_minimum, perturbed_minimum
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

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
    noise: ClassVar[str] = "gaussian"
    radius: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One minimiser, for the whole budget."""
        penalty = X.radius**2 / (budget.epsilon / 2)
        theta = perturbed_minimum(
            X.T @ X,
            X.T @ y,
            penalty=penalty,
            radius=self.radius,
            share=budget,
            noise=self.noise,
            name="theta",
        )
        return post(minimised, theta, penalty)


class ObjPertPure(ObjPert):
    """Objective perturbation with noise of density exp(-|z|/scale): spends no delta.
    [ChaudhuriMS11, Thm 9]
    """

    paper: ClassVar[str] = "ChaudhuriMS11"
    title: ClassVar[str] = "ObjPert, pure"
    use: ClassVar[str] = (
        "As ObjPert, where delta must be 0. Its noise grows with d, so for few columns."
    )
    noise: ClassVar[str] = "l2_laplace"


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
