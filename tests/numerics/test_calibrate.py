"""The inverses of the profile are proved, on their stated side, and one double from the truth."""

from __future__ import annotations

import itertools
import math
import random
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import mpmath
import pytest
from flint import arb

from dpframe.errors import InvalidArgument
from dpframe.numerics import (
    analytic_mu,
    analytic_sigma,
    analytic_sigma_ball,
    boundary,
    epsilon_limit,
    holds,
    next_down,
    next_up,
    profile_delta,
    profile_epsilon,
    profile_epsilon_lower,
    working,
)
from dpframe.numerics.calibrate import newton

Oracle = Callable[[Fraction, Fraction], mpmath.mpf]

EPSILONS = ["0", "1e-8", "1e-4", ".1", ".9", "1", "3", "10", "100", "1e4"]
DELTAS = ["1e-300", "1e-100", "1e-30", "1e-12", "1e-6", "1e-3", ".1", ".5", ".9"]
GRID = [(Fraction(e), Fraction(d)) for e, d in itertools.product(EPSILONS, DELTAS)]
random.seed(23)
GRID += [
    (Fraction(10 ** random.uniform(-8, 4)), Fraction(10 ** random.uniform(-300, -0.01)))
    for _ in range(200)
]
ULPS = 4


def sufficient(oracle: Oracle, epsilon: Fraction, delta: Fraction, mu: Fraction) -> bool:
    """Does the oracle find delta(epsilon; mu) <= delta?"""
    with mpmath.workdps(450):
        return bool(oracle(epsilon, mu) <= mpmath.mpf(delta.numerator) / delta.denominator)


def moved(value: float, doubles: int) -> Fraction:
    """The double so many places above (or below) `value`, exactly."""
    step = next_up if doubles > 0 else next_down
    for _ in range(abs(doubles)):
        value = step(value)
    return Fraction(value)


@pytest.mark.some(1, most=40)
@pytest.mark.parametrize(("epsilon", "delta"), GRID)
def test_sigma_and_mu_against_the_oracle(
    epsilon: Fraction, delta: Fraction, profile_oracle: Oracle
) -> None:
    """analytic_sigma and analytic_mu suffice; four doubles less noise does not."""
    sigma, mu = analytic_sigma(epsilon, delta), analytic_mu(epsilon, delta)
    for enough, little in (
        (1 / Fraction(sigma), 1 / moved(sigma, -ULPS)),
        (Fraction(mu), moved(mu, ULPS)),
    ):
        assert sufficient(profile_oracle, epsilon, delta, enough)
        assert not sufficient(profile_oracle, epsilon, delta, little)


@pytest.mark.some(1, most=20)
@pytest.mark.parametrize(
    ("delta", "mu"),
    [(Fraction(d), Fraction(m)) for d in DELTAS for m in ("1e-6", ".01", ".3", "1", "8", "300")],
)
def test_epsilon_against_the_oracle(delta: Fraction, mu: Fraction, profile_oracle: Oracle) -> None:
    """profile_epsilon suffices, profile_epsilon_lower does not, and they are neighbours."""
    high, low = profile_epsilon(delta, mu), profile_epsilon_lower(delta, mu)
    assert sufficient(profile_oracle, Fraction(high), delta, mu)
    if high == 0:
        assert low == 0
    else:
        assert next_up(low) == high
        assert not sufficient(profile_oracle, Fraction(low), delta, mu)


@pytest.mark.some(1, most=20)
@pytest.mark.parametrize("delta", [Fraction(d) for d in DELTAS])
@pytest.mark.parametrize("constant", ["1e-6", ".01", "1", "3.9", "9", "40", "1e4"])
def test_limit_against_the_oracle(constant: str, delta: Fraction, profile_oracle: Oracle) -> None:
    """sigma = C Delta / epsilon suffices at the limit; four doubles further it does not."""
    squared = Fraction(constant) ** 2
    limit = epsilon_limit(squared, delta)
    further = moved(limit, ULPS)
    assert sufficient(profile_oracle, Fraction(limit), delta, Fraction(limit) / Fraction(constant))
    assert not sufficient(profile_oracle, further, delta, further / Fraction(constant))


@pytest.mark.parametrize(("factor", "limit"), [("1.25", 8.782), ("2", 9.733)])
def test_published_constants(factor: str, limit: float) -> None:
    """C^2 = 2 log(1.25/delta) is right up to 8.782 at 1e-6, and 2 log(2/delta) up to 9.733."""
    argument = int(Fraction(factor) * 10**6)
    assert epsilon_limit(lambda: 2 * arb(argument).log(), Fraction(1, 10**6)) == pytest.approx(
        limit, abs=6e-4
    )


def test_a_fixed_ball_counts_by_its_lower_end() -> None:
    """Of an uncertain constant the smaller one decides, which allows less."""
    with working(128):
        uncertain = arb(30).union(31)
    assert epsilon_limit(uncertain, 1e-6) <= epsilon_limit(30, 1e-6)
    assert epsilon_limit(uncertain, 1e-6) == pytest.approx(epsilon_limit(30, 1e-6), rel=1e-6)


def test_every_smaller_epsilon_is_within_the_limit() -> None:
    """One number decides all smaller epsilon."""
    limit = Fraction(epsilon_limit(25, 1e-6))
    for share in (Fraction(1, 10**9), Fraction(1, 3), Fraction(9, 10), Fraction(1)):
        assert holds(limit * share, Fraction(1e-6), limit * share / 5) is True


def test_neighbouring_deltas() -> None:
    """One double more or less in delta never moves the std to the wrong side."""
    for _ in range(50):
        epsilon, delta = random.uniform(0.01, 5), 10 ** random.uniform(-20, -2)
        assert analytic_sigma(epsilon, next_up(delta)) <= analytic_sigma(epsilon, delta)
        assert analytic_sigma(epsilon, delta) <= analytic_sigma(epsilon, next_down(delta))


def test_a_float_is_its_binary_value() -> None:
    """0.1 and 1/10 are different numbers; equal numbers of different type are the same."""
    assert analytic_sigma(1, 0.5) == analytic_sigma(1.0, Fraction(1, 2))
    assert Fraction("0.3") > Fraction(0.3)
    assert holds(1, Fraction("0.3"), 1 / Fraction(analytic_sigma(1, 0.3))) is True


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        *((1, delta) for delta in (5e-324, Fraction(1, 10**400), Fraction(1, 10**5000))),
        (1, 1 - Fraction(1, 10**40)),
        *((epsilon, 1e-6) for epsilon in (1e6, 1e100, 1e300)),
    ],
)
def test_sigma_far_outside(epsilon: float, delta: Fraction | float) -> None:
    """A delta below the doubles or close to 1, and the largest epsilons, have their std, proved."""
    sigma = analytic_sigma(epsilon, delta)
    assert holds(epsilon, Fraction(delta), 1 / Fraction(sigma)) is True
    assert holds(epsilon, Fraction(delta), 1 / moved(sigma, -1)) is False


def test_the_ends_of_the_doubles() -> None:
    """The least double where less would do; an error where no double is enough; infinity, and
    0 where delta holds at epsilon = 0, for epsilon.
    """
    assert analytic_sigma(10**10_000, 0.5) == 5e-324
    with pytest.raises(InvalidArgument, match=r"^delta must be large enough"):
        analytic_sigma(0, 5e-324)
    assert analytic_mu(0, Fraction(1, 10**400)) == 0
    assert profile_epsilon(1e-300, 1e300) == math.inf
    assert profile_epsilon_lower(1e-300, 1e300) < math.inf
    assert profile_epsilon(0.5, 1) == profile_epsilon_lower(0.5, 1) == 0
    assert profile_epsilon(1e-6, 0) == 0


def test_epsilon_just_above_zero() -> None:
    """An epsilon of 1e-16 is found to the last double, not rounded to 0."""
    delta = next_down(profile_delta(0, 1))
    high, low = profile_epsilon(delta, 1), profile_epsilon_lower(delta, 1)
    assert 0 < low < high < 1e-15
    assert next_up(low) == high


BAD_NUMBERS = [float("nan"), float("inf"), -float("inf"), True, "1", None]


WRONG: dict[str, tuple[list[Callable[..., object]], list[object]]] = {
    "epsilon": (
        [lambda bad: analytic_sigma(bad, 0.1), lambda bad: analytic_mu(bad, 0.1)],
        [-1, -1e-300],
    ),
    "delta": (
        [
            *(partial(inverse, 1) for inverse in (analytic_sigma, analytic_mu, epsilon_limit)),
            lambda bad: profile_epsilon(bad, 1),
            lambda bad: profile_epsilon_lower(bad, 1),
        ],
        [0, 1, 1.5, -0.1, Fraction(1)],
    ),
    "mu": ([partial(profile_epsilon, 0.1), partial(profile_epsilon_lower, 0.1)], [-1]),
    "constant_squared": (
        [lambda bad: epsilon_limit(bad, 0.1)],
        [0, -1, lambda: arb(1) - 1, lambda: arb(0, 1)],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_arguments_are_refused_by_name(name: str) -> None:
    """No finite number, a text, or outside the range."""
    inverses, outside = WRONG[name]
    for inverse, bad in itertools.product(inverses, [*BAD_NUMBERS, *outside]):
        with pytest.raises(InvalidArgument, match=rf"^{name} must be"):
            inverse(bad)


@pytest.mark.parametrize(("epsilon", "delta"), GRID[:90:4])
def test_sigma_ball_at_a_point(epsilon: Fraction, delta: Fraction) -> None:
    """At a point the enclosure is one double wide and holds the exact std."""
    with working(128):
        exact_epsilon, exact_delta = arb(float(epsilon)), arb(float(delta))
    enclosure = analytic_sigma_ball(exact_epsilon, exact_delta)
    sigma = analytic_sigma(float(epsilon), float(delta))
    assert enclosure.contains(arb(next_down(sigma)).union(arb(sigma)).mid())
    assert enclosure.rel_accuracy_bits() >= 50


def test_sigma_ball_over_wide_balls() -> None:
    """Over wide balls the enclosure holds the std of every point inside."""
    for _ in range(100):
        e, d = random.uniform(0.01, 10), 10 ** random.uniform(-12, -1)
        low_e, high_e, low_d, high_d = (x * random.uniform(0.7, 1.4) for x in (e, e, d, d))
        with working(128):
            enclosure = analytic_sigma_ball(arb(low_e).union(high_e), arb(low_d).union(high_d))
        for _ in range(5):
            share, other = random.random(), random.random()
            epsilon, delta = low_e + (high_e - low_e) * share, low_d + (high_d - low_d) * other
            assert enclosure.contains(analytic_sigma(epsilon, delta))
        assert enclosure.contains(analytic_sigma(low_e, low_d))


def test_sigma_ball_at_the_edge_of_the_domain() -> None:
    """A ball that reaches delta = 0 allows any std; one that reaches 1 allows any small one."""
    with working(128):
        assert analytic_sigma_ball(arb(1), arb(0, 0.1)).contains(10**9)
        assert analytic_sigma_ball(arb(1), arb(1, 0.5)).contains(1e-9)
        assert analytic_sigma_ball(arb(0, 0.5), arb("0.1")).contains(analytic_sigma(0, 0.1))
        assert analytic_sigma_ball(arb("nan"), arb("0.1")).contains(10**9)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(arb(-1), arb("0.1")), (arb(1), arb(-1)), (arb(1), arb(0)), (arb(1), arb(2))],
)
def test_sigma_ball_outside_the_domain(epsilon: arb, delta: arb) -> None:
    """Balls wholly outside the domain have no enclosure: the answer is not a number."""
    assert analytic_sigma_ball(epsilon, delta).is_nan()


# ------------------- The search ends between two neighbouring doubles, on the two sides of the turn
random.seed(21)
TURNS = [5e-324, 1e-320, 2.2250738585072014e-308, 0.1, 1.0, 2.0, 1e300, sys.float_info.max]
TURNS += [math.exp(random.uniform(-700, 700)) for _ in range(50)]
GUESSES = [5e-324, 1e-9, 1.0, 1e300, sys.float_info.max, 0.0, math.inf, math.nan, -3.0]


@pytest.mark.some(1, most=20)
@pytest.mark.parametrize("turn", TURNS)
def test_finds_the_turn_from_any_guess(turn: float) -> None:
    """`above` is the first double on which the test is true, whatever the guess."""
    for guess in [*GUESSES, turn, next_up(turn)]:
        below, above = boundary(lambda x: x >= turn, guess)
        assert above == turn
        assert next_up(below) == above


def test_the_ends_of_the_search() -> None:
    """Never true: between the largest double and infinity; always: below the smallest double."""
    assert boundary(lambda _: False, 1.0) == (sys.float_info.max, math.inf)
    assert boundary(lambda _: True, 1.0) == (0.0, 5e-324)


def test_a_good_guess_costs_two_calls() -> None:
    """Started on the turn, or just before it, the search asks twice."""
    for guess in (0.1, math.nextafter(0.1, 0)):
        calls: list[float] = []
        boundary(lambda x, calls=calls: calls.append(x) is None and x >= 0.1, guess)  # type: ignore[misc]
        assert len(calls) == 2


def test_an_erratic_test_still_ends_on_its_sides() -> None:
    """Near the turn a proof may fail here and there: the answer is still one that passed."""
    flaky = {1.0, next_up(next_up(1.0))}
    below, above = boundary(lambda x: x >= 1 and x not in flaky, 1.0)
    assert above > 1
    assert above not in flaky
    assert below < 1 or below in flaky


def test_newton_finds_a_root() -> None:
    """Newton reaches sqrt 2, and stops where it cannot go on."""
    assert newton(lambda x: (x * x - 2, 2 * x), 1.0) == pytest.approx(math.sqrt(2), rel=1e-15)
    assert newton(lambda _: (math.nan, 1.0), 3.0) == 3.0
    assert newton(lambda _: (1.0, 0.0), 3.0) == 3.0
