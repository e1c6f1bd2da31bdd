"""The axis-aligned Tukey depth of whole points among whole models, and exact draws by it.

The depth of a point is the least number of models on its side, over both sides of every coordinate,
models at the point included. Points of depth k or more fill a box, so everything is counted in
whole numbers, without rounding. Proof page: proofs/tukey.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import attrs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

WORD = 64  # bits of a base behind its point
MOST_RATE = 30  # a larger base draws the same points


class FairBits(Protocol):
    """Uniform whole numbers from fair bits, as in dpframe.randomness."""

    def integer(self, bits: int) -> int:
        """Uniform from 0 to 2^bits - 1."""

    def below(self, bound: Any, n: int) -> Any:
        """n numbers, each uniform from 0 to its bound - 1."""


@attrs.frozen(eq=False, slots=False)
class Depths:
    """Depths among `models`, whole numbers (m, d), of the points of the cube [-reach, reach]^d,
    where the models lie too. `base` >= 1 is a fraction over 2^64: a point of depth k has the weight
    base^k.
    """

    models: Array
    reach: int
    base: Fraction

    @cached_property
    def _ordered(self) -> Array:
        import numpy as np

        return np.sort(self.models, axis=0)

    @property
    def _base(self) -> int:
        """The base in units of 2^-64."""
        return int(self.base * 2**WORD)

    def box(self, depth: int) -> tuple[Array, Array]:
        """The lowest and highest coordinates (d,) of the points of this depth or more: the whole
        cube for a depth of 0 or less; lower ones above the higher where there is none.
        """
        import numpy as np

        count, d = self.models.shape
        if depth > count:
            return np.ones(d, dtype=np.int64), np.zeros(d, dtype=np.int64)
        if depth <= 0:
            return np.full(d, -self.reach), np.full(d, self.reach)
        return self._ordered[depth - 1], self._ordered[count - depth]

    def points(self, depth: int) -> int:
        """The number of points of this depth or more."""
        return self._counts[max(0, min(depth, len(self._counts) - 1))]

    @cached_property
    def deepest(self) -> int:
        """The largest depth of any point."""
        return len(self._counts) - 2

    @cached_property
    def _counts(self) -> list[int]:
        """The points of depth 0, 1, ... or more, up to the first 0."""
        counts: list[int] = []
        while not counts or counts[-1]:
            low, high = self.box(len(counts))
            ends = zip(low.tolist(), high.tolist(), strict=True)
            counts.append(prod(max(0, b - a + 1) for a, b in ends))
        return counts

    @cached_property
    def _tails(self) -> list[int]:
        """For depth 0, 1, ..., the deepest: the sum of base^(D - depth) over all points of depth D
        at least that, in units of 2^(-64 (deepest - depth)).
        """
        tails = [self.points(self.deepest)]
        for depth in range(self.deepest - 1, -1, -1):
            shell = self.points(depth) - self.points(depth + 1)
            unit = WORD * (self.deepest - depth)
            tails.append((shell << unit) + self._base * tails[-1])
        return tails[::-1]

    def outweighs(self, depth: int, points: int, ratio: Fraction) -> bool:
        """Whether `points` is at most `ratio` of the sum of base^(D - depth) over all points of a
        depth D >= depth, and there are such points; depth >= 0.
        """
        if depth > self.deepest:
            return False
        unit = WORD * (self.deepest - depth)
        return points * ratio.denominator << unit <= ratio.numerator * self._tails[depth]

    def drawn(self, least: int, bits: FairBits, n: int) -> Array:
        """n points (n, d) of depth `least` (0 to the deepest) or more, with probabilities
        proportional to base^depth, exactly.

        They are a mixture of uniform points of the boxes, weighted by base^least for the first box
        and by base^k - base^(k-1) for each further one.
        """
        import numpy as np

        sums = self._mixture(least)
        chosen = [least + bisect_right(sums, uniform(sums[-1], bits)) for _ in range(n)]
        ends = [self.box(depth) for depth in chosen]
        points = [low + bits.below(high - low + 1, len(low)) for low, high in ends]
        return np.array(points, dtype=np.int64).reshape(n, self.models.shape[1])

    def _mixture(self, least: int) -> list[int]:
        """The sums of the weights of the boxes of depth `least`, `least` + 1, ..., the deepest, in
        units of 2^(-64 (deepest - least)) base^least.
        """
        sums, power = [self.points(least) << WORD * (self.deepest - least)], 1
        for depth in range(least + 1, self.deepest + 1):
            weight = self.points(depth) * (self._base - 2**WORD) * power
            sums.append(sums[-1] + (weight << WORD * (self.deepest - depth)))
            power *= self._base
        return sums


def uniform(bound: int, bits: FairBits) -> int:
    """A uniform whole number from 0 to bound - 1, bound of any size."""
    while (number := bits.integer(bound.bit_length())) >= bound:
        pass
    return number


def base_of(rate: float) -> Fraction:
    """A base in [1, e^rate], near e^rate, over 2^64: Taylor's sum and its truncation are below.
    Rates above 30 are taken as 30.
    """
    halved, times = Fraction(max(0.0, min(rate, MOST_RATE))), 0
    while halved > 1:
        halved, times = halved / 2, times + 1
    term, total = Fraction(1), Fraction(1)
    for k in range(1, 24):
        term = _cut(term * halved / k)
        total += term
    for _ in range(times):
        total = _cut(total * total)
    return total


def _cut(value: Fraction) -> Fraction:
    """Down to whole units of 2^-64."""
    return Fraction(int(value * 2**WORD), 2**WORD)


def whole(model: Array, grain: float, reach: int) -> Array:
    """The nearest point of the cube to each model, any shape, in steps of `grain`; 0 for nan."""
    import numpy as np

    with np.errstate(over="ignore"):
        steps = np.nan_to_num(np.asarray(model, dtype=float) / grain)
    return np.rint(np.clip(steps, -reach, reach)).astype(np.int64)


def reach_of(radius: float, grain: float) -> int:
    """The half-width of the cube in steps of `grain`: 1 to 2^52, exact in doubles."""
    return int(max(1.0, min(radius / grain, 2.0**52)))


def distance(depths: Depths, least: int, changed: int, ratio: Fraction) -> int:
    """A lower bound on the number of changed models of an unsafe table; -1 for an unsafe one.

    A table is safe if the points of depth `least` - changed or more are at most `ratio` of the
    weight base^(D - least) of those of depth D >= least. One changed model moves depths by at most
    1, so the table of any k changes is safe if the same holds for depths k less on the left and k
    more on the right. One model moves this number by at most 1.
    """
    k = 0
    while depths.outweighs(least + k, depths.points(least - changed - k), ratio):
        k += 1
    return k - 1
