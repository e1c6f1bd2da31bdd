"""Noisy gradient descent with the constants that were printed."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import ColumnNode, RowsNode, iterate, loop, post, release
from dpframe.graph.functions import gradient
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.regressions.solve import averaged, descend
from dpframe.symbols import Expression, constant, log, sqrt

from .published import Printed


class NoisyGradientDescentPrinted(Printed):
    """Full-batch noisy gradient descent, std C sqrt(2 T/rho) on the sum of clipped gradients, where
    rho = (sqrt(epsilon + log(1/delta)) - sqrt(log(1/delta)))^2. [Brown24, as Lev26 computes it]

    The std is for replace-one, and every step divides by n in the clear. Loose: zCDP is given up
    for (epsilon, delta) by a bound.
    """

    paper: ClassVar[str] = "Brown24; Lev26"
    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "noisy gradient descent"
    rounds: Expression = constant(50)
    clip: Expression = constant(1)
    pace: Expression = constant("0.9")
    radius: Expression = constant(100)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """T draws of the clipped gradients."""
        point = iterate(X.columns)
        size = self.clip * X.radius * y.radius
        gradients = gradient(X, y, at=point, clip=size)
        tail = log(1 / budget.delta)
        inverse = (sqrt(budget.epsilon + tail) + sqrt(tail)) / budget.epsilon  # 1/sqrt(rho)
        noise = Gaussian(std=size * sqrt(2 * self.rounds) * inverse)
        step = release(gradients, noise, times=self.rounds, name="gradients")
        pace, radius = self.pace * X.columns / X.radius**2, self.radius * y.radius / X.radius
        path = loop(point, step, descend, X.rows, constant(1), pace, radius)
        return post(averaged, path, constant(0))
