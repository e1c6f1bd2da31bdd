"""Penalised minima of quadratic forms. Oracles: every pattern of signs, scikit-learn, the
conditions on the gradient in exact words.
"""

import itertools

import numpy as np
import pytest
from sklearn.linear_model import ElasticNet

from dpframe.regressions.functional import (
    form_of,
    form_of_monomials,
    plain_fit,
    projected,
    projected_fit,
    trimmed_fit,
)
from dpframe.regressions.penalised import Quadratic, kkt, penalised, sparse

PENALTIES = [(0.0, 1.0), (2.0, 1.0), (2.0, 0.0), (3.0, 0.4), (1e-7, 0.0), (1e6, 0.5)]


def design(seed, d, rank=None, scale=1.0):
    """A = X'X of the rank (d by default) and b in its range."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rank or d + 5, d)) * scale
    return Quadratic(X.T @ X, X.T @ rng.normal(size=len(X)))


def objective(form, lam, alpha, theta):
    """By definition."""
    penalty = lam * (alpha * theta @ theta + (1 - alpha) * np.abs(theta).sum())
    return theta @ form.A @ theta - 2 * theta @ form.b + penalty


def by_signs(form, lam, alpha):
    """The best of the stationary points of all 3^d patterns of signs."""
    d = len(form.b)
    best, least = np.zeros(d), 0.0
    for signs in itertools.product((-1, 0, 1), repeat=d):
        s = np.array(signs, dtype=float)
        on = s != 0
        theta = np.zeros(d)
        system = (form.A + lam * alpha * np.eye(d))[np.ix_(on, on)]
        theta[on] = np.linalg.lstsq(system, (form.b - lam * (1 - alpha) / 2 * s)[on], rcond=None)[0]
        value = objective(form, lam, alpha, theta)
        if value < least:
            best, least = theta, value
    return best, least


@pytest.mark.some(1, most=12)
@pytest.mark.parametrize(("lam", "alpha"), PENALTIES)
@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_the_best_of_all_patterns_of_signs(seed, d, lam, alpha):
    """The same minimum and the same minimiser."""
    form = design(seed, d)
    fit = penalised(form, lam, alpha)
    best, least = by_signs(form, lam, alpha)
    assert fit.solved
    assert objective(form, lam, alpha, fit.coefficients) <= least + 1e-10 * abs(least)
    assert np.allclose(fit.coefficients, best, rtol=1e-6, atol=1e-9)  # patterns may tie
    assert fit.ridge == lam * alpha


@pytest.mark.parametrize(("lam", "alpha"), [(2.0, 0.1), (40.0, 0.5), (9.0, 0.0)])
def test_it_is_scikit_learns(lam, alpha):
    """ElasticNet on rows with these products, at its own tolerance."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 12)), rng.normal(size=60)
    fit = penalised(Quadratic(X.T @ X, X.T @ y), lam, alpha)
    one, two = lam * (1 - alpha), lam * alpha  # |y - Xw|^2/(2n) + a r |w|_1 + a (1-r)/2 |w|^2
    total = one / 120 + two / 60
    peer = ElasticNet(
        alpha=total, l1_ratio=one / 120 / total, fit_intercept=False, tol=1e-12, max_iter=10**6
    )
    assert np.allclose(fit.coefficients, peer.fit(X, y).coef_, atol=1e-8)
    assert 0 < np.count_nonzero(fit.coefficients)


@pytest.mark.some(1, most=20)
@pytest.mark.parametrize("seed", range(60))
def test_the_conditions_hold_to_ten_digits(seed):
    """Any width, rank, scale, penalty; duplicated and constant columns, unequal units."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 25))
    X = rng.normal(size=(int(rng.integers(1, d + 4)), d)) * 10.0 ** rng.uniform(-3, 3)
    X *= 10.0 ** rng.uniform(-1, 1, size=d)
    if seed % 3 == 0:
        X[:, 0] = X[:, -1]
    if seed % 5 == 0:
        X[:, 0] = 0.0
    form = Quadratic(X.T @ X, X.T @ rng.normal(size=len(X)))
    absolute = float(np.abs(form.b).max() * 10.0 ** rng.uniform(-4, 0.2))
    square = float(form.A.max() * 10.0 ** rng.uniform(-9, 1)) * (seed % 2)
    theta = sparse(form, square, absolute)
    assert theta is not None
    assert kkt(form.A + square * np.eye(d), form.b, absolute, theta) <= 1e-10


def test_the_conditions_notice_what_is_no_minimiser():
    """The negative control of `kkt`."""
    form = design(1, 3)
    theta = sparse(form, 0.0, 1.0)
    assert kkt(form.A, form.b, 1.0, theta) <= 1e-10
    assert kkt(form.A, form.b, 1.0, theta * (1 + 1e-6)) > 1e-8
    assert kkt(form.A, form.b, 1.0, np.zeros(3)) > 1e-3


@pytest.mark.parametrize(("lam", "alpha"), PENALTIES[:4])
def test_an_indefinite_form_has_no_minimum(lam, alpha):
    """Zeros, and said so; a ridge that is large enough mends it."""
    form = Quadratic(np.diag([1.0, -9.0]), np.ones(2))
    fit = penalised(form, lam, alpha)
    assert not fit.solved
    assert (fit.coefficients == 0).all()
    assert penalised(form, 10.0, 1.0).solved


def test_a_flat_line_on_which_the_rest_falls():
    """Unbounded without a penalty; bounded where the penalty on |theta|_1 is larger."""
    form = Quadratic(np.diag([1.0, 0.0]), np.array([1.0, 0.5]))
    assert not penalised(form, 0.0, 1.0).solved
    assert not penalised(form, 0.5, 0.0).solved
    fit = penalised(form, 1.5, 0.0)
    assert fit.solved
    assert fit.coefficients.tolist() == pytest.approx([0.25, 0.0])


def test_the_shortest_of_several():
    """A duplicated column shares its coefficient."""
    fit = penalised(Quadratic(np.ones((2, 2)), np.ones(2)), 0.0, 1.0)
    assert np.allclose(fit.coefficients, [0.5, 0.5])


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize(
    ("A", "b"),
    [
        (np.zeros((2, 2)), np.zeros(2)),
        (np.full((2, 2), np.inf), np.ones(2)),
        (np.full((2, 2), np.nan), np.ones(2)),
        (np.eye(2), np.array([np.nan, 1])),
        (np.eye(2) * 1e300, np.ones(2) * 1e300),
        (np.eye(2) * 1e-300, np.ones(2) * 1e-300),
        (np.eye(1) * 5e-324, np.ones(1) * 1e300),
        (np.zeros((0, 0)), np.zeros(0)),
    ],
)
@pytest.mark.parametrize(("lam", "alpha"), PENALTIES)
def test_nothing_is_ever_no_number(A, b, lam, alpha):
    """Finite coefficients whatever comes, without a warning; zeros where it was not solved."""
    fit = penalised(Quadratic(A, b), lam, alpha)
    assert np.isfinite(fit.coefficients).all()
    assert fit.solved or (fit.coefficients == 0).all()


# ------------------------------------------------------------------------------ forms and repairs
def layout(A, b, constant=None):
    """Sufficient statistics, as they are released."""
    return np.concatenate([A[np.triu_indices(len(b))], b, [] if constant is None else [constant]])


def test_forms_are_read_back():
    """From statistics and from monomials, in units of the data; the constant is left alone."""
    form = design(4, 3)
    A, b = form.A / 4, form.b / 6  # unit 2, bound 3
    got = form_of(layout(A, b), 2.0, 3.0)
    assert np.allclose(got.A, form.A)
    assert np.allclose(got.b, form.b)
    factors = [1, 2, 2, 1, 2, 1, -2, -2, -2, 1]
    for constant in (None, 7.0):
        flat = layout(A, b, constant)
        got = form_of_monomials(flat * factors[: len(flat)], 2.0, 3.0)
        assert np.allclose(got.A, form.A)
        assert np.allclose(got.b, form.b)
        assert (got.A == got.A.T).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_projection_is_the_nearest_and_stays_bounded(seed):
    """Positive semidefinite, nearer than others that are, b in its range; itself where it was."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    A = rng.normal(size=(d, d))
    form = Quadratic(A + A.T, rng.normal(size=d))
    near = projected(form)
    assert np.linalg.eigvalsh(near.A).min() >= -1e-12
    for _ in range(20):
        other = rng.normal(size=(d, d))
        other = near.A + 0.1 * (other @ other.T)
        assert np.linalg.norm(near.A - form.A) <= np.linalg.norm(other - form.A) + 1e-9
    assert np.allclose(near.A @ np.linalg.pinv(near.A, rcond=1e-8) @ near.b, near.b)
    again = projected(near)
    assert np.allclose(again.A, near.A)
    assert np.allclose(again.b, near.b)


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("penalty", PENALTIES)
def test_after_projection_there_is_always_a_minimum(seed, penalty):
    """Noise alone, of any size: solved, finite, and no nearby point is lower."""
    lam, alpha = penalty
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 8))
    noisy = rng.laplace(scale=10.0 ** rng.uniform(-6, 6), size=d * (d + 3) // 2)
    fit = projected_fit(noisy, 1.0, 1.0, lam, alpha)
    assert fit.solved
    form = projected(form_of(noisy, 1.0, 1.0))
    least = objective(form, lam, alpha, fit.coefficients)
    for _ in range(20):
        step = rng.normal(size=d) * 10.0 ** rng.uniform(-6, 1)
        there = objective(form, lam, alpha, fit.coefficients + step)
        assert there >= least - 1e-9 * (abs(least) + abs(there))


def test_repairs_agree_where_none_is_needed():
    """On a steep form projection changes nothing; trimming adds its ridge."""
    form = design(5, 4)
    flat = layout(form.A, form.b)
    truth = np.linalg.solve(form.A, form.b)
    assert np.allclose(projected_fit(flat, 1.0, 1.0, 0.0, 1.0).coefficients, truth)
    assert np.allclose(plain_fit(flat, 1.0, 1.0).coefficients, truth)
    trimmed = trimmed_fit(flat, 1.0, 1.0, 0.5)
    raised = np.linalg.solve(form.A + 2 * np.eye(4), form.b)
    assert np.allclose(trimmed.coefficients, raised)
    assert trimmed.ridge == 2
    assert not trimmed.ridge_was_zero


def test_no_repair_fails_where_it_must():
    """On an indefinite form: unrepaired zeros, projected and trimmed a fit."""
    flat = layout(np.diag([1.0, -1.0]), np.ones(2))
    assert not plain_fit(flat, 1.0, 1.0).solved
    assert projected_fit(flat, 1.0, 1.0, 0.0, 1.0).coefficients.tolist() == [1.0, 0.0]
    assert trimmed_fit(flat, 1.0, 1.0, 0.1).solved
