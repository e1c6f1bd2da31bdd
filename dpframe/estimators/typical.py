"""Lengths of intervals in simulated tables of typical variation, predicted without data."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.audits.figures import figure
from dpframe.audits.figures import table as aligned
from dpframe.execution.preview import TYPICAL_SHARE, USUAL_LEVELS
from dpframe.graph import Categorical, Numeric, Regression, Setting

from .label_bounds import SURE
from .regressor import PrivateRegressor
from .summary import LOST, Summary
from .units import label_scale

Array = NDArray[Any]
SIMULATED = (
    "Half lengths of 95% intervals: medians of 7 simulated tables of typical variation, whose\n"
    "labels have a std of 20% of their range and an R-squared of {:g}. Less scatter, shorter ones."
)
TABLES = 7
MOST = 10_000  # records of a simulated table


@attrs.frozen(eq=False)
class Typical:
    """The medians of half lengths of 95% intervals (m,) by name, infinite where most tables have
    none, and whether most have an R-squared.
    """

    names: tuple[str, ...]
    halves: Array
    explained: bool

    @classmethod
    def of(
        cls,
        regression: Regression,
        setting: Setting,
        *,
        n: int,
        epsilon: object,
        delta: object,
        explained: float,
    ) -> Typical | None:
        """In TABLES simulated tables of n records whose labels have a std of TYPICAL_SHARE of their
        range and this R-squared; None without a codebook, bounds that are numbers or intervals, and
        for more than MOST records.
        """
        column = setting.y
        known = column is not None and column.lower is not None and column.levels is None
        if not setting.X.columns or not known or not SURE < n <= MOST:
            return None
        halves, explains = [], []
        for seed in range(TABLES):
            rows, labels = table(setting, n, explained, np.random.default_rng(seed))
            model = PrivateRegressor(
                regression, epsilon=epsilon, delta=delta, setting=setting, rng=seed
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                summary = model.fit(rows, labels).summary()
            if not isinstance(summary, Summary):
                return None
            halves.append(np.diff(summary.intervals)[:, 0] / 2)
            explains.append("[" in summary.header["R-squared"])
        return cls(summary.names, np.median(halves, axis=0), sum(explains) > TABLES / 2)


def lengths(
    regressions: Mapping[str, Regression], setting: Setting, *, explained: float, **options: Any
) -> str:
    """A table of half lengths by coefficient for regressions by name; "" where one has none."""
    found = [
        Typical.of(one, setting, explained=explained, **options) for one in regressions.values()
    ]
    typical = [one for one in found if one is not None]
    if len(typical) < len(found):
        return ""
    rows = [
        [name, *(figure(half) if math.isfinite(half) else "none" for half in halves)]
        for name, *halves in zip(typical[0].names, *(one.halves for one in typical), strict=True)
    ]
    rows.append(["R-squared", *("stated" if one.explained else LOST for one in typical)])
    titles = ["", *regressions]
    return "\n".join([SIMULATED.format(explained), *aligned(titles, rows, range(1, len(titles)))])


def table(
    setting: Setting, n: int, explained: float, rng: np.random.Generator
) -> tuple[list[tuple[Any, ...]], Array]:
    """Rows of independent columns of typical variation, and labels to which each contributes the
    same share of the variance.
    """
    columns, effects = zip(
        *(_column(part, n, rng) for part in setting.X.columns or ()), strict=True
    )
    scale = label_scale(setting.y)
    effect = np.sum(effects, axis=0) / math.sqrt(len(effects))
    noise = rng.normal(0, math.sqrt(1 - explained), n)
    z = 2 * TYPICAL_SHARE * (math.sqrt(explained) * effect + noise)
    labels = scale.centre + scale.half * np.clip(z, -1, 1)
    return list(zip(*columns, strict=True)), labels


def _column(
    part: Numeric | Categorical, n: int, rng: np.random.Generator
) -> tuple[Iterable[Any], Array]:
    """The values of a column, and standardised numbers that they determine."""
    if isinstance(part, Numeric):
        drawn = np.clip(rng.normal(0, 1, n), -0.5 / TYPICAL_SHARE, 0.5 / TYPICAL_SHARE)
        low, high = float(part.lower), float(part.upper)
        return ((low + high) / 2 + TYPICAL_SHARE * (high - low) * drawn).tolist(), drawn
    k = len(part.levels)
    rarest = TYPICAL_SHARE if k == 2 else USUAL_LEVELS / k
    shares = [(1 - rarest) / max(k - 1, 1)] * (k - 1) + [rarest if k > 1 else 1.0]
    places = rng.choice(k, n, p=shares)
    spread = max(float(np.std(places)), 1e-9)
    return [part.levels[place] for place in places], (places - places.mean()) / spread
