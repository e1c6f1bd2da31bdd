"""Whole numbers from points: floor(size z), or size z rounded to the nearest, by drawn bits alone.

The fast way works in 64-bit words, with a bound on its error; draws that it cannot decide go the
slow way, in Python integers and with more bits. (docs/proofs/rounded_noise)
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from .bits import Bits, Whole, Words
from .points import Points, Prefix

Integers: TypeAlias = NDArray[Any]
"""int64, or Python integers (dtype object) where one of them needs more."""

_MOST_PLACES = 40
_LEAST_PLACES = 8
_ROOM = 59
_LEFT_OUT = 5
_LOW = np.uint64(2**32 - 1)
_HALF = np.uint64(32)
_LARGEST = 2**63


@attrs.frozen(eq=False)
class Cells:
    """z -> floor(size z + 1/2) where `nearest`, else floor(size z); size > 0."""

    size: Fraction
    nearest: bool

    def of(self, points: Points, source: Bits, caution: float = 0.0) -> Integers:
        """The cell of each point, (n,)."""
        places = min(_MOST_PLACES, _ROOM - _exponent(self.size))
        if places < _LEAST_PLACES:
            return self._all_slowly(points, source)
        cells, unsure = self._quickly(points, places, caution)
        slow = {*np.flatnonzero(unsure).tolist(), *points.longer}
        return _placed(cells, {i: self.exactly(points.prefix(i), source) for i in slow})

    def exactly(self, point: Prefix, source: Bits) -> int:
        """The cell of one point, with as many more digits as that takes."""
        while True:
            low, high = self._ends(point)
            if low == high:
                return low
            point.lengthen(source)

    def _ends(self, point: Prefix) -> tuple[int, int]:
        """The least and the largest cell that the known digits admit."""
        unit = self.size.denominator << (point.bits + 1)
        begin = 2 * self.size.numerator * point.whole + (unit // 2 if self.nearest else 0)
        return begin // unit, (begin + 2 * self.size.numerator - 1) // unit

    def _quickly(
        self, points: Points, places: int, caution: float
    ) -> tuple[Whole, NDArray[np.bool_]]:
        """Cells, and where they are not sure: size z 2^places lies in [high, high + 5]."""
        factor = int(self.size * Fraction(2) ** (places + 64 - points.digits))
        whole = _high(points.first, factor)
        if self.nearest:
            whole += np.uint64(1 << (places - 1))
        margin = int(caution * 2**places)
        rest = (whole & np.uint64((1 << places) - 1)) - np.uint64(margin)
        unsure = rest >= np.uint64((1 << places) - _LEFT_OUT - 2 * margin)
        return (whole >> np.uint64(places)).view(np.int64), unsure

    def _all_slowly(self, points: Points, source: Bits) -> Integers:
        """For sizes above 2^50, with as many more digits at once as mostly suffice."""
        more = 64 * (1 + _exponent(self.size) // 64)
        wholes = _lengthened(points.first, more, source)
        bits = points.digits + more
        step, unit = 2 * self.size.numerator, self.size.denominator << (bits + 1)
        begin = unit // 2 if self.nearest else 0
        pairs = [divmod(step * whole + begin, unit) for whole in wholes]
        unsure = {i: wholes[i] for i, (_, rest) in enumerate(pairs) if rest + step > unit}
        exact_cells = {i: self.exactly(Prefix(whole, bits), source) for i, whole in unsure.items()}
        longer = {i: self.exactly(prefix, source) for i, prefix in points.longer.items()}
        return _placed(np.array([cell for cell, _ in pairs], dtype=object), exact_cells | longer)


def _lengthened(words: Words, more: int, source: Bits) -> list[int]:
    """Each word with `more` bits behind it, a multiple of 64."""
    tails, size = source.words(len(words) * more // 64).tobytes(), more // 8
    return [
        (whole << more) + int.from_bytes(tails[i * size : (i + 1) * size], "little")
        for i, whole in enumerate(words.tolist())
    ]


def _high(words: Words, factor: int) -> Words:
    """At most words factor/2^64, and above it less 3; factor < 2^64."""
    upper, lower = np.uint64(factor >> 32), np.uint64(factor & (2**32 - 1))
    top, bottom = words >> _HALF, words & _LOW
    total: Words = top * upper
    total += (top * lower) >> _HALF
    total += (bottom * upper) >> _HALF
    return total


def _exponent(size: Fraction) -> int:
    """The least e, or one more, with size < 2^e."""
    return size.numerator.bit_length() - size.denominator.bit_length() + 1


def _placed(cells: Integers, exact_cells: dict[int, int]) -> Integers:
    """The cells, with the known ones written in."""
    if any(cell >= _LARGEST for cell in exact_cells.values()):
        cells = cells.astype(object)
    for i, cell in exact_cells.items():
        cells[i] = cell
    return cells
