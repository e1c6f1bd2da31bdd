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
FEW = 8  # entries, of which Python is as fast as numpy
WORD = 2**62  # sums and differences of two words below it are words
WORDS, INTEGERS = np.dtype(np.int64), np.dtype(object)


@attrs.define(eq=False)
class WholeSum:
    """A running sum of arrays of one shape whose entries are whole and at most 2^53 in size.

    Raises NotExecutable for others: then a statistic is not what it says.
    """

    _recent: Array | None = None
    _blocks: int = 0
    _carried: Array | None = None

    def add(self, part: Array) -> None:
        """Add one block's."""
        words = _words(np.asarray(part))
        if self._recent is None:
            self._recent = words
        else:
            np.add(self._recent, words, out=self._recent)
        self._blocks += 1
        if self._blocks == BLOCKS:
            self._carried = self._total(in_integers(np.asarray(self._recent)))
            self._recent, self._blocks = None, 0

    def total(self) -> Array:
        """The sum so far: words below 2^62, or Python integers."""
        if self._recent is None:
            return np.asarray(self._carried, dtype=object)
        return self._total(self._recent.copy())

    def _total(self, recent: Array) -> Array:
        return recent if self._carried is None else added(self._carried, recent)


def _words(part: Array) -> Array:
    if part.size <= FEW:
        return _few_words(part)
    if not (part.max(initial=0) <= LARGEST and part.min(initial=0) >= -LARGEST):
        raise _not_whole()
    words = np.array(part, dtype=np.int64)
    if not (words == part).all():
        raise _not_whole()
    return words


def _few_words(part: Array) -> Array:
    """The same, without a call of numpy for every question."""
    numbers = part.ravel().tolist()
    if not all(-LARGEST <= one <= LARGEST and one == int(one) for one in numbers):
        raise _not_whole()
    return np.array(list(map(int, numbers)), dtype=np.int64).reshape(part.shape)


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
