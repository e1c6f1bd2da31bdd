"""What runs say: a value with the interval of its mean, and where a published run would lie."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy import stats

from .declared import Metric

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
        """Half of a 95% interval of the mean of runs; nan of a single run."""
        count = len(self.runs)
        if count < 2:
            return math.nan
        spread = float(self.runs.std(ddof=1)) / math.sqrt(count)
        return float(stats.t.ppf((1 + LEVEL) / 2, count - 1)) * spread

    @property
    def std(self) -> float:
        """The std of all runs."""
        return float(self.runs.std())

    def quantiles(self, low: float, high: float) -> tuple[float, float]:
        """Two quantiles of the runs."""
        found = np.quantile(self.runs, [low, high])
        return float(found[0]), float(found[1])

    def prediction(self, theirs: int) -> tuple[float, float]:
        """Where the mean of `theirs` fits of one more run lies, with probability 95%.

        By t of the logarithms of the runs: errors of unstable methods have heavy tails. What fits
        of one run vary among themselves is taken out where `theirs` are more than ours. Infinite
        ends where there is one run only.
        """
        count = len(self.runs)
        if count < 2:
            return (-math.inf, math.inf)
        positive = bool((self.runs > 0).all())
        told = np.log(self.runs) if positive else self.runs
        centre, variance = float(told.mean()), float(told.var(ddof=1))
        scale = float(self.runs.mean()) ** 2 if positive else 1.0
        extra = 0.0 if math.isnan(self.within) else self.within / scale
        between = max(0.0, variance + min(0.0, extra * (1 / theirs - 1 / self.fits)))
        width = math.sqrt(between + variance / count)
        width *= float(stats.t.ppf((1 + LEVEL) / 2, count - 1))
        low, high = centre - width, centre + width
        return (_exp(low), _exp(high)) if positive else (low, high)


def _exp(value: float) -> float:
    return math.exp(min(value, 700.0))
