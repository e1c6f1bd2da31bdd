"""Noise has the distribution it claims, and selections draw by exact laws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import special

import dpframe as dp
from dpframe.numerics import working
from dpframe.randomness import SystemBits, as_bits
from tests.randomness.fits import LEAST, chi_square, fit, kolmogorov
from tests.support.exact_laws import LAWS, PRECISION

# ---------------------------------------------- Additive noise: at the true scale and at wrong ones
# Each test draws once with a fixed seed. At the true scale p > 1e-6; against a scale that is
# wrong by the factor 0.7 or 1.3 the same draws give p < 1e-6.

DRAWS = 20_000
WRONG = (0.7, 1.3)


def laplace_cdf(x):
    """The distribution function of Laplace(1)."""
    return np.where(x < 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2)


CDFS = {dp.Gaussian: special.ndtr, dp.Laplace: laplace_cdf}
every_noise = pytest.mark.parametrize("cls", CDFS, ids=lambda cls: cls.__name__)


@every_noise
@pytest.mark.parametrize("size", [1e-3, 1.0, 4e5])
def test_independent_draws(cls, size):
    """One array of draws, at its stated size."""
    draws = cls.sample(size, (DRAWS,), np.random.default_rng(11), symmetric=False)
    assert kolmogorov(draws / size, CDFS[cls]) > LEAST
    for factor in WRONG:
        assert kolmogorov(draws / (factor * size), CDFS[cls]) < LEAST


@pytest.mark.parametrize("d", [2, 5])
def test_symmetric_gaussian_matrices(d):
    """The diagonal has the stated std, entries off it that over sqrt 2: isotropic in Frobenius."""
    matrices = dp.Gaussian.sample(3.0, (4000, d, d), np.random.default_rng(13), symmetric=True)
    diagonal = matrices[:, np.arange(d), np.arange(d)].ravel()
    beside = matrices[:, *np.triu_indices(d, 1)].ravel()
    for draws, std in ((diagonal, 3.0), (beside, 3.0 / 2**0.5)):
        assert kolmogorov(draws / std, special.ndtr) > LEAST
        assert chi_square(draws, std) > LEAST
        for factor in WRONG:
            assert kolmogorov(draws / (factor * std), special.ndtr) < LEAST
            assert chi_square(draws, factor * std) < LEAST


@pytest.mark.parametrize("d", [2, 5])
def test_symmetric_laplace_matrices(d):
    """Every entry of the upper triangle has the stated scale, on the diagonal and off it."""
    matrices = dp.Laplace.sample(3.0, (4000, d, d), np.random.default_rng(15), symmetric=True)
    for entries in (np.diag_indices(d), np.triu_indices(d, 1)):
        draws = matrices[:, *entries].ravel() / 3.0
        assert kolmogorov(draws, laplace_cdf) > LEAST
        for factor in WRONG:
            assert kolmogorov(draws / factor, laplace_cdf) < LEAST


@every_noise
@pytest.mark.parametrize("symmetric", [False, True])
def test_entries_are_uncorrelated(cls, symmetric):
    """Different entries of one draw have correlation 0, up to chance."""
    draws = cls.sample(1.0, (DRAWS, 3, 3), np.random.default_rng(16), symmetric=symmetric)
    entries = np.triu_indices(3) if symmetric else tuple(np.indices((3, 3)).reshape(2, -1))
    flat = draws[:, *entries]
    correlations = np.corrcoef(flat.T)[np.triu_indices(flat.shape[1], 1)]
    assert np.max(np.abs(correlations)) < 6 / np.sqrt(DRAWS)


# ---------------------------------------- How selections draw; what noisy maxima are, by quadrature
EXPONENTIAL = (dp.mechanisms.ExponentialSelection, dp.mechanisms.GumbelSelection)
FLIPPING = (dp.mechanisms.PermuteAndFlipSelection, dp.mechanisms.ExponentialNoiseSelection)
every_selection = pytest.mark.parametrize(
    "cls", [*EXPONENTIAL, *FLIPPING], ids=lambda cls: cls.__name__
)
N = 40_000
HALF = Fraction(1, 2)
BITS = Fraction(1 / math.log(2))  # the scale at which weights are powers of 1/2


def softmax(scores):
    """The exponential mechanism's law at base 2, by its definition."""
    weights = [Fraction(2) ** score for score in scores]
    return [weight / sum(weights) for weight in weights]


def flipped(scores):
    """Permute-and-flip's law at base 2: an average over every order of the candidates."""
    accepted = [HALF ** (max(scores) - score) for score in scores]
    law = [Fraction(0)] * len(scores)
    for order in itertools.permutations(range(len(scores))):
        left = Fraction(1, math.factorial(len(scores)))
        for i in order:
            law[i] += left * accepted[i]
            left *= 1 - accepted[i]
    return law


def law_of(cls, scores):
    """At base 2."""
    return [float(p) for p in (softmax if cls in EXPONENTIAL else flipped)(scores)]


def drawn(cls, rows, scale, seed):
    """Indices of rows of scores, by a simulation."""
    return cls.chosen(np.asarray(rows), scale, as_bits(np.random.default_rng(seed)))


def counted(cls, scores, scale, seed, n=N):
    """How often each candidate of one row was drawn."""
    found = drawn(cls, np.tile(scores, (n, 1)), scale, seed)
    return np.bincount(found, minlength=len(scores))


def exponential_noise(scores, i):
    """P[i]: the density of i's exponential noise times the others' distribution functions."""
    own = scores[i]
    cuts = sorted({max(0, s - own) for s in scores})

    def inside(x):
        others = (max(mpf(0), x + own - s) for j, s in enumerate(scores) if j != i)
        return mp.exp(-x) * mp.fprod(1 - mp.exp(-gap) for gap in others)

    return mp.quad(inside, [*cuts, mp.inf])


def gumbel_noise(scores, i):
    """The same of Gumbel noise."""

    def inside(x):
        others = (mp.exp(-mp.exp(s - scores[i] - x)) for j, s in enumerate(scores) if j != i)
        return mp.exp(-x - mp.exp(-x)) * mp.fprod(others)

    return mp.quad(inside, [-6, -2, 0, 2, 5, 10, 40, 100])


def laplace_noise(scores, i):
    """The same of Laplace noise."""
    density = lambda x: mp.exp(-abs(x)) / 2  # noqa: E731
    below = lambda x: density(x) if x < 0 else 1 - density(x)  # noqa: E731

    def inside(x):
        return density(x - scores[i]) * mp.fprod(
            below(x - s) for s in (*scores[:i], *scores[i + 1 :])
        )

    return mp.quad(inside, [-mp.inf, *sorted(set(scores)), mp.inf])


NOISES = {
    **dict.fromkeys(EXPONENTIAL, gumbel_noise),
    **dict.fromkeys(FLIPPING, exponential_noise),
    dp.mechanisms.LaplaceSelection: laplace_noise,
}


@pytest.mark.parametrize("cls", NOISES, ids=lambda cls: cls.__name__)
def test_noisy_maxima_by_quadrature(cls):
    """The law that attacks hold a selection to is that of the largest score with its noise."""
    scores = [Fraction("0.3"), Fraction("1.7"), Fraction("0.3"), Fraction("-0.4")]
    with mp.workdps(30), working(PRECISION):
        for i, one in enumerate(LAWS[cls](scores)):
            want = NOISES[cls]([mpf(s.numerator) / s.denominator for s in scores], i)
            assert abs(mpf(one.mid().str(40, radius=False)) / want - 1) < 1e-12


@every_selection
def test_the_sampler_has_its_law(cls):
    """Frequencies against exact probabilities by chi-square; a scale wrong by 0.7 or 1.3, and the
    other family's law, are noticed with the same draws.
    """
    scores = (0, 3, 2, 2, -1)
    counts, law = counted(cls, scores, BITS, 5), law_of(cls, scores)
    assert fit(counts, law) > LEAST
    for factor in (Fraction(7, 10), Fraction(13, 10)):
        with working(PRECISION):
            wrong = LAWS[cls]([s / (BITS * factor) for s in scores])
        assert fit(counts, [float(p.mid()) for p in wrong]) < LEAST
    other = (flipped if cls in EXPONENTIAL else softmax)(scores)
    assert fit(counts, [float(p) for p in other]) < LEAST


@every_selection
def test_rows_are_independent_of_each_other(cls):
    """Each row by its own law."""
    rows = [(0, 0, 4), (4, 0, 0), (1, 1, 1)]
    draws = drawn(cls, np.repeat(rows, N // 10, axis=0), BITS, 6).reshape(3, -1)
    for own, found in enumerate(draws):
        counts = np.bincount(found, minlength=3)
        assert fit(counts, law_of(cls, rows[own])) > LEAST
        assert fit(counts, law_of(cls, rows[(own + 1) % 3])) < LEAST


@every_selection
def test_scores_are_taken_as_they_are(cls):
    """Whole scores that doubles cannot tell apart, 2^60 and 2^60 + 1, or hold, 10^400, have the law
    of 0 and 1, and not that of equal ones: gaps are exact, nothing is rounded.
    """
    for base in (2**60, 10**400):
        counts = counted(cls, [base, base + 1], BITS, 6)
        assert fit(counts, law_of(cls, (0, 1))) > LEAST
        assert fit(counts, [0.5, 0.5]) < LEAST
    scores = np.array([[0, 10**400]] * 20, dtype=object)
    assert cls.chosen(scores, BITS, SystemBits()).tolist() == [1] * 20


@every_selection
@pytest.mark.parametrize("power", [-1000, 1000])
def test_scales_beyond_doubles(cls, power):
    """At scale 2^1000/log 2, scores in units of 2^1000 have the law of their units; 2^-1000 too."""
    scores, unit = (0, 1, 1), Fraction(2) ** power
    counts = counted(cls, np.array(scores) * 2.0**power, BITS * unit, 7, 4000)
    assert fit(counts, law_of(cls, scores)) > LEAST
    assert fit(counts, [1 / 3] * 3) < LEAST


@every_selection
def test_a_selection_has_the_loss_of_its_epsilon(cls):
    """Accounted as randomised response at its epsilon; drawn from the operating system's bits."""
    assert cls(scale=4).loss(2) == dp.pld.ResponseLoss(HALF)
    found = cls.chosen(np.array([[0, 1, 2]] * 50), Fraction(1), SystemBits())
    assert set(found.tolist()) <= {0, 1, 2}


def test_one_good_candidate_among_many():
    """Of 20000 candidates the only likely one is found, by ever more tries at once."""
    scores = np.full((3, 20_000), -100.0)
    scores[[0, 1, 2], [7, 19_999, 0]] = 0
    draws = drawn(dp.mechanisms.ExponentialSelection, scores, Fraction(1), 8)
    assert draws.tolist() == [7, 19_999, 0]
