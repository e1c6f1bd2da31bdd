"""Amounts as whole numbers of one public quantum: many exact sums in 64 bits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.numerics import to_float

Counts: TypeAlias = NDArray[np.int64]
Doubles: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]

PARTS = 2520  # the least number that 1, ..., 10 divide: thirds and sevenths of decimals are whole
PLACES = 19  # 2520 * 10^19 is still a double, and 10^19 too
MOST = 1 << 61  # quanta of a budget; a cost counts as at most twice that, and their sum fits
FINE = 10**9  # quanta of a budget, at least
DIGITS = 1e15  # a decimal of at most 15 digits is told by its double
SLIP = 2.0**-51  # more than the reading of a double and one product are off, relatively
CHUNK = 1 << 16


def parts(n: int) -> Iterator[slice]:
    """0, ..., n - 1 in pieces that stay in the cache."""
    return (slice(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK))


@attrs.frozen
class Quantum:
    """1/(2520 * 10^places). Decimals of so many places, and their k-th parts for k <= 10, are
    whole numbers of it.

    A double is read as its shortest decimal. Where that has at most `places` places it is counted
    exactly; any other is moved to the safe side, by at most 1 quantum and 2^-50 of itself.
    """

    places: int

    @property
    def per_one(self) -> int:
        """Quanta in 1; exact as a double."""
        return int(PARTS * 10**self.places)

    def amount(self, count: int) -> Fraction:
        """What so many quanta are."""
        return Fraction(count, self.per_one)

    def up(self, amount: Fraction) -> int:
        """The fewest quanta that are at least `amount`; where that is above 2^62, that."""
        return min(ceil(amount * self.per_one), 2 * MOST)

    def down(self, amount: Fraction) -> int:
        """The most quanta that are at most `amount`."""
        return floor(amount * self.per_one)

    def all_up(self, values: Doubles) -> Counts:
        """At least each of `values` >= 0, infinities included, in quanta; as `up` at most 2^62."""
        values = np.minimum(values, 2 * MOST / self.per_one)
        decimals, exact = self._decimals(values)
        above = np.floor(values * float(self.per_one) * (1 + SLIP)).astype(np.int64) + 1
        return np.where(exact, decimals, above)

    def all_down(self, values: Doubles) -> Counts:
        """At most each of `values` in [0, 2^61 quanta], in quanta."""
        decimals, exact = self._decimals(values)
        below = np.floor(values * float(self.per_one) * (1 - SLIP)).astype(np.int64)
        return np.where(exact, decimals, below)

    def doubles(self, counts: Counts, *, up: bool) -> Doubles:
        """The amounts of `counts` >= 0 as doubles, exact as decimals or moved to the side asked."""
        near = counts / float(self.per_one)
        decimals, exact = self._decimals(near)
        beyond = near * (1 + SLIP if up else 1 - SLIP)
        return np.where(exact & (decimals == counts), near, beyond)

    def _decimals(self, values: Doubles) -> tuple[Counts, Mask]:
        """The nearest decimals of `places` places, in quanta, and where they are the shortest ones:
        of at most 15 digits, and the double nearest to them is the value.
        """
        scale = float(10**self.places)
        nearest = np.rint(values * scale)
        exact = (nearest / scale == values) & (nearest < DIGITS)
        return np.where(exact, nearest, 0).astype(np.int64) * PARTS, exact


def quantum_for(least: Fraction, most: Fraction) -> Quantum:
    """The finest quantum in which the largest budget fits 64 bits.

    Raises InvalidArgument where rounding would reach 1e-9 of the smallest budget: where the
    largest is more than 1e8 times the smallest, or budgets lie outside [4e-14, 9e14].
    """
    fine = (p for p in range(PLACES, -1, -1) if most * Quantum(p).per_one <= MOST)
    places = next(fine, None)
    if places is None or least * Quantum(places).per_one < FINE:
        requirement = "between 4e-14 and 9e14, the largest at most 1e8 times the smallest"
        way_out = "Sums in 64 bits would round too much: keep several ledgers, for small and large."
        raise InvalidArgument("budgets", requirement, _range(least, most), way_out)
    return Quantum(places)


def _range(least: Fraction, most: Fraction) -> str:
    return f"{to_float(least, up=False):g} to {to_float(most, up=True):g}"
