"""Algorithms as coded against brute force in one and two dimensions, with noise that is given."""

from math import log, sqrt

import numpy as np
import pytest

from tests.experiments.as_coded import (
    Sums,
    adaptive_curvature,
    adaptive_sample,
    balanced_sample,
    in_unit_ball,
    objective_perturbation,
    positive_root,
    posterior_draw,
)

EPSILON, DELTA = 0.1, 1e-6
GRAM = np.array([[30.0, 12.0], [12.0, 50.0]])
MOMENT = np.array([9.0, -14.0])
ALGORITHMS = [objective_perturbation, balanced_sample, adaptive_sample]


class Given:
    """A generator that draws what it was given, in order."""

    def __init__(self, *draws):
        self.draws = list(draws)

    def standard_normal(self, size=None):
        """The next draws."""
        if size is None:
            return self.draws.pop(0)
        return np.array([self.draws.pop(0) for _ in range(size)], dtype=float)


def one(gram, moment, n):
    """Sums in one dimension."""
    return Sums(np.array([[gram]]), np.array([moment]), n)


def disc(size=601):
    """Points of the unit disc."""
    axis = np.linspace(-1, 1, size)
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    return points[np.linalg.norm(points, axis=1) <= 1]


@pytest.mark.parametrize("linear", [[9.0, -14.0], [300.0, 200.0], [0.0, 0.0], [-1e9, 1.0]])
def test_in_unit_ball_is_the_least_of_all_points(linear):
    """No point of a fine grid is better; inside, and on the sphere."""
    linear = np.array(linear)
    found = in_unit_ball(GRAM, linear)
    assert np.linalg.norm(found) <= 1 + 1e-9
    points = disc()
    values = np.einsum("ij,jk,ik->i", points, GRAM, points) - points @ linear
    value = found @ GRAM @ found - found @ linear
    assert value <= values.min() + 1e-9 * abs(value)
    assert np.linalg.norm(points[values.argmin()] - found) < 0.02


@pytest.mark.parametrize("draw", [0.0, 0.4, -0.001, 2.0])
def test_objective_perturbation_in_one_dimension(draw):
    """A parabola on [-1, 1]: noise and ridge over epsilon^2, the moment halved."""
    epsilon = 0.5
    noisy = 40.0 - 2 * sqrt(4 * log(2e6) + 2 * epsilon) / epsilon**2 * draw
    want = np.clip(noisy / (2 * (100 + 2 / epsilon**2)), -1, 1)
    found = objective_perturbation(one(100.0, 40.0, 300), epsilon, DELTA, Given(draw))
    assert found == pytest.approx([want], rel=1e-9)


def test_without_noise_and_ridge_objective_perturbation_is_half_of_least_squares():
    """Where epsilon is large; a correct objective would give the whole."""
    found = objective_perturbation(Sums(GRAM, MOMENT, 90), 1e6, DELTA, Given(0.0, 0.0))
    assert found == pytest.approx(np.linalg.solve(GRAM, MOMENT) / 2, rel=1e-6)


@pytest.mark.parametrize(("n", "d"), [(0, 1), (50, 1), (5000, 1), (20000, 2)])
def test_the_balanced_ridge_and_precision(n, d):
    """Zero noise shows the ridge, one unit of noise the precision, which solves its equation."""
    gram, moment = np.diag([float(n)] * d), np.full(d, n / 4)
    cost = (d / 2 + sqrt(d * log(20)) + log(20)) * log(2e6) / 0.05**2
    ridge = max(np.cbrt(cost * n / 2), (1 + log(2e6)) / 0.1)
    mean = balanced_sample(Sums(gram, moment, n), EPSILON, DELTA, Given(*[0.0] * d))
    assert mean == pytest.approx(moment / (n + 1 + ridge), rel=1e-9)
    moved = balanced_sample(Sums(gram, moment, n), EPSILON, DELTA, Given(*[1.0] * d))
    precision = 1 / ((moved - mean)[0] * sqrt(n + 1 + ridge))
    slope = 1 + min(sqrt(n) / sqrt(2 * ridge), n / ridge)
    spent = slope**2 / (ridge + 1) * precision**2 + slope * sqrt(log(2e6) / ridge) * precision
    assert spent + (1 + log(2e6)) / 2 / ridge == pytest.approx(EPSILON, rel=1e-8)


@pytest.mark.parametrize("lowest", [0.0, 310.0, 5000.0])
@pytest.mark.parametrize("d", [1, 30])
@pytest.mark.parametrize("epsilon", [0.1, 3.0])
def test_the_adaptive_curvature_is_the_least_of_a_grid(lowest, d, epsilon):
    """Of the function as the code writes it, over ridges above its target."""
    tail = log(6e6)
    share = (-1 + sqrt(1 + tail * epsilon / 2)) / tail
    cost = (d / 2 + sqrt(d * log(20)) + log(20)) * tail / share**2
    power = 2 * tail / (epsilon / 4)
    target = max((1 + tail) / 2 / (epsilon / 4) - lowest, 0)

    def value(ridge):
        u = ridge + lowest
        return cost * (1 + 1 / u) ** power / u + ridge

    found = adaptive_curvature(lowest, d, epsilon, DELTA) - lowest
    assert found >= target - 1e-9
    ridges = target + np.geomspace(1e-6, 1e6, 200_001)
    assert value(found) <= min(value(ridges).min(), value(target)) * (1 + 1e-12)


@pytest.mark.parametrize("draws", [(0.0, 0.0), (1.5, -2.0), (-40.0, 3.0), (0.5, -25.0)])
@pytest.mark.parametrize(("gram", "moment", "n"), [(900.0, -300.0, 1200), (2.0, 1.0, 4)])
def test_the_adaptive_sample_in_one_dimension(gram, moment, n, draws):
    """Step by step as the code has it: eigenvalue, ridge, norm, precision, sample."""
    tail, quarter = log(6e6), EPSILON / 4
    lowest = max(gram + 1 + draws[0] * sqrt(tail) / quarter - tail / quarter, 0)
    u = adaptive_curvature(lowest, 1, EPSILON, DELTA)
    theta = moment / (gram + 1 + u - lowest)
    sigma = np.log(1 + 1 / u) / quarter
    noisy = np.log(1 + abs(theta)) + draws[1] * sigma * sqrt(tail) + sigma * tail
    slope = min(np.exp(noisy), 1 + sqrt(2 * sqrt(n) / u))
    a, b = slope**2 / 2 / (u + 1), sqrt(slope**2 * tail / u)
    c = (1 + tail) / 2 / u - EPSILON / 2
    precision = (-b + sqrt(b**2 - 4 * a * c)) / (2 * a)
    want = theta + 0.7 / sqrt(gram + 1 + u - lowest) / precision
    found = adaptive_sample(one(gram, moment, n), EPSILON, DELTA, Given(*draws, 0.7))
    assert found == pytest.approx([want], rel=1e-9)


def test_the_adaptive_sample_reads_the_least_eigenvalue():
    """Of X'X + I, and ridges by what it lacks; zero noise shows the ridge."""
    spread, tail = np.array([1500.0, 900.0]), log(6e6)
    moment = np.array([-70.0, 50.0])
    lowest = 901 - tail / (EPSILON / 4)
    ridge = max(adaptive_curvature(lowest, 2, EPSILON, DELTA) - lowest, 0)
    found = adaptive_sample(
        Sums(np.diag(spread), moment, 10_000), EPSILON, DELTA, Given(0.0, 0.0, 0.0, 0.0)
    )
    assert found == pytest.approx(moment / (spread + 1 + ridge), rel=1e-9)
    other = 1501 - tail / (EPSILON / 4)
    assert adaptive_curvature(other, 2, EPSILON, DELTA) - other != pytest.approx(ridge)


def test_the_draw_is_transposed():
    """Its covariance is (L'L)^-1, and not (LL')^-1, of which it is a conjugate."""
    mean = posterior_draw(GRAM, MOMENT, 2.0, Given(0.0, 0.0))
    assert mean == pytest.approx(np.linalg.solve(GRAM, MOMENT))
    units = [
        posterior_draw(GRAM, MOMENT, 2.0, Given(*unit)) - mean for unit in ((1.0, 0), (0, 1.0))
    ]
    covariance = np.array(units).T @ np.array(units) * 4
    lower = np.linalg.cholesky(GRAM)
    assert covariance == pytest.approx(np.linalg.inv(lower.T @ lower))
    assert np.abs(covariance - np.linalg.inv(GRAM)).max() > 1e-3
    assert np.linalg.eigvalsh(covariance) == pytest.approx(np.linalg.eigvalsh(np.linalg.inv(GRAM)))


@pytest.mark.parametrize(("a", "b", "c"), [(1, 0, -4), (1e-12, 3, -1e-9), (7, 2e9, -1)])
def test_the_positive_root(a, b, c):
    """Found without cancellation."""
    x = positive_root(a, b, c)
    assert x > 0
    assert a * x**2 + b * x == pytest.approx(-c, rel=1e-12)


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize(
    "X",
    [np.zeros((0, 1)), np.ones((1, 1)), np.zeros((5, 3)), np.ones((9, 4)) / 2, np.eye(40)],
    ids=["no row", "one row", "zeros", "one direction", "identity"],
)
def test_every_table_gives_numbers(algorithm, epsilon, X):
    """Degenerate tables have finite coefficients of the right shape."""
    sums = Sums.of(X, np.ones(len(X)))
    theta = algorithm(sums, epsilon, DELTA, np.random.default_rng(0))
    assert theta.shape == (X.shape[1],)
    assert np.all(np.isfinite(theta))
