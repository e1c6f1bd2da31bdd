"""Bayesian regression from noisy sufficient statistics, by a sampler that knows the noise."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from dpframe.graph import ColumnNode, Regression, Release, RowsNode, jointly, post, release
from dpframe.graph.functions import count, sufficient_statistics
from dpframe.graph.maps.grid import unit_of_entries
from dpframe.mechanisms import Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .noise_aware import (
    CHAINS,
    MOST,
    GaussianNoise,
    LaplaceNoise,
    PosteriorFit,
    Prior,
    sampled,
    summary,
)
from .solve import Array, released, sums

FOR_N = constant("0.05")  # of the squared mu, or of epsilon
SWEEPS, PRECISION, SHAPE, SCALE = (constant(number) for number in (100, 1, 2, "0.1"))
PARTS = (1, 2, 1)  # of the squared mu of X'X, X'y and y'y: the same noise in every direction of z


class BayesianSSP(Regression):
    """The mean of a noise-aware posterior of noisy X'X, X'y and y'y, all calibrated together to the
    whole budget by the exact Gaussian profile. [Bernstein19, Sec. 3]

    The model: normal rows, labels of variance sigma^2 around x'theta, theta ~ N(0, sigma^2/
    `precision` I), sigma^2 ~ InvGamma(`shape`, `scale`), for x/B and y/Y. The sampler draws X'X,
    X'y and y'y, theta, sigma^2 and the second moments of rows in turn, `sweeps` times; it reads
    released values only, from a public seed. The output has draws, and credible intervals.

    Ours are: Gaussian noise (theirs is Laplace), shared out so that it is the same in every
    direction of (x, y); a released n under add/remove, taken as it is; chains that start at the
    released values plus noise once more. Under replace-one n is public.
    """

    paper: ClassVar[str] = "Bernstein19"
    title: ClassVar[str] = "Bayesian SSP"
    use: ClassVar[str] = (
        "Credible intervals that account for the noise. They assume normal rows; for coefficients"
        " alone use AdaSSP."
    )
    precision: Expression = PRECISION
    shape: Expression = SHAPE
    scale: Expression = SCALE
    sweeps: Expression = SWEEPS

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, and n where it is private; everything else is free."""
        statistics = sums(X, y) | {"squares": y @ y}
        three = [*statistics.values()]
        n: Expression | Release = X.rows
        if X.unit.relation.replaced:
            noises = [*jointly(budget, three, PARTS)]
        else:
            weights = [(1 - FOR_N) * part / 4 for part in PARTS]
            *noises, for_n = jointly(budget, [*three, count(X)], [*weights, FOR_N])
            n = release(count(X), for_n, name="n")
        gram, moment, squares = released(statistics, noises)
        sizes = (gram.std, moment.std, squares.std, X.radius, y.radius)
        prior = (self.precision, self.shape, self.scale)
        return post(gaussian_posterior, gram, moment, squares, n, *sizes, *prior, self.sweeps)


class BayesianSSPPure(Regression):
    """The same from sufficient statistics with Laplace noise, each once: delta is 0.
    [Bernstein19, Sec. 3]

    Theirs are the Laplace noise of the concatenated statistics, the normal law of the statistics
    given theta and sigma^2 with moments of normal rows, and the variances of the noise, drawn in
    every sweep. Ours are the sharp L1 sensitivity, the prior of second moments without a mean, a
    released n under add/remove for 5% of epsilon, and, beyond 150 numbers (16 columns), noise that
    the sampler takes for normal.
    """

    paper: ClassVar[str] = "Bernstein19"
    title: ClassVar[str] = "Bayesian SSP, pure"
    use: ClassVar[str] = (
        "Credible intervals without delta, for few columns. If a delta is allowed, use BayesianSSP."
    )
    precision: Expression = PRECISION
    shape: Expression = SHAPE
    scale: Expression = SCALE
    sweeps: Expression = SWEEPS

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget, and n where it is private."""
        statistics = sufficient_statistics(X, y, constant=True)
        n: Expression | Release = X.rows
        own = budget
        if not X.unit.relation.replaced:
            own, for_n = budget.split(1 - FOR_N, FOR_N)
            n = release(count(X), Laplace.pure, for_n, name="n")
        noisy = release(statistics, Laplace.pure, own, name="statistics")
        units = (noisy.std, unit_of_entries(X), y.radius)
        prior = (self.precision, self.shape, self.scale)
        return post(laplace_posterior, noisy, n, *units, *prior, self.sweeps)


def gaussian_posterior(  # noqa: PLR0917 - dp.post passes by position
    gram: Array,
    moment: Array,
    squares: float,
    n: float,
    gram_std: float,
    moment_std: float,
    squares_std: float,
    row: float,
    label: float,
    precision: float,
    shape: float,
    scale: float,
    sweeps: float,
) -> PosteriorFit:
    """Draws given X'X, X'y and y'y with Gaussian noise, taken for as large in every direction as in
    the one where it is largest.
    """
    d = len(moment)
    values = np.empty((d + 1, d + 1))
    values[:d, :d], values[d, d] = gram / row**2, squares / label**2
    values[:d, d] = values[d, :d] = moment / (row * label)
    crossed = np.sqrt(2) * moment_std / (row * label)
    size = max(gram_std / row**2, crossed, squares_std / label**2)
    prior = Prior(precision, shape, scale)
    return summary(sampled(GaussianNoise(values, size), n, prior, sweeps, CHAINS), row, label)


def laplace_posterior(  # noqa: PLR0917 - dp.post passes by position
    statistics: Array,
    n: float,
    std: float,
    row: float,
    label: float,
    precision: float,
    shape: float,
    scale: float,
    sweeps: float,
) -> PosteriorFit:
    """Draws given the upper triangle of X'X, X'y and y'y of x/B and y/Y with Laplace noise."""
    p = round((np.sqrt(8 * len(statistics) + 1) - 1) / 2)
    d, above = p - 1, (p - 1) * p // 2
    upper = np.zeros((p, p))
    upper[np.triu_indices(d)] = statistics[:above]
    upper[:d, d], upper[d, d] = statistics[above:-1], statistics[-1]
    values = upper + np.triu(upper, 1).T
    few = len(statistics) <= MOST
    noisy = (
        LaplaceNoise(values, std / np.sqrt(2)) if few else GaussianNoise(values, np.sqrt(2) * std)
    )
    chains = CHAINS // 2 if few else CHAINS
    return summary(sampled(noisy, n, Prior(precision, shape, scale), sweeps, chains), row, label)
