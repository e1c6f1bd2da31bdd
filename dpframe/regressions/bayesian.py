"""Bayesian regression from noisy sufficient statistics, by a noise-aware Gibbs sampler."""

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
    ConjugatePrior,
    GaussianNoise,
    LaplaceNoise,
    PosteriorFit,
    sampled,
    summary,
)
from .solve import Array, released, sums

FOR_N = constant("0.05")  # of the squared mu, or of epsilon
PARTS = (1, 2, 1)  # of the squared mu for X'X, X'y and y'y: equal noise in every direction of z


class BayesianSSP(Regression):
    """The posterior mean of a Bayesian linear regression given noisy X'X, X'y and y'y, calibrated
    jointly to the whole budget by the exact Gaussian profile. [Bernstein19, Sec. 3]

    The model, in units of the bounds B and Y: normal rows, labels of variance sigma^2 around
    x'theta, theta ~ N(0, sigma^2/`precision` I), sigma^2 ~ InvGamma(`shape`, `scale`). A Gibbs
    sampler draws the sums, theta, sigma^2 and the second moments of rows in turn, `sweeps` times (4
    or more). It reads released values only, with a public seed. The output has the draws and
    credible intervals.

    Different from the paper: Gaussian noise, of equal size in every direction of (x, y), in place
    of Laplace noise; under add/remove n is released for 5% of the squared mu and its noise ignored;
    chains start at the released values plus a second draw of noise.

    Use: Credible intervals that account for the noise. They assume normal rows; for coefficients
    alone use AdaSSP.
    """

    title: ClassVar[str] = "Bayesian SSP"
    precision: Expression = constant(1)
    shape: Expression = constant(2)
    scale: Expression = constant("0.1")
    sweeps: Expression = constant(100)

    @property
    def prior(self) -> tuple[Expression, ...]:
        """The hyperparameters of the prior."""
        return self.precision, self.shape, self.scale

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release three sums, and n if it is private."""
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
        return post(gaussian_posterior, gram, moment, squares, n, *sizes, *self.prior, self.sweeps)


class BayesianSSPPure(BayesianSSP):
    """The posterior mean of a Bayesian linear regression given sufficient statistics with Laplace
    noise, for pure differential privacy. [Bernstein19, Sec. 3]

    Model, prior and parameters are those of BayesianSSP. As in the paper, the statistics are
    released together with Laplace noise, are modelled as normal given theta and sigma^2 with the
    moments of normal rows, and the variances of the noise are drawn in every sweep. Different from
    the paper: the exact L1 sensitivity; a prior on second moments, not on mean and covariance;
    under add/remove n is released for 5% of epsilon; beyond 150 statistics (16 columns) the sampler
    models the noise as normal.

    Use: Credible intervals without delta, for few columns. If a delta is allowed, use BayesianSSP.
    """

    title: ClassVar[str] = "Bayesian SSP, pure"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release all statistics together, and n if it is private."""
        statistics = sufficient_statistics(X, y, constant=True)
        n: Expression | Release = X.rows
        own = budget
        if not X.unit.relation.replaced:
            own, for_n = budget.split(1 - FOR_N, FOR_N)
            n = release(count(X), Laplace.pure, for_n, name="n")
        noisy = release(statistics, Laplace.pure, own, name="statistics")
        units = (noisy.std, unit_of_entries(X), y.radius)
        return post(laplace_posterior, noisy, n, *units, *self.prior, self.sweeps)


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
    """Posterior draws given X'X, X'y and y'y with Gaussian noise. The noise is modelled as equally
    large in all directions, as in the noisiest one.
    """
    d = len(moment)
    values = np.empty((d + 1, d + 1))
    values[:d, :d], values[d, d] = gram / row**2, squares / label**2
    values[:d, d] = values[d, :d] = moment / (row * label)
    crossed = np.sqrt(2) * moment_std / (row * label)
    size = max(gram_std / row**2, crossed, squares_std / label**2)
    prior = ConjugatePrior(precision, shape, scale)
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
    """Posterior draws given the upper triangle of X'X, X'y and y'y of x/B and y/Y with Laplace
    noise.
    """
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
    prior = ConjugatePrior(precision, shape, scale)
    return summary(sampled(noisy, n, prior, sweeps, chains), row, label)
