"""A noise-aware Gibbs sampler: the posterior of a linear regression given noisy X'X, X'y and y'y.

z = (x/B, y/Y) has p = d + 1 columns and S is the sum of z z'. Given Omega, the second moments of z,
S is approximately normal with mean n Omega and the covariance of normal rows, n (Omega_ik Omega_jl
+ Omega_il Omega_jk). [Bernstein19, Sec. 3]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress

import attrs
import numpy as np

from .solve import Array, Fit

CHAINS = 8
SEED = 1910_13153  # public: draws are a function of released values
TINY = 1e-9  # the lower limit of second moments


def _none() -> Array:
    return np.zeros((0, 0))


@attrs.frozen(eq=False)
class PosteriorFit(Fit):
    """A fit whose coefficients are a posterior mean, with `draws` of the coefficients, shape (m,
    d), and of the variance of labels, shape (m,). `agreement` is the largest potential scale
    reduction of the chains: 1 if they agree; above 1.2 more sweeps are needed.
    """

    draws: Array = attrs.field(factory=_none)
    variances: Array = attrs.field(factory=_none)
    agreement: float = 1.0

    def interval(self, level: float = 0.95) -> Array:
        """Central credible intervals, shape (d, 2), under the model of the sampler."""
        ends = [(1 - level) / 2, (1 + level) / 2]
        return np.asarray(np.quantile(self.draws, ends, axis=0).T)


@attrs.frozen
class ConjugatePrior:
    """theta ~ N(0, sigma^2/precision I), sigma^2 ~ InvGamma(shape, scale), in units of the bounds;
    second moments of rows ~ InvWishart(d + 2, I/d).
    """

    precision: float
    shape: float
    scale: float


@attrs.frozen(eq=False)
class Parameters:
    """The state of c chains: theta (c, d), the mean of theta given S, sigma^2 (c,), and the factor
    T of Omega = T T', shape (c, p, p).
    """

    theta: Array
    mean: Array
    variance: Array
    factor: Array


@attrs.frozen(eq=False)
class Noisy(ABC):
    """Abstract: a released S, shape (p, p), and the distribution of its noise."""

    values: Array

    @abstractmethod
    def scattered(self, chains: int, rng: np.random.Generator) -> Array:
        """Starting points of chains: the values plus a second draw of noise, (c, p, p)."""

    @abstractmethod
    def given(self, sums: Array, factor: Array, n: float, rng: np.random.Generator) -> Array:
        """A draw of S given Omega = T T' and the released values, (c, p, p); `sums` is the previous
        draw.
        """


@attrs.frozen(eq=False)
class GaussianNoise(Noisy):
    """Gaussian noise of std `size` on the diagonal and size/sqrt(2) off it. It is isotropic, so
    that in the principal axes of Omega all entries are independent.
    """

    size: float

    def scattered(self, chains: int, rng: np.random.Generator) -> Array:
        """Add isotropic noise."""
        shape = (chains, *self.values.shape)
        return np.asarray(self.values + self.size * symmetric(shape, rng) / np.sqrt(2))

    def given(self, sums: Array, factor: Array, n: float, rng: np.random.Generator) -> Array:
        """Combine two normal distributions entry by entry, in the principal axes of Omega."""
        del sums
        spectrum, axes = np.linalg.eigh(factor @ factor.swapaxes(1, 2))
        spectrum = np.maximum(spectrum, TINY**2)
        own = n * spectrum[:, :, None] * spectrum[:, None, :]
        noise = self.size**2 / 2
        weight = own / (own + noise)
        mean = n * spectrum[:, :, None] * np.eye(spectrum.shape[1])
        turned = axes.swapaxes(1, 2) @ self.values @ axes
        spread = np.sqrt(weight * noise) * symmetric(own.shape, rng)
        drawn = mean + weight * (turned - mean) + spread
        return np.asarray(axes @ drawn @ axes.swapaxes(1, 2))


def symmetric(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Symmetric standard normal matrices: variance 2 on the diagonal, 1 off it."""
    noise = rng.standard_normal(shape)
    return np.asarray((noise + noise.swapaxes(-1, -2)) / np.sqrt(2))


def projected(sums: Array) -> Array:
    """The nearest positive semidefinite matrices, (c, p, p)."""
    with suppress(np.linalg.LinAlgError):
        np.linalg.cholesky(sums)  # cheaper than eigenvalues, and most are positive definite
        return sums
    lengths, axes = np.linalg.eigh(sums)
    return np.asarray((axes * np.maximum(lengths, TINY)[:, None, :]) @ axes.swapaxes(1, 2))


def parameters(
    sums: Array, n: float, prior: ConjugatePrior, rng: np.random.Generator
) -> Parameters:
    """A draw of theta, sigma^2 and second moments given S, from their conjugate posterior."""
    d = sums.shape[1] - 1
    rows, moment, squares = sums[:, :d, :d], sums[:, :d, d:], sums[:, d, d]
    root = np.linalg.cholesky(rows + prior.precision * np.eye(d))
    half = np.linalg.solve(root, moment)
    rest = np.maximum(squares - np.sum(half * half, axis=(1, 2)), 0.0) / 2
    variance = (prior.scale + rest) / rng.standard_gamma(prior.shape + n / 2, len(sums))
    noise = np.sqrt(variance)[:, None, None] * rng.standard_normal(half.shape)
    upper = root.swapaxes(1, 2)
    both = np.linalg.solve(upper, np.concatenate([half, half + noise], axis=2))
    mean, theta = both[:, :, 0], both[:, :, 1]
    return Parameters(theta, mean, variance, factor_of(moments(rows, n, rng), theta, variance))


def moments(rows: Array, n: float, rng: np.random.Generator) -> Array:
    """A factor, (c, d, d), of an inverse Wishart draw of the second moments of rows."""
    chains, d, _ = rows.shape
    own = np.linalg.cholesky(rows + np.eye(d) / d)
    below = np.tril(rng.standard_normal((chains, d, d)), -1)
    freedom = (d + 2 + n - np.arange(d)) / 2
    below[:, np.arange(d), np.arange(d)] = np.sqrt(2 * rng.standard_gamma(freedom, (chains, d)))
    return np.linalg.solve(below, own.swapaxes(1, 2)).swapaxes(1, 2)


def factor_of(rows: Array, theta: Array, variance: Array) -> Array:
    """T of Omega = T T' for x = A u and y = theta'x + sigma v: (A, 0; theta'A, sigma)."""
    chains, d, _ = rows.shape
    factor = np.zeros((chains, d + 1, d + 1))
    factor[:, :d, :d] = rows
    factor[:, d, :d] = (theta[:, None, :] @ rows)[:, 0]
    factor[:, d, d] = np.sqrt(variance)
    return factor


def sampled(
    noisy: Noisy, n: float, prior: ConjugatePrior, sweeps: float, chains: int
) -> Parameters:
    """Draws of theta, (k, c, d), of its conditional means and of sigma^2, (k, c), from the second
    half of `sweeps` sweeps (4 or more) of each chain.
    """
    rng = np.random.default_rng(SEED)
    rounds, n = max(4, round(sweeps)), max(n, 1.0)
    sums, states = projected(noisy.scattered(chains, rng)), []
    for _ in range(rounds):
        state = parameters(sums, n, prior, rng)
        sums = projected(noisy.given(sums, state.factor, n, rng))
        states.append((state.theta, state.mean, state.variance))
    theta, mean, variance = (np.array(part[rounds // 2 :]) for part in zip(*states, strict=True))
    return Parameters(theta, mean, variance, np.zeros(0))


def summary(draws: Parameters, row: float, label: float) -> PosteriorFit:
    """The mean and all draws, in the units of the data."""
    unit, (_, _, d) = label / row, draws.theta.shape
    return PosteriorFit(
        coefficients=unit * draws.mean.mean(axis=(0, 1)),
        draws=unit * draws.theta.reshape(-1, d),
        variances=label**2 * draws.variance.ravel(),
        agreement=agreement(draws.mean),
    )


def agreement(means: Array) -> float:
    """The largest potential scale reduction of means (k, c, d): the root of their total variance
    over the variance within chains.
    """
    within = means.var(axis=0).mean(axis=0)
    between = means.mean(axis=0).var(axis=0)
    floor = np.finfo(float).tiny
    return float(np.sqrt(1 + np.max(between / np.maximum(within, floor), initial=0.0)))


# ------------------------------------------------------------------------------------ Laplace noise
MOST = 150  # statistics; beyond, noise is modelled as normal: a sweep solves a system of this size


@attrs.frozen(eq=False)
class LaplaceNoise(Noisy):
    """Laplace noise of scale `size` on every entry of the upper triangle.

    It is normal with exponentially distributed variance; every sweep draws the reciprocal variances
    from their inverse Gaussian distribution given the noise. [Bernstein19, Sec. 3; ParkC08]
    """

    size: float

    def scattered(self, chains: int, rng: np.random.Generator) -> Array:
        """Add Laplace noise."""
        p = len(self.values)
        noise = rng.laplace(0.0, self.size, (chains, p, p))
        return np.asarray(self.values + np.triu(noise) + np.triu(noise, 1).swapaxes(1, 2))

    def given(self, sums: Array, factor: Array, n: float, rng: np.random.Generator) -> Array:
        """Draw S and noise unconditionally, then correct S by the covariance with the values."""
        chains, p, _ = factor.shape
        i, j = np.triu_indices(p)
        variances = self.variances((self.values - sums)[:, i, j], rng)
        omega = factor @ factor.swapaxes(1, 2)
        normal = n * np.eye(p) + np.sqrt(n) * symmetric((chains, p, p), rng)
        drawn = factor @ normal @ factor.swapaxes(1, 2)
        noise = np.sqrt(variances) * rng.standard_normal((chains, len(i)))
        gap = self.values[i, j] - drawn[:, i, j] - noise
        covariance = n * (
            omega[:, i[:, None], i] * omega[:, j[:, None], j]
            + omega[:, i[:, None], j] * omega[:, j[:, None], i]
        )
        covariance[:, np.arange(len(i)), np.arange(len(i))] += variances
        solved = np.linalg.solve(covariance, gap[:, :, None])[:, :, 0]
        multipliers = np.zeros((chains, p, p))
        multipliers[:, i, j] = solved
        both = multipliers + multipliers.swapaxes(1, 2)  # twice the diagonal
        return np.asarray(drawn + n * (omega @ both @ omega))

    def variances(self, noise: Array, rng: np.random.Generator) -> Array:
        """Variances given the noise: 1/variance is inverse Gaussian with mean 1/(size |noise|) and
        shape 1/size^2.
        """
        least = np.finfo(float).eps * self.size
        inverse = rng.wald(1 / (self.size * np.maximum(np.abs(noise), least)), self.size**-2)
        return np.asarray(1 / np.maximum(inverse, np.finfo(float).eps / self.size**2))
