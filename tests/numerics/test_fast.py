"""The vectorised profile is on the private side everywhere, and close to the truth."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest
from flint import arb

from dpframe.numerics import (
    analytic_mu,
    analytic_sigma,
    holds,
    profile_delta,
    profile_delta_lower,
    profile_epsilon,
    profile_epsilon_lower,
    working,
)
from dpframe.numerics.fast import gaussian_delta, gaussian_epsilon, gaussian_mu, gaussian_sigma
from dpframe.numerics.fast import roots as roots_module
from dpframe.numerics.fast.roots import is_close, mills, spread
from dpframe.numerics.profile import mills as mills_ball
from dpframe.numerics.profile import sharp_terms

Oracle = Callable[[Fraction, Fraction], mpmath.mpf]

EPSILONS = [0.0, 5e-324, 1e-300, 1e-20, 1e-8, 1e-4, 0.3, 1.0, 20.0, 1e4, 1e10, 1e20, 1e300]
DELTAS = [5e-324, 1e-310, 1e-300, 1e-30, 1e-6, 0.1, 0.5, 0.5 + 2**-53, 0.9, 1 - 1e-9, 1 - 2**-53]
MUS = [5e-324, 1e-310, 1e-100, 1e-8, 1e-3, 0.5, 1.0, 5.0, 16.0, 300.0, 1e8, 1e16, 1e160, 1e308]
POINTS = 4_000
BY_DEFINITION = 150
ULPS = 16
ULPS_DELTA = 26


def doubles(value: float, reference: float) -> float:
    """How many doubles `value` lies above `reference`."""
    return 0.0 if value == reference else (value - reference) / math.ulp(reference)


def random_points(count: int) -> tuple[np.ndarray, np.ndarray]:
    """epsilon from 1e-8 to 1e4 (a few at 0), delta from 1e-300 to 1 - 1e-15."""
    rng = np.random.default_rng(4)
    epsilon = 10 ** rng.uniform(-8, 4, count)
    epsilon[::30] = 0
    delta = 10 ** rng.uniform(-300, -0.3, count)
    delta[::3] = 10 ** rng.uniform(-15, -0.01, delta[::3].size)
    delta[::10] = 1 - 10 ** rng.uniform(-15, -0.3, delta[::10].size)
    return epsilon, delta


def slack_of_epsilon(delta: float, mu: float, epsilon: float) -> float:
    """What the docstring of gaussian_epsilon allows."""
    at = sharp_terms(epsilon, mu)
    with working(512):
        moves = float((at.delta if delta <= 0.5 else 1 - at.delta) / at.tail)
    return ULPS * math.ulp(epsilon) + 24 * 2**-53 * moves


def test_no_random_point_is_under_noised() -> None:
    """sigma and mu are proved private and at most 16 doubles off, all over the domain."""
    epsilon, delta = random_points(POINTS)
    sigma, mu = gaussian_sigma(epsilon, delta), gaussian_mu(epsilon, delta)
    for e, d, s, m in zip(*(a.tolist() for a in (epsilon, delta, sigma, mu)), strict=True):
        assert holds(e, d, m) is True
        assert holds(e, d, 1 / Fraction(s)) is True
        assert holds(e, d, m + ULPS * math.ulp(m)) is False
        assert holds(e, d, 1 / Fraction(s - ULPS * math.ulp(s))) is False


def test_no_random_profile_is_too_small() -> None:
    """delta is proved an upper bound, at most 26 doubles off (of 1, where that is nearer)."""
    epsilon, delta = random_points(POINTS)
    mu = np.where(
        np.arange(POINTS) % 2, gaussian_mu(epsilon, delta), np.geomspace(1e-8, 300, POINTS)
    )
    given = gaussian_delta(epsilon, mu)
    for e, m, g in zip(epsilon.tolist(), mu.tolist(), given.tolist(), strict=True):
        exact = sharp_terms(e, m).delta
        assert g == 1 or arb(g) >= exact
        with working(256):
            assert arb(g) - exact <= ULPS_DELTA * math.ulp(g)


def test_no_random_epsilon_is_too_small() -> None:
    """epsilon is proved an upper bound, as close as its docstring says."""
    _, delta = random_points(POINTS)
    mu = np.geomspace(1e-8, 300, POINTS)
    # half the points where epsilon is small and hardly determined
    near = gaussian_delta(0, mu) * (1 - np.geomspace(1e-15, 1, POINTS))
    delta = np.clip(np.where(np.arange(POINTS) % 2, delta, near), 1e-300, 1 - 2**-53)
    given = gaussian_epsilon(delta, mu)
    for d, m, g in zip(delta.tolist(), mu.tolist(), given.tolist(), strict=True):
        assert holds(g, d, m) is True
        least = g - slack_of_epsilon(d, m, g)
        assert least <= 0 or holds(least, d, m) is False


@pytest.mark.slow
def test_against_the_definition(profile_oracle: Oracle) -> None:
    """At 450 digits, by code that shares nothing with dpframe, no answer is too small."""
    epsilon, delta = (values[:BY_DEFINITION] for values in random_points(POINTS))
    sigma, mu = gaussian_sigma(epsilon, delta, 3), gaussian_mu(epsilon, delta)
    above = mu * 1.01
    given, back = gaussian_delta(epsilon, above), gaussian_epsilon(delta, above)
    answers = zip(*map(np.ndarray.tolist, (epsilon, delta, sigma, mu, given, back)), strict=True)
    for e, d, s, m, g, b in answers:
        at, more = Fraction(e), Fraction(m * 1.01)
        with mpmath.workdps(450):
            assert profile_oracle(at, Fraction(m)) <= mpmath.mpf(d)
            assert profile_oracle(at, 3 / Fraction(s)) <= mpmath.mpf(d)
            assert profile_oracle(at, more) <= mpmath.mpf(g)
            assert profile_oracle(Fraction(b), more) <= mpmath.mpf(d)


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize(("epsilon", "delta"), [*itertools.product(EPSILONS, DELTAS)])
def test_inverses_at_the_corners(epsilon: float, delta: float) -> None:
    """Far outside the usual domain too; 16 doubles off at most, on the private side."""
    mu = gaussian_mu(epsilon, delta)
    assert -ULPS <= doubles(mu, analytic_mu(epsilon, delta)) <= 0
    try:
        proved = analytic_sigma(epsilon, delta)
    except ValueError:
        with pytest.raises(ValueError, match=r"^delta must be large enough"):
            gaussian_sigma(epsilon, delta)
    else:
        sigma = gaussian_sigma(epsilon, delta)
        assert 0 <= doubles(sigma, proved) <= ULPS


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize(("epsilon", "mu"), [*itertools.product(EPSILONS, MUS)])
def test_delta_at_the_corners(epsilon: float, mu: float) -> None:
    """delta from 0 to 1, for every double."""
    delta = gaussian_delta(epsilon, mu)
    assert 0 <= doubles(delta, profile_delta(epsilon, mu)) <= ULPS_DELTA
    assert delta <= 1


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize(("delta", "mu"), [*itertools.product(DELTAS, MUS)])
def test_epsilon_at_the_corners(delta: float, mu: float) -> None:
    """epsilon from 0 to infinity, for every double."""
    epsilon, proved = gaussian_epsilon(delta, mu), profile_epsilon(delta, mu)
    assert proved <= epsilon
    assert epsilon == proved or epsilon - proved <= slack_of_epsilon(delta, mu, epsilon)


def test_the_iteration_finds_its_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """All over the stated domain the iteration finds its root."""

    def refuse(*point: float) -> float:
        raise AssertionError(point)

    monkeypatch.setattr(roots_module, "analytic_mu", refuse)
    monkeypatch.setattr(roots_module, "profile_epsilon", refuse)
    epsilon, delta = random_points(50_000)
    mu = gaussian_mu(epsilon, delta)
    assert np.isfinite(gaussian_epsilon(delta, mu)).all()


def test_degenerate_shifts() -> None:
    """No shift costs nothing, an infinite one everything, a satisfied delta no epsilon."""
    assert gaussian_delta(0, 0) == gaussian_delta(3, 0) == 0
    assert gaussian_epsilon(1e-6, 0) == 0
    assert gaussian_delta(3, math.inf) == 1
    assert gaussian_epsilon(0.9, math.inf) == math.inf
    assert gaussian_epsilon(0.5, 1) == 0
    assert gaussian_sigma(1, 1e-6, 0) == 0
    with np.errstate(all="raise"):
        assert gaussian_epsilon(gaussian_delta(0, 1), 1) == 0
    with pytest.raises(ValueError, match=r"^delta must be large enough"):  # no double is enough
        gaussian_sigma([1, 0], [0.1, 5e-324])


def test_scalars_and_arrays() -> None:
    """Numbers give a float, arrays broadcast, and the two agree."""
    column, row = np.array([[0.1], [1], [10]]), [1e-6, Fraction(1, 10), 0.5, 0.9]
    for function in (gaussian_mu, gaussian_sigma):
        table = function(column, row)
        assert table.shape == (3, 4)
        for (i, j), entry in np.ndenumerate(table):
            single = function(float(column[i, 0]), row[j])
            assert type(single) is float
            assert single == entry
    assert type(gaussian_delta(np.float64(1), np.array(2))) is float
    assert gaussian_epsilon([], 1).shape == (0,)
    assert gaussian_mu(np.arange(1, 4), 0.1).tolist() == gaussian_mu([1.0, 2, 3], 0.1).tolist()


def test_answers_do_not_depend_on_their_neighbours() -> None:
    """Many points at once or one by one: the same."""
    epsilon, delta = (values[:300] for values in random_points(POINTS))
    for e, d, s in zip(epsilon, delta, gaussian_sigma(epsilon, delta), strict=True):
        assert gaussian_sigma(e, d) == s


def test_exact_numbers_round_to_the_private_side() -> None:
    """What is not a double becomes one in the direction that costs noise."""
    third, long = Fraction(1, 3), 2**70 + 1
    assert holds(third, third, 1 / Fraction(gaussian_sigma(third, third))) is True
    assert holds(1, 0.1, long / Fraction(gaussian_sigma(1, 0.1, long))) is True
    assert holds(long, 0.1, Fraction(gaussian_mu(np.array([2**63 - 1]), 0.1)[0])) is True
    assert Fraction(gaussian_delta(third, third)) >= Fraction(profile_delta_lower(third, third))
    assert gaussian_epsilon(third, long) >= profile_epsilon_lower(third, long)
    close = 1 - Fraction(1, 10**40)
    assert holds(1, close, Fraction(gaussian_mu(1, close))) is True


def test_arguments_are_not_changed() -> None:
    """Inputs stay as they are."""
    epsilon, delta = random_points(40)
    before = epsilon.copy(), delta.copy()
    gaussian_sigma(epsilon, delta)
    assert np.array_equal(epsilon, before[0])
    assert np.array_equal(delta, before[1])


BAD = [math.nan, -math.inf, True, np.True_, "one", None, 1j, -1, [None], object()]
BAD += [[1.0, True], [1.0, "1"], [[1], [1, 2]], [1.0, math.nan], np.array([1, -1])]
BAD += [np.array([True]), np.array(["1"]), np.array([1j])]
BAD += [np.ma.masked_array([1.0, 2.0], [True, False])]
WRONG: dict[str, tuple[list[Callable[[object], object]], list[object]]] = {
    "epsilon": (
        [partial(call, delta=0.1) for call in (gaussian_mu, gaussian_sigma)]
        + [lambda bad: gaussian_delta(bad, 0.1)],
        [math.inf, [1, math.inf]],
    ),
    "sensitivity": ([partial(gaussian_sigma, 1, 0.1)], [math.inf, [1, math.inf]]),
    "mu": ([partial(gaussian_delta, 0.1), partial(gaussian_epsilon, 0.1)], []),
    "delta": (
        [partial(gaussian_mu, 1), partial(gaussian_sigma, 1), lambda bad: gaussian_epsilon(bad, 1)],
        [math.inf, 0, 1, 1.5, [0.1, 1.0], np.zeros(3)],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_arguments_are_refused_by_name(name: str) -> None:
    """Only mu may be infinite."""
    calls, outside = WRONG[name]
    for call, bad in itertools.product(calls, [*BAD, *outside]):
        with pytest.raises(ValueError, match=rf"^{name} must be"):
            call(bad)


def test_refusals_never_show_an_array() -> None:
    """The argument is named, its entries are not."""
    with pytest.raises(ValueError, match="1 of its entries") as refused:
        gaussian_mu([1.0, 123456.75], np.array([0.1, 2.654321]))
    assert "654321" not in str(refused.value) + repr(refused.value.value)
    with pytest.raises(ValueError, match=r"^epsilon, delta must be of shapes"):
        gaussian_mu(np.ones(2), np.full(3, 0.1))


def test_mills_ratio() -> None:
    """Both ways of computing the Mills ratio, and differences of it, to 6 units of 2^-53."""
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(-0.75, 4, 1500), 10 ** rng.uniform(-3, 12, 500)])
    mu = np.concatenate([10 ** rng.uniform(-12, 0.17, 1500), x[1500:] * rng.uniform(0, 0.8, 500)])
    for at, ratio in zip(x.tolist(), mills(x).tolist(), strict=True):
        with working(256):
            assert abs(arb(ratio) / mills_ball(arb(at)) - 1) <= 6 * 2**-53
    x, mu = x[x >= 0], mu[x >= 0]
    assert np.all(is_close(x, mu))
    for at, shift, difference in zip(x.tolist(), mu.tolist(), spread(x, mu).tolist(), strict=True):
        with working(512):
            half = arb(shift) / 2
            exact = mills_ball(at - half) - mills_ball(at + half)
            assert abs(arb(difference) / exact - 1) <= 6 * 2**-53


def test_importing_numerics_stays_light() -> None:
    """The vectorised forms load numpy and scipy; `import dpframe.numerics` does not."""
    code = "import sys, dpframe.numerics; print('numpy' in sys.modules, 'scipy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
