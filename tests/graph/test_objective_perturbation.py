"""The theorem of proofs/objective_perturbation, against the laws themselves, by quadrature."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

B, Y, R = 1.0, 1.0, 1.0
GRID = np.sinh(np.linspace(-8, 8, 8_001)) / 2  # up to 745 away, fine near 0
LOSSES = {  # first and second derivative in the margin, s, c
    "logistic": (
        lambda t, y: -y * expit(-y * t),
        lambda t, y: y * y * expit(y * t) * expit(-y * t),
        Y,
        Y * Y / 4,
    ),
    "squared": (lambda t, y: t - y, lambda t, y: np.ones_like(t), B * R + Y, 1.0),
}
TABLES = {
    "empty": [],
    "balanced": [(1.0, 1.0), (1.0, -1.0)],
    "leaning": [(1.0, 1.0)] * 3,
    "flat": [(0.05, -1.0)] * 40,
}
NOISES = ("gaussian", "laplace")


def gaussian_profile(epsilon, mu):
    """delta(epsilon; mu), by its formula."""
    return norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


def law(loss, table, penalty, noise, size):
    """Density of the minimiser on GRID; over the ball, on [-R, R] with the masses of its ends."""
    first, second, *_ = LOSSES[loss]
    points = GRID if loss == "logistic" else np.linspace(-R, R, 4_001)
    counted = Counter(table).items()
    slope = penalty * points + sum(k * x * first(x * points, y) for (x, y), k in counted)
    bend = penalty + sum(k * x * x * second(x * points, y) for (x, y), k in counted)
    z = -slope / size
    if noise == "gaussian":
        density, below = norm.pdf(z), norm.cdf
    else:
        density = np.exp(-np.abs(z)) / 2
        below = lambda v: np.where(v < 0, np.exp(v) / 2, 1 - np.exp(-v) / 2)  # noqa: E731
    weights = np.gradient(points)
    weights[[0, -1]] /= 2
    inner = density * bend / size * weights
    return inner if loss == "logistic" else np.append(inner, [below(z[-1]), 1 - below(z[0])])


def delta_of(p, q, epsilon):
    """sup P(S) - e^epsilon Q(S)."""
    return float(np.maximum(p - np.exp(epsilon) * q, 0).sum())


def pairs():
    """Neighbours: a table, without and with one record, or with one or another."""
    for table in TABLES.values():
        for x, y in itertools.product((1.0, 0.5), (1.0, -1.0)):
            yield "add/remove", table, [*table, (x, y)]
            yield "replace-one", [*table, (1.0, 1.0)], [*table, (x, y)]


def jacobian(loss, penalty):
    """epsilon_J."""
    return np.log(1 + LOSSES[loss][3] * B * B / penalty)


def promised(relation, loss, penalty, noise, size, epsilon):  # noqa: PLR0917 - a table of cases
    """The theorem's delta at epsilon_J + epsilon."""
    own = jacobian(loss, penalty)
    most = LOSSES[loss][2] * B * (1 if relation == "add/remove" else 2) / size
    if noise == "laplace":
        return 0.0 if epsilon >= most else 1.0
    if relation == "replace-one":
        return 4 * gaussian_profile(epsilon, most)
    return max(gaussian_profile(epsilon, most), 2 * gaussian_profile(own + epsilon, most))


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalty", [0.25, 2.0])
def test_no_pair_exceeds_the_theorem(noise, loss, penalty):
    """Every neighbour, both ways, at several epsilon."""
    for size in (1.0, 3.0):
        for relation, one, other in pairs():
            p, q = (law(loss, table, penalty, noise, size) for table in (one, other))
            most = LOSSES[loss][2] * B * (1 if relation == "add/remove" else 2) / size
            for epsilon in (0.0, 0.3, 1.0, most):
                total = jacobian(loss, penalty) + epsilon
                bound = promised(relation, loss, penalty, noise, size, epsilon)
                assert delta_of(p, q, total) <= bound + 1e-7
                assert delta_of(q, p, total) <= bound + 1e-7


def test_noise_alone_does_not_pay_for_the_determinant():
    """The negative control: without epsilon_J both guarantees would be false."""
    empty, one = [], [(1.0, 1.0)]
    p, q = (law("squared", table, 0.05, "laplace", 20.0) for table in (empty, one))
    assert delta_of(q, p, 2 / 20.0) > 0.01
    p, q = (law("squared", table, 0.05, "gaussian", 20.0) for table in (empty, one))
    assert delta_of(q, p, 0.1) > 2 * gaussian_profile(0.1, 2 / 20.0)


def test_half_the_shift_would_be_found_out():
    """The negative control for the shift: a steep record, hardly bent, spends most of A/b."""
    table = [(0.01, -1.0)] * 3000
    p, q = (law("logistic", rows, 1.0, "laplace", 1.0) for rows in (table, [*table, (1.0, 1.0)]))
    assert delta_of(q, p, 0.8) > 0.05


def test_convexity_halves_the_factor_of_a_replacement():
    """Where epsilon^2 >= mu^2 + mu^4/4, two right-angled parts cost no more than the whole."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        mu, angle = np.exp(rng.uniform(-3, 1)), rng.uniform(0.01, 1.56)
        epsilon = np.sqrt(mu**2 + mu**4 / 4) * (1 + rng.exponential())
        parts = sum(gaussian_profile(epsilon, mu * f(angle)) for f in (np.cos, np.sin))
        assert parts <= gaussian_profile(epsilon, mu) + 1e-12
    low = [gaussian_profile(0.01, 2.0 * np.sqrt(0.5)), gaussian_profile(0.01, 2.0)]
    assert 2 * low[0] > low[1]  # and not where the condition fails
