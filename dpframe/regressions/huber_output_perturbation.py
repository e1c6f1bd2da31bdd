"""Output perturbation of a regression that outliers cannot pull."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.procedure import Huber
from dpframe.graph.statistics import Argmin
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .output_perturbation import perturbed


class HuberOutputPerturbation(Regression):
    """Huber regression, its coefficients released with Gaussian noise that is calibrated by the
    exact profile; no ball is needed. [ChaudhuriMS11, Alg. 1] [Huber64]

    Minimises sum huber(x'theta - y) + penalty/2 |theta|^2, with the loss linear beyond `knee`.
    """

    paper: ClassVar[str] = "ChaudhuriMS11"
    title: ClassVar[str] = "Huber output perturbation"
    use: ClassVar[str] = (
        "Where a few labels are far out within their bound. Let the penalty grow with the number "
        "of records: noise falls as it grows."
    )
    penalty: Expression = constant(1)
    knee: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release."""
        found = Argmin(X, y, Huber(self.knee), self.penalty)
        theta = release(found, Gaussian.analytic, budget, name="coefficients")
        return post(perturbed, theta, self.penalty)
