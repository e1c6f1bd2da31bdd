"""What the tests of noise share: exact chances at 50 digits, and chi-square."""

import itertools

import mpmath
import numpy as np
from scipy import special

LEAST = 1e-6


def real_normal(std):
    """P[X < x] of N(0, std^2)."""
    return lambda x: mpmath.ncdf(mpmath.mpf(x) / std)


def real_laplace(scale):
    """P[X < x] of Laplace(scale)."""

    def below(x):
        half = mpmath.exp(-abs(mpmath.mpf(x)) / scale) / 2
        return half if x < 0 else 1 - half

    return below


def discrete_laplace(scale):
    """P[X <= x] for chances proportional to e^(-|x|/scale): a geometric series on each side."""

    def up_to(x):
        q = mpmath.exp(-1 / mpmath.mpf(scale))
        return q**-x / (1 + q) if x < 0 else 1 - q ** (x + 1) / (1 + q)

    return up_to


def discrete_normal(sigma, reach):
    """P[X <= x] for chances proportional to e^(-x^2/(2 sigma^2)), summed from -reach to reach."""
    weights = [mpmath.exp(-((x / mpmath.mpf(sigma)) ** 2) / 2) for x in range(-reach, reach + 1)]
    sums = [mpmath.mpf(0)]
    for weight in weights:
        sums.append(sums[-1] + weight)
    return lambda x: sums[min(max(x + reach + 1, 0), len(weights))] / sums[-1]


def edges(width):
    """Whole numbers that cut the line into bins, a fifth of `width` long, and two tails beyond 4.2
    widths.
    """
    return sorted({round(step * width / 5) for step in range(-21, 22)})


def chances(cuts, up_to):
    """The chance of each bin (-inf, c0], (c0, c1], ..., (ck, inf)."""
    with mpmath.workdps(50):
        at = [mpmath.mpf(0), *(up_to(c) for c in cuts), mpmath.mpf(1)]
        return [float(b - a) for a, b in itertools.pairwise(at)]


def counted(draws, cuts):
    """How many draws lie in each bin."""
    cuts = np.array(cuts, dtype=draws.dtype)
    return np.bincount(np.searchsorted(cuts, draws), minlength=len(cuts) + 1)


def fit(counts, law):
    """The p-value of Pearson's statistic; bins of fewer than 8 expected draws join a neighbour."""
    cells, want = [0], [0.0]
    for count, mean in zip(counts, np.array(law) * counts.sum(), strict=True):
        cells[-1] += count
        want[-1] += mean
        if want[-1] >= 8:
            cells.append(0)
            want.append(0.0)
    cells[-2:], want[-2:] = [sum(cells[-2:])], [sum(want[-2:])]
    cells, want = np.array(cells), np.array(want)
    return special.gammaincc((len(want) - 1) / 2, ((cells - want) ** 2 / want).sum() / 2)


def chi_square(draws, std):
    """The two-sided p-value of the sum of squares of centred normal draws."""
    total, count = np.sum((draws / std) ** 2), draws.size
    return 2 * min(special.gammaincc(count / 2, total / 2), special.gammainc(count / 2, total / 2))


def kolmogorov(draws, cdf):
    """The p-value of the largest gap between the draws' distribution and `cdf`."""
    at = cdf(np.sort(draws))
    steps = np.arange(len(at) + 1) / len(at)
    gap = max(np.max(steps[1:] - at), np.max(at - steps[:-1]))
    return special.kolmogorov(gap * np.sqrt(len(at)))
