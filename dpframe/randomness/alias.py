"""One of 512 with exact chances, whole numbers over 2^32, by one word of 32 bits."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument

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
        """How many of the 2^32 words mean each index, counted from the columns."""
        found = [0] * COLUMNS
        for column, (cut, other) in enumerate(zip(self._cut.tolist(), self._alias, strict=True)):
            found[column] += cut - column * CAPACITY
            found[other] += (column + 1) * CAPACITY - cut
        return found


def _filled(left: list[int]) -> tuple[list[int], list[int]]:
    """What each column keeps, and whose the rest of it is: a column that is not full is filled from
    one that is too full. A full column is its own alias.
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
