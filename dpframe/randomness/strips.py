"""Strips that cover a falling function, with whole weights: the table of one shape.

A candidate is a strip b (chance weight/2^32), a place in it, and a height v in [0, 1]: it counts
where v < a = peak f(z)/weight. The density of a z that counts is then peak f(z) times a constant,
the same one for all strips. Everything here is an enclosure of a, proved when the table is made.
(docs/proofs/rounded_noise)
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import attrs
import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpframe.numerics import arb_float, arb_lower, arb_upper, ball, working

from .alias import COLUMNS, TOTAL, Alias
from .shapes import Shape

Reals = NDArray[np.float64]

TAIL = COLUMNS - 1
"""The strip of everything beyond z = 511 2^-fine."""
PLACE_BITS = 55
MARGIN = 2.0**-44
"""More than 16 times the proved error of `chance`, with that of a height as a double."""
_PRECISION = 192
_TAYLOR = tuple((-1) ** k / float(np.prod(range(1, k + 1), dtype=np.int64)) for k in range(10))


@attrs.frozen(eq=False)
class Strips:
    """The table of one shape. `caution` >= 0 widens every enclosure by so much of its range, which
    changes no draw's law: it sends draws the slow way, as a test may want.
    """

    shape: Shape
    peak: int
    """a = peak f(z)/weight in strips, peak f(z) 2^(fine + g + 1)/weight in part g of the tail."""
    alias: Alias
    sure: NDArray[np.uint32]
    """A candidate whose height is below sure[b] 2^-32 counts, wherever in the strip it is."""
    highest: Reals
    """a at the lower end of each strip, to 2^-53 of itself."""
    slopes: Reals
    caution: float

    @property
    def digits(self) -> int:
        """z = (b 2^55 + place) 2^-digits in a strip."""
        return PLACE_BITS + self.shape.fine

    @property
    def start(self) -> Fraction:
        """Where the tail begins."""
        return Fraction(TAIL, 2**self.shape.fine)

    def chance(self, b: NDArray[np.intp], places: NDArray[np.uint64]) -> Reals:
        """a at (b 2^55 + place + [0, 1]) 2^-digits to 2^-49, for strips below the tail: a Taylor
        polynomial of degree 9, in correctly rounded sums and products only.
        """
        u = places.astype(np.float64) * 2.0**-PLACE_BITS
        x = u * (self.slopes.take(b) + self.shape.bend * u)
        total: Reals = np.full(len(x), _TAYLOR[-1])
        for coefficient in _TAYLOR[-2::-1]:
            total = total * x + coefficient
        return self.highest.take(b) * total

    def chance_ball(self, b: int, part: int, z: Fraction) -> arb:
        """a at z in strip b, or in part `part` of the tail, at the working precision."""
        extra = self.shape.fine + part + 1 if b == TAIL else 0
        f: arb = (-self.shape.exponent(ball(z))).exp()
        return f * (self.peak << extra) / self.alias.weights[b]


@cache
def strips(shape: Shape, caution: float = 0.0) -> Strips:
    """The table, made once."""
    with working(_PRECISION):
        peak, weights = _weights(shape)
        alias = Alias.of(weights)
        ends = [peak * _f(shape, b) for b in range(COLUMNS)]
        lowest = [arb_lower(ends[b + 1] / weights[b]) for b in range(TAIL)]
        highest = [arb_float(ends[b] / weights[b], up=False) for b in range(TAIL)]
    sure = [max(0, int((low - Fraction(caution)) * TOTAL)) for low in lowest]
    slopes = [shape.slope(b) for b in range(TAIL)]
    table = (np.array([*sure, 0], dtype=np.uint32), np.array([*highest, 0]), np.array([*slopes, 0]))
    return Strips(shape, peak, alias, *table, caution)


def _f(shape: Shape, b: int) -> arb:
    """f at the lower end of strip b."""
    height: arb = (-shape.exponent(arb(b) / 2**shape.fine)).exp()
    return height


def _weights(shape: Shape) -> tuple[int, list[int]]:
    """The largest handy `peak`, and whole weights of at least peak f on their strips: in part g of
    the tail, of width 1 and chance weight/2^(g + 1), by f(z + 1) <= f(z)/2. What is left of 2^32
    goes to the first strip.
    """
    heights = [_f(shape, b) for b in range(COLUMNS)]
    heights[TAIL] *= 2 ** (shape.fine + 1)
    peak = int(arb_lower((TOTAL - COLUMNS) / sum(heights, arb(0))))
    weights = [-int(-arb_upper(peak * height) // 1) for height in heights]
    weights[0] += TOTAL - sum(weights)
    return peak, weights
