"""A sum of losses as weighted atoms in doubles, with every error bounded: its profile from both
sides, and the inverse.

Weights are tilted: an atom of probability p at loss L has the weight p e^(cL)/E e^(cL). Dropped
atoms cost at most their tilted weight times E e^(c(L - epsilon)), which is Chernoff's bound: large
losses are as accurate as small ones, and nothing underflows.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import attrs
import numpy as np
from flint import arb

from dpframe.numerics import Interval, ball, next_down, next_up, to_float, working

from ..losses.base import UNIT, Reals

BITS = 128
_TINY = 1e-290  # what exp loses by underflow, and more
_TRIES = 80


class Sides(NamedTuple):
    """The profile from below and from above, and how fast it falls with epsilon (roughly)."""

    lower: arb
    upper: arb
    slope: arb


@attrs.frozen(eq=False)
class SplittingExcess:
    """The excess of the profile after atoms were split onto a lattice. (docs/proofs/atoms.md)

    The product of n independent factors M_i, E M_i = 1, log M_i in an interval of length `step`,
    has log-variance proxy `proxy` = n step^2/4 and variance at most `variance`.
    """

    proxy: float
    variance: float

    @property
    def reach(self) -> float:
        """|log M| is at most this with probability 1/2 at least, by Hoeffding's bound."""
        return (self.proxy / 2 + math.sqrt(2 * self.proxy * math.log(4))) * (1 + 1e-9)

    def excess(self, d: Reals, shift: float) -> Reals:
        """Twice the largest E (1 - zM)_+ - (1 - z)_+ over |log z + d| <= reach + shift."""
        reach = self.reach + shift
        near = np.maximum(np.abs(d) - reach, 0.0)
        rise = -np.expm1(-near)
        room = reach + np.maximum(-d, 0.0)
        wide = np.where(room < 700, np.exp(np.minimum(room, 700.0)), np.inf)
        by_variance = wide * 0.5 * self.variance / (np.hypot(math.sqrt(self.variance), rise) + rise)
        exponent = near / 2 - near**2 / (2 * self.proxy)
        by_tail = np.where(near > self.proxy, np.exp(np.minimum(exponent, 0.0)), np.inf)
        return np.asarray(2 * np.minimum(by_variance, by_tail) * (1 + 1e-9))

    def beyond(self, c: float, shift: float) -> float:
        """A bound on e^(-cd) excess(d) over all d: the cost of a dropped unit of weight."""
        exponent = (c + c * c) * self.proxy / 2 + 2 * c * (self.reach + shift)
        return 2 * math.exp(exponent) * (1 + 1e-9) if exponent < 700 else math.inf


@attrs.frozen(eq=False)
class Atoms:
    """Tilted weights at losses, and the total tilted weight of `dropped` atoms."""

    losses: Reals
    weights: Reals
    tilt: float
    log_scale: arb
    """log E e^(cL), c = tilt"""
    relative: float
    """bound on the relative error of every weight"""
    shift: float
    """bound on the error of every loss"""
    dropped: float
    splitting: SplittingExcess | None = None

    def both(self, epsilon: Fraction) -> tuple[arb, arb]:
        """The profile from below and from above at an exact epsilon >= 0."""
        below = self.sides(to_float(epsilon, up=True)).lower
        return below, self.sides(to_float(epsilon, up=False)).upper

    def sides(self, epsilon: float) -> Sides:
        """E (1 - e^(epsilon - L))_+ from below and above, for a double epsilon >= 0."""
        with np.errstate(all="ignore"), working(BITS):
            lower, upper, slope = self._scaled(epsilon)
            scale = (self.log_scale - ball(self.tilt) * ball(epsilon)).exp()
            low = (scale * max(lower, 0.0)).lower() if lower > 0 else arb(0)
            return Sides(low, (scale * upper).upper(), scale * slope)

    def _scaled(self, epsilon: float) -> tuple[float, float, float]:
        """Both ends and the slope, relative to E e^(c(L - epsilon)).

        The rounding of d is relative: where d is near 0 the subtraction is exact.
        """
        c, shift = self.tilt, self.shift * (1 + 1e-9)
        if not c * shift < 1:  # the errors of the losses are too large for any bound
            return 0.0, math.inf, 1.0
        d = self.losses - epsilon
        above = d > -shift
        d, w = d[above], self.weights[above]
        exponent = np.minimum(c * d, 745.0)
        w = w * np.exp(-exponent)
        high, low = -w * np.expm1(-(d + shift)), w * np.maximum(-np.expm1(-(d - shift)), 0.0)
        slope = _sum(w * np.exp(-np.maximum(d, 0.0)))
        drift = 4 * UNIT * (np.abs(exponent) + 1)
        up, down = _sum(high * (1 + drift)), _sum(low * (1 - drift))
        levels = 24 + math.log2(len(d) + 1)
        error = (1 + self.relative) * (1 + levels * UNIT) * math.exp(c * shift) * (1 + 8 * UNIT)
        lower = down / error * (1 - 8 * UNIT) - _TINY - self._splitting_excess(epsilon, shift)
        return lower, up * error * (1 + 8 * UNIT) + self.dropped + _TINY, slope

    def _splitting_excess(self, epsilon: float, shift: float) -> float:
        """A bound on the excess of the lattice, in the same scale."""
        if self.splitting is None:
            return 0.0
        d, c = self.losses - epsilon, self.tilt
        sizes = np.exp(np.clip(-c * d, -745.0, 700.0)) * self.splitting.excess(d, shift)
        if np.any((-c * d > 700) & (sizes > 0)):
            return math.inf
        total = _sum(self.weights * sizes) * (1 + self.relative) * math.exp(c * shift)
        return total * (1 + 1e-9) + _TINY + self.dropped * self.splitting.beyond(c, shift)

    def inverse(self, target: arb, highest: float) -> Interval:
        """The least epsilon >= 0 with a profile of at most `target` > 0; no loss is above
        `highest`.
        """
        if self.sides(0.0).upper <= target:
            return Interval(0.0, 0.0)
        guess = min(max(self._guess(target), 0.0), highest)
        return Interval(self._below(guess, target), self._above(guess, target, highest))

    def _guess(self, target: arb) -> float:
        """max_J log (P_J - target)/Q_J, roughly: losses from the largest down."""
        order = np.argsort(-self.losses)
        losses, w = self.losses[order], self.weights[order]
        with working(BITS):
            middle = float(self.log_scale.mid() - target.log().mid()) / self.tilt
            scaled = float((target.log() - self.log_scale + ball(self.tilt) * ball(middle)).exp())
        with np.errstate(all="ignore"):
            p = w * np.exp(np.clip(-self.tilt * (losses - middle), -745, 600))
            q = np.cumsum(p * np.exp(np.clip(middle - losses, -745, 100)))
            best = float(np.nanmax((np.cumsum(p) - scaled) / q, initial=0.0))
        return middle + math.log(best) if best > 0 and math.isfinite(best) else 0.0

    def _above(self, guess: float, target: arb, highest: float) -> float:
        """A double at which the profile is at most the target."""
        x, least = guess, 2 * math.ulp(guess)
        for _ in range(_TRIES):
            if x >= highest:
                break
            sides = self.sides(x)
            if sides.upper <= target:
                return x
            x, least = next_up(x + max(_ratio(sides.upper - target, sides.slope), least)), 2 * least
        return highest

    def _below(self, guess: float, target: arb) -> float:
        """A double at which the profile is above the target, or 0."""
        x, least = guess, 2 * math.ulp(guess)
        for _ in range(_TRIES):
            sides = self.sides(x)
            if sides.lower > target:
                return x
            x = next_down(x - max(_ratio(target - sides.lower, sides.slope), least))
            if x <= 0:
                break
            least *= 2
        return 0.0


def _ratio(part: arb, whole: arb) -> float:
    """part/whole in [0, 1], roughly: a step of the search."""
    with working(BITS):
        ratio = float((part / whole).mid())
    return min(max(ratio, 0.0), 1.0) if math.isfinite(ratio) else 1.0


def _sum(values: Reals) -> float:
    """The sum by halves: at most log2(n) + 1 roundings of each value."""
    while len(values) > 1:
        half = len(values) // 2
        folded = values[:half] + values[half : 2 * half]
        if len(values) % 2:
            folded[0] += values[-1]
        values = folded
    return float(values[0]) if len(values) else 0.0
