"""Damped Newton steps on sums over a table, inside a ball. Proof page: proofs/argmin."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import attrs

from dpframe.errors import NotExecutable
from dpframe.symbols import Expression

from ..node import Array, np
from ..procedure import Objective

Work = Callable[[Array, Array], Array]
READINGS = 400  # of the table at most: a dozen are usual
EDGE = 1 - 2.0**-40  # of the radius: from here on, a point is on the sphere


@attrs.frozen(eq=False)
class LossSum:
    """A block's part of the weighted sum of losses at theta, shape (d,) (None: 0), with gradient
    and Hessian, as one vector of 1 + d + d^2 numbers.
    """

    objective: Objective
    numbers: Mapping[Expression, float]
    theta: Array | None = None

    def __call__(self, rows: Array, labels: Array, weights: Array | float = 1.0) -> Array:
        """For rows (m, d), labels (m,) and weights (m,)."""
        theta = np.zeros(rows.shape[1]) if self.theta is None else self.theta
        number = self.numbers.__getitem__
        parts = self.objective.at(rows @ theta, labels, number)
        losses, slopes, curvatures = (weights * one for one in parts)
        hessian = (rows * curvatures[:, None]).T @ rows
        return np.concatenate([[losses.sum()], slopes @ rows, hessian.ravel()])


@attrs.frozen(eq=False)
class NewtonPoint:
    """A point of the ball, with the value, gradient and Hessian of the objective."""

    theta: Array
    value: float
    gradient: Array
    hessian: Array

    def residual(self, radius: float) -> float:
        """|g|; on the sphere, the least |g + mu theta| with mu >= 0. Divided by the penalty, it
        bounds the distance from the minimiser.
        """
        size = float(np.linalg.norm(self.theta))
        push = 0.0
        if 0 < size >= EDGE * radius:
            push = max(0.0, -float(self.gradient @ self.theta) / size**2)
        return float(np.linalg.norm(self.gradient + push * self.theta))

    def target(self, radius: float) -> Array:
        """The minimiser of the quadratic model in the ball, shape (d,)."""
        if not np.isfinite(self.hessian).all():
            raise not_found()
        values, vectors = np.linalg.eigh(self.hessian)
        pull = vectors.T @ (self.hessian @ self.theta - self.gradient)
        push = multiplier(values, pull, radius)
        minimiser: Array = vectors @ (pull / (values + push))
        size = float(np.linalg.norm(minimiser))
        return minimiser * (radius / size) if push > 0 or size > radius else minimiser


def multiplier(values: Array, pull: Array, radius: float) -> float:
    """The least mu >= 0 with |pull/(values + mu)| <= radius, for positive values, shape (d,)."""
    if np.linalg.norm(pull / values) <= radius:
        return 0.0
    low, high = 0.0, float(np.linalg.norm(pull)) / radius
    while low < (middle := (low + high) / 2) < high:
        outside = np.linalg.norm(pull / (values + middle)) > radius
        low, high = (middle, high) if outside else (low, middle)
    return high


@attrs.define(eq=False)
class Readings:
    """Evaluates the objective, one pass over the table per point, and counts passes. Raises
    NotExecutable beyond READINGS.
    """

    work: LossSum
    summed: Callable[[Work], Array]
    penalty: float
    tilt: Array | float = 0.0
    count: int = 0

    def at(self, theta: Array | None) -> NewtonPoint:
        """The point theta with its derivatives; 0 for None."""
        self.count += 1
        if self.count > READINGS:
            raise not_found()
        total = np.asarray(self.summed(attrs.evolve(self.work, theta=theta)), dtype=float)
        d = (math.isqrt(4 * total.size - 3) - 1) // 2
        theta = np.zeros(d) if theta is None else theta
        hessian = total[1 + d :].reshape(d, d)
        tilt = np.broadcast_to(self.tilt, (d,))
        return NewtonPoint(
            theta,
            float(total[0]) + self.penalty * float(theta @ theta) / 2 + float(tilt @ theta),
            total[1 : 1 + d] + self.penalty * theta + tilt,
            (hessian + hessian.T) / 2 + self.penalty * np.eye(d),
        )


@np.errstate(all="ignore")  # a warning would tell of the data
def minimised(  # noqa: PLR0917 - an objective and how well it is to be minimised
    work: LossSum,
    summed: Callable[[Work], Array],
    penalty: float,
    radius: float,
    least: float,
    tilt: Array | float = 0.0,
) -> Array:
    """A point in the ball with a residual of at most `least`, shape (d,). `radius` may be infinite,
    `penalty` is positive, `tilt` is a linear term. A step is halved until it lowers the objective
    by a quarter of the predicted decrease, or the smallest residual so far by half. Raises
    NotExecutable.
    """
    readings = Readings(work, summed, penalty, tilt)
    here = readings.at(None)
    best = here.residual(radius)
    while not best <= least:
        step = here.target(radius) - here.theta
        promise = float(here.gradient @ step) / 4
        share = 1.0
        while True:
            there = readings.at(here.theta + share * step)
            residual = there.residual(radius)
            if residual <= best / 2 or there.value <= here.value + share * promise:
                break
            share /= 2
        here, best = there, min(best, residual)
    return here.theta


@np.errstate(all="ignore")  # a warning would tell of the data
def solved(work: LossSum, summed: Callable[[Work], Array], penalty: float, radius: float) -> Array:
    """The minimiser of a quadratic sum in the ball, shape (d,), from one pass. Raises
    NotExecutable.
    """
    minimiser = Readings(work, summed, penalty).at(None).target(radius)
    if not np.isfinite(minimiser).all():
        raise not_found()
    return minimiser


def not_found() -> NotExecutable:
    """The refusal where the condition of the problem is too large for doubles."""
    return NotExecutable(
        "the minimum of the penalised loss was not found to the tolerance that was certified; "
        "nothing has been released. A larger penalty, or tolerance, makes it easier to find."
    )
