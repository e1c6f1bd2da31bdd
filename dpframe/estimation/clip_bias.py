"""What clips of residuals may have moved, judged by sums of labels: how much each of two sights of
the same coefficients counts.

A sum of clipped residuals is Huber's estimating equation [Huber64]: its root is another than least
squares' where residuals are skewed or discrete. Derived on docs/flagship.
"""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .evidence import Evidence

Array = NDArray[Any]

CLEAR = 2.0  # stds of the noise on counts that do not count as misplaced


@attrs.frozen(eq=False)
class Sights:
    """A theta in principal directions, seen twice, for each of g sizes of theta: in `labels` (d,)
    with noise of variances `of_labels` (g, d), and in `residuals` (g, d) with `of_residuals`
    (g, 1); noise that both share has variances `shared` (g, d), A theta itself `signal` (g, d), and
    what clips move residuals by, if they do, one of the variances `moves` (h, g, d).
    """

    labels: Array
    of_labels: Array
    residuals: Array
    of_residuals: Array
    shared: Array
    signal: Array
    moves: Array


@attrs.frozen(eq=False)
class Judged:
    """For m = h + 2 hypotheses and g sizes: their log `chances` (m, g), and the `means` of A theta
    (m, g, d). `moved` (h, g, d) says how likely clips move a direction, if any.
    """

    chances: Array
    means: Array
    moved: Array


def judged(sights: Sights, prior: Array) -> Judged:
    """Hypotheses are, with chances `prior` (m,): clips move nothing; they move each direction with
    even odds, by one of the variances; or the root is 0 whatever theta is, as where most labels
    are, so that residuals say nothing.
    """
    logs, means = each(sights)
    likely = np.logaddexp(logs[:1], logs[1:])
    moved = np.exp(logs[1:] - likely)
    mixed = moved * means[1:] + (1 - moved) * means[:1]
    own = sights.of_labels + sights.shared
    at_zero = normal(sights.labels, own + sights.signal)
    at_zero = at_zero + normal(sights.residuals, sights.of_residuals)
    alone = sights.signal / (sights.signal + own) * sights.labels
    chances = np.concatenate([logs[:1], likely - math.log(2), at_zero[None]]).sum(axis=2)
    chances = chances + np.log(np.maximum(prior, 1e-300))[:, None]
    return Judged(chances, np.concatenate([means[:1], mixed, alone[None]]), moved)


def each(sights: Sights) -> tuple[Array, Array]:
    """Log likelihoods, up to a constant, and means of A theta, (h + 1, g, d) both, where every
    direction is moved by one variance, 0 first.
    """
    own, weight = pooled(sights)
    apart = sights.of_labels + sights.of_residuals + moves(sights)
    both = weight * sights.residuals + (1 - weight) * sights.labels
    logs = normal(both, own + sights.signal) + normal(sights.residuals - sights.labels, apart)
    return logs, sights.signal / (sights.signal + own) * both


def moves(sights: Sights) -> Array:
    """Variances (h + 1, g, d), 0 first."""
    return np.concatenate([np.zeros_like(sights.moves[:1]), sights.moves])


def pooled(sights: Sights) -> tuple[Array, Array]:
    """The noise on the best mean of both sights and the weight of residuals in it, (h + 1, g, d)
    both.
    """
    of_residuals = sights.of_residuals + moves(sights)
    weight = sights.of_labels / (sights.of_labels + of_residuals)
    return weight * of_residuals + sights.shared, weight


def unsure(sights: Sights, moved: Array) -> Array:
    """The share of the variance of A theta that is left, (m, g, d), with `moved` as in Judged: of
    the same sights, or of sharper ones that may come.
    """
    own = pooled(sights)[0]
    left = own / (own + sights.signal)
    alone = sights.of_labels + sights.shared
    mixed = moved * left[1:] + (1 - moved) * left[:1]
    return np.concatenate([left[:1], mixed, (alone / (alone + sights.signal))[None]])


def normal(x: Array, variance: Array) -> Array:
    """Log densities of N(0, variance) at x, but for log(2 pi)/2."""
    found: Array = -(np.log(variance) + x**2 / variance) / 2
    return found


def misplaced(evidence: Evidence, square: float, explained: float) -> float:
    """The largest share of labels, beyond noise, whose sizes are where no normal residuals put
    them, for labels of mean square `square` of which predictions have the part `explained`; 0 where
    sizes were not counted, or n is not clear of its noise.

    Residuals N(0, s^2) put at most P(|N(0, s^2)| <= c) of labels in [-c, c], whatever is predicted,
    and P(|N(0, square)| <= c) where predictions are normal too.
    """
    counts, n = evidence.counts, evidence.count
    if counts is None or len(counts.seen) == 1 or n <= CLEAR * evidence.count_std:
        return 0.0
    from scipy.special import erf

    cuts = counts.bound * 2.0 ** np.arange(1 - len(counts.seen), 0)
    inside = np.cumsum(counts.seen)[:-1] / n
    noise = CLEAR * counts.std * np.sqrt(np.arange(1, len(counts.seen))) / n
    most = erf(cuts / math.sqrt(2 * max(square - explained, square * 1e-9)))
    usual = erf(cuts / math.sqrt(2 * square))
    return float(np.max(np.maximum(inside - most, usual - inside) - noise))
