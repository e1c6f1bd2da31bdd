"""Output perturbation and objective perturbation of penalised minimisers."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Post, Regression, RowsNode, post, release
from dpframe.graph.procedure import Huber, Logistic, Objective, Squared
from dpframe.graph.procedures import ApproximateMinimum, perturbed_minimum
from dpframe.graph.statistics import Argmin
from dpframe.mechanisms import Calibration, Gaussian, L2Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, exact

from .solve import Array, Fit

NO_PURE_LOGISTIC = (
    "Logistic regressions use Gaussian noise: delta='1e-6' is usual. Without a delta fit a linear "
    "probability model: dp.PrivateRegressor with the same setting, whose default is then "
    "dp.regressions.ObjPertPure()."
)
WAY_OUT = (
    "dp.recommend(n=..., epsilon=..., delta=..., setting=setting) computes the best one; "
    "dp.regressions.LogisticDescent() needs none."
)


# ------------------------------------------------------------------------------ Output perturbation
class Perturbed(Regression):
    """Abstract: a penalised minimiser released with noise calibrated by `rule`."""

    rule: ClassVar[Calibration] = Gaussian.analytic
    penalty: Any

    def minimised(
        self, X: RowsNode, y: ColumnNode, budget: Share, loss: Objective, radius: object = None
    ) -> Post:
        """Release the minimiser for the whole budget."""
        minimiser = Argmin(X, y, loss, self.penalty, radius)
        theta = release(minimiser, self.rule, budget, name="coefficients")
        return post(perturbed, theta, self.penalty)


class OutputPerturbation(Perturbed):
    """Ridge regression by output perturbation: the coefficients are released with Gaussian noise
    calibrated by the exact profile. [ChaudhuriM09, Alg. 1] [WuLKCJN17]

    The coefficients minimise sum (x'theta - y)^2/2 + penalty/2 |theta|^2 over |theta| <= radius.
    `penalty`, above 0, and `radius` are public; the noise falls as the penalty grows.

    Use: If the penalty may grow with the number of records: the noise then falls for every table.
    With a weak penalty the noise is too large: use AdaSSP.
    """

    title: ClassVar[str] = "output perturbation"
    penalty: Expression = constant(1)
    radius: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the minimiser for the whole budget."""
        return self.minimised(X, y, budget, Squared(), self.radius)


class OutputPerturbationPure(OutputPerturbation):
    """Ridge regression by output perturbation with noise of density exp(-|z|/scale) in the 2-norm,
    for pure differential privacy. [ChaudhuriM09, Alg. 1]

    The parameters are those of OutputPerturbation.

    Use: Like OutputPerturbation, without delta and for few columns.
    """

    title: ClassVar[str] = "output perturbation, pure"
    rule: ClassVar[Calibration] = L2Laplace.pure


def _penalty(value: object) -> Expression:
    if value is None:
        wanted = "given: a public number, chosen without the data"
        raise InvalidArgument("penalty", wanted, None, WAY_OUT)
    return exact(value, "penalty")


class LogisticOutputPerturbation(Perturbed):
    """Logistic regression by output perturbation: the coefficients are released with Gaussian noise
    calibrated by the exact profile. [ChaudhuriMS11, Alg. 1] [WuLKCJN17]

    The coefficients minimise sum log(1 + exp(-y x'theta)) + penalty/2 |theta|^2. `penalty`, above
    0, is public and has no default.

    Use: Two classes, one release of the coefficients with noise of a known std. dp.recommend
    recommends the penalty. LogisticDescent predicts better.
    """

    title: ClassVar[str] = "logistic output perturbation"
    penalty: Any = attrs.field(default=None, converter=_penalty)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the minimiser for the whole budget."""
        return self.minimised(X, y, budget, Logistic())


def perturbed(theta: Array, penalty: float) -> Fit:
    """The released coefficients, shape (d,), as a fit."""
    return Fit(theta, ridge=penalty, ridge_was_zero=False)


class HuberOutputPerturbation(Perturbed):
    """Huber regression by output perturbation: the coefficients are released with Gaussian noise
    calibrated by the exact profile. [ChaudhuriMS11, Alg. 1] [Huber64]

    The coefficients minimise sum huber(x'theta - y) + penalty/2 |theta|^2. The loss is linear for
    residuals beyond `knee`, in units of the scaled labels. `penalty` is above 0; no bound on the
    coefficients is needed.

    Use: A few outliers among the labels, within their bound. Increase the penalty with the number
    of records to reduce the noise.
    """

    paper: ClassVar[str] = "ChaudhuriMS11"
    title: ClassVar[str] = "Huber output perturbation"
    penalty: Expression = constant(1)
    knee: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the minimiser for the whole budget."""
        return self.minimised(X, y, budget, Huber(self.knee))


# --------------------------------------------------------------------------- Objective perturbation
def minimised(theta: Array, penalty: float) -> Fit:
    """The released minimiser, shape (d,), as a fit."""
    return Fit(np.asarray(theta, dtype=float), penalty, ridge_was_zero=False)


class ObjPert(Regression):
    """Ridge regression by objective perturbation: a Gaussian linear term, calibrated by the exact
    profile, is added to the objective. [KiferST12, Thm 2]

    Half of epsilon is spent on the noise, half on the penalty B^2/(epsilon/2), the least that the
    theorem allows. Coefficients are restricted to |theta| <= `radius`, a public number.

    Use: Many columns, for coefficients in a small public ball: noise is added to d numbers, not
    d^2. Its minimiser must be exact.
    """

    paper: ClassVar[str] = "KiferST12; Wang18"
    title: ClassVar[str] = "ObjPert"
    noise: ClassVar[str] = "gaussian"
    radius: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release one minimiser for the whole budget."""
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
    """Ridge regression by objective perturbation with noise of density exp(-|z|/scale) in the
    2-norm, for pure differential privacy. [ChaudhuriMS11, Thm 9]

    Penalty and `radius` are those of ObjPert.

    Use: Like ObjPert, without delta. Its noise grows with d, so for few columns.
    """

    paper: ClassVar[str] = "ChaudhuriMS11"
    title: ClassVar[str] = "ObjPert, pure"
    noise: ClassVar[str] = "l2_laplace"


class ApproximateMinima(Regression):
    """Ridge regression by approximate minima perturbation: objective perturbation for minimisers of
    limited accuracy, to which noise is added as well. [IyengarNSTTW19, Alg. 1]

    `radius` is that of ObjPert. `tolerance`, times the radius, bounds the distance of the computed
    minimiser from the exact one; the share `output_share` of the budget, from 0 to 1, is spent on
    the noise that hides this distance.

    Use: Like ObjPert, for minimisers with a tolerance, which costs part of the budget. With exact
    minimisers use ObjPert.
    """

    title: ClassVar[str] = "approximate minima perturbation"
    radius: Expression = constant(1)
    tolerance: Expression = constant("1e-6")
    output_share: Expression = constant("1/10")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Perturb the objective, then the minimiser."""
        own, rest = budget.split(self.output_share, 1 - self.output_share)
        penalty = X.radius**2 / (rest.epsilon / 2)
        minimum = perturbed_minimum(
            X.T @ X, X.T @ y, penalty=penalty, radius=self.radius, share=rest
        )
        theta = ApproximateMinimum(
            minimum,
            tolerance=self.tolerance * self.radius,
            noise_share=own,
            share=budget,
            name="theta",
        )
        return post(minimised, theta, penalty)
