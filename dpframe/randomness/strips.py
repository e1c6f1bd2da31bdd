"""Strips that cover a falling function, with whole weights: the table of one shape.

A candidate is a strip b (probability weight/2^32), a place in it, and a height v in [0, 1]: it is
accepted where v < a = peak f(z)/weight. The density of an accepted z is then peak f(z) times a
constant, the same one for all strips. Everything here is an enclosure of a, proved when the table
is made. (docs/proofs/rounded_noise)

One of 512 with exact chances, whole numbers over 2^32, by one word of 32 bits.

The two laws on z >= 0 that all noise is made of, e^(-z^2/2) and e^-z, cut into strips.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import ClassVar

import attrs
import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.numerics import arb_float, arb_lower, arb_upper, ball, working

from .bits import Words32

INDEX_BITS = 9
COLUMNS = 2**INDEX_BITS
LOW_BITS = 32 - INDEX_BITS
CAPACITY = 2**LOW_BITS
TOTAL = 2**32


@attrs.frozen(eq=False)
class Alias:
    """Columns of 2^23 words each: those below the column's cut mean the column, the others its
    alias. [Walker77] in whole numbers, so that the chances are exactly `weights`/2^32.
    """

    weights: tuple[int, ...]
    _cut: NDArray[np.uint32]
    _alias: NDArray[np.intp]

    @classmethod
    def of(cls, weights: Sequence[int]) -> Alias:
        """512 whole weights of at least 0 that sum to 2^32. Raises InvalidArgument."""
        if len(weights) != COLUMNS or sum(weights) != TOTAL or min(weights) < 0:
            raise InvalidArgument("weights", "512 whole numbers with the sum 2^32", sum(weights))
        keep, alias = _filled(list(weights))
        cuts = [min(column * CAPACITY + kept, TOTAL - 1) for column, kept in enumerate(keep)]
        return cls(tuple(weights), np.array(cuts, dtype=np.uint32), np.array(alias, dtype=np.intp))

    def pick(self, words: Words32) -> NDArray[np.intp]:
        """The index that each word means, the shape of `words`."""
        column = (words >> np.uint32(LOW_BITS)).astype(np.intp)
        return np.where(words < self._cut.take(column), column, self._alias.take(column))

    def counts(self) -> list[int]:
        """The number of the 2^32 words of each index, counted from the columns."""
        counts = [0] * COLUMNS
        for column, (cut, other) in enumerate(zip(self._cut.tolist(), self._alias, strict=True)):
            counts[column] += cut - column * CAPACITY
            counts[other] += (column + 1) * CAPACITY - cut
        return counts


def _filled(left: list[int]) -> tuple[list[int], list[int]]:
    """The own part of each column, and the alias of the rest: a column that is not full is filled
    from one that is too full. A full column is its own alias.
    """
    keep, alias = [CAPACITY] * COLUMNS, list(range(COLUMNS))
    small = [i for i, weight in enumerate(left) if weight < CAPACITY]
    large = [i for i, weight in enumerate(left) if weight >= CAPACITY]
    while small:
        column, giver = small.pop(), large[-1]
        keep[column], alias[column] = left[column], giver
        left[giver] -= CAPACITY - left[column]
        if left[giver] < CAPACITY:
            small.append(large.pop())
    return keep, alias


@attrs.frozen
class Shape(ABC):
    """Abstract: a falling function f(z) = e^(-exponent(z)), z >= 0, and strips of width 2^-fine.

    Inside strip b, at z = (b + u) 2^-fine with u in [0, 1),
    exponent(z) = exponent(b 2^-fine) + u (slope(b) + bend u), where the bracket times u is at most
    1/8 for b < 512. Beyond `start` = 511 2^-fine, f(z + 1) <= f(z)/2.
    """

    fine: ClassVar[int]

    @abstractmethod
    def exponent(self, z: arb) -> arb:
        """-log f(z), at the working precision."""

    @abstractmethod
    def slope(self, b: int) -> float:
        """A double, exactly."""

    @property
    @abstractmethod
    def bend(self) -> float:
        """A double, exactly."""


@attrs.frozen
class Normal(Shape):
    """e^(-z^2/2), strips of 1/64: z = (b + u)/64 has z^2/2 = b^2/2^13 + u (b/2^12 + u/2^13)."""

    fine: ClassVar[int] = 6

    def exponent(self, z: arb) -> arb:
        """z^2/2."""
        return z * z / 2

    def slope(self, b: int) -> float:
        """b/2^12."""
        return b * 2.0**-12

    @property
    def bend(self) -> float:
        """2^-13."""
        return 2.0**-13


@attrs.frozen
class Exponential(Shape):
    """e^-z, strips of 1/32."""

    fine: ClassVar[int] = 5

    def exponent(self, z: arb) -> arb:
        """z."""
        return z

    def slope(self, b: int) -> float:
        """1/32."""
        return 2.0**-5

    @property
    def bend(self) -> float:
        """0."""
        return 0.0


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
