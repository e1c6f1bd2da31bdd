"""Noisy gradient descent: every round reads all records, and clips each one's gradient."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import (
    ColumnNode,
    Regression,
    RowsNode,
    iterate,
    jointly,
    loop,
    post,
    release,
)
from dpframe.graph.functions import count, gradient
from dpframe.privacy import REPLACE_ONE, Share
from dpframe.symbols import Expression, constant

from .descent import averaged, descend

FOR_N = constant("0.05")  # of the squared mu


class NoisyGradientDescent(Regression):
    """Full-batch noisy gradient descent on the squared loss, all rounds calibrated together to the
    whole budget by the exact Gaussian profile. [BassilyST14] [Brown24]

    `rounds` T from 0; gradients clipped to `clip` B Y; steps of `pace` d/(n B^2), right where rows
    fill their ball evenly and `pace` is below 1 (smaller where some directions are long); points
    kept in |theta| <= `radius` Y/B; the mean of the last `average` of them. Under add/remove n is
    released for 5% of the squared mu.
    """

    paper: ClassVar[str] = "BassilyST14; Brown24"
    title: ClassVar[str] = "noisy gradient descent"
    use: ClassVar[str] = (
        "For many columns: a round releases d numbers, never a matrix. Rounds and steps are "
        "public choices; for few columns AdaSSP asks for none."
    )
    rounds: Expression = constant(50)
    clip: Expression = constant(1)
    pace: Expression = constant("0.9")
    radius: Expression = constant(100)
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """T draws of the clipped gradients; n, where it is private; everything else is free."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, clip=self.clip * X.radius * y.radius)
        pace, radius = self.pace * X.columns / X.radius**2, self.radius * y.radius / X.radius
        if X.unit.relation is REPLACE_ONE:
            (noise,) = jointly(budget, [gradients], times=[self.rounds])
            step = release(gradients, noise, times=self.rounds, name="gradients")
            path = loop(point, step, descend, X.rows, constant(1), pace, radius)
            return post(averaged, path, self.average)
        weights, times = [FOR_N, 1 - FOR_N], [constant(1), self.rounds]
        for_n, noise = jointly(budget, [count(X), gradients], weights, times)
        n = release(count(X), for_n, name="n")
        step = release(gradients, noise, times=self.rounds, name="gradients")
        path = loop(point, step, descend, n, n.std, pace, radius)
        return post(averaged, path, self.average)
