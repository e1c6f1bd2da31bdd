"""The functional mechanism as printed: noise for the sensitivity 2 (d^2 + 2 d + 1), and no repair.

The exact sensitivity of what is released is (d + 1)^2, under both relations: the printed noise is
twice what the printed release needs. (docs/proofs/monomials.md)

The noisy polynomial may have no minimum. The paper's closed forms (Eq. 3, 5) are its stationary
points then, which may lie far away: the instability that the paper reports. They are taken here;
with a penalty on |theta|_1, where the paper has a solver that fits no such form, the stationary
point that continues them. (stationary.py)
"""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, RowsNode, post, release
from dpframe.graph.functions import monomials
from dpframe.graph.maps.grid import unit_of_entries
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

from .stationary import stationary_fit


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
