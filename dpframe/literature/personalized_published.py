"""Personalised ridge as printed and as coded, and its paper's baseline, for audits."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from dpframe.graph import ColumnNode, RowsNode, post, release
from dpframe.graph.maps.weighted import thinned
from dpframe.graph.procedure import Squared
from dpframe.graph.statistics import Argmin, Count
from dpframe.mechanisms import L2Laplace
from dpframe.privacy import Share
from dpframe.regressions.perturbation import perturbed
from dpframe.symbols import Expression, constant, exact, maximum, minimum, sqrt

from .published import Coded, Printed


class PrintedPersonalizedRidge(Printed):
    """Abstract: the minimiser of sum epsilon/total (x'theta - y)^2 + penalty |theta|^2 over |theta|
    <= `reach`, with noise at the printed rate, penalty total/(2 B (Y + B reach)).
    """

    claimed_for: ClassVar[str] = "replace-one"
    penalty: Expression = constant(1)

    def reach(self, X: RowsNode, y: ColumnNode) -> Expression:
        """T = min(Y/sqrt(penalty), B Y/penalty)."""
        return longest_printed(X, y, self.penalty)

    @abstractmethod
    def budget_total(self, X: RowsNode, epsilon: Expression) -> Any:
        """The total of all epsilons."""

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release, of noise that is never less than it must be."""
        row, label, radius = X.radius, y.radius, self.reach(X, y)
        total = self.budget_total(X, budget.epsilon)
        scale = 2 * row * (label + row * radius) / (self.penalty * total)
        found = Argmin(X, y, Squared(), self.penalty, radius, 0, budget.epsilon / total)
        theta = release(found, L2Laplace(scale), budget, name="coefficients")
        return post(perturbed, theta, self.penalty)


class PersonalizedRidgePrinted(PrintedPersonalizedRidge):
    """PDP-OP as printed: noise at the rate penalty total/(2 B (Y + B T)), with T = min(Y/sqrt(
    penalty), B Y/penalty). [Acharya24, Thm 3.2]
    """

    title: ClassVar[str] = "personalised ridge"
    total: Any = None

    def budget_total(self, X: RowsNode, epsilon: Expression) -> Any:
        """`total`, where it is given."""
        return X.total(epsilon) if self.total is None else self.total


class PersonalizedRidgeKnownBound(PrintedPersonalizedRidge):
    """PDP-OP as printed for people who know that no least squares solution is longer than `known`:
    noise at the rate penalty total/(2 B (Y + B T)), with T = min(known, Y/sqrt(penalty),
    B Y/penalty). [Acharya24, Thm 3.4]

    The theorem assumes this of every table (Assumption 3.3), which cannot be checked. Here the
    minimiser is sought among |theta| <= T: where the assumption is true that changes nothing, and
    where it is false the guarantee holds all the same.
    """

    title: ClassVar[str] = "personalised ridge, known bound"
    known: Expression = constant(1)
    total: Any = None
    budget_total = PersonalizedRidgePrinted.budget_total

    def reach(self, X: RowsNode, y: ColumnNode) -> Expression:
        """No longer than `known`."""
        return minimum(self.known, super().reach(X, y))


class UniformRidge(PrintedPersonalizedRidge):
    """The baseline: PDP-OP as printed with equal weights, and for every record the noise that
    the smallest epsilon requires. [ChaudhuriM09, Alg. 1] [Acharya24, Sec 4.1]
    """

    title: ClassVar[str] = "uniform ridge"

    def budget_total(self, X: RowsNode, epsilon: Expression) -> Any:
        """n times the smallest."""
        return maximum(X.rows, 1) * epsilon


class SampledRidgeCoded(Coded):
    """The sample as the authors' code draws it, and ridge regression whose weights and noise read
    the number of records kept: not private under add/remove. [Acharya24, jorgensen.py]

    The paper's neighbours differ in the numbers of a record; the theorem on samples is one of
    add/remove [JorgensenYC15, Def 8]. That leaves open which of the two the code claims.
    """

    paper: ClassVar[str] = "Acharya24; JorgensenYC15"
    claimed_for: ClassVar[str] = ""
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
        row, label, radius = X.radius, y.radius, longest_printed(X, y, self.penalty)
        scale = 2 * row * (label + row * radius) / (self.penalty * threshold * kept)
        found = Argmin(rows, column, Squared(), self.penalty * kept, radius, 0)
        theta = release(found, L2Laplace(scale), whole, name="coefficients")
        return post(perturbed, theta, self.penalty)


def longest_printed(X: RowsNode, y: ColumnNode, penalty: Expression) -> Expression:
    """T = min(Y/sqrt(penalty), B Y/penalty): no minimiser is longer. [Acharya24, Lem A.1, A.2]"""
    return minimum(y.radius / sqrt(penalty), X.radius * y.radius / penalty)
