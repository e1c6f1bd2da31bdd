"""Logistic regression by full-batch noisy gradients, preconditioned by a noisy X'X."""

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

CURVATURE = 0.25  # the largest second derivative of log(1 + exp(-y t)), over y^2


class LogisticDescent(Regression):
    """Logistic regression by full-batch noisy gradients of a penalised loss, preconditioned by a
    noisy X'X and calibrated jointly to the whole budget by the exact Gaussian profile.
    [BassilyST14] [BohningL88]

    X'X is released once, for the part `gram` of the squared mu, from 0 to 1; Y^2/4 X'X bounds the
    curvature of the loss, so that each step is a Newton step for that bound. There are `rounds` T
    noisy gradients; that of each record is clipped to norm `clip` B Y, which is its largest norm at
    0 for clip=1/2. The penalty along a principal direction of X'X is `shrinkage` (s B)^2 over the
    eigenvalue, where s^2 T is the variance of the noise in a gradient: near the optimum if log-odds
    of typical rows vary by about 1. The penalty is post-processing, on which no noise depends, and
    hardly affects the intercept, whose eigenvalue is large. The estimate is the mean of the last
    share `average` of the points, from 0 to 1.
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
        """Release X'X, then T gradients."""
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
    """Principal directions, the columns of (d, d), and along each a bound on the curvature and the
    penalty, (d,).
    """

    directions: Array
    curvatures: Array
    penalties: Array


def principal(gram: Array, std: float, bound: float, pull: float) -> Along:
    """The principal directions of a noisy X'X. Eigenvalues are raised to at least std sqrt(d)."""
    values, directions = np.linalg.eigh((gram + gram.T) / 2)
    values = np.maximum(values, std * math.sqrt(len(gram)))
    return Along(directions, CURVATURE * bound**2 * values, pull / values)


def descend(theta: Array, gradient: Array, turn: int, along: Along) -> Array:
    """The next point, shape (d,): a Newton step with the bound on the curvature as Hessian."""
    del turn
    turned = along.directions.T @ theta
    slope = along.directions.T @ gradient + along.penalties * turned
    moved: Array = along.directions @ (turned - slope / (along.curvatures + along.penalties))
    return moved if np.isfinite(moved).all() else np.zeros_like(theta)
