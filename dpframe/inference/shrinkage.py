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
    turn, values = before.spectrum.vectors.T, before.spectrum.values
    seen = np.array([turn @ one.moment / one.kept + values * (turn @ one.at) for one in moments])
    noise = np.array([(one.std / one.kept) ** 2 for one in moments])
    gram = evidence.gram_std**2 / 2 * np.array(shares)
    second = values**2 + unseen(values, evidence.gram_std, prior)
    sizes = [sized(seen, noise, gram, before, second, power, prior) for power in prior.powers]
    weights = np.concatenate([one.weights for one in sizes])
    doubt = prior.unclear * max(0.0, 2 - clearness(evidence))
    doubt *= min(1.0, prior.wide / evidence.columns)
    null = null_weight(seen, noise) + np.log(max(prior.null, 1e-300) * len(weights)) + doubt
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
    total = precise.sum(axis=0)[:, None]
    pooled = np.einsum("kg,ki->gi", precise, seen) / total
    unexplained = prior.sampling * np.maximum(1 - prior.shares, 0) * before.energy / before.count
    own = 1 / total + unexplained[:, None] * values
    spread = second * variances + own
    apart = np.einsum("kg,ki->g", precise, seen**2) - (total * pooled**2).sum(axis=1)
    logs = (np.log(spread) + pooled**2 / spread + np.log(total)).sum(axis=1)
    weights = -(logs + apart - len(values) * np.log(precise).sum(axis=0)) / 2
    means = second * variances / spread * pooled / values
    return Sizes(weights, means, squares, (variances * own / spread).sum(axis=1))


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
