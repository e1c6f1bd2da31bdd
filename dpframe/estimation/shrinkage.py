"""Coefficients from noisy sums: the posterior mean under a prior, by known noise.

Everything here is post-processing of released values. Along the principal directions of X'X a
moment is eigenvalue times coefficient plus noise: its own, and that of X'X times theta. Directions
are independent given the size of theta, over which a grid is averaged.
"""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .evidence import Evidence
from .prior import Prior
from .spectrum import Spectrum, spectrum

Array = NDArray[Any]

DOUBT, LEAST_DOUBT = 0.05, 0.01  # the noise on X'X is the same in all moments: most of it cancels


@attrs.frozen(eq=False)
class Posterior:
    """Mean of the coefficients (d,); expected squared length and its part that is uncertain; the
    estimated spectrum; n and y'y as they were taken.
    """

    mean: Array
    square: float
    uncertain: float
    spectrum: Spectrum
    count: float
    energy: float

    @property
    def doubt(self) -> float:
        """What the next moment sees of the noise on X'X, in [LEAST_DOUBT, 1]: some of the uncertain
        part of the squared length.
        """
        seen = DOUBT * self.uncertain / max(self.square, 1e-300)
        return float(np.clip(seen, LEAST_DOUBT, 1.0))


@attrs.frozen(eq=False)
class Sizes:
    """What a grid of prior sizes says: log weights (g,), means (g, d), squared lengths (g,) and
    uncertain parts (g,).
    """

    weights: Array
    means: Array
    squares: Array
    uncertain: Array


def posterior(
    evidence: Evidence, radius: float, prior: Prior, known: Spectrum | None = None
) -> Posterior:
    """Of all moments. A moment's share of the noise on X'X is the doubt that the moments before it
    leave. `radius` bounds the norms of rows; `known` is the spectrum of X'X, if it was found.
    """
    found = known or spectrum(evidence.gram, evidence.gram_std, prior.floor)
    count = records(evidence, float(np.sum(found.values)) / radius**2)
    energy = label_energy(evidence, count, prior)
    shares: list[float] = []
    result = Posterior(np.zeros(evidence.columns), 1.0, 1 / DOUBT, found, count, energy)
    for _ in evidence.moments:
        shares.append(result.doubt)
        result = weighed(evidence, shares, result, prior)
    return result


def records(evidence: Evidence, filled: float) -> float:
    """n: as released where it is clear of its noise, and at least what the rows fill."""
    seen = evidence.count if evidence.count > 2 * evidence.count_std else 0.0
    return max(seen, filled, 1.0)


def clearness(evidence: Evidence) -> float:
    """By how many stds of its noise n is clear of 0, as counted or as the trace of X'X."""
    trace = float(np.trace(evidence.gram))
    counted = evidence.count / max(evidence.count_std, 1e-300)
    noise = evidence.gram_std * math.sqrt(evidence.columns)
    return max(counted, trace / max(noise, 1e-300))


def label_energy(evidence: Evidence, count: float, prior: Prior) -> float:
    """y'y: as released, as counted, and as believed of labels in [-width, width], by precision."""
    full = count * evidence.moments[0].width ** 2
    believed = prior.energy * full
    means = np.array([evidence.squares, evidence.counted, believed])
    stds = np.array([evidence.squares_std, evidence.counted_std, prior.doubt * believed])
    precise = (stds.min() / stds) ** 2
    return float(np.clip(precise @ means / precise.sum(), full / 100, full))


def weighed(evidence: Evidence, shares: list[float], before: Posterior, prior: Prior) -> Posterior:
    """The posterior of the first moments, one for each of `shares` of the noise on X'X."""
    moments = evidence.moments[: len(shares)]
    KN.last, KN.best = [], None
    KN.at = before.spectrum.vectors.T @ moments[-1].at
    KN.width, KN.level, KN.kept = moments[-1].width, moments[0].width, moments[-1].kept
    turn, values = before.spectrum.vectors.T, before.spectrum.values
    seen = np.array([turn @ one.moment / one.kept + values * (turn @ one.at) for one in moments])
    noise = np.array([(one.std / one.kept) ** 2 for one in moments])
    gram = evidence.gram_std**2 / 2 * np.array(shares)
    second = values**2 + unseen(values, evidence.gram_std, prior)
    sizes = [sized(seen, noise, gram, before, second, power, prior) for power in prior.powers]
    weights = np.concatenate([one.weights for one in sizes])
    doubt = prior.unclear * max(0.0, 2 - clearness(evidence))
    doubt *= min(1.0, prior.wide / evidence.columns)
    null = null_weight(seen, noise) + np.log(max(prior.null, 1e-300) * len(prior.powers) * prior.points) + doubt
    if len(KN.last) == 2:
        KN.best = sum(np.exp(a[0] - max(KN.last[0][0], KN.last[1][0])) * a[2] for a in KN.last)
    odds = np.exp(weights - max(weights.max(), null))
    odds /= odds.sum() + np.exp(null - max(weights.max(), null))
    return attrs.evolve(
        before,
        mean=turn.T @ (odds @ np.concatenate([one.means for one in sizes])),
        square=float(odds @ np.concatenate([one.squares for one in sizes])),
        uncertain=float(odds @ np.concatenate([one.uncertain for one in sizes])),
    )


def sized(  # noqa: PLR0917 - arrays by their letters
    seen: Array,
    noise: Array,
    gram: Array,
    before: Posterior,
    second: Array,
    power: float,
    prior: Prior,
) -> Sizes:
    """For each size of the prior with one power: the evidence for it, and what follows from it.

    `seen` (k, d) in principal directions; `noise` (k,) and `gram` (k,) variances, the latter for
    coefficients of length 1; `second` (d,) mean squares of the eigenvalues.
    """
    values, shape = before.spectrum.values, before.spectrum.values ** (power - 2)
    scale = prior.shares * before.energy / np.sum(shape * values)
    variances = scale[:, None] * shape
    squares = variances.sum(axis=1)
    precise = 1 / (noise[:, None] + gram[:, None] * squares)  # (k, g)
    unexplained = np.maximum(1 - prior.shares, 0) * before.energy / before.count
    common = prior.sampling * unexplained[:, None] * values
    first, rest = precise[0], precise[1:]
    if not len(rest):
        spread = second * variances + 1 / first[:, None] + common
        weights = -(np.log(spread) + seen[0] ** 2 / spread).sum(axis=1) / 2
        means = second * variances / spread * seen[0] / values
        return Sizes(weights, means, squares, (variances * (spread - second*variances) / spread).sum(axis=1))
    total = rest.sum(axis=0)
    pooled = np.einsum("kg,ki->gi", rest, seen[1:]) / total[:, None]
    apart = np.einsum("kg,ki->g", rest, seen[1:] ** 2) - (total[:, None] * pooled**2).sum(axis=1)
    within = -(apart + len(values) * (np.log(total) - np.log(rest).sum(axis=0))) / 2
    sizes = np.concatenate([[0.0], KN.sizes])[:, None, None]
    like = shape if KN.power is None else values ** (KN.power - 2)
    shifts = sizes * values**2 * like * before.energy / np.sum(like * values)
    lengths = KN.at @ KN.at + KN.at**2
    start = noise[0] + gram[0] * np.maximum(squares[:, None], lengths)
    own0 = start + KN.extra * unexplained[:, None] * values
    own1 = 1 / total[:, None] + shifts  # (h, g, i)
    differ = own0 + own1
    share = own0 / differ  # of the pooled residuals
    both = share * pooled + (1 - share) * seen[0]
    own = own0 * own1 / differ + common
    spread = second * variances + own
    logs = -(np.log(spread) + both**2 / spread + np.log(differ) + (pooled - seen[0])**2 / differ) / 2
    means = second * variances / spread * both / values
    uncertain = variances * own / spread
    free, some = logs[:1], logs[1:]
    spike = np.log(1 - KN.slab) if KN.slab < 1 else -np.inf
    top = np.maximum(free + spike, some + np.log(KN.slab))
    mixed = top + np.log(np.exp(free + spike - top) + np.exp(some + np.log(KN.slab) - top))
    odds = np.exp(some + np.log(KN.slab) - mixed)
    evid = np.concatenate([free, mixed]).sum(axis=2) + within
    evid = evid + np.log(np.concatenate([[1 - KN.biased], np.full(len(some), KN.biased / len(some))]))[:, None]
    means = np.concatenate([means[:1], odds * means[1:] + (1 - odds) * means[:1]])
    uncertain = np.concatenate([uncertain[:1], odds * uncertain[1:] + (1 - odds) * uncertain[:1]]).sum(axis=2)
    m = len(evid)
    R, unit = KN.left, np.sqrt(noise[-1]) / KN.width
    ev2 = evid - evid.max()
    ev2 = np.exp(ev2) / 1.0
    losses = []
    n0 = start - noise[0] + 1 / (1 / noise[0] + R / (KN.level * unit * KN.kept) ** 2)
    for p0, p1 in ((start, total), (n0, total), (start, total + R * rest[-1])):
        o0 = p0 + KN.extra * unexplained[:, None] * values
        o1 = 1 / p1[:, None] + shifts
        ow = o0 * o1 / (o0 + o1) + common
        un = values * variances * ow / (second * variances + ow)
        un = np.concatenate([un[:1], odds * un[1:] + (1 - odds) * un[:1]]).sum(axis=2)
        losses.append((ev2 * un).sum())
    KN.last.append((evid.max(), ev2.sum(), np.array(losses), (ev2.sum(axis=1) / ev2.sum())))
    return Sizes(evid.ravel(), means.reshape(-1, means.shape[2]), np.tile(squares, m), uncertain.ravel())


class KN:
    sizes = np.exp(np.linspace(-8, 0, 9))
    power = None
    extra = 1.0
    slab = 0.5
    biased = 0.05
    levels = True
    part = 0.1
    last = []
    left, width, level, kept = 0, 1.0, 1.0, 1.0
    lab = True
    factor = 1.0


def unseen(values: Array, std: float, prior: Prior) -> float:
    """What E[value^2] exceeds (E value)^2 by. A direction whose eigenvalue is below std sqrt(d/2)
    leaves no trace in eigenvectors [BunABP16]; one at this edge adds std^2/2, one with the share
    `top` of the trace top^2 trace^2/d, wherever it points. The mean of A theta grows with E[A^2],
    what prediction divides it by is E[A].
    """
    return float(min(prior.hidden * std**2, (prior.top * np.sum(values)) ** 2 / len(values)))


def null_weight(seen: Array, noise: Array) -> float:
    """The log evidence for coefficients of 0, on the same scale."""
    d = seen.shape[1]
    return float(-(np.sum(seen**2 / noise[:, None]) + d * np.sum(np.log(noise))) / 2)
