"""The profile of two posteriors one record apart: enclosed, and worst where it is said to be."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb

from docs.generate.refutations.posterior_profile import posterior_pair
from dpframe.errors import InvalidArgument
from dpframe.numerics.posterior_pair import (
    LEVERAGE_LIMIT,
    _density,
    _exact,
    _interval,
    _sharp,
    posterior_pair_ball,
    posterior_pair_bound,
    posterior_pair_delta,
    posterior_pair_gamma,
)
from dpframe.numerics.profile import mills, upper_tail

Ends = Callable[[arb], tuple[mpmath.mpf, mpmath.mpf]]

POINTS = [  # epsilon, gamma, leverage, residual
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
    return _sharp(_backward, epsilon, gamma, leverage, residual)


def backward_interval(*point):
    """The least delta of that direction alone."""
    return _interval(backward_ball(*_exact(*point)))


def _backward(epsilon: arb, b: arb, m: arb) -> arb:
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


def by_quadrature(epsilon, p, q) -> mpmath.mpf:
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


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_both_directions_are_the_integral(point, ends: Ends) -> None:
    """Quadrature of the definition at 40 digits, and both ends of the enclosure around it."""
    epsilon, *pair = map(Fraction, point)
    with mpmath.workdps(40):
        eps = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        p, q = densities(*pair)
        for function, true in (
            (posterior_pair_ball, by_quadrature(eps, p, q)),
            (backward_ball, by_quadrature(eps, q, p)),
        ):
            low, high = ends(function(*point))
            assert high - low <= high * mpmath.mpf(2) ** -79
            assert abs(low - true) < mpmath.mpf(10) ** -25


def test_an_interval_is_one_double_wide() -> None:
    """Both ends of what is returned in doubles."""
    for point in POINTS:
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
    """The fast twin, element by element."""
    points = list(random_points(1500, 3))
    epsilon, b, m = map(np.array, zip(*points, strict=True))
    found = posterior_pair(epsilon, b * b, m, 1.0)
    for value, (at, shift, leverage) in zip(found, points, strict=True):
        true = posterior_pair_delta(at, shift * shift, leverage, 1)
        assert value >= true.upper or true.upper < 1e-300
        assert value <= true.lower * (1 + 1e-7) + 1e-300
    assert posterior_pair(1.0, 1.0, 0.0, 1.0) == 0
    assert posterior_pair(0, 1e200, 1e-8, 1e50) == 1
