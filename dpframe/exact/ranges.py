"""The domain of a symbol."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from .limits import ZERO


class Range(NamedTuple):
    """An interval; None is an infinite end, `left` and `right` say whether it has its ends."""

    lower: Fraction | None
    upper: Fraction | None
    left: bool = False
    right: bool = False
    integer: bool = False

    def __contains__(self, value: Any) -> bool:
        above = self.lower is None or value > self.lower or (self.left and value == self.lower)
        below = self.upper is None or value < self.upper or (self.right and value == self.upper)
        return above and below and not (self.integer and value.denominator != 1)

    @property
    def sign(self) -> int:
        """2: every point > 0; 1: >= 0; -2: < 0; 0: none of these."""
        if self.lower is not None and self.lower >= 0:
            return 1 if self.lower == 0 and self.left else 2
        return -2 if self.upper is not None and self.upper <= 0 and ZERO not in self else 0
