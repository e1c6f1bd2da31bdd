"""Profiles of sketches and of posteriors one record apart: enclosed, and searched safely."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb
from scipy.stats import chi2

from docs.generate.refutations.posterior_profile import posterior_pair
from dpframe.errors import InvalidArgument
from dpframe.numerics import next_up
from dpframe.numerics.pairs import (
    LEVERAGE_LIMIT,
    _density,
    _interval,
    _sharp_posteriors,
    mixing_pair_backward_ball,
    mixing_pair_delta,
    mixing_pair_forward_ball,
    mixing_pair_leverage,
    posterior_pair_ball,
    posterior_pair_bound,
    posterior_pair_delta,
    posterior_pair_gamma,
)
from dpframe.numerics.profile import mills, upper_tail

# ------------------------------------------------ The profile of Gaussian sketches one record apart
Ends = Callable[[arb], tuple[mpmath.mpf, mpmath.mpf]]

MIXING = [  # epsilon, leverage, rows
    (Fraction(1, 2), Fraction(1, 125), 333),
    (0, Fraction(1, 10), 7),
    (1, 2, 1),
    (Fraction(1, 10), 30, 2),
    (3, Fraction(1, 3), 40),
    (Fraction(1, 100), Fraction(1, 400), 1001),
]
BUDGETS = [(0.5, 1e-6, 100), (3.0, 1e-3, 5), (0.05, 1e-9, 3000), (0.0, 0.1, 1)]


def mp(value) -> mpmath.mpf:
    """An exact number."""
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def mixing_by_quadrature(epsilon, leverage, rows, *, forward: bool) -> mpmath.mpf:
    """The integral of (q - e^epsilon p)+ over the sum of squares, or with p and q exchanged."""
    eps, m, k = mp(epsilon), mp(leverage), mpmath.mpf(rows)

    def log_p(r):
        return (k / 2 - 1) * mpmath.log(r) - r / 2 - k / 2 * mpmath.log(2) - mpmath.loggamma(k / 2)

    def gap(r):
        p, q = log_p(r), log_p(r / (1 + m)) - mpmath.log(1 + m)
        one, other = (q, p) if forward else (p, q)
        return mpmath.exp(one) - mpmath.exp(eps + other)

    wide = 40 * (1 + m) * (k + 30)
    grid = [wide * mpmath.mpf(i) ** 2 / 400**2 for i in range(1, 401)]
    turns = [
        mpmath.findroot(gap, (a, b), solver="anderson", tol=1e-60)
        for a, b in itertools.pairwise(grid)
        if gap(a) * gap(b) < 0 and (gap(a) > 0) != forward
    ]
    if not turns:
        return mpmath.mpf(0)
    (turn,) = turns
    ends = [turn, wide] if forward else [0, turn]
    inner = [one for one in grid[::4] if ends[0] < one < ends[1]]
    return mpmath.quad(gap, [ends[0], *inner, ends[1]])


@pytest.mark.parametrize("point", MIXING, ids=str)
def test_both_directions_of_mixing_are_the_integral(point, ends: Ends) -> None:
    """M2 against quadrature of the definition at 30 digits."""
    with mpmath.workdps(30):
        for function, forward in (
            (mixing_pair_forward_ball, True),
            (mixing_pair_backward_ball, False),
        ):
            low, high = ends(function(*point))
            true = mixing_by_quadrature(*point, forward=forward)
            assert high - low <= high * mpmath.mpf(2) ** -79
            assert abs(low - true) < mpmath.mpf(10) ** -13 * max(true, mpmath.mpf(10) ** -8)


def test_many_columns_are_one() -> None:
    """M1 in three dimensions: the log-likelihood ratio of k rows has the law of the pair's."""
    rng = np.random.default_rng(1)
    k, n, epsilon = 5, 200_000, 0.4
    A = rng.normal(size=(3, 3))
    M, x = A @ A.T + np.eye(3), np.array([1.0, -2.0, 1.5])
    larger = M + np.outer(x, x)
    m = float(x @ np.linalg.solve(M, x))

    def ratio(rows):
        forms = [np.einsum("nki,ij,nkj->n", rows, np.linalg.inv(one), rows) for one in (M, larger)]
        return (forms[0] - forms[1]) / 2 - k / 2 * np.log(np.linalg.det(larger) / np.linalg.det(M))

    delta = mixing_pair_delta(epsilon, m, k).upper
    big = rng.normal(size=(n, k, 3)) @ np.linalg.cholesky(larger).T
    found = np.maximum(1 - np.exp(epsilon - ratio(big)), 0)
    assert abs(found.mean() - delta) < 5 * found.std() / math.sqrt(n)
    small = rng.normal(size=(n, k, 3)) @ np.linalg.cholesky(M).T
    other = np.maximum(1 - np.exp(epsilon + ratio(small)), 0)
    backward = float(mixing_pair_backward_ball(epsilon, m, k).mid())
    assert abs(other.mean() - backward) < 5 * other.std() / math.sqrt(n)
    assert 0 < backward < delta < 1


def test_it_grows_with_the_leverage_and_with_the_rows() -> None:
    """M3, both directions, at random points, decided by enclosures; smaller at larger epsilon."""
    rng = np.random.default_rng(2)
    for _ in range(120):
        m, k = math.exp(rng.uniform(-8, 4)), int(math.exp(rng.uniform(0, 6)))
        epsilon = float(rng.choice([0.0, rng.uniform(0, 5), rng.uniform(0, 0.1)]))
        for function in (mixing_pair_forward_ball, mixing_pair_backward_ball):
            here = function(epsilon, m, k)
            assert not function(epsilon, 0.9 * m, k) > here
            assert not function(epsilon, m, k + 1) < here
            assert not function(epsilon + 0.01, m, k) > here


@pytest.mark.parametrize(("epsilon", "delta", "rows"), BUDGETS, ids=str)
def test_the_largest_leverage_is_the_largest(epsilon, delta, rows) -> None:
    """It is proved to suffice, and the next double is not; also in scipy's chi squared."""
    m = mixing_pair_leverage(epsilon, delta, rows)
    assert mixing_pair_delta(epsilon, m, rows).upper <= Fraction(delta)
    assert mixing_pair_delta(epsilon, next_up(m), rows).upper > Fraction(delta)
    w = (rows * math.log1p(m) + 2 * epsilon) / m
    other = chi2.sf(w, rows) - math.exp(epsilon) * chi2.sf((1 + m) * w, rows)
    assert other == pytest.approx(delta, rel=1e-5)


def renyi(leverage: float, epsilon: float, rows: int) -> float:
    """The delta that the Renyi divergences give at epsilon, by the best of many orders. (M5)"""
    orders = 1 + np.geomspace(1e-3, 0.999 / leverage, 4000)
    inside = np.log1p(-(orders - 1) * leverage) / (orders - 1)
    divergence = -rows / 2 * (math.log1p(leverage) + inside)
    exponent = (orders - 1) * (divergence - epsilon + np.log1p(-1 / orders)) - np.log(orders)
    return float(np.exp(exponent.min()))


@pytest.mark.parametrize(("epsilon", "delta", "rows"), BUDGETS[:3], ids=str)
def test_renyi_divergences_bound_it_from_above(epsilon, delta, rows) -> None:
    """M5: an independent upper bound, which is not far above."""
    m = mixing_pair_leverage(epsilon, delta, rows)
    assert delta < renyi(m, epsilon, rows) < 20 * delta


def test_the_numbers_of_the_page() -> None:
    """M4 and M5: 123.6, and 135.1 against 124.6."""
    m = mixing_pair_leverage(Fraction(1, 2), Fraction(1, 4 * 10**6), 333)
    assert 1 / m == pytest.approx(123.6, abs=0.05)
    at = 135.1 - 1  # gamma = 1 + 1/m
    assert renyi(1 / (at + 0.1), 0.5, 333) < 2.5e-7 < renyi(1 / (at - 0.1), 0.5, 333)


def test_nothing_is_hidden_at_no_leverage_and_bad_input_is_refused() -> None:
    """0 at 0; rows are whole; signs are checked."""
    assert mixing_pair_delta(1, 0, 5).upper == 0
    for name, function, arguments in (
        *(("rows", mixing_pair_delta, (1, 1, wrong)) for wrong in (0, -1, 2.5, True)),
        ("leverage", mixing_pair_delta, (1, -1, 3)),
        ("delta", mixing_pair_leverage, (1, 0, 3)),
    ):
        with pytest.raises(InvalidArgument, match=name):
            function(*arguments)


# --------------------------------------------------- The profile of two posteriors one record apart
POSTERIORS = [  # epsilon, gamma, leverage, residual
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 33), 1),
    (0, 1, Fraction(1, 10), Fraction(3, 2)),
    (1, 4, 1, 1),
    (Fraction(1, 10), 9, 2, 1),
    (2, 9, 1, 1),
    (3, Fraction(1, 4), 9, 2),
    (Fraction(3, 2), 0, 30, 1),
]


def backward_ball(epsilon, gamma, leverage, residual) -> arb:
    """An enclosure of the profile from Q to P: the record leaves. 0 for epsilon >= K."""
    return _sharp_posteriors(_backward, epsilon, gamma, leverage, residual)


def backward_interval(*point):
    """The least delta of that direction alone."""
    return _interval(backward_ball(*point))


def _backward(epsilon: arb, m: arb, b: arb) -> arb:
    """Q(|u - b| < w) - e^epsilon P(|u - b| < w), w^2 = 2 (K - epsilon); 0 for epsilon >= K."""
    k, root = (1 + m).sqrt(), m.sqrt()
    square = b * b / (1 + m) + m.log1p() - 2 * epsilon
    if square <= 0:
        return arb(0)
    w = square.sqrt()
    left, right = (((b + s * w) / root, (b / k + s * k * w) / root) for s in (-1, 1))
    return _beyond(k, *left) - _beyond(k, *right)


def _beyond(k: arb, x: arb, y: arb) -> arb:
    """Q(u > end) - e^epsilon P(u > end), by e^epsilon p = q at the end."""
    return upper_tail(y) - k * _density(y) * mills(x)


def densities(gamma: Fraction, leverage: Fraction, residual: Fraction):
    """P and Q as they are defined, and not as the module rewrites them."""
    m, g, r = (mpmath.mpf(x.numerator) / x.denominator for x in (leverage, gamma, residual))
    shift, std = mpmath.sqrt(g * m) * r / (1 + m), 1 / mpmath.sqrt(1 + m)
    return mpmath.npdf, lambda z: mpmath.npdf(z, shift, std)


def posterior_by_quadrature(epsilon, p, q) -> mpmath.mpf:
    """The integral of (p - e^epsilon q)+, between the places where it changes sign."""
    grid = [mpmath.mpf(i) / 16 for i in range(-16 * 16, 16 * 16 + 1)]

    def gap(z):
        return p(z) - mpmath.exp(epsilon) * q(z)

    ends = [-16, 16]
    for left, right in itertools.pairwise(grid):
        if gap(left) * gap(right) < 0:
            ends.append(mpmath.findroot(gap, (left, right), solver="anderson", tol=1e-50))
    pieces = itertools.pairwise(sorted(ends))
    return sum(
        (mpmath.quad(gap, [a, (a + b) / 2, b]) for a, b in pieces if gap((a + b) / 2) > 0), 0
    )


@pytest.mark.parametrize("point", POSTERIORS, ids=str)
def test_both_directions_of_posteriors_are_the_integral(point, ends: Ends) -> None:
    """Quadrature of the definition at 40 digits, and both ends of the enclosure around it."""
    epsilon, *pair = map(Fraction, point)
    with mpmath.workdps(40):
        eps = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        p, q = densities(*pair)
        for function, true in (
            (posterior_pair_ball, posterior_by_quadrature(eps, p, q)),
            (backward_ball, posterior_by_quadrature(eps, q, p)),
        ):
            low, high = ends(function(*point))
            assert high - low <= high * mpmath.mpf(2) ** -79
            assert abs(low - true) < mpmath.mpf(10) ** -25


def test_an_interval_is_one_double_wide() -> None:
    """Both ends of what is returned in doubles."""
    for point in POSTERIORS:
        found = posterior_pair_delta(*point)
        assert 0 < found.lower <= found.upper <= math.nextafter(found.lower, 1)
        assert backward_interval(*point).upper <= found.upper


def random_points(number: int, seed: int):
    """Every size of leverage, shift and epsilon."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        m = math.exp(rng.uniform(-10, 4))
        b = float(rng.choice([rng.uniform(0, 6), rng.uniform(0, 3) / math.sqrt(m)]))
        yield float(rng.choice([0.0, rng.uniform(0, 5), rng.uniform(0, 0.1)])), b, m


def test_the_record_that_joins_is_the_worse_direction() -> None:
    """P1, at random points, decided by enclosures."""
    for epsilon, b, m in random_points(300, 1):
        backward = backward_ball(epsilon, b * b, m, 1)
        assert not backward > posterior_pair_ball(epsilon, b * b, m, 1)


def test_it_grows_with_the_residual_and_up_to_the_limit_with_the_leverage() -> None:
    """P2 and P3, at random points."""
    for epsilon, b, m in random_points(300, 2):
        here = posterior_pair_ball(epsilon, b * b, m, 1)
        assert not posterior_pair_ball(epsilon, b * b, m, Fraction(9, 10)) > here
        if m <= LEVERAGE_LIMIT:
            assert not posterior_pair_ball(epsilon, b * b, m * 0.9, 1) > here


def test_beyond_the_limit_a_larger_leverage_may_leak_less() -> None:
    """Why the limit is there: without it P3 is false, and for the backward direction even below."""
    assert posterior_pair_ball(0.1, 9, 3, 1) < posterior_pair_ball(0.1, 9, 2, 1)
    assert backward_ball(2, 9, 1, 1) < backward_ball(2, 9, 0.7, 1)
    assert LEVERAGE_LIMIT**2 < 1 + LEVERAGE_LIMIT  # 1 + m - m^2 > 0: below the golden ratio
    with pytest.raises(InvalidArgument, match=r"at most 8/5.*Add a ridge"):
        posterior_pair_bound(1, 1, 2, 1)


def test_ends_of_the_domain() -> None:
    """No leverage: nothing leaks. No gamma: the variances still differ. Huge: 1."""
    assert posterior_pair_delta(0, 1, 0, 5).upper == 0
    assert posterior_pair_delta(0, 0, 1, 5).lower > 0.1
    assert posterior_pair_delta(1, 10**300, 1, 5).lower > 0.99
    assert backward_interval(50, 1, 1, 1).upper == 0  # beyond the largest loss
    assert 0 < posterior_pair_delta(10**4, 1, 1, 1).upper < 1e-300
    assert posterior_pair_delta(1, 4, 1, -1) == posterior_pair_delta(1, 4, 1, 1)
    for wrong in ((-1, 1, 1, 1), (1, -1, 1, 1), (1, 1, -1, 1), (1, 1, 1, math.nan)):
        with pytest.raises(InvalidArgument):
            posterior_pair_delta(*wrong)


def test_the_largest_gamma() -> None:
    """It suffices, the next double does not, and there may be none."""
    gamma = posterior_pair_gamma(0.5, 1e-6, Fraction(1, 33), 2)
    assert posterior_pair_bound(0.5, gamma, Fraction(1, 33), 2).upper <= 1e-6
    assert posterior_pair_bound(0.5, gamma * (1 + 1e-12), Fraction(1, 33), 2).lower > 1e-6
    with pytest.raises(InvalidArgument, match="some gamma is private"):
        posterior_pair_gamma(0.01, 1e-6, 1, 2)
    with pytest.raises(InvalidArgument, match="residual must be above 0"):
        posterior_pair_gamma(1, 1e-6, 1, 0)


def test_doubles_are_above_the_truth_and_near_it() -> None:
    """The vectorised form in doubles, element by element."""
    points = list(random_points(1500, 3))
    epsilon, b, m = map(np.array, zip(*points, strict=True))
    found = posterior_pair(epsilon, b * b, m, 1.0)
    for value, (at, shift, leverage) in zip(found, points, strict=True):
        true = posterior_pair_delta(at, shift * shift, leverage, 1)
        assert value >= true.upper or true.upper < 1e-300
        assert value <= true.lower * (1 + 1e-7) + 1e-300
    assert posterior_pair(1.0, 1.0, 0.0, 1.0) == 0
    assert posterior_pair(0, 1e200, 1e-8, 1e50) == 1
