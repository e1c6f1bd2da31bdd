"""Objective perturbation for people with budgets of their own."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Regression, RowsNode, post
from dpframe.graph.procedure import Huber
from dpframe.graph.procedures import tilted_minimum
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, maximum, power

from .output_perturbation import perturbed


class PersonalizedObjective(Regression):
    """Huber regression that weighs records in proportion to their epsilons, its objective tilted by
    noise: each record has exactly its own epsilon, without a delta. [ChaudhuriMS11, Thm 9, with the
    weights of Acharya24; dpframe]

    Minimises sum_i w_i phi(x_i'theta - y_i) + penalty/2 |theta|^2 + z'theta, w_i =
    epsilon_i/total, phi Huber's loss of knee `knee` times the bound on labels. The penalty is at
    least what the curvature of a record asks for of 1 - `noise_share` of its epsilon.
    """

    paper: ClassVar[str] = "dpframe; ChaudhuriMS11; Acharya24"
    title: ClassVar[str] = "personalised objective perturbation"
    use: ClassVar[str] = (
        "The first to try where people differ in what they allow: no delta, and noise on d numbers "
        "in the objective, where a small penalty does not enlarge it. Its minimiser must be exact."
    )
    penalty: Expression = constant("1/10")
    knee: Expression = constant("1/2")
    noise_share: Expression = constant("7/8")
    total: Any = None

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One minimiser, for the whole epsilon."""
        total = X.total(budget.epsilon) if self.total is None else self.total
        least = power(X.radius, 2) / ((1 - self.noise_share) * total)
        penalty = maximum(self.penalty, least)
        theta = tilted_minimum(
            X,
            y,
            Huber(self.knee * y.radius),
            penalty=penalty,
            share=budget,
            noise_share=self.noise_share,
            weight=budget.epsilon / total,
            name="coefficients",
        )
        return post(perturbed, theta, penalty)
