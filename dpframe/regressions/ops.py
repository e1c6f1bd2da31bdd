"""OPS: one sample from the posterior of a ridge regression, at a public temperature."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from dpframe.graph import ColumnNode, Regression, RowsNode, known, post
from dpframe.graph.procedures.posterior import posterior
from dpframe.graph.statistics import Count
from dpframe.privacy import Share
from dpframe.symbols import Expression

from .solve import Array, Fit

# ----------------------------------------------------------------------- Penalties and temperatures
# Computed from public or released numbers only, in units of the bounds of rows and labels (B = Y =
# 1) unless stated otherwise.


def spread(epsilon: float, delta: float, rho: float, d: float) -> float:
    """C1: (d/2 + sqrt(d log(1/rho)) + log(1/rho)) log(2/delta)/epsilon^2. [Wang18, eq (7)]"""
    tail = math.log(1 / rho)
    return (d / 2 + math.sqrt(d * tail) + tail) * math.log(2 / delta) / epsilon**2


def least_penalty(epsilon: float, delta: float) -> float:
    """(1 + log(2/delta))/epsilon, below which no positive temperature is admissible."""
    return (1 + math.log(2 / delta)) / epsilon


def balanced_penalty(n: float, d: float, epsilon: float, delta: float) -> float:
    """The penalty that minimises the prediction error at |theta| = 1: (C1 n/2)^(1/3)."""
    own = min(epsilon / 2, math.sqrt(epsilon / 2))
    root = math.pow(spread(own, delta, 0.05, d) * n / 2, 1 / 3)
    return max(root, least_penalty(epsilon, delta))


def diffused_penalty(n: float, d: float, epsilon: float, delta: float) -> float:
    """The smallest admissible penalty."""
    del n, d
    return least_penalty(epsilon, delta)


def conservative_penalty(n: float, d: float, epsilon: float, delta: float) -> float:
    """The penalty for the worst-case prediction error: sqrt(C1)."""
    del n
    own = min(epsilon / 2, math.sqrt(epsilon / 2))
    return max(math.sqrt(spread(own, delta, 0.05, d)), least_penalty(epsilon, delta))


def concentrated_penalty(n: float, d: float, epsilon: float, delta: float) -> float:
    """The least penalty at which the temperature 1 is admissible."""
    del d
    return _at_temperature_one(n, epsilon, delta, -2 - (1 + math.log(2 / delta)) / 2)


def _at_temperature_one(n: float, epsilon: float, delta: float, last: float) -> float:
    """`last` is the constant coefficient of the quadratic equation for penalties above n/2."""
    tail = math.log(2 / delta)
    b = -math.sqrt(2 * n * tail) - (1 + tail) / 2
    penalty = (-b + math.sqrt(b * b + 8 * epsilon * n)) / (2 * epsilon)
    if penalty <= n / 2:
        return penalty
    b = -math.sqrt(4 * tail)
    return ((-b + math.sqrt(max(b * b - 4 * epsilon * last, 0.0))) / (2 * epsilon)) ** 2


def concentrated_penalty_coded(n: float, d: float, epsilon: float, delta: float) -> float:
    """As in the public code: for penalties above n/2 its last coefficient reads `-gamma*L&2/2-...`,
    a truth value, 1. A negative discriminant, for which the code computes with complex numbers, is
    0 here.
    """
    del d
    return _at_temperature_one(n, epsilon, delta, 1.0)


def coded_temperature(n: float, penalty: float, epsilon: float, delta: float) -> float:
    """gamma as in the public code: the root of a quadratic in sqrt(gamma), with |theta| <=
    min(sqrt(n/(2 penalty)), n/penalty).
    """
    residual = 1 + min(math.sqrt(n / (2 * penalty)), n / penalty)
    a = residual**2 / (penalty + 1)
    b = residual * math.sqrt(math.log(2 / delta) / penalty)
    c = (1 + math.log(2 / delta)) / (2 * penalty) - epsilon
    return root_of(a, b, c) ** 2


def root_of(a: float, b: float, c: float) -> float:
    """The larger root of a x^2 + b x + c if it is positive, else 0."""
    square = b * b - 4 * a * c
    return max((-b + math.sqrt(square)) / (2 * a), 0.0) if square > 0 else 0.0


def adaptive_penalty(  # noqa: PLR0917 - dp.post passes by position
    floor: float, d: float, epsilon: float, tail: float, rho: float, third: float
) -> float:
    """The penalty, in units of B^2, that minimises Wang's bound on the error given a lower bound on
    lambda_min; epsilon is that of the whole budget, tail = log(6/delta), third = delta/3. Step 3
    and the least penalty are those of the public code. [Wang18, eq (7); adaops.m]
    """
    own = spread(max(root_of(tail / 2, 1.0, -epsilon / 4), 1e-12), third, rho, d)
    return best_penalty(
        floor, own, 2 * math.log(2 / third) / (epsilon / 4), 2 * (1 + tail) / epsilon
    )


def best_penalty(floor: float, own: float, power: float, least: float) -> float:
    """The minimiser t of own (1 + 1/(t + floor))^power/(t + floor) + t with t + floor >= least."""
    from scipy.optimize import minimize_scalar

    floor = max(floor, 0.0)
    least = max(least - floor, 0.0)

    def bound(logarithm: float) -> float:
        t = math.exp(logarithm)
        size = math.log(own) + power * math.log1p(1 / (t + floor)) - math.log(t + floor)
        return float(np.logaddexp(size, logarithm))

    low = math.log(max(least, 1e-6))
    solution = minimize_scalar(bound, bounds=(low, low + 60), method="bounded")
    return float(max(math.exp(solution.x), least, 1e-6))


def adaptive_penalty_of(floor: float, square: float, *others: float) -> float:
    """`adaptive_penalty` for a floor in the units of X'X and rows of squared norm at most
    `square`.
    """
    return adaptive_penalty(floor / square, *others)


def printed_penalty(  # noqa: PLR0917 - dp.post passes by position
    floor: float, square: float, d: float, epsilon: float, tail: float, rho: float
) -> float:
    """The penalty of steps 3 and 4, in the units of X'X, for rows of squared norm at most `square`:
    x^2/(2 tail) + x = epsilon/4 for the epsilon of C1, and at least (1 + tail)/(2 epsilon) less the
    floor. [Wang18, Alg. 1]
    """
    own = spread(root_of(1 / (2 * tail), 1.0, -epsilon / 4), 2 * math.exp(-tail), rho, d)
    least = (1 + tail) / (2 * epsilon)
    return square * best_penalty(floor / square, own, 8 * tail / epsilon, least)


def coded_floor(released: float, shift: float) -> float:
    """max(lambda_min(X'X + I) with noise, less the shift, 0)."""
    return max(released + 1 - shift, 0.0)


def coded_adaptive_penalty(floor: float, *others: float) -> float:
    """`adaptive_penalty`, B = 1."""
    return adaptive_penalty(floor, *others)


def coded_adaptive_temperature(  # noqa: PLR0917 - dp.post passes by position
    log_residual: float, shift: float, n: float, h: float, tail: float, epsilon: float
) -> float:
    """gamma as in the public code, from its invalid bound on residuals, min(e^Delta, 1 + sqrt(2
    sqrt(n)/h)).
    """
    capped = 1 + math.sqrt(2 * math.sqrt(n) / h)
    residual = min(math.exp(min(log_residual + shift, 700.0)), capped)
    a, b = residual**2 / (2 * (h + 1)), residual * math.sqrt(tail / h)
    return root_of(a, b, (1 + tail) / (2 * h) - epsilon / 2) ** 2


# ------------------------------------------------------------------------------------- Declarations
LEAST, MOST = "1e-9", "1e15"


def sampled(theta: Array, penalty: float) -> Fit:
    """The sample as a fit."""
    return Fit(np.asarray(theta, dtype=float), penalty, ridge_was_zero=False)


class OPS(Regression):
    """Abstract: OPS with a penalty computed from n, d and the budget. n must be public. `rule` maps
    (n, d, epsilon, delta) to the penalty in units of B^2. [Wang18]
    """

    title: ClassVar[str] = "OPS"
    rule: ClassVar[Callable[..., Any]]

    def own(self, epsilon: Expression) -> Expression:
        """The epsilon from which the penalty is computed."""
        return epsilon

    def penalty(self, X: RowsNode, budget: Share) -> Expression:
        """The penalty, in the units of X'X."""
        sizes = (Count(X.origin), X.columns, self.own(budget.epsilon), budget.delta)
        chosen = known(post(type(self).rule, *sizes), LEAST, MOST, name="penalty")
        return chosen * X.radius**2


class GuardedOPS(OPS):
    """Abstract: OPS at the largest admissible temperature. A replacement counts as a removal and an
    addition, each for half of epsilon.
    """

    def own(self, epsilon: Expression) -> Expression:
        """Half of epsilon."""
        return epsilon / 2

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Draw one sample for the whole budget."""
        penalty = self.penalty(X, budget)
        theta = posterior(X.T @ X, X.T @ y, penalty=penalty, share=budget, name="theta")
        return post(sampled, theta, penalty)


class OPSBalanced(GuardedOPS):
    """One posterior sample of a ridge regression (OPS), with the penalty that minimises the
    prediction error at |theta| = 1. [Wang18, Sec 3]

    Use: One posterior sample under replace-one, for coefficients with norm near 1. Without need for
    a sample use AdaSSP.
    """

    rule: ClassVar[Callable[..., Any]] = balanced_penalty


class OPSConcentrated(GuardedOPS):
    """One posterior sample of a ridge regression (OPS), with a penalty so large that temperatures
    near 1 are admissible. [Wang18, Sec 3]

    Use: One posterior sample under replace-one, at a temperature near 1. Its large penalty shrinks
    the coefficients.
    """

    rule: ClassVar[Callable[..., Any]] = concentrated_penalty


class OPSDiffused(GuardedOPS):
    """One posterior sample of a ridge regression (OPS), with the smallest admissible penalty.
    [Wang18, Sec 3]

    Use: One posterior sample under replace-one, with a small penalty. The sample has a large
    variance, so it needs many records.
    """

    rule: ClassVar[Callable[..., Any]] = diffused_penalty


class OPSConservative(GuardedOPS):
    """One posterior sample of a ridge regression (OPS), with the penalty for the worst-case
    prediction error. [Wang18, Sec 3]

    Use: One posterior sample under replace-one, for large coefficients and a small worst-case
    prediction error.
    """

    rule: ClassVar[Callable[..., Any]] = conservative_penalty
