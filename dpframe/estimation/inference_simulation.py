"""Tables that nobody owns, what would be released about them, and how often intervals are right.

Nothing here is private, and nothing needs to be: rows are drawn. Draws are functions of the
generator that is given.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.numerics.edge import noise_edge

from .evidence import Evidence, Seen
from .inference import infer

Array = NDArray[Any]

SPREAD, EXPLAINED = 1 / 3, 0.8  # the std of labels, and the share of their variance
PARTS = {"gram": 0.3, "moment": 0.2, "squares": 0.1, "count": 0.05, "corrections": 0.35}
MANY, SEED = 200_000, 1606
NEW = 50  # labels to predict


@attrs.frozen(eq=False)
class World:
    """Rows of normal entries of variance 1/d, projected onto the unit ball; labels x'theta plus
    normal noise of std `noise`, clipped to [-bound, bound]. `truth` is what least squares finds in
    the population of clipped labels; `entry` is the variance of an entry.
    """

    theta: Array
    noise: float
    bound: float
    truth: Array
    entry: float

    @classmethod
    def of(cls, d: int, bound: float) -> World:
        """Coefficients that fall off like 1/j, of labels with std 1/3 and R^2 0.8."""
        rng = np.random.default_rng(SEED)
        shape = 1 / np.arange(1, d + 1)
        drawn = rows(MANY, d, rng)
        entry = float(np.mean(drawn**2))
        size = np.sqrt(entry) * np.linalg.norm(shape)
        theta = shape * SPREAD * np.sqrt(EXPLAINED) / size
        noise = SPREAD * np.sqrt(1 - EXPLAINED)
        return cls(theta, noise, bound, theta * kept(drawn @ theta, noise, bound), entry)

    def table(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """n records: rows (n, d), clipped labels (n,)."""
        drawn = rows(n, len(self.theta), rng)
        labels = drawn @ self.theta + self.noise * rng.standard_normal(n)
        return drawn, np.clip(labels, -self.bound, self.bound)


def rows(n: int, d: int, rng: np.random.Generator) -> Array:
    """Normal rows (n, d) of mean squared length 1, projected onto the unit ball."""
    drawn = rng.standard_normal((n, d)) / np.sqrt(d)
    lengths = np.sqrt(np.einsum("ij,ij->i", drawn, drawn))
    return np.asarray(drawn / np.maximum(lengths, 1)[:, None])


def kept(means: Array, noise: float, bound: float) -> float:
    """By how much clipping shrinks coefficients: E m clip(m + noise e)/E m^2, over the m given."""
    from scipy.stats import norm

    high, low = (bound - means) / noise, (-bound - means) / noise
    lost = noise * (norm.pdf(high) - high * norm.sf(high))  # E (m + noise e - bound)+
    gained = noise * (norm.pdf(low) + low * norm.cdf(low))
    return float(1 - np.mean(means * (lost - gained)) / np.mean(means**2))


def released(
    X: Array, y: Array, mu: float, rng: np.random.Generator, *, bound: float, corrections: int
) -> Evidence:
    """What a mu-Gaussian private run with X'X, X'y, y'y, n and `corrections` would release, for
    rows of length 1 and labels up to `bound`, one record added or removed.
    """
    used = {name: part for name, part in PARTS.items() if corrections or name != "corrections"}
    stds = {name: np.sqrt(sum(used.values()) / part) / mu for name, part in used.items()}
    d = X.shape[1]
    noise = rng.normal(0, stds["gram"], (d, d))
    moment = X.T @ y + bound * rng.normal(0, stds["moment"], d)
    evidence = Evidence(
        gram=X.T @ X + (noise + noise.T) / 2,
        gram_std=stds["gram"],
        moments=(Seen(moment, bound * stds["moment"], np.zeros(d), bound),),
        squares=float(y @ y + bound**2 * rng.normal(0, stds["squares"])),
        squares_std=bound**2 * stds["squares"],
        count=len(y) + rng.normal(0, stds["count"]),
        count_std=stds["count"],
    )
    for _ in range(corrections):
        std = stds["corrections"] * np.sqrt(corrections)
        evidence = evidence.with_moment(corrected(evidence, X, y, std, rng))
    return evidence


def corrected(evidence: Evidence, X: Array, y: Array, std: float, rng: np.random.Generator) -> Seen:
    """X'(residuals, clipped to two of their deviations) at a ridge estimate from the last moment,
    with noise of `std` times the clip.
    """
    last, first = evidence.moments[-1], evidence.moments[0]
    ridge = noise_edge(evidence.gram_std, evidence.columns)
    lengths, axes = np.linalg.eigh(evidence.gram)
    theta = last.at + axes @ ((axes.T @ last.moment) / np.maximum(lengths, ridge))
    squares = evidence.squares - 2 * theta @ first.moment + theta @ evidence.gram @ theta
    left = np.sqrt((max(squares, 0.0) + evidence.squares_std) / max(evidence.count, 1.0))
    width = float(min(first.width, 2 * left))
    moment = X.T @ np.clip(y - X @ theta, -width, width)
    return Seen(moment + width * rng.normal(0, std, len(theta)), width * std, theta, width)


@attrs.frozen
class Score:
    """Of one run: coefficients covered, of how many; new labels covered, of how many; whether noise
    hid something; the mean standard error over the mean of that for sampling alone.
    """

    covered: int
    asked: int
    predicted: int
    new: int
    refused: bool
    wider: float


def scored(
    world: World,
    evidence: Evidence,
    rng: np.random.Generator,
    level: float,
    *,
    normal_residuals: bool = False,
) -> Score:
    """Intervals against the truth; infinite ones count as refused, predictive ones always."""
    found = infer(evidence, bound=world.bound, normal_residuals=normal_residuals)
    X, y = world.table(NEW, rng)
    ends, band = found.intervals(level), found.predictive(X, level)
    inside = int(np.sum((ends[:, 0] <= world.truth) & (world.truth <= ends[:, 1])))
    predicted = int(np.sum((band[:, 0] <= y) & (y <= band[:, 1])))
    d = len(world.truth)
    if found.open_ended:
        return Score(0, 0, 0, 0, refused=True, wider=np.inf)
    sampling = world.noise / np.sqrt(world.entry * max(evidence.count, 1.0))
    wider = float(np.mean(np.sqrt(np.diag(found.covariance))) / sampling)
    known = found.residual is not None
    return Score(inside, d, predicted * known, NEW * known, refused=False, wider=wider)
