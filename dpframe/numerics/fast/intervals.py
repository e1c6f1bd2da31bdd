"""The profile and its inverses as proved intervals (lower, upper), one double wide, one at a time.

They are those of `gaussian.py` by ball arithmetic, for certificates: arguments are exact (a
Fraction, an int, or a float for its shortest decimal), and the exact value lies in the interval.
For each classical constant C of sigma = C Delta / epsilon, and each delta, there is also the
largest epsilon up to which C is proved to be enough, as C does not depend on epsilon.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from flint import arb

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, given, nonnegative, open_unit

from ..calibrate import (
    analytic_mu,
    boundary,
    epsilon_limit,
    profile_delta,
    profile_delta_lower,
    profile_epsilon,
    profile_epsilon_lower,
)
from ..profile import ball, holds
from ..rounding import LEAST_BITS, arb_float, working


def gaussian_delta_interval(epsilon: Exact, mu: Exact) -> tuple[float, float]:
    """delta(epsilon; mu), rounded down and rounded up; epsilon >= 0, mu >= 0 or infinite."""
    at = _epsilon(epsilon)
    if _is_infinite(mu):
        return 1.0, 1.0
    shift = given("mu", mu)
    return profile_delta_lower(at, shift), profile_delta(at, shift)


def gaussian_epsilon_interval(delta: Exact, mu: Exact) -> tuple[float, float]:
    """The least epsilon >= 0 with delta(epsilon; mu) <= delta, rounded down and rounded up."""
    target = _delta(delta)
    if _is_infinite(mu):
        return math.inf, math.inf
    shift = given("mu", mu)
    return profile_epsilon_lower(target, shift), profile_epsilon(target, shift)


def gaussian_mu_interval(epsilon: Exact, delta: Exact) -> tuple[float, float]:
    """The largest mu with delta(epsilon; mu) <= delta, rounded down and rounded up."""
    at, target = _epsilon(epsilon), _delta(delta)
    lower = analytic_mu(at, target)
    return lower, boundary(lambda mu: holds(at, target, arb(mu)) is False, lower)[1]


def gaussian_sigma_interval(
    epsilon: Exact, delta: Exact, sensitivity: Exact = 1
) -> tuple[float, float]:
    """The least std with delta(epsilon; sensitivity/std) <= delta, rounded down and rounded up."""
    at, target = _epsilon(epsilon), _delta(delta)
    shift = nonnegative("sensitivity", given("sensitivity", sensitivity))
    if shift == 0:
        return 0.0, 0.0

    def private(std: float) -> bool | None:
        return holds(at, target, shift / Fraction(std))

    guess = float(shift / max(Fraction(analytic_mu(at, target)), Fraction(1, 10**300)))
    upper = boundary(lambda std: private(std) is True, guess)[1]
    if math.isinf(upper):
        wanted, way_out = "large enough for a finite std", "Raise delta or epsilon."
        raise InvalidArgument("delta", wanted, delta, way_out)
    return boundary(lambda std: private(std) is not False, upper)[0], upper


def _epsilon(value: Exact) -> Fraction:
    return nonnegative("epsilon", given("epsilon", value))


def _delta(value: Exact) -> Fraction:
    return open_unit("delta", given("delta", value))


def _is_infinite(mu: Exact) -> bool:
    return isinstance(mu, float) and mu == math.inf


SQUARES = {
    "DworkRoth": (2, Fraction(5, 4)),  # [DworkR14, Thm A.1]
    "KamathUllman": (2, Fraction(2)),  # [KamathU20, Lem 2.4]
    "Wang": (1, Fraction(2)),  # [Wang18, Alg. 2], each third of (3 epsilon, 3 delta)
}
"""C^2 = multiple * log(factor/delta), as (multiple, factor)."""


class Classical(NamedTuple):
    """One constant at one delta."""

    constant: float
    """C, rounded up"""
    epsilon_limit: float
    """sigma = C Delta / epsilon is (epsilon, delta)-private for epsilon <= this; rounded down"""


def classical_constants(delta: Exact) -> dict[str, Classical]:
    """Every classical constant at this delta, with its exact interval of epsilon."""
    target = open_unit("delta", given("delta", delta))
    return {
        name: _classical(multiple, factor / target, target)
        for name, (multiple, factor) in SQUARES.items()
    }


def _classical(multiple: int, argument: Fraction, delta: Fraction) -> Classical:
    def squared() -> arb:
        return multiple * ball(argument).log()

    with working(LEAST_BITS):
        constant = arb_float(squared().sqrt(), up=True)
    return Classical(constant, epsilon_limit(squared, delta))
