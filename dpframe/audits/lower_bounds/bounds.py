"""Lower bounds that draws on two neighbouring tables prove against a claim.

For each question one event is chosen on half of the draws and counted on the other half. The bounds
on its probability are exact binomial ones and hold for any event. Scores of draws are log-ratios of
stated densities, or learned where no density is stated; a wrong score costs power, not truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri
from scipy.stats import ks_2samp, multivariate_normal

from dpframe.errors import InvalidArgument
from dpframe.mechanisms import AdditiveNoise, L2Laplace
from dpframe.mechanisms.base import PureNoise, StdNoise
from dpframe.numbers import whole
from dpframe.randomness import Randomness

from .claims import ClaimedProfile

Reals: TypeAlias = NDArray[np.float64]
ROUNDING = 1e-11  # more than the error of the inverse of the incomplete beta function
MOST = 400  # thresholds, tried on the first half
DRAWS, LEAST, MOST_DRAWS = 20_000, 100, 10_000_000
VISIBLE = 0.3  # the delta at epsilon 0 that a claim should have, to be tested by few draws
RUNS = 64
METHOD = "likelihood ratios: Clopper-Pearson bounds"
QUESTIONS = 3  # delta at some epsilon, epsilon at some delta, mu


@attrs.frozen(eq=False)
class Job:
    """A claim, the number of draws, the probability that the bounds fail together, the randomness,
    and a callback for descriptions of each step.
    """

    claim: ClaimedProfile
    draws: int
    failing: float
    randomness: Randomness
    on_progress: Callable[[str], object]

    @classmethod
    def of(cls, claim: ClaimedProfile, draws: object, confidence: object, *rest: Any) -> Job:
        """Of checked arguments. Raises InvalidArgument."""
        if isinstance(confidence, bool) or not isinstance(confidence, (int, float)):
            raise InvalidArgument("confidence", "a number in (0, 1)", confidence)
        failing = 1 - float(confidence)
        if not 1e-15 < failing < 1:
            raise InvalidArgument("confidence", "in (0, 1), at most 1 - 1e-15", confidence)
        return cls(claim, whole("draws", draws, LEAST, MOST_DRAWS), failing, *rest)

    def repeats(self, claim: ClaimedProfile) -> int:
        """The number of runs that make one draw, so that their joint cost is visible."""
        count = 1
        while count < RUNS and claim.times(count).delta(0) < VISIBLE:
            count *= 2
        return count


@attrs.frozen(kw_only=True)
class Finding:
    """`quantity` is at least `bound`, where at most `allowed` is claimed.

    `what` was drawn on `pair` and attacked by `method`. The claim is that of the whole target where
    `whole`, else that of a part. With `repeats`, so many runs make one draw.
    """

    what: str
    pair: str
    method: str
    quantity: str
    bound: float
    allowed: float
    epsilon: float | None = None
    claimed_epsilon: float | None = None
    mu: float | None = None
    repeats: int = 1
    whole: bool = True
    floating: bool = False
    """Of the low bits of doubles, which no claim covers: it refutes none."""

    @property
    def flagged(self) -> bool:
        """The claim is refuted."""
        return self.above and not self.floating

    @property
    def above(self) -> bool:
        """Some bound exceeds the claim."""
        return self.bound > self.allowed or self.epsilon_above

    @property
    def epsilon_above(self) -> bool:
        """The bound on epsilon exceeds the claimed one."""
        both = self.epsilon is not None and self.claimed_epsilon is not None
        return both and self.epsilon > self.claimed_epsilon  # type: ignore[operator]

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        fields = {**attrs.asdict(self), "flagged": self.flagged}
        return {k: None if v in (math.inf, -math.inf) else v for k, v in fields.items()}


Scores: TypeAlias = Reals
"""Of each draw on the first table and on the second, (2, n): larger where the first is likelier."""


def rounded(scores: Scores, repeats: int = 1) -> Scores:
    """In single precision, as low bits of doubles reveal more than the law [Mironov12]; the sums of
    consecutive runs, `repeats` of which make one draw.
    """
    single = scores.astype(np.float32).astype(np.float64)
    return np.asarray(single.reshape(2, -1, repeats).sum(axis=2))


def at_least(hits: ArrayLike, draws: int, failing: float) -> Reals:
    """A lower bound on the probability of an event that occurred `hits` times in `draws`
    independent draws; too large with probability at most `failing`. [ClopperP34]
    """
    counts = np.asarray(hits, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        inverse = betaincinv(np.maximum(counts, 1), draws - np.maximum(counts, 1) + 1, failing)
    return np.where(counts > 0, np.maximum(inverse * (1 - ROUNDING) - ROUNDING, 0.0), 0.0)


def at_most(hits: ArrayLike, draws: int, failing: float) -> Reals:
    """An upper bound, too small with probability at most `failing`. [ClopperP34]"""
    return 1.0 - at_least(draws - np.asarray(hits, dtype=np.float64), draws, failing)


def threshold_finding(
    scores: Scores,
    claim: ClaimedProfile,
    failing: float,
    *,
    what: str,
    pair: str,
    method: str = METHOD,
    repeats: int = 1,
    **more: bool,
) -> Finding:
    """The bounds that events of scores above or below a threshold prove; wrong with probability at
    most `failing`. The halves are independent, so each event is fixed before it is counted.
    """
    half = scores.shape[1] // 2
    choosing, counting = scores[:, :half], scores[:, half:]
    each, n = failing / (2 * QUESTIONS), counting.shape[1]
    pooled = np.unique(choosing)
    cuts = pooled[np.unique(np.linspace(0, len(pooled) - 1, min(MOST, len(pooled))).astype(int))]
    hits = _hits(counting, cuts)
    expected = _limits(_hits(choosing, cuts) * (n / half), n, each)
    delta_at = float(claim.reported_delta)

    def counted(event: int) -> tuple[Reals, Reals]:
        return _limits(hits[:, event], n, each)

    at, event = _sharpest(expected, claim)
    low, high = counted(event)
    runs = "" if repeats == 1 else f" of {repeats} runs together"
    return Finding(
        what=what,
        pair=pair,
        method=method,
        quantity=f"delta at epsilon {at:.4g}{runs}",
        bound=max(float(low - math.exp(at) * high * (1 + 1e-12)), 0.0),
        allowed=claim.delta(at),
        epsilon=max(float(_epsilon(*counted(_best(_epsilon(*expected, delta_at))), delta_at)), 0.0),
        claimed_epsilon=claim.reported_epsilon,
        mu=max(float(_mu(*counted(_best(_mu(*expected))))), 0.0),
        repeats=repeats,
        **more,
    )


def _hits(scores: Scores, cuts: Reals) -> Reals:
    """Draws in each event, of the likelier table and of the other: scores of at least each cut,
    then scores of at most each cut, for which the second table is the likelier.
    """
    n, (first, second) = scores.shape[1], np.sort(scores, axis=1)
    above = [n - np.searchsorted(one, cuts, side="left") for one in (first, second)]
    below = [np.searchsorted(one, cuts, side="right") for one in (second, first)]
    return np.hstack([above, below]).astype(float)


def _limits(hits: Reals, draws: int, failing: float) -> tuple[Reals, Reals]:
    """A lower bound for the likelier table, an upper one for the other."""
    return at_least(hits[0], draws, failing), at_most(hits[1], draws, failing)


def _best(gains: Reals) -> int:
    return int(np.argmax(gains))


def _sharpest(limits: tuple[Reals, Reals], claim: ClaimedProfile) -> tuple[float, int]:
    """The epsilon and the event that exceed the claim by most on the first half, or else come
    closest to it.
    """
    low, high = limits

    def excess(at: float) -> tuple[tuple[float, float], float, int]:
        gains = low - math.exp(at) * high
        event, allowed = _best(gains), claim.delta(at)
        gain = float(gains[event])
        far = (gain - allowed, 0.0) if gain > allowed else (0.0, gain / max(allowed, 1e-9))
        return far, at, event

    _, at, event = max(map(excess, claim.grid), key=lambda one: one[0])
    return at, event


def _epsilon(low: Reals, high: Reals, delta: float) -> Reals:
    """log((p - delta)/q)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(low - delta, 0.0)) - np.log(high) - 1e-11)


def _mu(low: Reals, high: Reals) -> Reals:
    """The mu at which events distinguish N(mu, 1) from N(0, 1) so well."""
    with np.errstate(invalid="ignore"):
        gap = ndtri(low) - ndtri(high) - 1e-11
    return np.asarray(np.where(np.isfinite(gap), gap, -np.inf))


# ---------------------------------------------------------------------------------- Scores of draws
Array: TypeAlias = NDArray[Any]
Score: TypeAlias = Callable[[Array], Reals]
Density: TypeAlias = Callable[[Array], Reals | None]
ATOMS = 500  # at most so many different outcomes are counted one by one
NEIGHBOURS = 8  # coordinates, at most, of draws that nearest neighbours classify
TINY = 1e-9


def density_scores(first: Array, second: Array, densities: tuple[Density, Density]) -> Scores:
    """Draws on both tables, (n, ...), scored by the ratio of their log-densities; by a learned
    score where one is not stated.
    """
    ratios = []
    for draws in (first, second):
        one, other = (density(draws) for density in densities)
        if one is None or other is None:
            return learned_scores(first, second)
        ratios.append(one - other)
    return np.array(ratios)


def log_density(
    kind: type[AdditiveNoise], size: float, noise: Array, *, symmetric: bool
) -> Reals | None:
    """Of noise, (n, *shape), n draws; up to a constant. None for noise of another form."""
    if not issubclass(kind, (PureNoise, StdNoise)):
        return None
    euclidean = issubclass(kind, L2Laplace)
    both = euclidean or (issubclass(kind, StdNoise) and kind.isotropic)
    if symmetric and not both:  # the upper triangle alone is independent
        noise = noise[(..., *np.triu_indices(noise.shape[-1]))]
    flat = noise.reshape(len(noise), -1)
    squares = np.asarray((flat**2).sum(axis=1), dtype=np.float64)
    if euclidean:
        return np.asarray(-np.sqrt(squares) / size)
    if issubclass(kind, PureNoise):
        return np.asarray(-np.abs(flat).sum(axis=1) / size)
    return np.asarray(-squares / (2 * size * size))


def learned_scores(first: Array, second: Array, *, alike: bool = False) -> Scores:
    """Scores of draws, (n, ...), learned on their first quarter; of numbers that are `alike` and
    independent, sums of scores of one number.
    """
    width = 1 if alike else int(np.prod(first.shape[1:]))
    quarter = len(first) // 4
    score = _fitted(*(one[:quarter].reshape(-1, width) for one in (first, second)))
    scores = (score(one.reshape(-1, width)).reshape(len(one), -1) for one in (first, second))
    return np.array([one.sum(axis=1) for one in scores])


def _fitted(first: Array, second: Array) -> Score:
    """The best of several scores: fitted to two thirds of the draws, compared on the third."""
    cut, kinds = 2 * len(first) // 3, _kinds(first, second)
    scores = [fit(first[:cut], second[:cut]) for fit in kinds]
    apart = [
        ks_2samp(score(first[cut:]), score(second[cut:]), method="asymp").statistic
        for score in scores
    ]
    return kinds[int(np.argmax(apart))](first, second)


def _kinds(first: Array, second: Array) -> list[Callable[[Array, Array], Score]]:
    different = len(np.unique(np.vstack([first, second]), axis=0))
    if different <= min(ATOMS, len(first) // 4):
        return [_frequencies]
    few = first.shape[1] <= NEIGHBOURS
    return [partial(_normal, pooled=True), _normal, *([_nearest_neighbours] if few else [])]


def _frequencies(first: Array, second: Array) -> Score:
    """The log-ratio of the frequencies of each outcome, with a half added to each count."""
    outcomes, place = np.unique(np.vstack([first, second]), axis=0, return_inverse=True)
    places = np.split(place.ravel(), [len(first)])
    ones, others = (np.bincount(part, minlength=len(outcomes)) + 0.5 for part in places)
    logs = zip(outcomes, np.log(ones / others), strict=True)
    values = {row.tobytes(): float(value) for row, value in logs}

    def score(rows: Array) -> Reals:
        different, back = np.unique(rows, axis=0, return_inverse=True)
        return np.array([values.get(row.tobytes(), 0.0) for row in different])[back.ravel()]

    return score


def _normal(first: Array, second: Array, *, pooled: bool = False) -> Score:
    """The log-ratio of two fitted normal densities; of one covariance, Fisher's discriminant."""
    own = [_covariance(rows) for rows in (first, second)]
    used = [sum(own) / 2] * 2 if pooled else own
    one, other = (
        multivariate_normal(rows.mean(axis=0), covariance, allow_singular=True)
        for rows, covariance in zip((first, second), used, strict=True)
    )
    return lambda rows: np.atleast_1d(one.logpdf(rows) - other.logpdf(rows))


def _nearest_neighbours(first: Array, second: Array) -> Score:
    """The share of the first table among the nearest draws."""
    from scipy.spatial import cKDTree

    both = np.vstack([first, second])
    middle, spread = np.median(both, axis=0), np.std(both, axis=0) + TINY
    tree, k = cKDTree((both - middle) / spread), int(np.sqrt(len(first)))

    def score(rows: Array) -> Reals:
        _, nearest = tree.query((rows - middle) / spread, k=k)
        return np.asarray((nearest < len(first)).mean(axis=1))

    return score


def _covariance(rows: Array) -> Array:
    matrix = np.atleast_2d(np.cov(rows.T))
    ridge = TINY * max(float(np.trace(matrix)), TINY)
    return np.asarray(matrix + ridge * np.eye(len(matrix)))
