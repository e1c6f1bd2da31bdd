"""One event for each question, chosen on half of the draws and counted on the other half.

Bounds on its probability are exact binomial ones, whatever the event.

Scores of draws: logarithms of the density of noise, or learned where nobody says what their law
is. A wrong one costs power, not truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

from dpframe.mechanisms import AdditiveNoise, L2Laplace
from dpframe.mechanisms.base import PureNoise, StdNoise

from .claims import Claim

Reals: TypeAlias = NDArray[np.float64]
ROUNDING = 1e-11  # what the inverse of the incomplete beta function may be off by, and more


def at_least(hits: ArrayLike, draws: int, failing: float) -> Reals:
    """A lower bound on the probability of an event that was seen `hits` times in `draws`
    independent draws; too large with probability at most `failing`. [ClopperP34]
    """
    seen = np.asarray(hits, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        found = betaincinv(np.maximum(seen, 1), draws - np.maximum(seen, 1) + 1, failing)
    return np.where(seen > 0, np.maximum(found * (1 - ROUNDING) - ROUNDING, 0.0), 0.0)


def at_most(hits: ArrayLike, draws: int, failing: float) -> Reals:
    """An upper bound, too small with probability at most `failing`. [ClopperP34]"""
    misses = draws - np.asarray(hits, dtype=np.float64)
    return 1.0 - at_least(misses, draws, failing)


MOST = 400  # thresholds that are tried on the first half
QUESTIONS = 3  # delta at some epsilon, epsilon at some delta, mu


@attrs.frozen(eq=False)
class Scores:
    """One number for each draw: larger where the first table is the likelier."""

    first: Reals
    second: Reals

    def halves(self) -> tuple[Scores, Scores]:
        """What an event is chosen on, and what it is counted on."""
        half = len(self.first) // 2
        return (
            Scores(self.first[:half], self.second[:half]),
            Scores(self.first[half:], self.second[half:]),
        )

    def rounded(self) -> Scores:
        """In single precision: of draws in doubles, low bits tell more than the law [Mironov12]."""
        single = (one.astype(np.float32).astype(np.float64) for one in (self.first, self.second))
        return Scores(*single)

    def __add__(self, other: Scores) -> Scores:
        """Of independent releases."""
        return Scores(self.first + other.first, self.second + other.second)


@attrs.frozen
class ThresholdEvent:
    """Scores of at least the threshold, or at most it where `turned`: then the second table is the
    likelier.
    """

    threshold: float
    turned: bool

    def hits(self, scores: Scores) -> tuple[int, int]:
        """How many draws fall in it, of the likelier table and of the other."""
        if self.turned:
            likelier, other = scores.second <= self.threshold, scores.first <= self.threshold
        else:
            likelier, other = scores.first >= self.threshold, scores.second >= self.threshold
        return int(likelier.sum()), int(other.sum())


@attrs.frozen
class ProvedBounds:
    """Lower bounds from one pair; all of them hold together with the stated confidence.

    The privacy profile is at least `delta` at `at`, where `allowed` is claimed; at the claim's
    delta epsilon is at least `epsilon`; no mu-Gaussian guarantee holds below `mu`.
    """

    at: float
    delta: float
    allowed: float
    epsilon: float
    told: float
    mu: float

    @property
    def flagged(self) -> bool:
        """Whether the claim is refuted."""
        return self.delta > self.allowed or self.epsilon > self.told


@attrs.frozen(eq=False)
class Tried:
    """Every event of the first half, with bounds as the second half would give them."""

    events: tuple[ThresholdEvent, ...]
    low: Reals
    high: Reals

    @classmethod
    def of(cls, scores: Scores, counted: int, failing: float) -> Tried:
        """Thresholds at quantiles of all scores."""
        pooled = np.unique(np.concatenate([scores.first, scores.second]))
        places = np.unique(np.linspace(0, len(pooled) - 1, min(MOST, len(pooled))).astype(int))
        cuts, n = pooled[places], len(scores.first)
        first, second = np.sort(scores.first), np.sort(scores.second)
        above = [n - np.searchsorted(one, cuts, side="left") for one in (first, second)]
        below = [np.searchsorted(one, cuts, side="right") for one in (second, first)]
        likelier, other = (np.concatenate(pair) for pair in zip(above, below, strict=True))
        events = tuple(
            ThresholdEvent(float(cut), turned) for turned in (False, True) for cut in cuts
        )
        scale = counted / n
        return cls(
            events,
            at_least(likelier * scale, counted, failing),
            at_most(other * scale, counted, failing),
        )

    def best(self, gain: Callable[[Reals, Reals], Reals]) -> tuple[ThresholdEvent, float]:
        """The event that promises most, and how much."""
        found = gain(self.low, self.high)
        i = int(np.argmax(found))
        return self.events[i], float(found[i])


def bounds(scores: Scores, claim: Claim, failing: float) -> ProvedBounds:
    """What the draws prove against the claim; wrong with probability at most `failing`.

    Both halves of a choice are independent, so that each event is one event when it is counted.
    """
    chosen_on, counted_on = scores.halves()
    each = failing / (2 * QUESTIONS)
    counted = len(counted_on.first)
    tried = Tried.of(chosen_on, counted, each)

    def counts(event: ThresholdEvent) -> tuple[Reals, Reals]:
        likelier, other = event.hits(counted_on)
        return at_least(likelier, counted, each), at_most(other, counted, each)

    at, event = _sharpest(tried, claim)
    low, high = counts(event)
    wide = counts(tried.best(lambda p, q: _epsilon(p, q, float(claim.at)))[0])
    broad = counts(tried.best(_mu)[0])
    return ProvedBounds(
        at=at,
        delta=max(float(low - math.exp(at) * high * (1 + 1e-12)), 0.0),
        allowed=claim.delta(at),
        epsilon=max(float(_epsilon(*wide, float(claim.at))), 0.0),
        told=claim.told,
        mu=max(float(_mu(*broad)), 0.0),
    )


def _sharpest(tried: Tried, claim: Claim) -> tuple[float, ThresholdEvent]:
    """The epsilon and the event that exceed the claim by most, as far as the first half tells; or
    else come closest to it.
    """
    found = []
    for at in claim.grid:
        event, gain = tried.best(lambda p, q, at=at: p - math.exp(at) * q)  # type: ignore[misc]
        allowed = claim.delta(at)
        excess = gain - allowed
        found.append(((excess, 0.0) if excess > 0 else (0.0, gain / max(allowed, 1e-9)), at, event))
    _, at, event = max(found, key=lambda one: one[0])
    return at, event


def _epsilon(low: Reals, high: Reals, delta: float) -> Reals:
    """log((p - delta)/q)."""
    least = np.maximum(low - delta, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(least) - np.log(high) - 1e-11)


def _mu(low: Reals, high: Reals) -> Reals:
    """The mu at which N(mu, 1) and N(0, 1) can be told apart so well."""
    with np.errstate(invalid="ignore"):
        found = ndtri(low) - ndtri(high) - 1e-11
    return np.asarray(np.where(np.isfinite(found), found, -np.inf))


def log_density(
    kind: type[AdditiveNoise], size: float, noise: Array, *, symmetric: bool
) -> Reals | None:
    """Of noise, (n, *shape), n draws; up to a constant. None for noise of another form."""
    if issubclass(kind, L2Laplace):
        return np.asarray(
            -np.sqrt(_sum(_entries(noise, symmetric=symmetric, both=True) ** 2)) / size
        )
    if issubclass(kind, PureNoise):
        return np.asarray(-_sum(np.abs(_entries(noise, symmetric=symmetric, both=False))) / size)
    if issubclass(kind, StdNoise):
        squares = _entries(noise, symmetric=symmetric, both=kind.isotropic) ** 2
        return np.asarray(-_sum(squares) / (2 * size * size))
    return None


def _entries(noise: Array, *, symmetric: bool, both: bool) -> Array:
    """(n, m) entries; of a symmetric matrix its upper triangle, unless both triangles count."""
    if not symmetric or both:
        return noise.reshape(len(noise), -1)
    rows, columns = np.triu_indices(noise.shape[-1])
    return np.asarray(noise[..., rows, columns].reshape(len(noise), -1))


def _sum(entries: Array) -> Reals:
    return np.asarray(entries.sum(axis=1), dtype=np.float64)


Array: TypeAlias = NDArray[Any]
Score: TypeAlias = Callable[[Array], Reals]
ATOMS = 500  # as many different answers are counted one by one
NEIGHBOURS = 8  # coordinates, up to which nearest neighbours are asked
TINY = 1e-9


def fitted(first: Array, second: Array) -> Score:
    """The best of several scores: learned on two thirds of the draws, compared on the third."""
    cut = 2 * len(first) // 3
    learned = [make(first[:cut], second[:cut]) for make in _makers(first, second)]
    apart = [_apart(score(first[cut:]), score(second[cut:])) for score in learned]
    best = int(np.argmax(apart))
    return _makers(first, second)[best](first, second)


def _makers(first: Array, second: Array) -> list[Callable[[Array, Array], Score]]:
    different = len(np.unique(np.vstack([first, second]), axis=0))
    if different <= min(ATOMS, len(first) // 4):
        return [counted]
    smooth: list[Callable[[Array, Array], Score]] = [linear, quadratic]
    return [*smooth, near] if first.shape[1] <= NEIGHBOURS else smooth


def _apart(first: Reals, second: Reals) -> float:
    """The largest gap of their distributions."""
    cuts = np.unique(np.concatenate([first, second]))
    one, other = (np.searchsorted(np.sort(part), cuts, side="right") for part in (first, second))
    return float(np.max(np.abs(one / len(first) - other / len(second))))


def counted(first: Array, second: Array) -> Score:
    """The logarithm of how often each answer came, with a half added to each."""
    seen, place = np.unique(np.vstack([first, second]), axis=0, return_inverse=True)
    split = len(first)
    ones, others = (
        np.bincount(part, minlength=len(seen)) + 0.5
        for part in (place.ravel()[:split], place.ravel()[split:])
    )
    known = {
        row.tobytes(): float(value) for row, value in zip(seen, np.log(ones / others), strict=True)
    }

    def score(rows: Array) -> Reals:
        wanted, back = np.unique(rows, axis=0, return_inverse=True)
        values = np.array([known.get(row.tobytes(), 0.0) for row in wanted])
        return np.asarray(values[back.ravel()])

    return score


def linear(first: Array, second: Array) -> Score:
    """Fisher's discriminant."""
    pooled = (_covariance(first) + _covariance(second)) / 2
    direction = np.linalg.solve(pooled, first.mean(axis=0) - second.mean(axis=0))
    return lambda rows: np.asarray(rows @ direction)


def quadratic(first: Array, second: Array) -> Score:
    """The ratio of two normal densities."""
    one, other = _normal(first), _normal(second)
    return lambda rows: np.asarray(one(rows) - other(rows))


def near(first: Array, second: Array) -> Score:
    """The share of the first table among the nearest draws."""
    from scipy.spatial import cKDTree

    both = np.vstack([first, second])
    middle, spread = np.median(both, axis=0), np.std(both, axis=0) + TINY
    tree = cKDTree((both - middle) / spread)
    k = int(np.sqrt(len(first)))

    def score(rows: Array) -> Reals:
        _, found = tree.query((rows - middle) / spread, k=k)
        return np.asarray((found < len(first)).mean(axis=1))

    return score


def _covariance(rows: Array) -> Array:
    found = np.atleast_2d(np.cov(rows.T))
    ridge = TINY * max(float(np.trace(found)), TINY)
    return np.asarray(found + ridge * np.eye(len(found)))


def _normal(rows: Array) -> Score:
    mean, covariance = rows.mean(axis=0), _covariance(rows)
    inverse, (_, log) = np.linalg.inv(covariance), np.linalg.slogdet(covariance)

    def density(at: Array) -> Reals:
        gaps = at - mean
        return np.asarray(-(np.einsum("ni,ij,nj->n", gaps, inverse, gaps) + log) / 2)

    return density
