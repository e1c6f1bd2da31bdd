"""Where a parameter may lie: an interval of rationals, each end open or closed, perhaps whole
numbers only.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import attrs

from dpframe.errors import InvalidArgument

CLOSED = {
    "neither": (False, False),
    "left": (True, False),
    "right": (False, True),
    "both": (True, True),
}


@attrs.frozen(cache_hash=True)
class Domain:
    """{x : lower < x < upper}, with <= at a closed end; None is an infinite end."""

    lower: Fraction | None = None
    upper: Fraction | None = None
    lower_closed: bool = False
    upper_closed: bool = False
    integer: bool = False

    def __attrs_post_init__(self) -> None:
        """A domain must have a point."""
        if self.example() is None:
            raise InvalidArgument(
                "domain", "a range that contains a point", str(self), "Give lower < upper."
            )

    def __contains__(self, value: Fraction) -> bool:
        """Whether the exact number lies in the domain."""
        above = (
            self.lower is None or value > self.lower or (self.lower_closed and value == self.lower)
        )
        below = (
            self.upper is None or value < self.upper or (self.upper_closed and value == self.upper)
        )
        return above and below and not (self.integer and value.denominator != 1)

    def __str__(self) -> str:
        """`in (0, 1)`, `in [1, inf), whole`."""
        left = "[" if self.lower_closed else "("
        right = "]" if self.upper_closed else ")"
        low = "-inf" if self.lower is None else str(self.lower)
        high = "inf" if self.upper is None else str(self.upper)
        return f"in {left}{low}, {high}{right}" + (", whole" if self.integer else "")

    @property
    def positive(self) -> bool:
        """Whether every point is > 0."""
        return self.lower is not None and (
            self.lower.numerator > 0 or (self.lower.numerator == 0 and not self.lower_closed)
        )

    @property
    def nonnegative(self) -> bool:
        """Whether every point is >= 0."""
        return self.lower is not None and self.lower.numerator >= 0

    def example(self) -> Fraction | None:
        """A point of the domain, or None where there is none."""
        return next((point for point in self.candidates() if point in self), None)

    def candidates(self) -> tuple[Fraction, ...]:
        """Points worth trying, most ordinary first; not all of them lie in the domain."""
        found = self._ordinary()
        return (*found, *(Fraction(whole(x)) for x in found for whole in (floor, ceil)))

    def _ordinary(self) -> tuple[Fraction, ...]:
        low, high = self.lower, self.upper
        if low is not None and high is not None:
            span = [low + (high - low) * Fraction(k, 8) for k in (4, 2, 6, 1, 7)]
            return (*span, low + 1, low, high)
        if low is not None:
            return tuple(
                low + step for step in (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(0))
            )
        if high is not None:
            return tuple(high - step for step in (Fraction(1), Fraction(1, 2), Fraction(0)))
        return (Fraction(1), Fraction(0))
