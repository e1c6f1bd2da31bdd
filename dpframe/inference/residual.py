"""The variance of labels about their regression, from released sums, and how well it is known.

How much labels vary about their regression and about their mean: residual variance and R^2, with
intervals from released sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .clipping import square_before
from .estimates import checked
from .evidence import Evidence
from .moments import Model, Stack

Array = NDArray[Any]

KNOWN = 3.0  # stds of its noise that an n or a variance must reach to count as known


@attrs.frozen
class Labels:
    """The mean square of labels before they were clipped, the std of what is released of it, and
    of the released n.
    """

    square: float
    std: float
    count_std: float

    @property
    def taken(self) -> float:
        """The mean square, or where noise hides it what it may well be."""
        return max(self.square, self.std)


@attrs.frozen
class Residual:
    """`variance` about the regression, and the `std` of its error; the mean square that the
    regression has `explained`, and the std of its noise. `taken` is what standard errors count:
    never below `std`.
    """

    variance: float
    std: float
    explained: float = 0.0
    explained_std: float = 0.0

    @property
    def taken(self) -> float:
        """The variance, or where noise hides it what it may well be."""
        return max(self.variance, self.std)

    @property
    def known(self) -> bool:
        """Whether it is clear of its noise."""
        return bool(np.isfinite(self.std)) and self.variance >= KNOWN * self.std


def labels(evidence: Evidence, width: float) -> Labels | None:
    """Of y'y and n; None where y'y was not released, or n is lost in noise. `width` is infinite
    where labels were not clipped below their bound, or what clips took was counted: then they took
    about twice the width times it off squares.
    """
    noise, n = evidence.squares_std, evidence.count
    if not (np.isfinite(evidence.squares + noise) and n > KNOWN * evidence.count_std):
        return None
    mean = max(evidence.squares, noise, 0.0) / n
    if not np.isfinite(width):
        lost = 2 * evidence.moments[0].width * evidence.most_lost if evidence.most_lost else 0.0
        return Labels((evidence.squares + lost) / n, noise / n, evidence.count_std)
    middle, high = square_before(mean, width), square_before(mean + noise / n, width)
    return Labels(middle, high - middle, evidence.count_std)


def unexplained(
    stack: Stack, model: Model, theta: Array, covariance: Array, given: Labels
) -> Residual:
    """What theta, with errors of `covariance`, leaves: y'y - theta'X'y - theta'(X'y - X'X theta),
    where the second sum is the best mean of the moments that estimate it.
    """
    n = stack.count
    weights, noise = best_weights(model, theta)
    explained = theta @ (model.left[0] + stack.values * theta) + weights @ model.left @ theta
    lost = float(np.trace(stack.values[:, None] * covariance))
    explained = float(explained - lost) / n
    variance = given.square - explained
    of_count = variance * given.count_std / n
    explained_std = float(np.sqrt(noise)) / n
    squared = given.std**2 + explained_std**2 + 2 * variance**2 / n + of_count**2
    return Residual(float(variance), float(np.sqrt(squared)), explained, explained_std)


def best_weights(model: Model, theta: Array) -> tuple[Array, float]:
    """Weights (m,) of sum 1 of the moments that give theta'(X'y + their mean) the least privacy
    noise, and its variance.
    """
    m, k = model.apart.shape
    noise = np.einsum("a,iajb,b->ij", theta, model.privacy.reshape(m, k, m, k), theta)
    own = float(model.own[0] * (theta @ theta))
    beside = own * (np.arange(m) == 0)
    system = np.block([[noise, np.ones((m, 1))], [np.ones((1, m)), np.zeros((1, 1))]])
    weights = np.linalg.lstsq(system, np.append(-beside, 1.0), rcond=None)[0][:m]
    return weights, float(weights @ noise @ weights + 2 * weights @ beside + own)


GRID = 513  # points at which an end is looked for
HALVINGS = 60


@attrs.frozen(eq=False)
class Variation:
    """Mean squares over n = `count` records: of labels, `square`; of what the regression explains
    of them, `explained`, about 0 both; and their mean, `mean`, 0 where no intercept is declared.
    Each has the std of its noise.

    Clips of labels may have moved the three, the last one squared, by at most `moved` (3,). No
    label is larger than `bound`, no residual than `largest`; `normal` says that residuals are taken
    for normal.
    """

    square: float
    square_std: float
    explained: float
    explained_std: float
    mean: float
    mean_std: float
    count: float
    count_std: float
    moved: Array
    bound: float
    largest: float
    normal: bool

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        residual: Residual,
        labels: Labels,
        *,
        theta: Array,
        constant: Array,
        least: float,
        bound: float,
        norm: float,
        normal: bool,
    ) -> Variation:
        """At the estimate theta (d,), where row @ `constant` is 1 for every row, or it is zeros;
        `least` is the smallest eigenvalue of X'X, `norm` that of rows at most.
        """
        first, n = evidence.moments[0], evidence.count
        mean = float(constant @ first.moment) / n
        lost = 0.0 if normal else evidence.most_lost
        bias = norm * lost if lost else 0.0
        moved = (
            lost * max(2 * first.width, bound - first.width) if lost else 0.0,
            2 * float(np.linalg.norm(theta)) * bias + bias**2 / least,
            (2 * abs(mean) * lost + lost**2 / n) if np.any(constant) else 0.0,
        )
        return cls(
            square=labels.square,
            square_std=labels.std,
            explained=residual.explained,
            explained_std=residual.explained_std,
            mean=mean,
            mean_std=first.std * float(np.linalg.norm(constant)) / n,
            count=n,
            count_std=evidence.count_std,
            moved=np.array(moved) / n,
            bound=bound,
            largest=bound + norm * float(np.linalg.norm(theta)),
            normal=normal,
        )

    @property
    def total(self) -> float:
        """The variance of labels about their mean."""
        return self.square - self.mean**2

    @property
    def rsquared(self) -> float:
        """The part of that which the regression explains; not a number where noise hides it."""
        if not self.total > self.square_std:
            return float("nan")
        return float(np.clip((self.explained - self.mean**2) / self.total, 0.0, 1.0))

    def fourth(self, variance: Array) -> Array:
        """The mean fourth power of residuals: of normal ones, or at most."""
        return 3 * variance**2 if self.normal else self.largest**2 * variance

    def scale_conf_int(self, alpha: float) -> Array:
        """Of the residual variance, (2,), in [0, bound^2]. Raises InvalidArgument."""
        z = stds(alpha)
        seen, off = self.square - self.explained, float(self.moved[0] + self.moved[1])

        def accepts(variance: Array) -> Array:
            sampled = np.maximum(self.fourth(variance) - variance**2, 0.0) / self.count
            of_count = variance * self.count_std / self.count
            noise = self.square_std**2 + self.explained_std**2 + of_count**2
            inside: Array = np.abs(seen - variance) <= z * np.sqrt(noise + sampled) + off
            return inside

        return between(accepts, seen, self.bound**2)

    def rsquared_conf_int(self, alpha: float) -> Array:
        """Of the part of the labels' variance that the regression explains, (2,), in [0, 1]: all
        values r at which the mean of e^2 - (1 - r)(y - mean)^2 may be 0, as in Fieller's interval
        of a ratio. Raises InvalidArgument.
        """
        z = stds(alpha)
        total = max(self.total, 0.0) + self.square_std

        def accepts(r: Array) -> Array:
            seen = r * self.square - self.explained + (1 - r) * self.mean**2
            of_mean = (1 - r) * 2 * abs(self.mean) * self.mean_std
            of_count = (1 - r) * self.mean**2 * self.count_std / self.count
            noise = (r * self.square_std) ** 2 + (self.explained_std + of_mean) ** 2 + of_count**2
            of_labels = (1 - r) ** 2 * (self.bound + abs(self.mean)) ** 2 * total
            sampled = (self.fourth((1 - r) * total) + of_labels) / self.count
            off = r * self.moved[0] + self.moved[1] + (1 - r) * self.moved[2]
            inside: Array = np.abs(seen) <= z * np.sqrt(noise + sampled) + off
            return inside

        return between(accepts, self.rsquared, 1.0)


def stds(alpha: float) -> float:
    """How many a normal number is off by with probability alpha. Raises InvalidArgument."""
    from scipy.special import ndtri

    return float(-ndtri(checked(alpha) / 2))


def between(accepts: Callable[[Array], Array], middle: float, most: float) -> Array:
    """The least and the largest number in [0, most] that is accepted, on a grid to either side of
    `middle` and between its points; all of [0, most] where the middle is not accepted.
    """
    middle = float(np.clip(middle, 0.0, most)) if np.isfinite(middle) else np.nan
    if not np.isfinite(middle) or not accepts(np.array([middle]))[0]:
        return np.array([0.0, most])
    return np.array([edge(accepts, end, middle) for end in (0.0, most)])


def edge(accepts: Callable[[Array], Array], outside: float, inside: float) -> float:
    """The outermost number that is accepted between one outside and one that is accepted."""
    points = np.linspace(outside, inside, GRID)
    first = int(np.argmax(accepts(points)))
    if first == 0:
        return outside
    low, high = float(points[first - 1]), float(points[first])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if accepts(np.array([middle]))[0] else (middle, high)
    return low
