"""The proved intervals hold the vectorised answers, and the classical constants their limits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from dpframe.numerics import holds, next_up
from dpframe.numerics.fast import (
    classical_constants,
    gaussian_delta,
    gaussian_delta_interval,
    gaussian_epsilon,
    gaussian_epsilon_interval,
    gaussian_mu,
    gaussian_mu_interval,
    gaussian_sigma,
    gaussian_sigma_interval,
)

POINTS = [(0.1, 1e-6), (1, 1e-300), (3, 0.5), (1e4, 1e-12), (1e-8, 0.9), (0, 0.1)]


@pytest.mark.parametrize(("epsilon", "delta"), POINTS)
def test_intervals_are_one_double_wide(epsilon: float, delta: float) -> None:
    """(lower, upper) are neighbours, decided on both sides; the fast answer is just outside."""
    low, high = gaussian_sigma_interval(epsilon, delta, 3)
    assert next_up(low) == high
    exact = Fraction(str(epsilon)), Fraction(str(delta))  # a float is its shortest decimal
    assert holds(*exact, 3 / Fraction(high)) is True
    assert holds(*exact, 3 / Fraction(low)) is False
    assert high <= gaussian_sigma(epsilon, delta, 3) <= high + 16 * math.ulp(high)

    low, high = gaussian_mu_interval(epsilon, delta)
    assert next_up(low) == high
    assert holds(*exact, low) is True
    assert holds(*exact, high) is False
    assert low - 16 * math.ulp(low) <= gaussian_mu(epsilon, delta) <= low

    mu = 1.5 * low
    low, high = gaussian_delta_interval(epsilon, mu)
    assert low <= high <= gaussian_delta(epsilon, mu)
    low, high = gaussian_epsilon_interval(delta, mu)
    assert low <= high <= gaussian_epsilon(delta, mu)
    assert next_up(low) == high


def test_exact_arguments() -> None:
    """A rational means itself, not a double near it."""
    third = Fraction(1, 3)
    low, high = gaussian_sigma_interval(third, third, third)
    assert holds(third, third, third / Fraction(high)) is True
    assert holds(third, third, third / Fraction(low)) is False


def test_degenerate_intervals() -> None:
    """No shift, an infinite shift, a satisfied delta."""
    assert gaussian_sigma_interval(1, 0.1, 0) == (0, 0)
    assert gaussian_delta_interval(1, 0) == gaussian_epsilon_interval(0.1, 0) == (0, 0)
    assert gaussian_delta_interval(1, math.inf) == (1, 1)
    assert gaussian_epsilon_interval(0.1, math.inf) == (math.inf, math.inf)
    assert gaussian_epsilon_interval(0.5, 1) == (0, 0)


@pytest.mark.parametrize("bad", [math.nan, True, "1", None, -1])
def test_bad_arguments(bad: object) -> None:
    """Refused by name."""
    for interval in (gaussian_sigma_interval, gaussian_mu_interval, gaussian_delta_interval):
        with pytest.raises(ValueError, match=r"^epsilon must be"):
            interval(bad, 0.1)
    with pytest.raises(ValueError, match=r"^sensitivity must be"):
        gaussian_sigma_interval(1, 0.1, bad)
    with pytest.raises(ValueError, match=r"^mu must be"):
        gaussian_epsilon_interval(0.1, bad)
    with pytest.raises(ValueError, match=r"^delta must be"):
        gaussian_epsilon_interval(bad, 1)
    with pytest.raises(ValueError, match=r"^epsilon must be"):
        gaussian_delta_interval(bad, math.inf)


def test_a_std_beyond_the_doubles_is_refused() -> None:
    """An answer that no double can hold is an error."""
    with pytest.raises(ValueError, match=r"^delta must be large enough"):
        gaussian_sigma_interval(0, 5e-324)


@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-6, 1e-9, 1e-30])
def test_classical_constants_suffice_exactly_up_to_their_limit(delta: float) -> None:
    """At the limit the std suffices; a little further it does not; below it always does."""
    constants = classical_constants(delta)
    assert set(constants) == {"DworkRoth", "KamathUllman", "Wang"}
    assert constants["Wang"].epsilon_limit < constants["DworkRoth"].epsilon_limit
    assert constants["DworkRoth"].epsilon_limit < constants["KamathUllman"].epsilon_limit
    for constant, limit in constants.values():
        for share in (1e-6, 0.5, 1 - 1e-12):
            assert holds(limit * share, delta, Fraction(limit * share) / Fraction(constant)) is True
        further = Fraction(limit * (1 + 1e-9))
        assert holds(further, delta, further / Fraction(constant)) is False
