"""The profile of Gaussian sketches one record apart: enclosed, monotone, and searched safely."""

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

from dpframe.errors import InvalidArgument
from dpframe.numerics import next_up
from dpframe.numerics.mixing_pair import (
    mixing_pair_backward_ball,
    mixing_pair_delta,
    mixing_pair_forward_ball,
    mixing_pair_leverage,
)

Ends = Callable[[arb], tuple[mpmath.mpf, mpmath.mpf]]

POINTS = [  # epsilon, leverage, rows
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


def by_quadrature(epsilon, leverage, rows, *, forward: bool) -> mpmath.mpf:
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


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_both_directions_are_the_integral(point, ends: Ends) -> None:
    """M2 against quadrature of the definition at 30 digits."""
    with mpmath.workdps(30):
        for function, forward in (
            (mixing_pair_forward_ball, True),
            (mixing_pair_backward_ball, False),
        ):
            low, high = ends(function(*point))
            true = by_quadrature(*point, forward=forward)
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
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(InvalidArgument, match="rows"):
            mixing_pair_delta(1, 1, wrong)
    with pytest.raises(InvalidArgument, match="leverage"):
        mixing_pair_delta(1, -1, 3)
    with pytest.raises(InvalidArgument, match="delta"):
        mixing_pair_leverage(1, 0, 3)
