"""The sum of many distinct atomic losses on a lattice, by additions of positive doubles only.

Each atom is split between its two neighbours on the lattice with E e^(-L) unchanged: the profile is
convex in e^(-L), so it can only rise ("connect the dots"), and the rise of second order is bounded
too (docs/proofs/atoms.md). Multiples of the step are not split.

Powers of one law are exact integer products in fixed point, rounded down: a mass is a multiple of
2^-128 that is at most the true one, so the shortfall of a law from 1 bounds all rounding and
trimming.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

import attrs
import numpy as np
from flint import arb, fmpz, fmpz_poly
from numpy.typing import NDArray

from dpframe.numerics import ball, to_float

from ..losses.base import UNIT, Reals

BITS = 128
_ONE = 1 << BITS
_TRIM_WHOLE = 1 << 28  # 2^-100, dropped at either end of a product


@attrs.frozen(eq=False)
class FixedPointLaw:
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

    def times(self, other: FixedPointLaw) -> FixedPointLaw:
        """The law of the sum of two independent places."""
        product = fmpz_poly(self.masses) * fmpz_poly(other.masses)
        masses = [mass >> BITS for mass in product.coeffs()]
        return _trimmed_law(self.first + other.first, masses)

    def power(self, count: int) -> FixedPointLaw:
        """The law of the sum of `count` >= 1 independent places, by repeated squaring."""
        total = self
        for bit in f"{count:b}"[1:]:
            total = total.times(total)
            if bit == "1":
                total = total.times(self)
        return total

    def spaced(self, factor: int) -> FixedPointLaw:
        """The same law of `factor` times the place."""
        masses = [fmpz(0)] * ((len(self.masses) - 1) * factor + 1)
        masses[::factor] = self.masses
        return FixedPointLaw(self.first * factor, masses)


def fixed(masses: Iterable[arb]) -> FixedPointLaw:
    """Lower ends of balls, rounded down, from place 0 on."""
    return _trimmed_law(0, [_down(mass) for mass in masses])


def product(laws: Sequence[FixedPointLaw]) -> FixedPointLaw:
    """The law of the sum, by halves: short ones first."""
    while len(laws) > 1:
        pairs = [a.times(b) for a, b in zip(laws[::2], laws[1::2], strict=False)]
        laws = pairs + list(laws[2 * len(pairs) :])
    return laws[0]


def _down(mass: arb) -> fmpz:
    low = (mass * _ONE).lower().floor()
    return max(low.unique_fmpz() or fmpz(0), fmpz(0)) if low.is_finite() else fmpz(0)


def _trimmed_law(first: int, masses: list[fmpz]) -> FixedPointLaw:
    front = _negligible_masses(masses)
    if front == len(masses):
        return FixedPointLaw(first, masses)
    back = _negligible_masses(masses[::-1])
    return FixedPointLaw(first + front, masses[front : len(masses) - back])


def _negligible_masses(masses: list[fmpz]) -> int:
    """The number of leading masses with a sum of at most the trim."""
    for index, total in enumerate(accumulate(masses)):
        if total > _TRIM_WHOLE:
            return index
    return len(masses)


WORK = 2e9
"""Elementary updates to spend: about a second."""
LONGEST = 4_000_000
_TRIM = 1e-21  # tilted weight that one step may drop at either end


class LossBlock(NamedTuple):
    """One or a few responses together: losses in doubles, their error, tilted weights, and the
    relative error of these.
    """

    losses: Reals
    weights: Reals
    shift: float
    relative: float


class LatticeBlock(NamedTuple):
    """A block on the lattice: indices and weights."""

    places: NDArray[np.int64]
    weights: Reals


@attrs.frozen(eq=False)
class LatticeSum:
    """The sum: weights at consecutive lattice points from `first` on."""

    first: int
    weights: Reals
    dropped: float
    relative: float
    growth: float
    """a bound on the growth of a tilted weight from any block to the end"""


def paired(blocks: list[LossBlock]) -> list[LossBlock]:
    """Blocks of two atoms joined in pairs: as much work, and half as many splits."""
    small = [block for block in blocks if len(block.losses) <= 2]
    joined = [joint(a, b) for a, b in zip(small[::2], small[1::2], strict=False)]
    odd = small[-1:] if len(small) % 2 else []
    return joined + odd + [block for block in blocks if len(block.losses) > 2]


def joint(first: LossBlock, second: LossBlock) -> LossBlock:
    """The sum of two independent blocks."""
    losses = np.add.outer(first.losses, second.losses).ravel()
    weights = np.multiply.outer(first.weights, second.weights).ravel()
    error = float(np.abs(losses).max()) * UNIT
    relative = (1 + first.relative) * (1 + second.relative) * (1 + 2 * UNIT) - 1
    return LossBlock(losses, weights, first.shift + second.shift + error, relative + 2 * UNIT)


def split(block: LossBlock, step: float, tilt: float) -> LatticeBlock:
    """On the lattice step Z, with the weight and the untilted E e^(-L) unchanged."""
    below = np.floor(block.losses / step)
    rest = np.clip(block.losses - below * step, 0.0, step)
    whole = -math.expm1(-step)
    up = -np.expm1(-rest) / whole * np.exp(tilt * (step - rest))
    down = np.exp(-rest) * -np.expm1(-(step - rest)) / whole * np.exp(-tilt * rest)
    places = np.concatenate([below, below + 1]).astype(np.int64)
    return placed(places, np.concatenate([block.weights * down, block.weights * up]))


def roundings(block: LossBlock, step: float, tilt: float) -> tuple[float, float]:
    """Bounds on the rounding of `split`: of losses, and of weights relatively."""
    largest = float(np.abs(block.losses).max())
    shift = block.shift + 4 * UNIT * (largest + step)
    return shift, block.relative + (48 + 4 * tilt * step + len(block.losses)) * UNIT


def placed(places: NDArray[np.int64], weights: Reals) -> LatticeBlock:
    """Weights at lattice points, those at one point summed."""
    distinct, where = np.unique(places, return_inverse=True)
    total = np.zeros(len(distinct))
    np.add.at(total, where, weights)
    return LatticeBlock(distinct[total > 0], total[total > 0])


def add_up(blocks: list[LatticeBlock], relative: float) -> LatticeSum:
    """All blocks, one after another; weights at the ends are dropped as they become negligible.

    `relative` bounds the relative error of the blocks' weights all together.
    """
    first, weights, dropped = 0, np.ones(1), 0.0
    growth = math.prod(max(1.0, float(masses.sum()) * (1 + 1e-12)) for _, masses in blocks)
    buffer = np.empty(0)
    for places, masses in blocks:
        low, high = int(places[0]), int(places[-1])
        size = len(weights)
        total = np.zeros(size + high - low)
        if len(buffer) < size:
            buffer = np.empty(2 * size)
        part = buffer[:size]
        for place, mass in zip((places - low).tolist(), masses.tolist(), strict=True):
            np.multiply(weights, mass, out=part)
            total[place : place + size] += part
        lost, weights, cut = _trimmed(total)
        first, dropped = first + low + cut, dropped + lost
        relative += (len(masses) + 2) * UNIT * 1.01
    return LatticeSum(first, weights, dropped * (1 + 1e-6) * (1 + relative), relative, growth)


def _trimmed(weights: Reals) -> tuple[float, Reals, int]:
    """The weight cut off at both ends, the rest, and the number cut in front."""
    if len(weights) < 64:
        return 0.0, weights, 0
    front = _negligible(weights)
    back = _negligible(weights[::-1])
    if front + back >= len(weights):
        return 0.0, weights, 0
    rest = weights[front : len(weights) - back]
    lost = float(weights[:front].sum() + weights[len(weights) - back :].sum())
    return lost, np.ascontiguousarray(rest), front


def _negligible(weights: Reals) -> int:
    """The number of leading weights with a sum of at most the trim."""
    span = 64
    while span < len(weights) and weights[:span].sum() <= _TRIM:
        span *= 2
    return int(np.searchsorted(np.cumsum(weights[:span]), _TRIM, side="right"))


def spaced(unit: arb, start: Fraction, step: Fraction, count: int) -> tuple[Reals, float]:
    """unit (start + i step) for i = 0 ... count - 1 < 2^22, count of them, and their errors.

    In two parts, the products of the first exact: an error of hardly more than half an ulp.
    """
    first, width = unit * ball(start), unit * ball(step)
    high, wide = float(first.mid()), rounded(float(width.mid()))
    low, narrow = float((first - ball(high)).mid()), float((width - ball(wide)).mid())
    index = np.arange(count, dtype=np.float64)
    product = index * wide
    total = high + product
    back = total - high
    rest = (high - (total - back)) + (product - back)
    losses = total + (rest + (low + index * narrow))
    far = abs(high) + count * wide
    return losses, 1.01 * UNIT * float(np.abs(losses).max()) + 2.0**-68 * far


def rounded(step: float) -> float:
    """The step with 20 bits: its multiples up to 2^32 are doubles."""
    mantissa, exponent = math.frexp(step)
    return math.ldexp(math.ceil(mantissa * 2**20), exponent - 20)
