"""Wang's algorithms as his code does them, oversights included. NOT PRIVATE as claimed: no proof.

Each takes the sums of rows in the unit ball and targets in [-1, 1], epsilon > 0, delta in (0, 1),
and a generator, and returns coefficients (d,). [Wang18]
"""

from __future__ import annotations

from math import exp, log, log1p, sqrt
from typing import Any

import attrs
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import brentq

Array = NDArray[Any]

RHO = 0.05  # failure probability of the utility bounds


@attrs.frozen(eq=False)
class Sums:
    """All that the algorithms read: X'X (d, d), X'y (d,) and the number of rows."""

    gram: Array
    moment: Array
    n: int

    @classmethod
    def of(cls, X: Array, y: Array) -> Sums:
        """The sums of X (n, d) and y (n,)."""
        return cls(X.T @ X, X.T @ y, len(y))

    def ridged(self, ridge: float) -> Array:
        """X'X + ridge I."""
        found: Array = self.gram + ridge * np.eye(len(self.moment))
        return found


def objective_perturbation(sums: Sums, epsilon: float, delta: float, rng: Generator) -> Array:
    """The constrained minimum of a perturbed objective. [Wang18, ObjPert.m]

    As coded: std and ridge are over epsilon^2 where the theorem has epsilon, and the noisy moment
    is halved, so that without noise and ridge the minimum would be half of least squares.
    """
    std = 2 * sqrt(4 * log(2 / delta) + 2 * epsilon) / epsilon**2
    noisy = sums.moment - std * rng.standard_normal(len(sums.moment))
    return in_unit_ball(sums.ridged(2 / epsilon**2), noisy)


def balanced_sample(sums: Sums, epsilon: float, delta: float, rng: Generator) -> Array:
    """One posterior sample, its ridge balanced for prediction. [Wang18, OPS_epsdelta_balanced.m]

    As coded: the sampler is `posterior_draw`.
    """
    n, tail = sums.n, log(2 / delta)
    cost = sample_cost(min(epsilon / 2, sqrt(epsilon / 2)), delta, len(sums.moment))
    ridge = max((cost * n / 2) ** (1 / 3), (1 + tail) / epsilon)
    slope = 1 + min(sqrt(n / (2 * ridge)), n / ridge)
    precision = positive_root(
        slope**2 / (ridge + 1), slope * sqrt(tail / ridge), (1 + tail) / (2 * ridge) - epsilon
    )
    return posterior_draw(sums.ridged(1 + ridge), sums.moment, precision, rng)


def adaptive_sample(sums: Sums, epsilon: float, delta: float, rng: Generator) -> Array:
    """One posterior sample; ridge and precision adapt to a noisy lambda_min and a noisy norm.
    [Wang18, adaops.m]

    As coded: the tails lack sqrt 2, the bound on the norm has sqrt(sqrt n), and the sampler is
    `posterior_draw`.
    """
    tail, unit = log(6 / delta), 4 / epsilon
    noise = unit * (sqrt(tail) * rng.standard_normal() - tail)
    lowest = max(0.0, float(np.linalg.eigvalsh(sums.ridged(1))[0]) + noise)
    curvature = adaptive_curvature(lowest, len(sums.moment), epsilon, delta)
    system = sums.ridged(1 + curvature - lowest)
    norm = float(np.linalg.norm(np.linalg.solve(system, sums.moment)))
    scale = unit * log1p(1 / curvature)
    noisy = log1p(norm) + scale * (sqrt(tail) * rng.standard_normal() + tail)
    slope = exp(min(noisy, log1p(sqrt(2 * sqrt(sums.n) / curvature))))
    precision = positive_root(
        slope**2 / 2 / (curvature + 1),
        slope * sqrt(tail / curvature),
        (1 + tail) / (2 * curvature) - epsilon / 2,
    )
    return posterior_draw(system, sums.moment, precision, rng)


def adaptive_curvature(lowest: float, d: int, epsilon: float, delta: float) -> float:
    """The least eigenvalue u that the ridge shall bring about, `lowest` or more.

    It minimises C (1 + 1/u)^p/u + u, which is convex, over u >= 2 (1 + log(6/delta))/epsilon and
    `lowest`, by the logarithm of minus the slope of its first term, which falls.
    """
    tail = log(6 / delta)
    cost = log(sample_cost(positive_root(tail / 2, 1, -epsilon / 4), delta / 3, d))
    power = 2 * tail * 4 / epsilon

    def falls(u: float) -> float:
        return cost + power * log1p(1 / u) - 2 * log(u) + log1p(power / (u + 1))

    least = max(lowest, 2 * (1 + tail) / epsilon)
    if falls(least) <= 0:
        return least
    most = 2 * least
    while falls(most) > 0:
        most *= 2
    return float(brentq(falls, least, most))


def posterior_draw(system: Array, moment: Array, precision: float, rng: Generator) -> Array:
    """system^-1 moment plus L^-1 z/precision, for system = LL' and standard normal z.

    As coded: of covariance (L'L)^-1/precision^2. A posterior sample has L'^-1 z, of covariance
    (LL')^-1/precision^2.
    """
    lower = np.linalg.cholesky(system)
    noise = solve_triangular(lower, rng.standard_normal(len(moment)), lower=True)
    draw: Array = np.linalg.solve(system, moment) + noise / precision
    return draw


def in_unit_ball(system: Array, linear: Array) -> Array:
    """The minimum of theta' system theta - theta' linear over |theta| <= 1, system positive."""
    values, vectors = np.linalg.eigh(system)
    half = vectors.T @ linear / 2

    def excess(shift: float) -> float:
        return float(np.linalg.norm(half / (values + shift))) - 1

    shift = 0.0 if excess(0.0) <= 0 else brentq(excess, 0.0, float(np.linalg.norm(half)))
    inside: Array = vectors @ (half / (values + shift))
    return inside


def sample_cost(epsilon: float, delta: float, d: int) -> float:
    """How the squared error of a sample grows: (d/2 + sqrt(d t) + t) log(2/delta)/epsilon^2, t =
    log(1/rho).
    """
    t = log(1 / RHO)
    return (d / 2 + sqrt(d * t) + t) * log(2 / delta) / epsilon**2


def positive_root(a: float, b: float, c: float) -> float:
    """The positive root of a x^2 + b x + c, for a > 0, b >= 0 and c < 0, without cancellation."""
    return -2 * c / (b + sqrt(b * b - 4 * a * c))
