"""Noise has the distribution it claims - and the test would notice if it had not.

Each test draws once with a fixed seed. At the true scale p > 1e-6; against a scale that is wrong by
the factor 0.7 or 1.3 the same draws give p < 1e-6.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import dpframe as dp
from tests.randomness.fits import kolmogorov

N = 20_000
LEAST = 1e-6
WRONG = (0.7, 1.3)


def normal_cdf(x):
    """The standard normal distribution function."""
    return special.ndtr(x)


def laplace_cdf(x):
    """The distribution function of Laplace(1)."""
    return np.where(x < 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2)


def chi_square(draws, std):
    """The two-sided p-value of the sum of squares of centred normal draws."""
    total, count = np.sum((draws / std) ** 2), len(draws)
    return 2 * min(special.gammaincc(count / 2, total / 2), special.gammainc(count / 2, total / 2))


CDFS = {dp.Gaussian: normal_cdf, dp.Laplace: laplace_cdf}
every = pytest.mark.parametrize("cls", CDFS, ids=lambda cls: cls.__name__)


@every
@pytest.mark.parametrize("size", [1e-3, 1.0, 4e5])
def test_independent_draws(cls, size):
    """One array of draws, at its stated size."""
    draws = cls.sample(size, (N,), np.random.default_rng(11), symmetric=False)
    assert kolmogorov(draws / size, CDFS[cls]) > LEAST
    for factor in WRONG:
        assert kolmogorov(draws / (factor * size), CDFS[cls]) < LEAST


@every
def test_the_other_distribution_is_noticed(cls):
    """Gaussian draws are no Laplace draws of the same std, and the other way round."""
    other = next(kind for kind in CDFS if kind is not cls)
    draws = cls.sample(1.0, (N,), np.random.default_rng(12), symmetric=False)
    factor = 2**0.5 if cls is dp.Laplace else 2**-0.5
    assert kolmogorov(draws / factor, CDFS[other]) < LEAST


@pytest.mark.parametrize("d", [2, 5])
def test_symmetric_gaussian_matrices(d):
    """The diagonal has the stated std, entries off it that over sqrt 2: isotropic in Frobenius."""
    matrices = dp.Gaussian.sample(3.0, (4000, d, d), np.random.default_rng(13), symmetric=True)
    diagonal = matrices[:, np.arange(d), np.arange(d)].ravel()
    beside = matrices[:, *np.triu_indices(d, 1)].ravel()
    for draws, std in ((diagonal, 3.0), (beside, 3.0 / 2**0.5)):
        assert kolmogorov(draws / std, normal_cdf) > LEAST
        assert chi_square(draws, std) > LEAST
        for factor in WRONG:
            assert kolmogorov(draws / (factor * std), normal_cdf) < LEAST
            assert chi_square(draws, factor * std) < LEAST


def test_the_mirrored_form_is_noticed():
    """Noise mirrored from the upper triangle (off-diagonal std as on the diagonal) would fail."""
    noise = np.random.default_rng(14).normal(0, 3.0, (4000, 3, 3))
    mirrored = np.triu(noise) + np.triu(noise, 1).swapaxes(-1, -2)
    beside = mirrored[:, *np.triu_indices(3, 1)].ravel()
    assert chi_square(beside, 3.0 / 2**0.5) < LEAST


@pytest.mark.parametrize("d", [2, 5])
def test_symmetric_laplace_matrices(d):
    """Every entry of the upper triangle has the stated scale, on the diagonal and off it."""
    matrices = dp.Laplace.sample(3.0, (4000, d, d), np.random.default_rng(15), symmetric=True)
    for entries in (np.diag_indices(d), np.triu_indices(d, 1)):
        draws = matrices[:, *entries].ravel() / 3.0
        assert kolmogorov(draws, laplace_cdf) > LEAST
        for factor in WRONG:
            assert kolmogorov(draws / factor, laplace_cdf) < LEAST


@every
@pytest.mark.parametrize("symmetric", [False, True])
def test_entries_are_uncorrelated(cls, symmetric):
    """Different entries of one draw have correlation 0, up to chance."""
    draws = cls.sample(1.0, (N, 3, 3), np.random.default_rng(16), symmetric=symmetric)
    entries = np.triu_indices(3) if symmetric else tuple(np.indices((3, 3)).reshape(2, -1))
    flat = draws[:, *entries]
    correlations = np.corrcoef(flat.T)[np.triu_indices(flat.shape[1], 1)]
    assert np.max(np.abs(correlations)) < 6 / np.sqrt(N)


@every
def test_draws_are_centred(cls):
    """The mean is 0 within six of its standard errors, and a shift of a tenth is noticed."""
    draws = cls.sample(1.0, (N,), np.random.default_rng(17), symmetric=False)
    assert abs(draws.mean()) < 6 * draws.std() / np.sqrt(N)
    assert kolmogorov(draws + 0.1, CDFS[cls]) < LEAST
