"""A Gibbs sampler that knows the noise of released sums: what a regression is, given noisy X'X, X'y
and y'y. Post-processing: ordinary numpy on noisy values and public numbers.

z = (x/B, y/Y) in p = d + 1 columns, S the sum of z z'. Given Omega, the second moments of z, S is
nearly normal: mean n Omega, covariance n (Omega_ik Omega_jl + Omega_il Omega_jk), that of normal
rows. [Bernstein19, Sec. 3]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress

import attrs
import numpy as np

from .solve import Array, Fit

CHAINS = 8
SEED = 1910_13153  # public: draws are a function of what is released
TINY = 1e-9  # of a second moment, below which it counts as this


def _none() -> Array:
    return np.zeros((0, 0))


@attrs.frozen(eq=False)
class PosteriorFit(Fit):
    """A fit whose coefficients are the mean of posterior draws: `draws` of coefficients, shape
    (m, d), and of the variance of a label, shape (m,). `agreement` compares chains: 1 where they
    agree, and above 1.2 in some coefficient more sweeps are needed.
    """

    draws: Array = attrs.field(factory=_none)
    variances: Array = attrs.field(factory=_none)
    agreement: float = 1.0

    def interval(self, level: float = 0.95) -> Array:
        """Central credible intervals, shape (d, 2), of the model that the sampler assumes."""
        ends = [(1 - level) / 2, (1 + level) / 2]
        return np.asarray(np.quantile(self.draws, ends, axis=0).T)


@attrs.frozen
class Prior:
    """theta ~ N(0, sigma^2/precision I), sigma^2 ~ InvGamma(shape, scale), in units of the bounds;
    second moments of rows ~ InvWishart(d + 2, I/d).
    """

    precision: float
    shape: float
    scale: float


@attrs.frozen(eq=False)
class Parameters:
    """Of each of c chains: theta (c, d), the mean of theta given S, sigma^2 (c,), and the factor T
    of Omega = T T', shape (c, p, p).
    """

    theta: Array
    mean: Array
    variance: Array
    factor: Array


@attrs.frozen(eq=False)
class Noisy(ABC):
    """Abstract: a released S, shape (p, p), and the law of its noise."""

    values: Array

    @abstractmethod
    def scattered(self, chains: int, rng: np.random.Generator) -> Array:
        """Where chains start: the values plus noise once more, (c, p, p)."""

    @abstractmethod
    def given(self, sums: Array, factor: Array, n: float, rng: np.random.Generator) -> Array:
        """One draw of S given Omega = T T' and the released values, (c, p, p); `sums` is the last
        one.
        """


@attrs.frozen(eq=False)
class GaussianNoise(Noisy):
    """Noise of std `size` on the diagonal and size/sqrt(2) off it: the same in every direction, so
    that in the axes of Omega all entries are independent.
    """

    size: float

    def scattered(self, chains: int, rng: np.random.Generator) -> Array:
        """Isotropic noise once more."""
        shape = (chains, *self.values.shape)
        return np.asarray(self.values + self.size * symmetric(shape, rng) / np.sqrt(2))

    def given(self, sums: Array, factor: Array, n: float, rng: np.random.Generator) -> Array:
        """Entry by entry, in the axes of Omega: two normal laws of one number."""
        del sums
        spectrum, axes = np.linalg.eigh(factor @ factor.swapaxes(1, 2))
        spectrum = np.maximum(spectrum, TINY**2)
        own = n * spectrum[:, :, None] * spectrum[:, None, :]
        noise = self.size**2 / 2
        weight = own / (own + noise)
        mean = n * spectrum[:, :, None] * np.eye(spectrum.shape[1])
        seen = axes.swapaxes(1, 2) @ self.values @ axes
        spread = np.sqrt(weight * noise) * symmetric(own.shape, rng)
        drawn = mean + weight * (seen - mean) + spread
        return np.asarray(axes @ drawn @ axes.swapaxes(1, 2))


def symmetric(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Symmetric standard normal matrices: variance 2 on the diagonal, 1 off it."""
    noise = rng.standard_normal(shape)
    return np.asarray((noise + noise.swapaxes(-1, -2)) / np.sqrt(2))


def projected(sums: Array) -> Array:
    """The nearest positive semidefinite matrices, (c, p, p), as no sum of squares is another."""
    with suppress(np.linalg.LinAlgError):
        np.linalg.cholesky(sums)  # cheaper than their eigenvalues, and most of them are positive
        return sums
    lengths, axes = np.linalg.eigh(sums)
    return np.asarray((axes * np.maximum(lengths, TINY)[:, None, :]) @ axes.swapaxes(1, 2))


def parameters(sums: Array, n: float, prior: Prior, rng: np.random.Generator) -> Parameters:
    """One draw of theta, sigma^2 and second moments given S: conjugate."""
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
    """A factor, (c, d, d), of one draw of the second moments of rows: inverse Wishart."""
    chains, d, _ = rows.shape
    own = np.linalg.cholesky(rows + np.eye(d) / d)
    below = np.tril(rng.standard_normal((chains, d, d)), -1)
    freedom = (d + 2 + n - np.arange(d)) / 2
    below[:, np.arange(d), np.arange(d)] = np.sqrt(2 * rng.standard_gamma(freedom, (chains, d)))
    return np.linalg.solve(below, own.swapaxes(1, 2)).swapaxes(1, 2)


def factor_of(rows: Array, theta: Array, variance: Array) -> Array:
    """T of Omega = T T' for x = A u and y = theta'x + sigma v: (A, 0; theta'A, sigma)."""
    chains, d, _ = rows.shape
    found = np.zeros((chains, d + 1, d + 1))
    found[:, :d, :d] = rows
    found[:, d, :d] = (theta[:, None, :] @ rows)[:, 0]
    found[:, d, d] = np.sqrt(variance)
    return found


def sampled(noisy: Noisy, n: float, prior: Prior, sweeps: float, chains: int) -> Parameters:
    """Draws of theta, (k, c, d), of its conditional means and of sigma^2, (k, c): the second half
    of `sweeps` sweeps of each chain, two at least.
    """
    rng = np.random.default_rng(SEED)
    rounds, n = max(4, round(sweeps)), max(n, 1.0)
    sums, kept = projected(noisy.scattered(chains, rng)), []
    for _ in range(rounds):
        found = parameters(sums, n, prior, rng)
        sums = projected(noisy.given(sums, found.factor, n, rng))
        kept.append((found.theta, found.mean, found.variance))
    theta, mean, variance = (np.array(part[rounds // 2 :]) for part in zip(*kept, strict=True))
    return Parameters(theta, mean, variance, np.zeros(0))


def summary(found: Parameters, row: float, label: float) -> PosteriorFit:
    """The mean and all draws, in the units of the data."""
    unit, (_, _, d) = label / row, found.theta.shape
    return PosteriorFit(
        coefficients=unit * found.mean.mean(axis=(0, 1)),
        draws=unit * found.theta.reshape(-1, d),
        variances=label**2 * found.variance.ravel(),
        agreement=agreement(found.mean),
    )


def agreement(means: Array) -> float:
    """The largest potential scale reduction of means (k, c, d): the root of the variance of all
    over that within chains.
    """
    within = means.var(axis=0).mean(axis=0)
    between = means.mean(axis=0).var(axis=0)
    floor = np.finfo(float).tiny
    return float(np.sqrt(1 + np.max(between / np.maximum(within, floor), initial=0.0)))


# ------------ The noise-aware Gibbs sampler for Laplace noise, which is normal of a random variance
MOST = 150  # numbers beyond which noise is taken for normal: a sweep solves as large a system


@attrs.frozen(eq=False)
class LaplaceNoise(Noisy):
    """Laplace noise of one `size`, the scale, on every number of the upper triangle.

    It is normal with an exponential variance, drawn anew in every sweep from its inverse Gaussian
    law given the noise. [Bernstein19, Sec. 3; ParkC08]
    """

    size: float

    def scattered(self, chains: int, rng: np.random.Generator) -> Array:
        """Laplace noise once more."""
        p = len(self.values)
        noise = rng.laplace(0.0, self.size, (chains, p, p))
        return np.asarray(self.values + np.triu(noise) + np.triu(noise, 1).swapaxes(1, 2))

    def given(self, sums: Array, factor: Array, n: float, rng: np.random.Generator) -> Array:
        """A draw of S and noise without the released values, moved to them by their covariance."""
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
        """Of noise as found: 1/variance is inverse Gaussian of mean 1/(size |noise|) and shape
        1/size^2.
        """
        least = np.finfo(float).eps * self.size
        inverse = rng.wald(1 / (self.size * np.maximum(np.abs(noise), least)), self.size**-2)
        return np.asarray(1 / np.maximum(inverse, np.finfo(float).eps / self.size**2))
