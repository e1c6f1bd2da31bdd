"""The line of integration: the real point c near the saddle, the step h, and its aliases.

Choices here change time and width only; the Chernoff bound and the bounds on aliases are theorems.
(docs/proofs/contour.md)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs
import numpy as np

from ..losses.base import UNIT, Reals
from .total import TotalLoss

NEED = 40.0  # logs below the answer at which an error is negligible
_OCTAVES = np.arange(-4.0, 5.0)
_REACH = 70  # octaves around 1 that are searched for c


@attrs.frozen
class Tilt:
    """log delta(epsilon) <= bound - b epsilon: Chernoff's bound at the real point b."""

    b: float
    bound: float


def chernoff(total: TotalLoss, b: Reals) -> Reals:
    """log of E e^(bL) b^b/(1 + b)^(1 + b), rounded up; infinite where it overflows.

    (1 - e^-y)_+ <= e^(by) b^b/(1 + b)^(1 + b) for every b > 0 and y.
    """
    value, error = total.cumulant(b.astype(complex))
    slack = b * np.log(b) - (1 + b) * np.log1p(b)
    size = np.abs(value.real) + np.abs(b * np.log(b)) + (1 + b) * np.log1p(b)
    bound: Reals = value.real + slack + error + 1e-14 * size + 1e-15
    return np.where(np.isfinite(bound), bound, np.inf)


def saddle(total: TotalLoss, merit: Callable[[Reals, Reals], Reals]) -> float:
    """The point c > 0 with the least merit(c, chernoff bound), to a few percent, where merits fall
    and then rise: cumulants and the logarithm of Chernoff's bound are convex.
    """
    search = _Convex(total, merit)
    best = 1.0
    for _ in range(2 * _REACH // 8):
        better = search.least(best * 2.0**_OCTAVES)
        if better == best or not 2.0**-_REACH < better < 2.0**_REACH:
            break
        best = better
    for scale in (0.25, 0.06):
        best = search.least(best * 2.0 ** (scale * _OCTAVES))
    return rounded(best)


@attrs.frozen(eq=False)
class _Convex:
    """Search for the least of unimodal merits; merits and Chernoff bounds are evaluated once."""

    total: TotalLoss
    merit: Callable[[Reals, Reals], Reals]
    evaluated: dict[float, tuple[float, float]] = attrs.field(factory=dict)

    def least(self, points: Reals) -> float:
        """The best of rising points, whose merits fall and then rise or stay, by bisection."""
        low, high = 0, len(points) - 1
        while low < high:
            middle = (low + high) // 2
            one, other = self._at(points[middle : middle + 2])
            low, high = (low, middle) if one <= other else (middle + 1, high)
        return float(points[low])

    def _at(self, points: Reals) -> list[float]:
        new = np.array([b for b in points.tolist() if b not in self.evaluated])
        if len(new):
            bounds = chernoff(self.total, new)
            with np.errstate(all="ignore"):
                merits = self.merit(new, bounds)
            pairs = np.stack([np.where(np.isnan(merits), np.inf, merits), bounds], axis=1)
            self.evaluated.update(zip(new.tolist(), map(tuple, pairs.tolist()), strict=True))
        return [self.evaluated[b][0] for b in points.tolist()]


def far_right(total: TotalLoss, epsilon: float) -> float:
    """An upper bound on log delta(epsilon): Chernoff's at its best point, roughly."""
    b = np.array([saddle(total, lambda b, bound: bound - b * epsilon)])
    bounds = chernoff(total, b)
    with np.errstate(all="ignore"):
        bound = float((bounds - b * epsilon + 4 * UNIT * (np.abs(bounds) + b * epsilon))[0])
    return math.inf if math.isnan(bound) else bound


def near_the_mean(total: TotalLoss, delta: float) -> float:
    """The epsilon of a large delta for a normal loss of equal mean and variance, roughly."""
    from scipy.special import ndtri

    b = 2.0 ** np.arange(-60.0, 20.0)
    value, _ = total.cumulant(np.concatenate([b, 2 * b]).astype(complex))
    once, twice = np.where(np.isnan(value.real), np.inf, value.real).reshape(2, -1)
    base = float(np.log1p(-min(float(total.infinite[0]), 1 - 2.0**-53)))  # of the finite part
    with np.errstate(all="ignore"):
        at = int(np.argmin(np.abs(once - base - 0.01)))
        variance = np.maximum(twice[at] - 2 * once[at] + base, 0.0) / b[at] ** 2
        mean = (once[at] - base) / b[at] - variance * b[at] / 2
    likely = min(delta, 1 - 2.0**-53)
    epsilon = mean + math.log1p(-likely) * 0.5 - math.sqrt(variance) * float(ndtri(likely))
    return epsilon if math.isfinite(epsilon) else 0.0


@np.errstate(all="ignore")
def step(total: TotalLoss, c: float, epsilon: float, log_delta: float) -> tuple[float, Tilt, Tilt]:
    """The longest step h at which aliases are negligible, and the tilts that prove it."""
    spread = _spread(total, c)
    right = c + np.array([1.5, 3.0, 5.0, 7.0, 9.0, 12.0]) * spread
    left = c * np.array([0.97, 0.85, 0.7, 0.5, 0.3, 0.1, 0.02])
    moved = c - np.array([3.0, 5.0, 7.0, 9.0, 12.0]) * spread
    left = np.sort(np.concatenate([left, moved[moved > 0.02 * c]]))

    def shortness(points: Reals, bounds: Reals) -> Reals:
        excess = np.maximum(bounds - points * epsilon - log_delta, 0.0) + NEED
        return -2 * np.pi * np.abs(points - c) / excess

    search = _Convex(total, shortness)
    below, above = search.least(left), search.least(right)
    (low_step, low_bound), (step, high_bound) = (search.evaluated[b] for b in (below, above))
    low, low_step = Tilt(below, low_bound), -low_step
    trivial = 2 * np.pi * c / (NEED + max(-log_delta, 0.0))  # delta <= 1: the tilt b = 0
    if trivial > low_step:
        low, low_step = Tilt(0.0, 0.0), trivial
    return rounded(min(low_step, -step)), low, Tilt(above, high_bound)


def rounded(value: float) -> float:
    """`value` to 20 bits, so that its small multiples are doubles."""
    mantissa, exponent = np.frexp(value)
    return float(np.ldexp(np.round(mantissa * 2**20), exponent - 20))


def _spread(total: TotalLoss, c: float) -> float:
    """1/sqrt of the second derivative of the cumulant at c, by differences."""
    width = 0.05
    points = np.array([c * (1 - width), c, c * (1 + width)])
    value, _ = total.cumulant(points.astype(complex))
    bend = (value.real[0] - 2 * value.real[1] + value.real[2]) / (c * width) ** 2
    floor = 1e-3 / c**2
    return float(1 / np.sqrt(max(bend, floor) if np.isfinite(bend) else floor))
