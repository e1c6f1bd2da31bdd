"""Inverses of the Gaussian privacy profile, each rounded to the side its name states.

Arguments are exact (a Fraction, an int, or a float for its exact binary value). Every answer is
proved by an enclosure of the profile; the Newton steps before the proof are guesses. A proof that
fails moves the answer outward, never inward.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, nonnegative, open_unit, positive

from .guesses import guess_epsilon, guess_limit, guess_mu
from .profile import Quantity, ball, delta_ball, holds
from .rounding import LEAST_BITS, arb_float, arb_lower, arb_upper, at_rising_precision, working
from .search import boundary


def analytic_sigma(epsilon: Exact, delta: Exact) -> float:
    """The least std sigma with delta(epsilon; 1/sigma) <= delta, at sensitivity 1. [BalleW18]

    epsilon >= 0 and 0 < delta < 1. Rounded up: the smallest double that is proved to suffice.
    """
    sigma = _sigma(nonnegative("epsilon", epsilon), open_unit("delta", delta))
    if math.isinf(sigma):
        raise InvalidArgument(
            "delta",
            "large enough for a provable std below 1.8e308",
            delta,
            "Raise delta or epsilon.",
        )
    return sigma


def analytic_mu(epsilon: Exact, delta: Exact) -> float:
    """The largest mu with delta(epsilon; mu) <= delta; epsilon >= 0, 0 < delta < 1.

    Rounded down: the largest double that is proved to suffice.
    """
    return _mu(nonnegative("epsilon", epsilon), open_unit("delta", delta))


def profile_delta(epsilon: Exact, mu: Exact) -> float:
    """delta(epsilon; mu), rounded up; epsilon >= 0, mu >= 0."""
    return min(arb_float(_profile(epsilon, mu), up=True), 1.0)


def profile_delta_lower(epsilon: Exact, mu: Exact) -> float:
    """delta(epsilon; mu), rounded down; epsilon >= 0, mu >= 0."""
    return max(arb_float(_profile(epsilon, mu), up=False), 0.0)


def profile_epsilon(delta: Exact, mu: Exact) -> float:
    """The least epsilon >= 0 with delta(epsilon; mu) <= delta; 0 < delta < 1, mu >= 0.

    Rounded up: the smallest double that is proved to suffice (an infinity beyond the doubles).
    """
    return _epsilon(open_unit("delta", delta), nonnegative("mu", mu))


def profile_epsilon_lower(delta: Exact, mu: Exact) -> float:
    """The least epsilon >= 0 with delta(epsilon; mu) <= delta; 0 < delta < 1, mu >= 0.

    Rounded down: every smaller epsilon is proved to be violated.
    """
    return _epsilon_lower(open_unit("delta", delta), nonnegative("mu", mu))


def epsilon_limit(constant_squared: Quantity, delta: Exact) -> float:
    """The largest epsilon up to which sigma = C Delta / epsilon is (epsilon, delta)-private.

    C does not depend on epsilon, so delta(epsilon; epsilon/C) increases in epsilon and one number
    decides every smaller epsilon. C^2 > 0 is exact, or a recipe such as `lambda: 2 * arb(3).log()`;
    of a fixed ball the lower end counts. Rounded down: proved at the answer.
    """
    target, squared = open_unit("delta", delta), _positive_recipe(constant_squared)

    def violated(epsilon: float) -> bool:
        point = arb(epsilon)
        return holds(point, target, lambda: point / ball(squared).sqrt()) is not True

    return boundary(violated, guess_limit(squared, target))[0]


def analytic_sigma_ball(epsilon: arb, delta: arb) -> arb:
    """An enclosure of the exact least std over all epsilon >= 0 and 0 < delta < 1 in the balls.

    The std decreases in both, so two corners decide. At a point it is one double wide; it is not a
    number where the balls lie wholly outside the domain, as with arb's own functions.
    """
    if epsilon < 0 or delta <= 0 or delta >= 1:
        return arb("nan")
    if not (epsilon.is_finite() and delta.is_finite()):
        return arb(0).union(arb("inf"))
    least = _least_sigma(arb_upper(epsilon), arb_upper(delta))
    most = _most_sigma(max(arb_lower(epsilon), Fraction(0)), arb_lower(delta))
    with working(LEAST_BITS):
        return arb(least).union(arb(most))


def _least_sigma(epsilon: Fraction, delta: Fraction) -> float:
    return _sigma_lower(epsilon, delta) if delta < 1 else 0.0


def _most_sigma(epsilon: Fraction, delta: Fraction) -> float:
    return _sigma(epsilon, delta) if delta > 0 else math.inf


def _sigma_holds(epsilon: Fraction, delta: Fraction, sigma: float) -> bool | None:
    return holds(epsilon, delta, lambda: 1 / arb(sigma))


@lru_cache(maxsize=4096)
def _sigma(epsilon: Fraction, delta: Fraction) -> float:
    guess = 1 / guess_mu(epsilon, delta)
    return boundary(lambda sigma: _sigma_holds(epsilon, delta, sigma) is True, guess)[1]


@lru_cache(maxsize=4096)
def _sigma_lower(epsilon: Fraction, delta: Fraction) -> float:
    guess = _sigma(epsilon, delta)
    return boundary(lambda sigma: _sigma_holds(epsilon, delta, sigma) is not False, guess)[0]


@lru_cache(maxsize=4096)
def _mu(epsilon: Fraction, delta: Fraction) -> float:
    guess = guess_mu(epsilon, delta)
    return boundary(lambda mu: holds(epsilon, delta, arb(mu)) is not True, guess)[0]


@lru_cache(maxsize=4096)
def _epsilon(delta: Fraction, mu: Fraction) -> float:
    if holds(0, delta, mu):
        return 0.0
    guess = guess_epsilon(delta, mu)
    return boundary(lambda epsilon: holds(arb(epsilon), delta, mu) is True, guess)[1]


@lru_cache(maxsize=4096)
def _epsilon_lower(delta: Fraction, mu: Fraction) -> float:
    if holds(0, delta, mu) is not False:
        return 0.0
    guess = _epsilon(delta, mu)
    return boundary(lambda epsilon: holds(arb(epsilon), delta, mu) is not False, guess)[0]


def _profile(epsilon: Exact, mu: Exact) -> arb:
    return delta_ball(nonnegative("epsilon", epsilon), nonnegative("mu", mu))


def _positive_recipe(constant_squared: Quantity) -> Quantity:
    """The same quantity, certainly positive and without a fixed radius."""
    if isinstance(constant_squared, arb):
        constant_squared = arb_lower(constant_squared)
    if not callable(constant_squared):
        return positive("constant_squared", constant_squared)
    if not any(value > 0 for value in at_rising_precision(constant_squared)):
        raise InvalidArgument("constant_squared", "above 0", constant_squared())
    return constant_squared
