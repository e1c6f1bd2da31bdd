"""Objective perturbation as printed and as coded, for audits."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, RowsNode, post
from dpframe.graph.procedures import perturbed_minimum
from dpframe.privacy import Share
from dpframe.regressions.perturbation import minimised
from dpframe.symbols import Expression, constant, log, sqrt

from .published import Coded, Printed


class ObjPertPrinted(Printed):
    """Objective perturbation as it is printed: penalty 2 B^2/epsilon and std A sqrt(8 log(2/delta)
    + 4 epsilon)/epsilon, A = B (B R + Y). [KiferST12, Thm 2]

    A record that joins or leaves moves the gradient by A, and it is for that that the std is
    enough; one that is replaced moves it by up to 2 A. Under replace-one nothing here proves the
    claim, and no pair of neighbours is known that refutes it.
    """

    paper: ClassVar[str] = "KiferST12; Wang18"
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


class ObjPertCoded(Coded):
    """Objective perturbation as it is coded, for B = Y = R = 1: the noise divided by epsilon^2, the
    labels halved by a missing factor, a penalty of 2/epsilon^2. [Wang18, ObjPert.m]
    """

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
