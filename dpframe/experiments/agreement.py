"""Whether two cross-validation errors agree within their Monte Carlo error."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .published import Cell

Array = NDArray[Any]


@attrs.frozen(eq=False)
class Runs:
    """Mean squared errors of repeated cross-validations, (repeats, folds), at least 1 by 2."""

    errors: Array

    @property
    def error(self) -> float:
        """The mean of all."""
        return float(self.errors.mean())

    @property
    def half_width(self) -> float:
        """2 std/sqrt(folds) of one cross-validation, its variance over folds averaged over runs."""
        variance = float(self.errors.var(axis=1, ddof=1).mean())
        return 2 * math.sqrt(variance / self.errors.shape[1])

    @property
    def error_of_mean(self) -> float:
        """2 standard errors of `error`, from the spread of the runs; of one run, `half_width`."""
        runs = self.errors.mean(axis=1)
        if len(runs) == 1:
            return self.half_width
        return 2 * float(runs.std(ddof=1)) / math.sqrt(len(runs))

    def below(self, error: float) -> float:
        """The share of runs with a smaller error."""
        return float(np.mean(self.errors.mean(axis=1) < error))


def agrees(published: Cell, ours: Runs) -> bool:
    """|difference| <= sqrt(a^2 + b^2), a and b half of a 95% interval of one cross-validation each:
    as published, and as our folds and repeats measure it.

    It is the test of two runs at 95%. As our mean is of many runs, a true method passes nearer to
    99.5%.
    """
    return _within(published, ours, ours.half_width)


def agrees_closely(published: Cell, ours: Runs) -> bool:
    """The same with the error of our mean in place of one run's: a true method passes at 95%, less
    where ten skewed folds understate their std.
    """
    return _within(published, ours, ours.error_of_mean)


def _within(published: Cell, ours: Runs, half_width: float) -> bool:
    distance = abs(published.error - ours.error)
    return distance <= math.hypot(published.half_width, half_width)
