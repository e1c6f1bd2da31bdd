"""Laws on equally spaced points in fixed point: exact integer products, rounded down.

A mass is a whole number of 2^-128 that is at most the true one, so a law's shortfall from 1 is all
that was lost to rounding and trimming, whatever was done: there is no error to analyse.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate

import attrs
import numpy as np
from flint import arb, fmpz, fmpz_poly

from dpframe.numerics import to_float

from ..losses.base import Reals

BITS = 128
_ONE = 1 << BITS
_TRIM = 1 << 28  # 2^-100, dropped at either end of a product


@attrs.frozen(eq=False)
class Fixed:
    """Masses in units of 2^-128 at the places first, first + 1, ..."""

    first: int
    masses: Sequence[fmpz]

    @property
    def missing(self) -> float:
        """1 less all masses, rounded up."""
        return to_float(Fraction(_ONE - int(sum(self.masses, fmpz(0))), _ONE), up=True)

    @property
    def doubles(self) -> Reals:
        """Each mass as the nearest double."""
        return np.array([int(mass) / _ONE for mass in self.masses])

    def times(self, other: Fixed) -> Fixed:
        """The law of the sum of two independent places."""
        product = fmpz_poly(self.masses) * fmpz_poly(other.masses)
        masses = [mass >> BITS for mass in product.coeffs()]
        return _trimmed(self.first + other.first, masses)

    def power(self, count: int) -> Fixed:
        """The law of the sum of `count` >= 1 independent places, by repeated squaring."""
        total = self
        for bit in f"{count:b}"[1:]:
            total = total.times(total)
            if bit == "1":
                total = total.times(self)
        return total

    def spaced(self, factor: int) -> Fixed:
        """The same law of `factor` times the place."""
        masses = [fmpz(0)] * ((len(self.masses) - 1) * factor + 1)
        masses[::factor] = self.masses
        return Fixed(self.first * factor, masses)


def fixed(masses: Iterable[arb]) -> Fixed:
    """Lower ends of balls, rounded down, from place 0 on."""
    return _trimmed(0, [_down(mass) for mass in masses])


def product(laws: Sequence[Fixed]) -> Fixed:
    """The law of the sum, by halves: short ones first."""
    while len(laws) > 1:
        pairs = [a.times(b) for a, b in zip(laws[::2], laws[1::2], strict=False)]
        laws = pairs + list(laws[2 * len(pairs) :])
    return laws[0]


def _down(mass: arb) -> fmpz:
    low = (mass * _ONE).lower().floor()
    return max(low.unique_fmpz() or fmpz(0), fmpz(0)) if low.is_finite() else fmpz(0)


def _trimmed(first: int, masses: list[fmpz]) -> Fixed:
    front = _negligible(masses)
    if front == len(masses):
        return Fixed(first, masses)
    back = _negligible(masses[::-1])
    return Fixed(first + front, masses[front : len(masses) - back])


def _negligible(masses: list[fmpz]) -> int:
    """How many masses in front sum to at most the trim."""
    for index, total in enumerate(accumulate(masses)):
        if total > _TRIM:
            return index
    return len(masses)
