"""Ridge regression for people with budgets of their own: output perturbation with weights."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.maps.thinned import thinned
from dpframe.graph.objectives import Squared
from dpframe.graph.statistics import Argmin, Count
from dpframe.mechanisms import L2Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, exact, maximum, minimum, power, sqrt

from .output_perturbation import perturbed


def longest(row: Expression, label: Expression, penalty: Expression) -> Expression:
    """The largest |theta| of any ridge regression with weights of sum 1, |x| <= row and |y| <=
    label: label m/(m^2 + penalty), m = min(row, sqrt(penalty)). Proof page: proofs/personalized.
    """
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


class PersonalizedRidgePrinted(Regression):
    """PDP-OP as printed: noise at the rate penalty total/(2 B (Y + B T)), with T = min(Y/sqrt(
    penalty), B Y/penalty). [Acharya24, Thm 3.2]
    """

    paper: ClassVar[str] = "Acharya24"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "personalised ridge"
    penalty: Expression = constant(1)
    total: Any = None

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release, of noise that is never less than it must be."""
        total = X.total(budget.epsilon) if self.total is None else self.total
        row, label = X.radius, y.radius
        radius = minimum(label / sqrt(self.penalty), row * label / self.penalty)
        scale = 2 * row * (label + row * radius) / (self.penalty * total)
        found = Argmin(X, y, Squared(), self.penalty, radius, 0, budget.epsilon / total)
        theta = release(found, L2Laplace(scale), budget, name="coefficients")
        return post(perturbed, theta, self.penalty)


class UniformRidge(Regression):
    """The baseline: equal weights, and for everybody the noise that the smallest epsilon asks for.
    [ChaudhuriM09, Alg. 1] [Acharya24, Sec 4.1]
    """

    paper: ClassVar[str] = "ChaudhuriM09; Acharya24"
    variant: ClassVar[str] = "printed"
    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "uniform ridge"
    penalty: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release."""
        radius = longest(X.radius, y.radius, self.penalty)
        weight = 1 / maximum(X.rows, 1)
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


class SampledRidgeCoded(Regression):
    """The sample as the authors' code draws it, and ridge regression whose weights and noise read
    the number of records kept: not private under add/remove. [Acharya24, jorgensen.py]

    The paper's neighbours differ in the numbers of a record; the theorem on samples is one of
    add/remove [JorgensenYC15, Def 8]. That leaves open which of the two the code claims.
    """

    paper: ClassVar[str] = "Acharya24; JorgensenYC15"
    variant: ClassVar[str] = "coded"
    title: ClassVar[str] = "sampled ridge"
    penalty: Expression = constant(1)
    threshold: Any = "largest"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Weights 1/kept, noise at the rate penalty t kept/(2 B (Y + B T))."""
        named = {"largest": X.largest, "average": X.average}
        choose = named.get(self.threshold) if isinstance(self.threshold, str) else None
        threshold = self.threshold if choose is None else choose(budget.epsilon)
        rows, column, whole = thinned(X, y, budget, threshold)
        kept = exact(Count(rows))
        row, label = X.radius, y.radius
        radius = minimum(label / sqrt(self.penalty), row * label / self.penalty)
        scale = 2 * row * (label + row * radius) / (self.penalty * threshold * kept)
        found = Argmin(rows, column, Squared(), self.penalty * kept, radius, 0)
        theta = release(found, L2Laplace(scale), whole, name="coefficients")
        return post(perturbed, theta, self.penalty)
