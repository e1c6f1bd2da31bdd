"""Ridge regression for people with budgets of their own: output perturbation with weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.maps.weighted import thinned
from dpframe.graph.procedure import Squared
from dpframe.graph.statistics import Argmin
from dpframe.mechanisms import L2Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, Symbol, constant, minimum, power, sqrt

from .output_perturbation import perturbed


def longest(row: Expression, label: Expression, penalty: Expression) -> Expression:
    """The largest |theta| of any ridge regression with weights of sum 1, |x| <= row and |y| <=
    label: label m/(m^2 + penalty), m = min(row, sqrt(penalty)). Proof page: proofs/personalized.
    """
    vanishes = isinstance(penalty, Symbol) and Fraction(0) in penalty.domain
    if vanishes or (isinstance(penalty, Number) and penalty.value <= 0):
        way_out = (
            "Without one a table of one row t and label Y has the minimiser Y/t, which grows "
            "without bound as t falls."
        )
        raise InvalidArgument("penalty", "positive", str(penalty), way_out)
    reach = minimum(row, sqrt(penalty))
    return label * reach / (power(reach, 2) + penalty)


class PersonalizedRidge(Regression):
    """Ridge regression that weighs records in proportion to their epsilons, its coefficients
    released with the least noise of the 2-norm that gives each record its own. [Acharya24, Alg.
    1, with the sensitivity of proofs/personalized]

    Minimises sum_i w_i (x_i'theta - y_i)^2 + penalty |theta|^2 over |theta| <= T, with w_i =
    epsilon_i/total, where T is the longest that a minimiser can be while the weights sum to at most
    1: then the bound changes nothing. `total` is the sum of all epsilons, or a public number.
    """

    paper: ClassVar[str] = "Acharya24"
    title: ClassVar[str] = "personalised ridge"
    use: ClassVar[str] = (
        "Where people differ in what they allow and nobody may get a delta. Take "
        "PersonalizedSSP where a small delta is allowed and there are many records."
    )
    penalty: Expression = constant(1)
    total: Any = None

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release."""
        total = X.total(budget.epsilon) if self.total is None else self.total
        radius = longest(X.radius, y.radius, self.penalty)
        weight = budget.epsilon / total
        found = Argmin(X, y, Squared(), self.penalty, radius, 0, weight)
        theta = release(found, L2Laplace.pure, budget, name="coefficients")
        return post(perturbed, theta, self.penalty)


class SampledRidge(Regression):
    """Ridge regression on a secret sample, in which each record's chance follows from its epsilon;
    what is released of the sample costs the threshold, under add/remove. [JorgensenYC15, Def 8]

    `threshold` is "largest", "average" (of all epsilons) or a public number. Minimises, over the
    sample, sum_i (x_i'theta - y_i)^2/records + penalty |theta|^2, for a public number of records.
    """

    paper: ClassVar[str] = "JorgensenYC15"
    title: ClassVar[str] = "sampled ridge"
    use: ClassVar[str] = (
        "Where the mechanism is given and cannot weigh records. PersonalizedRidge loses less."
    )
    penalty: Expression = constant(1)
    records: Expression = constant(1000)
    threshold: Any = "largest"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the sample."""
        named = {"largest": X.largest, "average": X.average}
        choose = named.get(self.threshold) if isinstance(self.threshold, str) else None
        threshold = self.threshold if choose is None else choose(budget.epsilon)
        rows, column, whole = thinned(X, y, budget, threshold)
        radius = longest(X.radius, y.radius, self.penalty)
        found = Argmin(rows, column, Squared(), self.penalty * self.records, radius, 0)
        theta = release(found, L2Laplace.pure, whole, name="coefficients")
        return post(perturbed, theta, self.penalty)
