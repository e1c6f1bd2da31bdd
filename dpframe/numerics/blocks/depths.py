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
MOST_RATE = 30  # beyond it a larger base draws no other points


class FairBits(Protocol):
    """Whole numbers from fair bits, as of dpframe.randomness."""

    def integer(self, bits: int) -> int:
        """From 0 to 2^bits - 1, all alike."""

    def below(self, bound: Any, n: int) -> Any:
        """n of them, each from 0 to its bound - 1, all alike."""


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
        """How many points have this depth or more."""
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
        """Whether so many points are at most `ratio` of the sum of base^(D - depth) over all points
        of depth D >= depth, and there are some; depth from 0.
        """
        if depth > self.deepest:
            return False
        unit = WORD * (self.deepest - depth)
        return points * ratio.denominator << unit <= ratio.numerator * self._tails[depth]

    def drawn(self, least: int, bits: FairBits, n: int) -> Array:
        """n points (n, d) of depth `least` (0 to the deepest) or more, each with a chance
        proportional to base^depth, exactly.

        It is a mixture of uniform points of the boxes, base^least of the points of that, and
        base^k - base^(k-1) of each further one: no volume of a shell is needed.
        """
        import numpy as np

        sums = self._mixture(least)
        chosen = [least + bisect_right(sums, uniform(sums[-1], bits)) for _ in range(n)]
        ends = [self.box(depth) for depth in chosen]
        found = [low + bits.below(high - low + 1, len(low)) for low, high in ends]
        return np.array(found, dtype=np.int64).reshape(n, self.models.shape[1])

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
    """A whole number from 0 to bound - 1, all alike, bound of any size."""
    length = bound.bit_length()
    found = bits.integer(length)
    while found >= bound:
        found = bits.integer(length)
    return found


def base_of(rate: float) -> Fraction:
    """A base from 1 to e^rate, near it, over 2^64: Taylor's sum is below, and so is what is cut
    off. Rates count as at most 30.
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
    """The nearest point of the cube to each model, any shape, in whole grains; 0 for what is no
    number.
    """
    import numpy as np

    with np.errstate(over="ignore"):
        steps = np.nan_to_num(np.asarray(model, dtype=float) / grain)
    return np.rint(np.clip(steps, -reach, reach)).astype(np.int64)


def reach_of(radius: float, grain: float) -> int:
    """How many grains the cube has to each side: 1 to 2^52, so that doubles hold them."""
    return int(max(1.0, min(radius / grain, 2.0**52)))


def distance(depths: Depths, least: int, changed: int, ratio: Fraction) -> int:
    """How many models may change, at least, before the table is unsafe; -1 where it is.

    A table is safe if the points of depth `least` - changed or more are at most `ratio` of the
    weight base^(D - least) of those of depth D >= least. One changed model moves depths by at most
    1, so the table of any k changes is safe if the same holds for depths k less on the left and k
    more on the right. One model moves this number by at most 1.
    """
    k = 0
    while depths.outweighs(least + k, depths.points(least - changed - k), ratio):
        k += 1
    return k - 1
