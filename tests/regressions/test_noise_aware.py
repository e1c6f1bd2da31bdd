"""Bayesian regression from noisy sums: the sampler against brute force, coverage, and privacy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import dpframe as dp
from dpframe.regressions.bayesian import gaussian_posterior, laplace_posterior
from dpframe.regressions.noise_aware import (
    ConjugatePrior,
    GaussianNoise,
    LaplaceNoise,
    Noisy,
    agreement,
    factor_of,
    moments,
    parameters,
    projected,
    sampled,
    summary,
    symmetric,
)
from tests.support.tables import on_sphere

TARGET, NUMBERS = dp.ApproxDP(dp.EPSILON, dp.DELTA), dp.ApproxDP(1, "1e-6")
BOTH = pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
PRIOR = ConjugatePrior(1.0, 2.0, 0.1)
N, VALUES = 200, np.array([[70.0, 30.0], [30.0, 25.0]])


def setting(relation=dp.ADD_REMOVE, **how):
    """Bounds of 1."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, **how)


def grid():
    """(theta, sigma^2, second moment of x) on a wide grid, and the logarithm of their prior."""
    theta, s, v = np.meshgrid(
        np.linspace(-0.3, 1.4, 69),
        np.geomspace(0.004, 0.6, 60),
        np.geomspace(0.12, 0.9, 45),
        indexing="ij",
    )
    prior = -np.log(s) / 2 - PRIOR.precision * theta**2 / (2 * s)
    prior += -(PRIOR.shape + 1) * np.log(s) - PRIOR.scale / s
    prior += -(3 + 2) / 2 * np.log(v) - 1 / (2 * v)  # InvWishart(3, 1) of one number
    return (theta, s, v), prior + np.log(s) + np.log(v)  # grids are even in logarithms


def moments_of(theta, s, v):
    """The mean (x x, x y, y y) and its covariance for normal rows, a record."""
    xy, yy = theta * v, theta**2 * v + s
    mean = np.stack([v, xy, yy], axis=-1)
    cov = [
        [2 * v * v, 2 * v * xy, 2 * xy * xy],
        [0, v * yy + xy * xy, 2 * xy * yy],
        [0, 0, 2 * yy**2],
    ]
    full = np.zeros((*v.shape, 3, 3))
    for i, j in itertools.combinations_with_replacement(range(3), 2):
        full[..., i, j] = full[..., j, i] = cov[i][j]
    return mean, full


def averages(points, logs):
    """The mean and std of theta, and the mean of log sigma^2, under weights on a grid."""
    theta, s, _ = points
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    mean = np.sum(weights * theta)
    return mean, math.sqrt(np.sum(weights * (theta - mean) ** 2)), np.sum(weights * np.log(s))


def by_sampler(noisy, sweeps=2500):
    """The same three from the sampler."""
    found = summary(sampled(noisy, N, PRIOR, sweeps, 8), 1.0, 1.0)
    theta = found.draws[:, 0]
    assert found.agreement < 1.1
    return found.coefficients[0], theta.std(), np.log(found.variances).mean()


@pytest.mark.parametrize("size", [0.5, 6.0])
def test_one_column_against_a_grid_gaussian(size):
    """Sums integrated out by hand: (x x, x y, y y) is normal with both covariances added."""
    points, logs = grid()
    mean, cov = moments_of(*points)
    cov = N * cov + np.diag([size**2, size**2 / 2, size**2])
    gap = VALUES[np.triu_indices(2)] - N * mean
    solved = np.linalg.solve(cov, gap[..., None])[..., 0]
    logs = logs - np.linalg.slogdet(cov)[1] / 2 - np.sum(gap * solved, axis=-1) / 2
    true, found = averages(points, logs), by_sampler(GaussianNoise(VALUES, size))
    assert found[0] == pytest.approx(true[0], abs=0.15 * true[1])
    assert found[1] == pytest.approx(true[1], rel=0.12)
    assert found[2] == pytest.approx(true[2], abs=0.08)


def test_one_column_against_a_grid_laplace():
    """Sums integrated out by simulation: many draws of them, weighed by the Laplace density."""
    scale, draws = 4.0, 4000
    points, logs = grid()
    chosen = np.exp(logs - logs.max()) >= 0
    mean, cov = moments_of(*(one[::4, ::4, ::4] for one in points))
    coarse = tuple(one[::4, ::4, ::4] for one in points)
    assert chosen.all()
    normal = np.random.default_rng(1).standard_normal((draws, 3))
    roots = np.linalg.cholesky(N * cov)
    likelihood = np.empty(mean.shape[:-1])
    for place in np.ndindex(likelihood.shape):
        sums = N * mean[place] + normal @ roots[place].T
        gaps = np.abs(VALUES[np.triu_indices(2)] - sums).sum(axis=1) / scale
        likelihood[place] = np.log(np.mean(np.exp(gaps.min() - gaps))) - gaps.min()
    true = averages(coarse, logs[::4, ::4, ::4] + likelihood)
    found = by_sampler(LaplaceNoise(VALUES, scale))
    assert found[0] == pytest.approx(true[0], abs=0.2 * true[1])
    assert found[1] == pytest.approx(true[1], rel=0.15)
    assert found[2] == pytest.approx(true[2], abs=0.1)


def test_without_noise_it_is_the_conjugate_posterior():
    """theta is Student around the ridge solution, with its scale."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3)) / 2
    y = X @ [0.4, -0.2, 0.1] + 0.2 * rng.normal(size=400)
    Z = np.column_stack([X, y])
    found = summary(sampled(GaussianNoise(Z.T @ Z, 1e-9), 400, PRIOR, 2000, 8), 1.0, 1.0)
    H = X.T @ X + np.eye(3)
    mean = np.linalg.solve(H, X.T @ y)
    rest = PRIOR.scale + (y @ y - mean @ X.T @ y) / 2
    freedom = PRIOR.shape + 200
    std = np.sqrt(rest / (freedom - 1) * np.diag(np.linalg.inv(H)))
    assert np.allclose(found.coefficients, mean, atol=1e-6)
    assert np.allclose(found.draws.std(axis=0), std, rtol=0.05)
    assert found.variances.mean() == pytest.approx(rest / (freedom - 1), rel=0.02)


def test_second_moments_are_inverse_wishart():
    """The mean is (I/d + X'X)/(n + 1), for d + 2 + n degrees of freedom."""
    rows = np.tile(np.array([[40.0, 9.0], [9.0, 20.0]]), (4000, 1, 1))
    root = moments(rows, 30.0, np.random.default_rng(2))
    found = (root @ root.swapaxes(1, 2)).mean(axis=0)
    assert np.allclose(found, (np.eye(2) / 2 + rows[0]) / 31, rtol=0.05)
    factor = factor_of(root[:1], np.array([[0.5, -1.0]]), np.array([0.3]))[0]
    omega, moment = factor @ factor.T, root[0] @ root[0].T
    assert np.allclose(omega[:2, :2], moment)
    assert np.allclose(omega[2, :2], moment @ [0.5, -1.0])
    assert omega[2, 2] == pytest.approx(np.array([0.5, -1.0]) @ moment @ [0.5, -1.0] + 0.3)


def test_one_draw_of_the_sums_is_the_product_of_two_normal_laws():
    """Given Omega: against the formula for all entries at once, for both kinds of noise."""
    rng = np.random.default_rng(5)
    root = np.tile(np.linalg.cholesky(np.array([[0.5, 0.2], [0.2, 0.3]])), (60_000, 1, 1))
    omega, size = root[0] @ root[0].T, 5.0
    upper = np.triu_indices(2)
    pairs = list(zip(*upper, strict=True))
    cov = np.array(
        [
            [N * (omega[i, k] * omega[j, m] + omega[i, m] * omega[j, k]) for k, m in pairs]
            for i, j in pairs
        ]
    )
    noise = np.diag([size**2, size**2 / 2, size**2])
    gain = cov @ np.linalg.inv(cov + noise)
    mean = N * omega[upper] + gain @ (VALUES - N * omega)[upper]
    drawn = GaussianNoise(VALUES, size).given(root, root, N, rng)[:, upper[0], upper[1]]
    assert np.allclose(drawn.mean(axis=0), mean, atol=0.15)
    assert np.allclose(np.cov(drawn.T), cov - gain @ cov, atol=0.06 * np.abs(cov).max())
    # the variances of Laplace noise are drawn first: condition on the same ones
    fixed = np.tile(np.diag(noise), (60_000, 1))
    laplace = Fixed(VALUES, 1.0, fixed)
    drawn = laplace.given(root, root, N, rng)[:, upper[0], upper[1]]
    assert np.allclose(drawn.mean(axis=0), mean, atol=0.15)
    assert np.allclose(np.cov(drawn.T), cov - gain @ cov, atol=0.06 * np.abs(cov).max())


class Fixed(LaplaceNoise):
    """Of these variances."""

    def __init__(self, values, size, variances):
        super().__init__(values, size)
        object.__setattr__(self, "fixed", variances)

    def variances(self, noise, rng):
        """As they are."""
        del noise, rng
        return self.fixed


def test_laplace_noise_is_normal_of_a_random_variance():
    """A sweep of noise and variance keeps the exponential law of the variance, of mean 2 b^2."""
    rng, scale = np.random.default_rng(6), 3.0
    variances = rng.exponential(2 * scale**2, 200_000)
    noise = np.sqrt(variances) * rng.standard_normal(200_000)
    assert np.abs(noise).mean() == pytest.approx(scale, rel=0.02)
    again = LaplaceNoise(np.zeros((1, 1)), scale).variances(noise, rng)
    for power in (0.5, 1.0):
        assert (again**power).mean() == pytest.approx((variances**power).mean(), rel=0.03)
    assert np.isfinite(LaplaceNoise(np.zeros((1, 1)), scale).variances(np.zeros(3), rng)).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
def test_intervals_cover_what_the_prior_drew(kind):
    """Of tables drawn from the model, 90% intervals hold theta as often as that, but for the error
    of 60 tables; those that take the noisy sums for the true ones do not.
    """
    rng, d, n, size = np.random.default_rng(7), 2, 1000, 8.0
    prior = ConjugatePrior(1.0, 3.0, 0.3)
    held, naive = [], []
    for _ in range(60):
        s = prior.scale / rng.standard_gamma(prior.shape)
        theta = math.sqrt(s / prior.precision) * rng.normal(size=d)
        root = moments(np.zeros((1, d, d)), 0.0, rng)[0]
        X = rng.normal(size=(n, d)) @ root.T
        y = X @ theta + math.sqrt(s) * rng.normal(size=n)
        Z = np.column_stack([X, y])
        noisy = made(kind, Z.T @ Z, size, rng)
        blind = GaussianNoise(noisy.values, 1e-6)
        for found, own, sweeps in ((held, noisy, 100), (naive, blind, 20)):
            ends = summary(sampled(own, n, prior, sweeps, 8), 1.0, 1.0).interval(0.9)
            found.append((ends[:, 0] <= theta) & (theta <= ends[:, 1]))
    assert 0.8 <= np.mean(held) <= 0.97
    assert np.mean(naive) < 0.7


def made(kind, sums, size, rng) -> Noisy:
    """Sums with noise."""
    if kind == "gaussian":
        return GaussianNoise(sums + size * symmetric(sums.shape, rng) / math.sqrt(2), size)
    noise = rng.laplace(0, size / 2, sums.shape)
    return LaplaceNoise(sums + np.triu(noise) + np.triu(noise, 1).T, size / 2)


def test_projection_and_agreement():
    """The nearest matrix without negative eigenvalues; chains apart do not agree."""
    found = projected(np.array([np.diag([4.0, -1.0])]))[0]
    assert np.allclose(found, np.diag([4.0, 0.0]), atol=1e-6)
    rng = np.random.default_rng(1)
    same = rng.normal(size=(500, 4, 2))
    assert agreement(same) < 1.02
    assert agreement(same + np.arange(4)[:, None]) > 1.3
    assert agreement(np.ones((5, 4, 2))) == 1.0
    drawn = parameters(np.tile(np.diag([4.0, -9.0]), (5, 1, 1)), 1.0, PRIOR, rng)
    assert (drawn.variance > 0).all()


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_gaussian_noise_is_the_same_in_every_direction(relation):
    """X'X, X'y and y'y: std, std/sqrt 2 and std, in units of the bounds."""
    proof = dp.certify(dp.regressions.BayesianSSP(), target=NUMBERS, setting=setting(relation))
    gram, moment, squares = (
        next(one for one in proof.graph.releases if one.name == name)
        for name in ("gram", "moment", "squares")
    )
    sizes = [proof.number(one.std, up=True) for one in (gram, moment, squares)]
    assert sizes[0] == pytest.approx(sizes[2], rel=1e-12)
    assert sizes[0] == pytest.approx(math.sqrt(2) * sizes[1], rel=1e-12)


@BOTH
@pytest.mark.parametrize("cls", [dp.regressions.BayesianSSP, dp.regressions.BayesianSSPPure])
def test_it_learns_and_its_draws_are_a_function_of_what_is_released(cls, relation):
    """At n = 2 10^4, d = 4, epsilon = 1; the same seed gives the same draws."""
    X, y, quality = on_sphere(20_000, 4, 3)
    best = quality(np.linalg.lstsq(X, y, rcond=None)[0])
    target = dp.PureDP(1) if cls is dp.regressions.BayesianSSPPure else NUMBERS
    proof = dp.certify(cls(), target=target, setting=setting(relation))
    fits = [dp.execute(proof, X, y, rng=seed).output for seed in (1, 1, 2)]
    assert np.array_equal(fits[0].draws, fits[1].draws)
    assert not np.array_equal(fits[0].draws, fits[2].draws)
    assert fits[0].draws.shape[1] == 4
    assert best - quality(fits[0].coefficients) < 0.005
    ends = fits[0].interval()
    assert (ends[:, 0] < fits[0].coefficients).all()
    assert (fits[0].coefficients < ends[:, 1]).all()


def test_units_do_not_matter():
    """Rows times 3 and labels times 5 at bounds 3 and 5: coefficients times 5/3."""
    gram, moment, squares = np.diag([90.0, 60.0]), np.array([40.0, -9.0]), 40.0
    one = gaussian_posterior(gram, moment, squares, 200, 4, 3, 4, 1, 1, 1, 2, 0.1, 20)
    sizes = (4 * 9, 3 * 15, 4 * 25)
    other = gaussian_posterior(
        9 * gram, 15 * moment, 25 * squares, 200, *sizes, 3, 5, 1, 2, 0.1, 20
    )
    assert np.allclose(other.draws, one.draws * 5 / 3)
    assert np.allclose(other.variances, 25 * one.variances)


def test_many_columns_take_laplace_noise_for_normal():
    """Beyond 150 numbers; the triangle is read row by row."""
    rng = np.random.default_rng(4)
    for d in (3, 16):
        Z = rng.normal(size=(3000, d + 1)) / math.sqrt(d + 1)
        Z[:, d] = Z[:, :d] @ np.linspace(-1, 1, d) + Z[:, d] / 9
        S = Z.T @ Z
        flat = np.concatenate([S[:d, :d][np.triu_indices(d)], S[:d, d], [S[d, d]]])
        found = laplace_posterior(flat, 3000, 0.01, 1.0, 1.0, 1, 2, 0.1, 20)
        assert np.allclose(found.coefficients, np.linspace(-1, 1, d), atol=0.05)
