"""Where labels and residuals are clipped, from released values: a narrow clip needs little noise
and loses what lies outside.

Whether what noise takes is little beside what sampling takes, so that no residual is worth
another look at the table.
"""

from __future__ import annotations

import math

import numpy as np

from .arrays import Array
from .evidence import Evidence
from .shrinkage import Posterior
from .spread import Spread

NORMAL = 1.96  # stds that an interval has on either side
WEIGHT = 0.2  # power of the squared error: half the noise on predictions is worth a third of length
LONGEST = 2.5  # times the shortest interval
COUNTED = 2.0  # times the std of what clips take off labels, since the same counts chose the clip
LEAST_KEPT = 0.4
BASE, ROOT = 0.3, 0.27
"""Deviations of residuals that are kept, and their growth with sqrt(n mu^2/d): a clip of w
deviations has noise of w/sqrt(n mu^2/d) times that of sampling."""
SLOW, SLOPE = 3.0, 0.45
"""The same where noise is small already: they grow with log(n mu^2/d)."""
CLEAR = 2.0  # of residuals, in stds of the noise on their sum; of eigenvalues, in edges of noise


def label_level(
    counts: Array, std: float, known_count: float | None, moment_std: float, columns: float
) -> float:
    """The 2^-k of the label bound that is best for intervals and predictions: the least product of
    their length, at most LONGEST times the shortest, and the power WEIGHT of the squared error; 1
    where n is not clear of its noise.

    `counts` (k + 1,) noisy, of |y|/Y at most 2^-k, ..., at most 1/2, and above it, each with `std`;
    `moment_std` is that of the noise on X'y for labels clipped at the bound, over the bounds of
    rows and labels, `columns` d. Predictions lose lost^2 and (level moment_std d)^2, over n, to
    clips and to noise, for rows in the unit ball with an intercept.
    """
    n, unsure = count_of(counts, std, known_count)
    if n <= 2 * unsure:
        return 1.0
    levels = 2.0 ** -np.arange(len(counts))
    lengths = lengths_of(counts, std, levels, moment_std)
    beyond = np.maximum(0.75 * 2.0 ** np.arange(1 - len(counts), 1) - levels[:, None], 0.0)
    lost = np.maximum(beyond @ counts - std / 2 * np.linalg.norm(beyond, axis=1), 0.0)
    costs = lost**2 + (levels * moment_std * columns) ** 2
    costs[lengths > LONGEST * np.min(lengths)] = math.inf
    return float(levels[np.argmin(lengths * costs**WEIGHT)])


def lengths_of(counts: Array, std: float, levels: Array, moment_std: float) -> Array:
    """Half lengths of 95% intervals of v'X'y, |v| = 1, where labels are clipped at each of the
    levels: the noise on X'y and what intervals allow for clips, for rows as long as their norm.
    """
    lost, noise, _ = np.transpose([lost_to_clips(counts, std, level) for level in levels])
    variances = (moment_std * levels) ** 2
    known = Spread(variances, variances, variances, np.zeros(len(levels)))
    return known.biased(NORMAL, lost, loss_std(lost, noise, 1 - levels))


def loss_std(lost: Array | float, std: Array | float, largest: Array | float) -> Array:
    """The std that intervals count for what clips took off labels, observed as `lost` with noise of
    `std`, in the population, where they take at most `largest` off each; COUNTED times.
    """
    return np.asarray(COUNTED * np.hypot(std, sampled_loss(np.maximum(lost, 0.0), std, largest)))


def sampled_loss(lost: Array | float, std: Array | float, largest: Array | float) -> Array:
    """The std of what clips take off the labels of a sample, observed as `lost` with noise of
    `std`, where they take at most `largest` off each: its variance is at most largest times its
    mean, which is taken at the upper end of its score interval.
    """
    half = NORMAL**2 * largest / 2
    most = lost + half + np.sqrt(half**2 + NORMAL**2 * (std**2 + largest * lost))
    return np.asarray(np.sqrt(largest * most))


def count_of(counts: Array, std: float, known_count: float | None) -> tuple[float, float]:
    """n and the std of its noise: the public number, or the sum of the noisy counts."""
    if known_count is not None:
        return float(known_count), 0.0
    return float(np.sum(counts)), std * float(np.sqrt(len(counts)))


def counted_squares(counts: Array, std: float, level: float) -> tuple[float, float]:
    """sum of min(y^2, level^2) for label bound 1 and the std of its noise, from noisy counts as in
    `label_level`; sizes are taken to be uniform between cuts.
    """
    top = 2.0 ** np.arange(1 - len(counts), 1)
    means = np.minimum(top**2 * np.where(np.arange(len(counts)) > 0, 7 / 12, 1 / 3), level**2)
    return float(counts @ means), float(std * np.sqrt(means @ means))


def lost_to_clips(counts: Array, std: float, level: float) -> tuple[float, float, float]:
    """The sum of |y| - level over labels beyond level, for label bound 1, from above by the cuts
    around each label, but for noise of the second number, with which it may be negative; and its
    share of the sum of |y|, with noise of one std more.
    """
    top = 2.0 ** np.arange(1 - len(counts), 1)
    beyond = np.maximum(top - level, 0.0)
    lost, noise = float(counts @ beyond), float(std * np.sqrt(beyond @ beyond))
    left = float(np.maximum(counts[1:], 0.0) @ np.minimum(top[1:] / 2, level))
    most = max(lost, 0.0) + noise
    return lost, noise, most / (most + left) if most > 0 else 0.0


def residual_width(evidence: Evidence, fit: Posterior, bound: float, strength: float) -> float:
    """Some deviations of the residuals of a fit, more where noise is small; not more than labels
    and twice the deviation of predictions can make; over `bound`. `strength` is mu^2/d.
    """
    explained = float(fit.mean @ fit.spectrum.matrix @ fit.mean)
    observed = fit.count * strength
    deviations = BASE + ROOT * math.sqrt(observed)
    deviations = min(deviations, SLOW + SLOPE * math.log(max(observed, 1.0)))
    most = evidence.moments[0].width + 2 * np.sqrt(explained / fit.count)
    return float(min(deviations * residual_deviation(evidence, fit), most)) / bound


def residual_deviation(evidence: Evidence, fit: Posterior) -> float:
    """The root mean square of the residuals of a fit, from above: of what y'y and X'y leave, where
    noise that the fit has followed explains nothing, and of y'y - theta'X'X theta, which is what
    the posterior expects, as far as CLEAR stds of the noise on the first allow.

    Given what was released, the noise e on X'y has the mean X'y + e - X'X theta, theta being the
    posterior mean. The fit has followed theta'e of it, so that y'y - 2 theta'X'y + theta'X'X theta
    is y'y - theta'X'X theta on average. What is beyond CLEAR stds is no noise: the model is off.
    """
    theta = fit.mean
    explained = float(theta @ fit.spectrum.matrix @ theta)
    fitted = float(theta @ evidence.moments[0].moment) - fit.followed
    left = evidence.squares - 2 * fitted + explained
    noise = CLEAR * 2 * evidence.moments[0].std * float(np.linalg.norm(theta))
    left += min(max(evidence.squares - explained - left, 0.0), noise)
    return float(np.sqrt((max(left, 0.0) + evidence.squares_std) / fit.count))


def share_kept(width: float, deviation: float) -> float:
    """The share of normal residuals inside [-width, width], at least LEAST_KEPT."""
    if not deviation > 0:
        return 1.0
    return max(math.erf(width / (math.sqrt(2) * deviation)), LEAST_KEPT)


LITTLE = 0.15  # of what sampling takes


def sampling_rules(evidence: Evidence, fit: Posterior, gained: float) -> bool:
    """Whether the expected excess error that noise makes is at most LITTLE of what sampling makes,
    if the variance of the noise on X'y is divided by `gained`; False where an eigenvalue of X'X or
    the size of residuals is not clear of noise.
    """
    values = fit.spectrum.values
    edge = evidence.gram_std * math.sqrt(len(values) / 2)
    if not values.min() > CLEAR * edge:
        return False
    turned = fit.spectrum.vectors.T @ fit.mean
    twisted = evidence.gram_std**2 / 2 * (turned @ turned + turned**2)
    private = float(np.sum((evidence.moments[0].std ** 2 / gained + twisted) / values))
    variance = residual_variance(evidence, fit.mean, fit.count)
    return variance > 0 and private <= LITTLE * len(values) * variance


def residual_variance(evidence: Evidence, theta: Array, count: float) -> float:
    """That of residuals at theta (d,), from below by CLEAR stds of the noise on it; at least 0."""
    moment = evidence.moments[0]
    left = evidence.squares - 2 * theta @ moment.moment + theta @ evidence.gram @ theta
    length = float(theta @ theta)
    stds = (evidence.squares_std, 2 * moment.std * math.sqrt(length), evidence.gram_std * length)
    return max(float(left) - CLEAR * math.hypot(*stds), 0.0) / count
