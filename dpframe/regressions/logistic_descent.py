"""Logistic regression by noisy gradients: every round reads all records; X'X says how far to go."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np

from dpframe.graph import ColumnNode, Regression, RowsNode, iterate, jointly, loop, post, release
from dpframe.graph.functions import gradient
from dpframe.graph.procedure import Logistic
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .solve import Array, averaged

CURVATURE = 0.25  # the most that log(1 + exp(-y t)) bends, of y^2


class LogisticDescent(Regression):
    """Logistic regression by noisy gradients of the penalised loss, each step preconditioned by a
    noisy X'X: Y^2/4 of it bounds the curvature. All releases are calibrated together to the whole
    budget by the exact Gaussian profile. [BassilyST14] [BohningL88]

    `rounds` T gradients, each record's clipped to `clip` B Y, which is its largest at 0 for 1/2;
    `gram` is the part of the squared mu for X'X. The penalty in a principal direction of X'X is
    `shrinkage` (s B)^2 over its eigenvalue, s^2 T the variance of the noise in a gradient: the
    estimate that errs least where log-odds of typical rows vary by about 1. It is post-processing,
    no noise depends on it, and it hardly moves the intercept, whose direction is long. The fit is
    the mean of the last `average` of the points.
    """

    paper: ClassVar[str] = "BassilyST14; BohningL88"
    title: ClassVar[str] = "logistic descent"
    use: ClassVar[str] = (
        "The default for two classes: nothing to tune, the penalty follows from released values. "
        "It has no intervals; JointSSP on labels of 0 and 1 has."
    )
    rounds: Expression = constant(16)
    clip: Expression = constant("0.5")
    gram: Expression = constant("0.1")
    shrinkage: Expression = constant(3)
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """X'X, then T gradients."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, loss=Logistic(), clip=self.clip * X.radius * y.radius)
        weights, times = [self.gram, 1 - self.gram], [constant(1), self.rounds]
        for_gram, noise = jointly(budget, [X.T @ X, gradients], weights, times)
        gram = release(X.T @ X, for_gram, name="gram")
        step = release(gradients, noise, times=self.rounds, name="gradients")
        pull = self.shrinkage * (step.std * X.radius) ** 2 / self.rounds
        along = post(principal, gram, gram.std, y.radius, pull)
        path = loop(point, step, descend, along)
        return post(averaged, path, self.average)


@attrs.frozen(eq=False)
class Along:
    """Principal directions, the columns of (d, d), with a bound on the curvature and the penalty
    along each, (d,).
    """

    directions: Array
    curvatures: Array
    penalties: Array


def principal(gram: Array, std: float, bound: float, pull: float) -> Along:
    """Of a noisy X'X; no eigenvalue counts as less than the noise in the largest."""
    values, directions = np.linalg.eigh((gram + gram.T) / 2)
    values = np.maximum(values, std * math.sqrt(len(gram)))
    return Along(directions, CURVATURE * bound**2 * values, pull / values)


def descend(theta: Array, gradient: Array, turn: int, along: Along) -> Array:
    """The next point, shape (d,): a Newton step for the bound on the curvature."""
    del turn
    turned = along.directions.T @ theta
    slope = along.directions.T @ gradient + along.penalties * turned
    moved: Array = along.directions @ (turned - slope / (along.curvatures + along.penalties))
    return moved if np.isfinite(moved).all() else np.zeros_like(theta)
