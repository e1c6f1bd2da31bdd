"""The privacy profile of a total loss, by a trapezoidal sum along a vertical line.

    delta(epsilon) = (1 / 2 pi i) int M(z) e^(-z epsilon) / (z (z + 1)) dz   on Re z = c > 0

with M(z) = E[e^(zL); L < infinity]. Aliases of the sum are positive, so it bounds delta from above
up to truncation and rounding; their bound gives the lower end. (docs/proofs/contour.md)
"""

from __future__ import annotations

import math

import attrs
import numpy as np

from ..losses.base import UNIT, Complexes, Reals
from .saddle import NEED, Tilt, chernoff, saddle, step
from .total import TotalLoss, pairwise

_WORK = 1 << 23  # evaluations of a cumulant that one contour may cost
_FEWEST, _MOST = 8, 1 << 18
_UNDERFLOW = 1e-300  # more than exp loses where its result is subnormal


@attrs.frozen(eq=False)
class LineIntegral:
    """Nodes on one line, with everything that does not depend on epsilon."""

    c: float
    h: float
    base: float
    """the cumulant at c, as a double; every other value is relative to it"""
    weights: Complexes
    """exp(K(z) - base) / (z (z + 1)) at z = c + i k h, k = 0, 1, ...; the first one halved"""
    errors: Reals
    """a bound on the error of each weight"""
    tail: float
    """a bound on the sum over the omitted nodes, relative to exp(base - c epsilon)"""
    aliases: tuple[Tilt, ...]

    def log_delta(self, epsilon: float) -> tuple[float, float, float]:
        """log delta(epsilon): its lower end, its upper end, and the slope d log delta/d epsilon."""
        value, error, slope = self._sum(epsilon)
        alias = self._alias(epsilon)
        upper = value + error + 16 * UNIT * (abs(value) + error)
        lower = value - error - alias - 16 * UNIT * (abs(value) + error + alias)
        low = math.log(lower) if lower > 0 else -math.inf
        high = math.log(upper) if upper > 0 else math.inf  # 0 and nan give no bound
        shift = self.base - self.c * epsilon
        slack = UNIT * (8 * abs(self.base) + 8 * abs(self.c * epsilon) + 16)
        low, high = low + shift - slack, high + shift + slack
        low, high = low - 8 * UNIT * abs(low - shift), high + 8 * UNIT * abs(high - shift)
        return -math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high, slope

    def _sum(self, epsilon: float) -> tuple[float, float, float]:
        """The sum over all nodes, relative; a bound on its error; d log of it/d epsilon."""
        with np.errstate(all="ignore"):
            times = self.h * np.arange(len(self.weights))
            angle = times * epsilon
            turned = self.weights * (np.cos(angle) - 1j * np.sin(angle))
            total, rounding = pairwise(turned[:, None])
            moved = ((self.c + 1j * times) * turned).sum()
            turns = np.abs(self.weights) * UNIT * (4 * np.abs(angle) + 16)
            noise = float((self.errors + turns).sum() + rounding[0])
            slope = -float(moved.real / total[0].real)
        ratio = self.h / math.pi
        return ratio * float(total[0].real), ratio * noise * (1 + 1e-9) + self.tail, slope

    def _alias(self, epsilon: float) -> float:
        """A bound on sum over j != 0 of e^(2 pi j c/h) delta(epsilon + 2 pi j/h), relative."""
        shift = self.base - self.c * epsilon
        total = 0.0
        for tilt in self.aliases:
            gap = 2 * math.pi * abs(tilt.b - self.c) / self.h * (1 - 1e-12)
            if not gap > 0:
                return math.inf
            log = tilt.bound - tilt.b * epsilon - shift - gap
            size = abs(tilt.bound) + abs(tilt.b * epsilon) + abs(shift) + gap
            total += _exp(log + 8 * UNIT * size) / -math.expm1(-gap) * (1 + 1e-12)
        return total


def saddle_for_delta(total: TotalLoss, log_delta: float) -> tuple[float, float]:
    """The best c for this delta, and Chernoff's epsilon there: an upper bound but for rounding."""
    c = saddle(total, lambda b, bound: (bound - log_delta) / b)
    return c, float((chernoff(total, np.array([c]))[0] - log_delta) / c)


def for_epsilon(total: TotalLoss, epsilon: float) -> LineIntegral:
    """A contour that is sharp for delta(epsilon)."""
    # the integrand at real points: to the left of the mean, c is 1/(mean - epsilon), not 0
    c = saddle(total, lambda b, bound: bound - b * epsilon - (1 + b) * np.log(b) + b * np.log1p(b))
    bound = float(chernoff(total, np.array([c]))[0])
    return contour_at(total, c, epsilon, min(bound - c * epsilon, 0.0) - 3.0)


def contour_at(total: TotalLoss, c: float, epsilon: float, log_delta: float) -> LineIntegral:
    """Nodes on Re z = c, enough for a log delta(epsilon) of about this size."""
    base = float(total.cumulant(np.array([c + 0j]))[0][0].real)
    if not (math.isfinite(base) and math.isfinite(c * epsilon)):
        return _TRIVIAL
    h, low, high = step(total, c, epsilon, log_delta)
    if not 0 < h < math.inf:
        return _TRIVIAL
    wanted = log_delta - (base - c * epsilon) - NEED
    nodes = _nodes(total, c, h, wanted)
    line = np.asarray(c + 1j * h * np.arange(nodes), dtype=np.complex128)
    weights, errors = _weights(total, line, base)
    reach = nodes * h
    # omitted nodes are at least this far; the sum of 1/(kh)^2 from there is below 1/(h^2 (k - 1))
    outer = total.envelope(c, reach * (1 - 1e-12))
    unsure = 4 * float(errors[0]) / abs(weights[0]) if weights[0] else math.inf
    tail = _exp(outer + unsure) / (math.pi * (reach - h)) * (1 + 1e-9)
    weights[0] /= 2
    errors[0] /= 2
    return LineIntegral(c, h, base, weights, errors, tail, (low, high))


def _nodes(total: TotalLoss, c: float, h: float, wanted: float) -> int:
    """The fewest nodes with a tail below e^wanted, or as many as the work allows."""
    most = min(max(_FEWEST, _WORK // max(total.size, 1)), _MOST)
    few, many = _FEWEST, _FEWEST
    while many < most and total.envelope(c, many * h) - math.log(many * h) > wanted:
        few, many = many, min(2 * many, most)
    while many - few > max(2, few // 16):
        middle = (few + many) // 2
        enough = total.envelope(c, middle * h) - math.log(middle * h) <= wanted
        few, many = (few, middle) if enough else (middle, many)
    return many


def _weights(total: TotalLoss, z: Complexes, base: float) -> tuple[Complexes, Reals]:
    value, error = total.cumulant(z)
    with np.errstate(all="ignore"):
        relative = error + UNIT * (4 * np.abs(value) + 2 * abs(base) + 32)
        apart = value - base
        size = np.exp(apart.real)
        weights = size * (np.cos(apart.imag) + 1j * np.sin(apart.imag)) / (z * (z + 1))
        errors = np.expm1(relative) * np.abs(weights) * (1 + 1e-9) + _UNDERFLOW / np.abs(z) ** 2
        # |E e^(zL)| <= E e^(cL): a weight with a larger error is replaced by 0 with this error
        largest = np.exp(2 * relative[0]) / np.abs(z) ** 2 * (1 + 1e-9)
        largest = np.where(np.isnan(largest), np.inf, largest)
    lost = ~(errors <= largest) | ~np.isfinite(weights)
    return np.where(lost, 0, weights), np.where(lost, largest, errors)


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


_TRIVIAL = LineIntegral(
    1.0, 1.0, 0.0, np.zeros(1, complex), np.array([math.inf]), math.inf, aliases=()
)
"""Proves only 0 <= delta <= infinity: for a cumulant beyond doubles."""
