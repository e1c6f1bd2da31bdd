"""Output perturbation: the penalised minimiser itself, released with noise."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.procedure import Logistic, Squared
from dpframe.graph.statistics import Argmin
from dpframe.mechanisms import Calibration, Gaussian, L2Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, exact

from .solve import Array, Fit

WAY_OUT = (
    "dp.recommend(n=..., epsilon=..., delta=..., setting=setting) names the one that errs least; "
    "dp.regressions.LogisticDescent() needs none."
)


def _penalty(value: object) -> Expression:
    if value is None:
        wanted = "given: a public number, which no data decide"
        raise InvalidArgument("penalty", wanted, None, WAY_OUT)
    return exact(value, "penalty")


class OutputPerturbation(Regression):
    """Ridge regression inside a ball, its coefficients released with Gaussian noise that is
    calibrated by the exact profile. [ChaudhuriM09, Alg. 1] [WuLKCJN17]

    Minimises sum (x'theta - y)^2/2 + penalty/2 |theta|^2 over |theta| <= radius.
    """

    paper: ClassVar[str] = "ChaudhuriM09; WuLKCJN17"
    title: ClassVar[str] = "output perturbation"
    use: ClassVar[str] = (
        "Where the penalty may grow with the number of records: noise falls as it grows, whatever"
        " the data are. With a weak penalty noise drowns the coefficients: take AdaSSP."
    )
    rule: ClassVar[Calibration] = Gaussian.analytic
    penalty: Expression = constant(1)
    radius: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release."""
        found = Argmin(X, y, Squared(), self.penalty, self.radius)
        theta = release(found, self.rule, budget, name="coefficients")
        return post(perturbed, theta, self.penalty)


class OutputPerturbationPure(OutputPerturbation):
    """Ridge regression inside a ball, its coefficients released with noise whose density falls with
    the 2-norm; spends no delta. [ChaudhuriM09, Alg. 1]
    """

    paper: ClassVar[str] = "ChaudhuriM09"
    title: ClassVar[str] = "output perturbation, pure"
    use: ClassVar[str] = "As OutputPerturbation, where delta must be 0 and columns are few."
    rule: ClassVar[Calibration] = L2Laplace.pure


class LogisticOutputPerturbation(Regression):
    """Logistic regression on labels of either sign, its coefficients released with Gaussian noise
    that is calibrated by the exact profile. [ChaudhuriMS11, Alg. 1] [WuLKCJN17]

    Minimises sum log(1 + exp(-y x'theta)) + penalty/2 |theta|^2.
    """

    paper: ClassVar[str] = "ChaudhuriMS11; WuLKCJN17"
    title: ClassVar[str] = "logistic output perturbation"
    use: ClassVar[str] = (
        "Where one release of the coefficients is wanted, with the std of its noise. The penalty "
        "must be given: dp.recommend names one. LogisticDescent predicts better."
    )
    penalty: Any = attrs.field(default=None, converter=_penalty)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release."""
        found = Argmin(X, y, Logistic(), self.penalty)
        theta = release(found, Gaussian.analytic, budget, name="coefficients")
        return post(perturbed, theta, self.penalty)


def perturbed(theta: Array, penalty: float) -> Fit:
    """The released coefficients, shape (d,), as they are."""
    return Fit(theta, ridge=penalty, ridge_was_zero=False)
