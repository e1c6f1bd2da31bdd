"""Coefficients from noisy sums: the posterior mean under a prior, by known noise.

Everything here is post-processing of released values. Along the principal directions of X'X a
moment is eigenvalue times coefficient plus noise: its own, that of X'X times theta, and what clips
moved. Directions are independent given the size of theta, over which a grid is averaged.

The prior of a regression.
"""

from __future__ import annotations

import math

import attrs
import numpy as np

from .arrays import Array
from .clipping import TwoSums, hypotheses, left_by, non_normal_share
from .evidence import Evidence
from .spectrum import Spectrum, noise_left, spectrum


@attrs.frozen
class Prior:
    """Coefficients along the principal directions are normal with mean 0 and variances
    proportional to eigenvalue^(power - 2), for every power of `powers` alike.

    Their size is such that the variance of x'theta is a share of the mean of y^2 whose logarithm is
    uniform between `least` and `most`; beside that, all coefficients may be zero, with odds `null`
    to one, times e^`unclear` for each std by which n falls short of two of its noise (less with
    more than `wide` columns: each costs little then). `hidden` is the mean square of what noise
    hides of eigenvalues, in variances of the noise, but no more than one direction with the share
    `top` of the trace makes. `sampling` is the part of the variance of y about x'theta that counts
    as noise; 1 would be all. `energy` is the prior mean of y^2 of labels in [-1, 1],
    `doubt` its std over it. `floor` is the least eigenvalue, in stds of the noise on X'X.

    Clips move sums of residuals with the chance that the counts of labels say, between `biased` and
    `most_biased`: along each direction by something like the signal, whose share of the mean of y^2
    is one of `moves`, or, in `at_zero` of these cases, so that their root is 0.

    The defaults are constants: they were chosen on generated tables (docs/flagship).
    """

    powers: tuple[float, ...] = (2.0, 3.0)
    least: float = -4.0
    most: float = 0.0
    null: float = 0.25
    unclear: float = 3.0
    wide: float = 6.0
    hidden: float = 2.0
    top: float = 0.25
    sampling: float = 0.3
    faint: float = 0.01
    floor: float = 0.5
    biased: float = 0.01
    most_biased: float = 0.9
    at_zero: float = 0.1
    points: int = 32

    @property
    def shares(self) -> Array:
        """Signal as shares of the mean of y^2, shape (points,)."""
        return np.asarray(np.exp(np.linspace(self.least, self.most, self.points)))

    @property
    def moves(self) -> Array:
        """Squared shifts by clips, as shares of the mean of y^2, shape (h,)."""
        return np.asarray(np.exp(np.linspace(-8, 0, 9)))

    def bias(self, non_normal: float) -> Array:
        """Chances of what clips may have moved, (h + 2,): nothing, by each of `moves`, to 0; where
        a share of labels is `non_normal`.
        """
        chance = float(np.clip(non_normal, self.biased, self.most_biased))
        some = chance * (1 - self.at_zero) / len(self.moves)
        return np.array([1 - chance, *[some] * len(self.moves), chance * self.at_zero])


TINY, FAR, GRID = 1e-9, 8.0, 101  # the least relative std of y'y; stds and points of its grid
DOUBT, LEAST_DOUBT = 0.05, 0.01  # the noise on X'X is the same in all moments: most of it cancels


@attrs.frozen(eq=False)
class Posterior:
    """Mean of the coefficients (d,); expected squared length and its part that is uncertain; the
    estimated spectrum; n and y'y as they were taken; the squared error of all predictions to be
    expected after more sums of labels, and after more of residuals; and how much of the product of
    X'y with the mean is noise that the mean has `followed`, where X'y alone was released.
    """

    mean: Array
    square: float
    uncertain: float
    spectrum: Spectrum
    count: float
    energy: float
    error_with_labels: float = 0.0
    error_with_residuals: float = 0.0
    followed: float = 0.0

    @property
    def doubt(self) -> float:
        """The share of the noise on X'X in the next moment, in [LEAST_DOUBT, 1]: some of the
        uncertain part of the squared length.
        """
        observed = DOUBT * self.uncertain / max(self.square, 1e-300)
        return float(np.clip(observed, LEAST_DOUBT, 1.0))


@attrs.frozen(eq=False)
class Sizes:
    """The posterior on a grid of prior sizes and hypotheses on clips: log weights (g,), means
    (g, d), squared lengths (g,), uncertain parts (g,), and squared errors of predictions that more
    sums of labels, and of residuals, leave (g, 2); and the noise on X'y that the means follow (g,).
    """

    weights: Array
    means: Array
    squares: Array
    uncertain: Array
    errors: Array
    followed: Array


@attrs.frozen(eq=False)
class Sums:
    """Moments in principal directions, `observed` (k, d), with noise of variances `noise` (k,) and
    of `gram` (k,) for coefficients of length 1; of the latter they see the parts `bring` (d,) that
    shrinking left; `lengths` (d,) is |a|^2 + a_i^2 of the last point a, the first term in these
    parts; `bias` (m,) the chances of what clips moved; `left` sums are to come, of labels with the
    variance `again`, or of residuals like the last.
    """

    observed: Array
    noise: Array
    gram: Array
    lengths: Array
    bring: Array
    bias: Array
    left: int
    again: float


def posterior(
    evidence: Evidence, radius: float, prior: Prior, known: Spectrum | None = None, left: int = 0
) -> Posterior:
    """Of all moments. A moment's share of the noise on X'X is the doubt that the moments before it
    leave. `radius` bounds the norms of rows; `known` is the spectrum of X'X, if it is available;
    `left` moments are to come, if there is one after the first already.
    """
    principal = known or spectrum(evidence.gram, evidence.gram_std, prior.floor)
    count = records(evidence, float(np.sum(principal.values)) / radius**2)
    energy = label_energy(evidence, count, prior)
    shares: list[float] = []
    result = Posterior(np.zeros(evidence.columns), 1.0, 1 / DOUBT, principal, count, energy)
    for observed in evidence.moments:
        shares.append(result.doubt)
        ahead = left if observed is evidence.moments[-1] else 0
        result = weighed(evidence, shares, result, prior, ahead)
    return result


def records(evidence: Evidence, filled: float) -> float:
    """n: as released where it is clear of its noise, and at least what the rows fill."""
    observed = evidence.count if evidence.count > 2 * evidence.count_std else 0.0
    return max(observed, filled, 1.0)


def clearness(evidence: Evidence) -> float:
    """By how many stds of its noise n is clear of 0, as counted or as the trace of X'X."""
    trace = float(np.trace(evidence.gram))
    counted = evidence.count / max(evidence.count_std, 1e-300)
    noise = evidence.gram_std * math.sqrt(evidence.columns)
    return max(counted, trace / max(noise, 1e-300))


def label_energy(evidence: Evidence, count: float, prior: Prior) -> float:
    """The posterior mean of y'y, given its release and the counts of label sizes."""
    full = count * evidence.moments[0].width ** 2
    stds = np.maximum([evidence.squares_std, evidence.counted_std], TINY * full)
    precise = 1 / stds**2
    total = max(float(precise.sum()), 1e-300)
    middle = float(precise @ [evidence.squares, evidence.counted]) / total
    reach, ends = FAR / math.sqrt(total), (prior.faint * full, full)
    near = np.clip(middle, *ends)
    sizes = np.geomspace(max(near - reach, ends[0]), min(near + reach, ends[1]), GRID)
    logs = -total / 2 * (sizes - middle) ** 2
    weights = np.exp(logs - logs.max())
    weights[[0, -1]] /= 2  # the trapezoidal rule
    return float(weights @ sizes / weights.sum())


def weighed(
    evidence: Evidence, shares: list[float], before: Posterior, prior: Prior, left: int = 0
) -> Posterior:
    """The posterior of the first moments, one for each of `shares` of the noise on X'X."""
    sums = turned(evidence, shares, before, prior, left)
    values = before.spectrum.values
    second = values**2 + unseen(values, evidence.gram_std, prior)
    sizes = [sized(sums, before, second, power, prior) for power in prior.powers]
    weights = np.concatenate([one.weights for one in sizes])
    doubt = prior.unclear * max(0.0, 2 - clearness(evidence))
    doubt *= min(1.0, prior.wide / evidence.columns)
    spread = math.log(prior.points * len(prior.powers))  # the weights of sizes are not divided
    null = null_weight(sums.observed, sums.noise) + np.log(max(prior.null, 1e-300)) + spread + doubt
    odds = np.exp(weights - max(weights.max(), null))
    odds /= odds.sum() + np.exp(null - max(weights.max(), null))
    errors = odds @ np.concatenate([one.errors for one in sizes])
    return attrs.evolve(
        before,
        mean=before.spectrum.vectors @ (odds @ np.concatenate([one.means for one in sizes])),
        square=float(odds @ np.concatenate([one.squares for one in sizes])),
        uncertain=float(odds @ np.concatenate([one.uncertain for one in sizes])),
        error_with_labels=float(errors[0]),
        error_with_residuals=float(errors[1]),
        followed=float(odds @ np.concatenate([one.followed for one in sizes])),
    )


def turned(
    evidence: Evidence, shares: list[float], before: Posterior, prior: Prior, left: int
) -> Sums:
    """Moments in principal directions, and how likely clips moved them."""
    moments = evidence.moments[: len(shares)]
    turn, values = before.spectrum.vectors.T, before.spectrum.values
    last, at = moments[-1], turn @ moments[-1].at
    explained = float(before.mean @ before.spectrum.matrix @ before.mean)
    square = before.energy / before.count
    error = float(np.sum(moments[0].std ** 2 / values)) / before.count
    bring = noise_left(values, evidence.gram_std, prior.hidden)
    share = non_normal_share(evidence, square, min(explained / before.count, square), error)
    return Sums(
        np.array([turn @ one.moment / one.kept + values * (turn @ one.at) for one in moments]),
        np.array([(one.std / one.kept) ** 2 for one in moments]),
        evidence.gram_std**2 / 2 * np.array(shares),
        at**2 @ bring + at**2,
        bring,
        prior.bias(share),
        left,
        (last.std / last.width * moments[0].width) ** 2,
    )


def sized(sums: Sums, before: Posterior, second: Array, power: float, prior: Prior) -> Sizes:
    """For each size of the prior with one power, and each hypothesis on clips: the evidence for it,
    and what follows from it. `second` (d,) are mean squares of the eigenvalues.
    """
    values, shape = before.spectrum.values, before.spectrum.values ** (power - 2)
    unit = before.energy / np.sum(shape * values) * shape
    variances = prior.shares[:, None] * unit
    squares = variances.sum(axis=1)
    twisted = variances @ sums.bring
    sampled = np.maximum(1 - prior.shares, 0)[:, None] * before.energy / before.count * values
    shared, noise = prior.sampling * sampled, sums.noise[:, None] + sums.gram[:, None] * twisted
    if len(sums.observed) == 1:
        own = noise[0][:, None] + shared
        spread = second * variances + own
        weights = -(np.log(spread) + sums.observed[0] ** 2 / spread).sum(axis=1) / 2
        slopes, left = second * variances / spread / values, variances * own / spread
        none, followed = np.zeros((len(squares), 2)), sums.noise[0] * slopes.sum(axis=1)
        return Sizes(weights, slopes * sums.observed[0], squares, left.sum(axis=1), none, followed)
    precise = 1 / noise[1:]
    total = precise.sum(axis=0)[:, None]
    pooled = np.einsum("kg,ki->gi", precise, sums.observed[1:]) / total
    apart = np.einsum("kg,ki->g", precise, sums.observed[1:] ** 2) - (total * pooled**2).sum(axis=1)
    apart = apart + len(values) * (np.log(total[:, 0]) - np.log(precise).sum(axis=0))
    beside = sums.gram[0] * np.maximum(twisted[:, None], sums.lengths) + sampled
    moves = prior.moves[:, None, None] * values**2 * unit
    signal = second * variances
    both = TwoSums(
        sums.observed[0], sums.noise[0] + beside, pooled, 1 / total, shared, signal, moves
    )
    mixture = hypotheses(both, sums.bias)
    labels = beside + 1 / (1 / sums.noise[0] + sums.left / sums.again)
    residuals = 1 / (total + sums.left * precise[-1][:, None])
    later = (attrs.evolve(both, of_labels=labels), attrs.evolve(both, of_residuals=residuals))
    errors = np.zeros((mixture.chances.size, 2))
    if sums.left:
        left_over = [
            np.sum(values * variances * left_by(one, mixture.moved), axis=2) for one in later
        ]
        errors = np.stack([one.ravel() for one in left_over], axis=1)
    return Sizes(
        (mixture.chances - apart / 2).ravel(),
        (mixture.means / values).reshape(-1, len(values)),
        np.tile(squares, len(mixture.chances)),
        np.sum(variances * mixture.left, axis=2).ravel(),
        errors,
        np.zeros(mixture.chances.size),
    )


def unseen(values: Array, std: float, prior: Prior) -> float:
    """The excess of E[value^2] over (E value)^2. A direction whose eigenvalue is below std
    sqrt(d/2) leaves no trace in eigenvectors [BunABP16]; one at this edge adds std^2/2, one with
    the share `top` of the trace top^2 trace^2/d, wherever it points. The mean of A theta grows with
    E[A^2], what prediction divides it by is E[A].
    """
    return float(min(prior.hidden * std**2, (prior.top * np.sum(values)) ** 2 / len(values)))


def null_weight(observed: Array, noise: Array) -> float:
    """The log evidence for coefficients of 0, on the same scale."""
    d = observed.shape[1]
    return float(-(np.sum(observed**2 / noise[:, None]) + d * np.sum(np.log(noise))) / 2)
