"""The two laws on z >= 0 that all noise is made of, e^(-z^2/2) and e^-z, cut into strips."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import attrs
from flint import arb


@attrs.frozen
class Shape(ABC):
    """Abstract: a falling function f(z) = e^(-exponent(z)), z >= 0, and strips of width 2^-fine.

    Inside strip b, at z = (b + u) 2^-fine with u in [0, 1),
    exponent(z) = exponent(b 2^-fine) + u (slope(b) + bend u), where the bracket times u is at most
    1/8 for b < 512. Beyond `start` = 511 2^-fine, f(z + 1) <= f(z)/2.
    """

    fine: ClassVar[int]

    @abstractmethod
    def exponent(self, z: arb) -> arb:
        """-log f(z), at the working precision."""

    @abstractmethod
    def slope(self, b: int) -> float:
        """A double, exactly."""

    @property
    @abstractmethod
    def bend(self) -> float:
        """A double, exactly."""


@attrs.frozen
class Normal(Shape):
    """e^(-z^2/2), strips of 1/64: z = (b + u)/64 has z^2/2 = b^2/2^13 + u (b/2^12 + u/2^13)."""

    fine: ClassVar[int] = 6

    def exponent(self, z: arb) -> arb:
        """z^2/2."""
        return z * z / 2

    def slope(self, b: int) -> float:
        """b/2^12."""
        return b * 2.0**-12

    @property
    def bend(self) -> float:
        """2^-13."""
        return 2.0**-13


@attrs.frozen
class Exponential(Shape):
    """e^-z, strips of 1/32."""

    fine: ClassVar[int] = 5

    def exponent(self, z: arb) -> arb:
        """z."""
        return z

    def slope(self, b: int) -> float:
        """1/32."""
        return 2.0**-5

    @property
    def bend(self) -> float:
        """0."""
        return 0.0
