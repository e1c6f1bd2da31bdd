"""Neighbouring tables of two features, by the sums that a ridge regression reads.

Points of the unit circle are (1 - t^2, 2 t)/(1 + t^2) for an exact t, so that every row has norm
exactly 1. Whatever has the arithmetic of the reals is a number here: formulas use +, -, *, / and
** alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import attrs

Real: TypeAlias = Any
"""A double, an array of doubles, or an arb."""

To: TypeAlias = Callable[[Fraction], Real]
"""How an exact number becomes one to compute with: float, or `dpframe.numerics.profile.ball`."""


class Sums(NamedTuple):
    """X'X as (first, mixed, second), X'y as (left, right), and the number of rows."""

    first: Real
    mixed: Real
    second: Real
    left: Real
    right: Real
    rows: int


class Point(NamedTuple):
    """A vector in the plane."""

    x: Real
    y: Real

    def turned(self, other: Point) -> Point:
        """The same point of the circle, turned by the angle of the other."""
        return Point(self.x * other.x - self.y * other.y, self.x * other.y + self.y * other.x)


@attrs.frozen
class Pair:
    """A table of `rows` records, an even number, and one record more, or another in its place.

    u is the point of the circle at `turn`, v is u turned by a right angle. Half of the records have
    the row c u + s v and half -c u + s v, (c, s) the point at `lean`; all labels are 1. So
    X'X = rows (c^2 u u' + s^2 v v') and X'y = rows s v: much is known along u, little along v, and
    theta is long. The record has the label -1 and the row at `angle`, turned with u.

    Add/remove: it joins. Replace-one (`replaced`): it takes the place of one of label 1, which was
    not among the `rows`.
    """

    rows: int
    turn: Fraction
    lean: Fraction
    angle: Fraction
    replaced: bool = False

    def tables(self, to: To) -> tuple[Sums, Sums]:
        """The sums of both tables; of the smaller one first."""
        base, row = self._base(to), self._row(to)
        second = _with(base, row, -1)
        return (_with(base, row, 1) if self.replaced else base), second

    def __str__(self) -> str:
        """What a person needs to build both tables."""
        u, lean, row = circle(float(self.turn)), circle(float(self.lean)), self._row(float)
        verb = "turns its label 1 to -1" if self.replaced else "joins with label -1"
        return (
            f"{self.rows} rows +-{lean.x:.4g} u + {lean.y:.4g} v of label 1, "
            f"u = ({u.x:.4g}, {u.y:.4g}); ({row.x:.4g}, {row.y:.4g}) {verb}"
        )

    def _base(self, to: To) -> Sums:
        u, (c, s) = circle(to(self.turn)), circle(to(self.lean))
        along, across = self.rows * c * c, self.rows * s * s
        return Sums(
            along * u.x * u.x + across * u.y * u.y,
            (along - across) * u.x * u.y,
            along * u.y * u.y + across * u.x * u.x,
            -self.rows * s * u.y,
            self.rows * s * u.x,
            self.rows,
        )

    def _row(self, to: To) -> Point:
        return circle(to(self.angle)).turned(circle(to(self.turn)))


def circle(t: Real) -> Point:
    """The point of the circle at the angle 2 arctan t."""
    whole = 1 + t * t
    return Point((1 - t * t) / whole, 2 * t / whole)


def at(angle: float) -> Fraction:
    """The t of an angle within (-pi, pi), as a short rational."""
    return Fraction(math.tan(angle / 2)).limit_denominator(10**9)


def _with(base: Sums, row: Point, label: int) -> Sums:
    """The sums of a table and one record more."""
    return Sums(
        base.first + row.x * row.x,
        base.mixed + row.x * row.y,
        base.second + row.y * row.y,
        base.left + label * row.x,
        base.right + label * row.y,
        base.rows + 1,
    )
