"""Sums of whole numbers that never round: 64-bit words while they fit, Python integers beyond."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable

Array = NDArray[Any]

LARGEST = 2.0**53
BLOCKS = 512  # of at most 2^53 each: 2^62, well inside a word
HELD, ROOM = 32, 2**18  # parts that are looked at together, and how many entries they have at most
WORD = 2**62  # sums and differences of two words below it are words
WORDS, INTEGERS, DOUBLES = np.dtype(np.int64), np.dtype(object), np.dtype(float)


@attrs.define(eq=False)
class WholeSum:
    """A running sum of arrays of one shape whose entries are whole and at most 2^53 in size.

    Raises NotExecutable for others, at the latest when it is asked for: then a statistic is not
    what it says. Small parts are looked at together.
    """

    _parts: Array | None = None
    _held: int = 0
    _recent: Array | None = None
    _blocks: int = 0
    _carried: Array | None = None

    def add(self, part: Array) -> None:
        """Add one block's."""
        part = np.asarray(part)
        if part.dtype != DOUBLES or HELD * part.size > ROOM:
            self._take(part[None])
            return
        if self._parts is None:
            self._parts = np.empty((HELD, *part.shape))
        self._parts[self._held] = part
        self._held += 1
        if self._held == HELD:
            self._settle()

    def total(self) -> Array:
        """The sum so far: words below 2^62, or Python integers."""
        self._settle()
        if self._recent is None:
            return np.asarray(self._carried, dtype=object)
        return self._total(self._recent.copy())

    def _settle(self) -> None:
        """Add the parts that were held."""
        if self._parts is not None and self._held:
            self._take(self._parts[: self._held])
            self._held = 0

    def _take(self, parts: Array) -> None:
        """Add parts (k, ...), at most HELD of them."""
        words = _words(parts)
        words = words[0] if len(words) == 1 else np.add.reduce(words, axis=0)
        if self._recent is None:
            self._recent = np.asarray(words)
        else:
            np.add(self._recent, words, out=self._recent)
        self._blocks += len(parts)
        if self._blocks > BLOCKS - HELD:
            self._carried = self._total(in_integers(self._recent))
            self._recent, self._blocks = None, 0

    def _total(self, recent: Array) -> Array:
        return recent if self._carried is None else added(self._carried, recent)


def _words(parts: Array) -> Array:
    if not (parts.max(initial=0) <= LARGEST and parts.min(initial=0) >= -LARGEST):
        raise _not_whole()
    words = np.array(parts, dtype=np.int64)
    if not (words == parts).all():
        raise _not_whole()
    return words


def _not_whole() -> NotExecutable:
    return NotExecutable("a statistic with a step must be whole numbers, below 2^53 a block")


def in_integers(value: Array) -> Array:
    """Words as Python integers, which have no largest; anything else as it is."""
    return value.astype(object) if value.dtype == WORDS else value


def added(one: Array, other: Array) -> Array:
    """one + other: doubles as they are; whole numbers, in words or Python integers, exactly."""
    if not {one.dtype, other.dtype} <= {WORDS, INTEGERS}:
        return np.asarray(one + other, dtype=one.dtype)
    in_words = one.dtype == other.dtype == WORDS
    if in_words and largest(one) + largest(other) < WORD:
        return np.asarray(one + other)
    return np.asarray(in_integers(one) + in_integers(other), dtype=object)


def largest(words: Array) -> int:
    """The largest size of an entry."""
    return max(int(np.max(words, initial=0)), -int(np.min(words, initial=0)))
