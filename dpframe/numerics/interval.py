"""A number that is known to lie between two doubles."""

from __future__ import annotations

import math

import attrs


@attrs.frozen
class Interval:
    """The exact value v satisfies lower <= v <= upper; each end is a theorem of its own.

    An end at 0 or at infinity may say no more than that. Spend `upper`, claim `lower`.
    """

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """upper - lower, rounded up; 0 where both are one double (an infinity too)."""
        if self.lower == self.upper:
            return 0.0
        return math.nextafter(self.upper - self.lower, math.inf)

    def __contains__(self, value: float) -> bool:
        """Whether `value` may be the exact one."""
        return self.lower <= value <= self.upper

    def __str__(self) -> str:
        """`4.886551254 (within 2.1e-14)`, or the two ends where they are far apart."""
        if self.width == 0.0:
            return f"{self.upper:.10g}"
        if math.isfinite(self.upper) and self.width <= 1e-6 * abs(self.upper):
            return f"{self.upper:.10g} (within {self.width:.2g})"
        return f"between {self.lower:.6g} and {self.upper:.6g}"
