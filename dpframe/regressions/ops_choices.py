"""Penalties and temperatures of posterior sampling, from public or released numbers alone. Lengths
of rows and labels are in units of their bounds, B = Y = 1, unless a function says otherwise.
"""

from __future__ import annotations

import math

import numpy as np


def spread(epsilon: float, delta: float, rho: float, d: float) -> float:
    """C1: (d/2 + sqrt(d log(1/rho)) + log(1/rho)) log(2/delta)/epsilon^2. [Wang18, eq (7)]"""
    tail = math.log(1 / rho)
    return (d / 2 + math.sqrt(d * tail) + tail) * math.log(2 / delta) / epsilon**2


def least_penalty(epsilon: float, delta: float) -> float:
    """(1 + log(2/delta))/epsilon, below which nothing is left for the temperature."""
    return (1 + math.log(2 / delta)) / epsilon


def balanced_penalty(n: float, d: float, epsilon: float, delta: float) -> float:
    """For the prediction error at |theta| = 1: (C1 n/2)^(1/3)."""
    own = min(epsilon / 2, math.sqrt(epsilon / 2))
    root = math.pow(spread(own, delta, 0.05, d) * n / 2, 1 / 3)
    return max(root, least_penalty(epsilon, delta))


def diffused_penalty(n: float, d: float, epsilon: float, delta: float) -> float:
    """The smallest."""
    del n, d
    return least_penalty(epsilon, delta)


def conservative_penalty(n: float, d: float, epsilon: float, delta: float) -> float:
    """For the worst prediction error: sqrt(C1)."""
    del n
    own = min(epsilon / 2, math.sqrt(epsilon / 2))
    return max(math.sqrt(spread(own, delta, 0.05, d)), least_penalty(epsilon, delta))


def concentrated_penalty(n: float, d: float, epsilon: float, delta: float) -> float:
    """As large as temperature 1 needs."""
    del d
    tail = math.log(2 / delta)
    b = -math.sqrt(2 * n * tail) - (1 + tail) / 2
    found = (-b + math.sqrt(b * b + 8 * epsilon * n)) / (2 * epsilon)
    if found <= n / 2:
        return found
    b, c = -math.sqrt(4 * tail), -2 - (1 + tail) / 2
    return ((-b + math.sqrt(b * b - 4 * epsilon * c)) / (2 * epsilon)) ** 2


def concentrated_penalty_coded(n: float, d: float, epsilon: float, delta: float) -> float:
    """As the code has it: where lambda > n/2 its last coefficient reads `-gamma*L&2/2-...`, a truth
    value, 1. A negative discriminant, for which the code goes on with complex numbers, is 0 here.
    """
    del d
    tail = math.log(2 / delta)
    b = -math.sqrt(2 * n * tail) - (1 + tail) / 2
    found = (-b + math.sqrt(b * b + 8 * epsilon * n)) / (2 * epsilon)
    if found <= n / 2:
        return found
    b = -math.sqrt(4 * tail)
    return ((-b + math.sqrt(max(b * b - 4 * epsilon, 0.0))) / (2 * epsilon)) ** 2


def coded_temperature(n: float, penalty: float, epsilon: float, delta: float) -> float:
    """gamma of the code: a quadratic in sqrt(gamma), with |theta| <= min(sqrt(n/(2 penalty)),
    n/penalty).
    """
    residual = 1 + min(math.sqrt(n / (2 * penalty)), n / penalty)
    a = residual**2 / (penalty + 1)
    b = residual * math.sqrt(math.log(2 / delta) / penalty)
    c = (1 + math.log(2 / delta)) / (2 * penalty) - epsilon
    return root_of(a, b, c) ** 2


def root_of(a: float, b: float, c: float) -> float:
    """The larger root of a x^2 + b x + c, 0 where that is no positive number."""
    square = b * b - 4 * a * c
    return max((-b + math.sqrt(square)) / (2 * a), 0.0) if square > 0 else 0.0


def adaptive_penalty(  # noqa: PLR0917 - dp.post passes by position
    floor: float, d: float, epsilon: float, tail: float, rho: float, third: float
) -> float:
    """The penalty that minimises Wang's bound on the error, given a bound below lambda_min, in
    units of B^2; epsilon and delta of the whole, tail = log(6/delta), third = delta/3. Step 3 and
    the least penalty are those of the code. [Wang18, eq (7); adaops.m]
    """
    own = spread(max(root_of(tail / 2, 1.0, -epsilon / 4), 1e-12), third, rho, d)
    return best_penalty(
        floor, own, 2 * math.log(2 / third) / (epsilon / 4), 2 * (1 + tail) / epsilon
    )


def best_penalty(floor: float, own: float, power: float, least: float) -> float:
    """The t that minimises own (1 + 1/(t + floor))^power/(t + floor) + t, t + floor >= least."""
    from scipy.optimize import minimize_scalar

    floor = max(floor, 0.0)
    least = max(least - floor, 0.0)

    def bound(logarithm: float) -> float:
        t = math.exp(logarithm)
        size = math.log(own) + power * math.log1p(1 / (t + floor)) - math.log(t + floor)
        return float(np.logaddexp(size, logarithm))

    low = math.log(max(least, 1e-6))
    found = minimize_scalar(bound, bounds=(low, low + 60), method="bounded")
    return float(max(math.exp(found.x), least, 1e-6))


def adaptive_penalty_of(floor: float, square: float, *others: float) -> float:
    """`adaptive_penalty`, of a floor in the units of X'X, for rows of squared norm at most
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
    """gamma of the code, from its bound on residuals, which is none: min(e^Delta, 1 + sqrt(2
    sqrt(n)/h)).
    """
    capped = 1 + math.sqrt(2 * math.sqrt(n) / h)
    residual = min(math.exp(min(log_residual + shift, 700.0)), capped)
    a, b = residual**2 / (2 * (h + 1)), residual * math.sqrt(tail / h)
    return root_of(a, b, (1 + tail) / (2 * h) - epsilon / 2) ** 2
