"""Independent points z >= 0 with the density of a shape, to as many bits as required.

A point is an infinite sequence of fair bits, of which a few are drawn; more are drawn when they are
needed, and every caller gets the same ones.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.numerics import arb_lower, arb_upper, working

from .bits import Bits, Words
from .strips import MARGIN, PLACE_BITS, TAIL, Strips

_MORE = 64
_GUARD = 64
_CHUNK = 1 << 15
_SIGN = np.uint64(1)
_PLACE = np.uint64(64 - PLACE_BITS)
_STRIP = np.uint64(PLACE_BITS)
_UNIT32 = 2.0**-32


@attrs.define
class Prefix:
    """The first `bits` binary digits after the point of a number in
    [whole, whole + 1] 2^-bits; the others are fair and not yet drawn.
    """

    whole: int
    bits: int

    def lengthen(self, source: Bits) -> None:
        """Draw 64 more."""
        self.whole = (self.whole << _MORE) + source.integer(_MORE)
        self.bits += _MORE

    def above(self, level: Fraction, source: Bits) -> bool:
        """Whether the number is above `level`, with as many more digits as that takes."""
        while True:
            scaled = level.numerator << self.bits
            if self.whole * level.denominator >= scaled:
                return True
            if (self.whole + 1) * level.denominator <= scaled:
                return False
            self.lengthen(source)


@attrs.frozen(eq=False)
class Points:
    """n points in [first, first + 1] 2^-digits, with a fair sign each; those in `longer` are known
    by that instead, and their `first` means nothing.
    """

    digits: int
    first: Words
    negative: NDArray[np.bool_]
    longer: dict[int, Prefix]

    def prefix(self, i: int) -> Prefix:
        """The drawn digits of point i; more digits last only if the prefix is stored."""
        return self.longer.get(i) or Prefix(int(self.first[i]), self.digits)


def points(table: Strips, source: Bits, n: int) -> Points:
    """n independent points, a chunk at a time so that a chunk stays in the processor's cache."""
    missing = n
    parts: list[Points] = []
    while missing or not parts:
        size = min(missing, _CHUNK)
        parts.append(_taken(_candidates(table, source, size + size // 32 + 4), size))
        missing -= len(parts[-1].first)
    return parts[0] if len(parts) == 1 else _joined(parts)


def _candidates(table: Strips, source: Bits, n: int) -> Points:
    """The accepted ones of n candidates, in order."""
    words = source.words(2 * n)
    halves, places = words[:n].view(np.uint32), words[n:] >> _PLACE
    b, heights = table.alias.pick(halves[:n]), halves[n:]
    first = (b.astype(np.uint64) << _STRIP) | places
    counts = heights < table.sure.take(b)
    longer = _decide(table, source, _Undecided.of(counts, b, heights, places), counts)
    return _chosen(Points(table.digits, first, (words[n:] & _SIGN) != 0, longer), counts)


@attrs.frozen(eq=False)
class _Undecided:
    """Candidates that may be rejected: indices, strips, first 32 bits of height, and places."""

    at: NDArray[np.intp]
    b: NDArray[np.intp]
    heights: NDArray[np.uint32]
    places: Words

    @classmethod
    def of(
        cls,
        counts: NDArray[np.bool_],
        b: NDArray[np.intp],
        heights: NDArray[np.uint32],
        places: Words,
    ) -> _Undecided:
        at = np.flatnonzero(~counts)
        return cls(at, b[at], heights[at], places[at])


def _decide(
    table: Strips, source: Bits, undecided: _Undecided, counts: NDArray[np.bool_]
) -> dict[int, Prefix]:
    """Write into `counts` the decisions by doubles, then those by balls; the longer prefixes."""
    lows = source.words32(len(undecided.at))
    height = (undecided.heights + lows * _UNIT32) * _UNIT32
    above = table.chance(undecided.b, undecided.places) - height
    counts[undecided.at] = above > 0
    margin = MARGIN + table.caution
    longer = {}
    for i in np.flatnonzero((np.abs(above) <= margin) | (undecided.b == TAIL)).tolist():
        b, at = int(undecided.b[i]), int(undecided.at[i])
        part, place = _place(table, source, b, int(undecided.places[i]))
        high = Prefix((int(undecided.heights[i]) << 32) + int(lows[i]), 64)
        counts[at] = _below(table, source, (b, part), place, high)
        longer[at] = place
    return longer


def _place(table: Strips, source: Bits, b: int, place: int) -> tuple[int, Prefix]:
    """The part of the tail, 0 elsewhere, and the point: the tail has parts 0, 1, ... of width 1 and
    chance 1/2, 1/4, ..., each with a place of its own.
    """
    if b != TAIL:
        return 0, Prefix((b << PLACE_BITS) + place, table.digits)
    part = 0
    while source.integer(1):
        part += 1
    begin = int((table.start + part) * 2**table.digits)
    return part, Prefix(begin + source.integer(table.digits), table.digits)


def _below(
    table: Strips, source: Bits, strip: tuple[int, int], place: Prefix, height: Prefix
) -> bool:
    """Whether the height is below a at the point, both drawn longer until balls decide."""
    while True:
        with working(height.bits + _GUARD):
            least = table.chance_ball(*strip, Fraction(place.whole + 1, 1 << place.bits))
            most = table.chance_ball(*strip, Fraction(place.whole, 1 << place.bits))
            low, high = arb_lower(least), arb_upper(most)
        if height.whole + 1 <= low * 2**height.bits:
            return True
        if height.whole >= high * 2**height.bits:
            return False
        place.lengthen(source)
        height.lengthen(source)


def _chosen(candidates: Points, counts: NDArray[np.bool_]) -> Points:
    """The accepted points."""
    accepted = np.flatnonzero(counts)
    places = (
        np.searchsorted(accepted, list(candidates.longer)).tolist() if candidates.longer else []
    )
    longer = {
        place: prefix
        for place, (i, prefix) in zip(places, candidates.longer.items(), strict=True)
        if counts[i]
    }
    return Points(
        candidates.digits, candidates.first[accepted], candidates.negative[accepted], longer
    )


def _taken(candidates: Points, n: int) -> Points:
    """The first n points, or all."""
    longer = {i: prefix for i, prefix in candidates.longer.items() if i < n}
    return Points(candidates.digits, candidates.first[:n], candidates.negative[:n], longer)


def _joined(parts: list[Points]) -> Points:
    """All points of all parts, in order."""
    longer: dict[int, Prefix] = {}
    before = 0
    for part in parts:
        longer |= {before + i: prefix for i, prefix in part.longer.items()}
        before += len(part.first)
    first = np.concatenate([part.first for part in parts])
    return Points(parts[0].digits, first, np.concatenate([part.negative for part in parts]), longer)
