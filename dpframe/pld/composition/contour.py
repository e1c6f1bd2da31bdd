"""The privacy profile of a total loss, by a trapezoidal sum along a vertical line.

    delta(epsilon) = (1 / 2 pi i) int M(z) e^(-z epsilon) / (z (z + 1)) dz   on Re z = c > 0

with M(z) = E[e^(zL); L < infinity]. Aliases of the sum are positive, so it bounds delta from above
up to truncation and rounding; their bound gives the lower end. The choices of the line, its real
point c near the saddle and the step h, change time and width only; the Chernoff bound and the
bounds on aliases are theorems. (docs/proofs/contour.md)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs
import numpy as np

from ..losses.base import UNIT, Complexes, Reals
from .total import TotalLoss, pairwise

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
