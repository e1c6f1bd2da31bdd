"""How much labels vary about their regression and about their mean: residual variance and R^2, with
intervals from released sums.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from .arrays import Array
from .estimates import checked
from .evidence import Evidence
from .residual import Labels, Residual
from .row_set import RowSet

GRID = 513  # points at which an end is looked for
HALVINGS = 60


@attrs.frozen(eq=False)
class Variation:
    """Mean squares over n = `count` records about 0: of `labels`, and of the part of them that the
    regression explains, in `residual`; and the mean of labels, `mean`, 0 where no intercept is
    declared, with noise of `mean_std`.

    Sums of squares vary between samples as those of `independent` independent records may. Clips of
    labels may have moved the three, the last one squared, by at most `moved` (3,). No label is
    larger than `bound`, no residual than `largest`; `normal` residuals are assumed to be normal.
    """

    labels: Labels
    residual: Residual
    mean: float
    mean_std: float
    count: float
    independent: float
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
        rows: RowSet,
        normal: bool,
        dependent: float,
    ) -> Variation:
        """At the estimate theta (d,), where row @ `constant` is 1 for every row, or it is zeros;
        `least` is the smallest eigenvalue of X'X; `rows` says where rows can lie. Up to `dependent`
        records may depend on each other.
        """
        first, n = evidence.moments[0], evidence.count
        mean = float(constant @ first.moment) / n
        lost = 0.0 if normal else evidence.most_lost
        reach = float(rows.farthest(theta[None])[0])
        bias = rows.norm * lost if lost else 0.0
        moved = (
            lost * max(2 * first.width, bound - first.width) if lost else 0.0,
            2 * reach * lost + bias**2 / least if lost else 0.0,
            (2 * abs(mean) * lost + lost**2 / n) if np.any(constant) else 0.0,
        )
        mean_std = first.std * float(np.linalg.norm(constant)) / n
        of_labels = np.array(moved) / n, bound, bound + reach, normal
        return cls(labels, residual, mean, mean_std, n, n / dependent, *of_labels)

    def of_all(self, lost: float) -> Variation:
        """The same, but of records that were not shrunk, where the mean squares are weighted by
        squares of factors in (0, 1] whose mean is at least 1 - `lost`: so much of the squares of
        residuals, of labels and of their mean is not in the sums.
        """
        more = lost * np.array([0.0, self.largest**2, 3 * self.bound**2])
        return attrs.evolve(self, moved=self.moved + more)

    @property
    def total(self) -> float:
        """The variance of labels about their mean."""
        return self.labels.square - self.mean**2

    @property
    def rsquared(self) -> float:
        """The part of that which the regression explains; not a number where noise hides it."""
        if not self.total > self.labels.std:
            return float("nan")
        return float(np.clip((self.residual.explained - self.mean**2) / self.total, 0.0, 1.0))

    def fourth(self, variance: Array) -> Array:
        """The mean fourth power of residuals: of normal ones, or at most."""
        return 3 * variance**2 if self.normal else self.largest**2 * variance

    def scale_conf_int(self, alpha: float) -> Array:
        """Of the residual variance, (2,), in [0, bound^2]. Raises InvalidArgument."""
        z = stds(alpha)
        observed, off = (
            self.labels.square - self.residual.explained,
            float(self.moved[0] + self.moved[1]),
        )

        def accepts(variance: Array) -> Array:
            sampled = np.maximum(self.fourth(variance) - variance**2, 0.0) / self.independent
            of_count = variance * self.labels.count_std / self.count
            noise = self.labels.std**2 + self.residual.explained_std**2 + of_count**2
            return np.asarray(np.abs(observed - variance) <= z * np.sqrt(noise + sampled) + off)

        return between(accepts, observed, self.bound**2)

    def rsquared_conf_int(self, alpha: float) -> Array:
        """Of the part of the labels' variance that the regression explains, (2,), in [0, 1]: all
        values r at which the mean of e^2 - (1 - r)(y - mean)^2 may be 0, as in Fieller's interval
        of a ratio. Raises InvalidArgument.
        """
        z = stds(alpha)
        total = max(self.total, 0.0) + self.labels.std

        def accepts(r: Array) -> Array:
            observed = r * self.labels.square - self.residual.explained + (1 - r) * self.mean**2
            of_mean = (1 - r) * 2 * abs(self.mean) * self.mean_std
            of_count = (1 - r) * self.mean**2 * self.labels.count_std / self.count
            noise = (
                (r * self.labels.std) ** 2
                + (self.residual.explained_std + of_mean) ** 2
                + of_count**2
            )
            of_labels = (1 - r) ** 2 * (self.bound + abs(self.mean)) ** 2 * total
            sampled = (self.fourth((1 - r) * total) + of_labels) / self.independent
            off = r * self.moved[0] + self.moved[1] + (1 - r) * self.moved[2]
            return np.asarray(np.abs(observed) <= z * np.sqrt(noise + sampled) + off)

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
