"""Effects of clipping: on a normal residual, the remaining slope, the added noise and the variance
before the clip; on coefficients, the bias of sums of clipped residuals, by comparison with sums of
labels, and how much each of the two estimates counts.

A sum of clipped residuals is Huber's estimating equation [Huber64], whose root is not that of least
squares where residuals are skewed or discrete. Derived on docs/flagship.
"""

from __future__ import annotations

import math

import attrs
import numpy as np

from .arrays import Array
from .evidence import Evidence

ROUNDS = 60  # halvings of an interval of widths over stds
MOST = 20.0  # widths over stds beyond which nothing is clipped


def kept_slope(ratio: Array) -> Array:
    """P(|u| <= w) for u ~ N(0, s^2) and ratio = w/s: by Stein's lemma the factor on X'X theta in
    X'clip(x'theta + e, w).
    """
    from scipy.special import erf

    return np.asarray(erf(np.asarray(ratio) / np.sqrt(2)))


def clipped_square(ratio: Array) -> Array:
    """E clip(u, w)^2/s^2 for u ~ N(0, s^2), ratio = w/s: at most 1, and at most ratio^2."""
    ratio = np.minimum(ratio, MOST)
    density = np.exp(-(ratio**2) / 2) / np.sqrt(2 * np.pi)
    slope = kept_slope(ratio)
    return np.asarray(slope - 2 * ratio * density + ratio**2 * (1 - slope))


def added_share(ratio: Array) -> Array:
    """E (clip(u, w) - slope u)^2/(s slope)^2, what clipping adds to noise: 0 without it."""
    slope = kept_slope(ratio)
    return np.asarray(np.maximum(clipped_square(ratio) - slope**2, 0.0) / slope**2)


def skewed_share(ratio: Array) -> Array:
    """E (u - clip(u, w))^2/s^2 for u + s exponential of mean s, ratio = w/s at least 1: 2
    exp(-1 - ratio), the loss that is allowed for where residuals are not normal.
    """
    return np.asarray(2 * np.exp(-1 - ratio))


def skewed_shift(ratio: Array) -> Array:
    """E (u - clip(u, w))/s for the same u: exp(-1 - ratio), the shift of a mean by clips."""
    return np.asarray(np.exp(-1 - ratio))


def square_before(square: float, width: float) -> float:
    """The variance s^2 of normal labels whose mean square after clipping to [-width, width] is
    `square`; where that is so near width^2 that the labels fill the interval, at most width^2 10^4.
    """
    share = square / width**2
    low, high = 0.01, MOST
    for _ in range(ROUNDS):
        ratio = (low + high) / 2
        narrower = float(clipped_square(np.asarray(ratio))) / ratio**2 > share
        low, high = (ratio, high) if narrower else (low, ratio)
    return square if share <= 1 / MOST**2 else width**2 / ((low + high) / 2) ** 2


CLEAR = 2.0  # stds of the noise on counts that may be noise alone


@attrs.frozen(eq=False)
class TwoSums:
    """Two estimates of A theta in principal directions, for each of g sizes of theta: `labels` (d,)
    with noise of variances `of_labels` (g, d), and `residuals` (g, d) with `of_residuals`
    (g, 1); noise that both share has variances `shared` (g, d), A theta itself `signal` (g, d), and
    what clips move residuals by, if they do, one of the variances `moves` (h, 1, d).
    """

    labels: Array
    of_labels: Array
    residuals: Array
    of_residuals: Array
    shared: Array
    signal: Array
    moves: Array


@attrs.frozen(eq=False)
class Hypotheses:
    """For m = h + 2 hypotheses and g sizes: their log `chances` (m, g), and the `means` of A theta
    (m, g, d) and shares of its variance that are `left` (m, g, d). `moved` (h, g, d) says how
    likely clips move a direction, if any.
    """

    chances: Array
    means: Array
    left: Array
    moved: Array


def hypotheses(both: TwoSums, prior: Array) -> Hypotheses:
    """The hypotheses, with chances `prior` (m,): clips move nothing; they move each direction with
    even odds, by one of the variances; or the root is 0 for every theta, as where most labels are
    0, so that residuals carry no information.
    """
    own, weight = pooled(both)
    total = own + both.signal
    mean = both.labels + weight * (both.residuals - both.labels)
    logs = log_density(mean, total)
    logs += log_density(both.residuals - both.labels, both.of_labels + residual_variances(both))
    likely = np.logaddexp(logs[:1], logs[1:])
    moved = np.exp(logs[1:] - likely)
    alone = both.of_labels + both.shared + both.signal
    at_zero = log_density(both.labels, alone) + log_density(both.residuals, both.of_residuals)
    chances = np.concatenate([logs[:1], likely - math.log(2), at_zero[None]]).sum(axis=2)
    chances = chances + np.log(np.maximum(prior, 1e-300))[:, None]
    means = mixed(both.signal / total * mean, moved, both.signal / alone * both.labels)
    return Hypotheses(chances, means, mixed(own / total, moved, 1 - both.signal / alone), moved)


def residual_variances(both: TwoSums) -> Array:
    """Variances of residuals where clips move each direction by one variance (h + 1, g, d), 0
    first.
    """
    moves = np.concatenate([np.zeros_like(both.moves[:1]), both.moves])
    return np.asarray(moves + both.of_residuals)


def pooled(both: TwoSums) -> tuple[Array, Array]:
    """The noise on the best mean of both sums and the weight of residuals in it, (h + 1, g, d)
    both.
    """
    of_residuals = residual_variances(both)
    weight = both.of_labels / (both.of_labels + of_residuals)
    of_residuals *= weight
    of_residuals += both.shared
    return of_residuals, weight


def mixed(each: Array, moved: Array, alone: Array) -> Array:
    """Values for one variance each (h + 1, g, d) and for labels alone (g, d), mixed into those of
    the hypotheses (m, g, d).
    """
    return np.concatenate([each[:1], each[:1] + moved * (each[1:] - each[:1]), alone[None]])


def left_by(both: TwoSums, moved: Array) -> Array:
    """The share of the variance of A theta that more precise sums would leave, (m, g, d), with the
    `moved` of the sums that there are.
    """
    own = pooled(both)[0]
    alone = both.of_labels + both.shared
    return mixed(own / (own + both.signal), moved, alone / (alone + both.signal))


def log_density(x: Array, variance: Array) -> Array:
    """Log densities of N(0, variance) at x, but for log(2 pi)/2."""
    return np.asarray(-(np.log(variance) + x**2 / variance) / 2)


def non_normal_share(
    evidence: Evidence, square: float, explained: float, error: float = 0.0
) -> float:
    """The largest share of labels, beyond noise, whose sizes contradict normal residuals, for
    labels of mean square `square` of which predictions have the part `explained`, with errors of
    mean square `error`; 0 where sizes were not counted, or n is not clear of its noise.

    Residuals N(0, s^2) put at most P(|N(0, s^2)| <= c) of labels in [-c, c], for any predictions.
    They put P(|N(0, square)| <= c) there where predictions are normal too, and P(|N(m, s^2)| <= c)
    where all are m, which may be CLEAR errors longer: fewer than all of these is not normal.
    """
    counts, n = evidence.counts, evidence.count
    if counts is None or len(counts.observed) == 1 or n <= CLEAR * evidence.count_std:
        return 0.0
    from scipy.special import erf, ndtr

    cuts = counts.bound * 2.0 ** np.arange(1 - len(counts.observed), 0)
    inside = np.cumsum(counts.observed)[:-1] / n
    noise = CLEAR * counts.std * np.sqrt(np.arange(1, len(counts.observed))) / n
    most = erf(cuts / math.sqrt(2 * max(square - explained, square * 1e-9)))
    least = erf(cuts / math.sqrt(2 * square))
    for more in (0.0, CLEAR * math.sqrt(error)):
        middle = min(math.sqrt(max(explained, 0.0)) + more, math.sqrt(square))
        std = math.sqrt(max(square - middle**2, square * 1e-9))
        around = ndtr((cuts - middle) / std) - ndtr((-cuts - middle) / std)
        least = np.minimum(least, around)
    return float(np.max(np.maximum(inside - most, least - inside) - noise))
