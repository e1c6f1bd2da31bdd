"""Estimates from repeats: a value with the interval of its mean, and a prediction interval for a
published number, as printed or as stored with the authors' code.
"""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Mapping
from functools import cached_property
from importlib import resources
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from .declared import Metric, Point

Array = NDArray[Any]

LEVEL = 0.95


@attrs.frozen(eq=False)
class Estimate:
    """`runs` (repeats,) has one number for each repeat; `within` is the variance of the fits of one
    repeat, nan where there is no such; `fits` are how many a repeat has.
    """

    runs: Array
    within: float = math.nan
    fits: int = 1
    outer: str = "mean"

    @classmethod
    def of(cls, values: Array, metric: Metric, over: Array | None = None) -> Estimate:
        """Of fits (repeats, fits), over those of another method where the metric says so."""
        if metric.inner == "std":
            return cls(values.std(axis=1), math.nan, values.shape[1], metric.outer)
        runs = values.mean(axis=1)
        scale = np.ones_like(runs) if over is None else over.mean(axis=1)
        runs, scaled = runs / scale, values / scale[:, None]
        within = math.nan
        if values.shape[1] > 1:
            within = float(scaled.var(axis=1, ddof=1).mean())
        return cls(runs, within, values.shape[1], metric.outer)

    @property
    def value(self) -> float:
        """The mean, median or variance of the runs."""
        by = {"mean": np.mean, "median": np.median, "variance": np.var}
        return float(by[self.outer](self.runs))

    @property
    def half_width(self) -> float:
        """Half of a 95% interval of the mean of runs; nan of a single run, a median or variance."""
        count = len(self.runs)
        if count < 2 or self.outer != "mean":
            return math.nan
        spread = float(self.runs.std(ddof=1)) / math.sqrt(count)
        return float(stats.t.ppf((1 + LEVEL) / 2, count - 1)) * spread

    @property
    def std(self) -> float:
        """The std of all runs."""
        return float(self.runs.std())

    def quantiles(self, low: float, high: float) -> tuple[float, float]:
        """Two quantiles of the runs."""
        lower, upper = np.quantile(self.runs, [low, high])
        return float(lower), float(upper)

    @property
    def outliers(self) -> int:
        """Runs beyond the whiskers of a box plot: 1.5 times its height away from the box."""
        low, high = self.quantiles(0.25, 0.75)
        reach = 1.5 * (high - low)
        return int(((self.runs < low - reach) | (self.runs > high + reach)).sum())

    def prediction(self, theirs: int) -> tuple[float, float]:
        """Where the mean of `theirs` fits of one more run lies, with probability 95%.

        By t of the logarithms of the runs: errors of unstable methods have heavy tails. Where
        `theirs` are more fits than ours, what our fits of one run vary among themselves is taken
        out, as far as the spread of the runs lets it. Infinite ends where there is one run only.
        """
        count = len(self.runs)
        if count < 2:
            return (-math.inf, math.inf)
        logs, noise = self._logs, self._noise(theirs)
        centre, width = self._centre(noise), further(float(logs.var(ddof=1)), noise, count)
        return self._back(centre - width), self._back(centre + width)

    def middle(self, theirs: int) -> float:
        """The geometric mean of the runs, corrected for `theirs` fits where these are more."""
        return self._back(self._centre(self._noise(theirs)))

    @cached_property
    def own(self) -> float:
        """The share of the runs that the prediction of the others holds; nan of one or two."""
        if len(self.runs) < 3:
            return math.nan
        inside = []
        for i, one in enumerate(self.runs):
            low, high = attrs.evolve(self, runs=np.delete(self.runs, i)).prediction(self.fits)
            inside.append(low <= one <= high)
        return float(np.mean(inside))

    @property
    def _positive(self) -> bool:
        return bool((self.runs > 0).all())

    @property
    def _logs(self) -> Array:
        """Logarithms, or the runs themselves where one is not positive."""
        return np.log(self.runs) if self._positive else self.runs

    def _noise(self, theirs: int) -> float:
        """The variance that one run of ours has and that of `theirs` fits has not."""
        if theirs <= self.fits or math.isnan(self.within):
            return 0.0
        scale = float(self.runs.mean()) ** 2 if self._positive else 1.0
        return self.within / scale * (1 / self.fits - 1 / theirs)

    def _centre(self, noise: float) -> float:
        below = noise / 2 if self._positive else 0.0  # a mean of logarithms lies below
        return float(self._logs.mean()) + below

    def _back(self, value: float) -> float:
        return math.exp(min(value, 700.0)) if self._positive else value


def further(variance: float, noise: float, count: int, points: int = 400) -> float:
    """Half of the interval that holds one more value with probability 95%, about the mean of
    `count` normal values of this variance, of which `noise` is not in the further value.

    The total variance has its posterior for a flat prior of its logarithm above `noise`, on a grid
    of probabilities; without noise that is the t interval.
    """
    df = count - 1
    if variance <= 0 or noise <= 0:
        return math.sqrt(variance * (1 + 1 / count)) * float(stats.t.ppf((1 + LEVEL) / 2, df))
    most = float(stats.chi2.cdf(df * variance / noise, df))
    total = df * variance / stats.chi2.ppf((np.arange(points) + 0.5) / points * most, df)
    stds = np.sqrt(np.maximum(total - noise, 0) + total / count)

    def missing(width: float) -> float:
        return float(np.mean(2 * stats.norm.cdf(width / stds) - 1)) - LEVEL

    return float(optimize.brentq(missing, 0, 40 * float(stds.max())))


OWN = ("method", "metric", "value", "spread")


@attrs.frozen
class PublishedNumber:
    """A published number with its digits, and its published spread, if any."""

    text: str
    spread: str = ""

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def rounding(self) -> float:
        """Half a unit of its last digit."""
        digits, _, power = self.text.lower().partition("e")
        decimals = len(digits.partition(".")[2])
        return 0.5 * 10.0 ** (int(power or 0) - decimals)

    def inside(self, low: float, high: float) -> bool:
        """Whether the number, before it was rounded, may lie in [low, high]."""
        return low - self.rounding <= self.value <= high + self.rounding


@attrs.frozen(eq=False)
class Published:
    """Numbers by the values of `names`, the parameters of a file, the method and metric."""

    names: tuple[str, ...] = ()
    cells: Mapping[tuple[str, ...], PublishedNumber] = attrs.Factory(dict)

    def cell(self, point: Point, method: str, metric: str) -> PublishedNumber | None:
        """The number of a method at a point, if published."""
        if not set(self.names) <= set(point):
            return None
        return self.cells.get((*(plain(point[name]) for name in self.names), method, metric))


@functools.cache
def published(name: str | None) -> Published:
    """The numbers of a file in published/; nothing where no name is given."""
    if name is None:
        return Published()
    text = (resources.files(__package__) / "published" / f"{name}.csv").read_text("utf-8")
    lines = list(csv.DictReader(text.splitlines()))
    names = tuple(key for key in lines[0] if key not in OWN)
    return Published(
        names,
        {
            (*(plain(line[key]) for key in names), line["method"], line["metric"]): PublishedNumber(
                line["value"], line.get("spread", "")
            )
            for line in lines
        },
    )


def plain(value: object) -> str:
    """Numbers that are equal have one text."""
    try:
        return f"{float(str(value)):.9g}"
    except (TypeError, ValueError):
        return str(value)
