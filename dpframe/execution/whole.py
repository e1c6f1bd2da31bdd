"""Sums of whole numbers that never round: 64-bit words for some blocks, Python integers for all."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable

Array = NDArray[Any]

LARGEST = 2.0**53
BLOCKS = 512  # of at most 2^53 each: 2^62, well inside a word


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
        if not (np.abs(part) <= LARGEST).all() or (np.trunc(part) != part).any():
            raise NotExecutable("a statistic with a step must be whole numbers, below 2^53 a block")
        words = np.asarray(part).astype(np.int64)
        self._recent = words if self._recent is None else np.asarray(self._recent + words)
        self._blocks += 1
        if self._blocks == BLOCKS:
            self._carried = self.total()
            self._recent, self._blocks = None, 0

    def total(self) -> Array:
        """The sum so far, as Python integers."""
        if self._recent is None:
            return np.asarray(self._carried, dtype=object)
        recent = np.asarray(self._recent).astype(object)
        return recent if self._carried is None else np.asarray(self._carried + recent, dtype=object)
