"""The laws that noise is drawn from, each exact in distribution: n independent whole numbers.

A size is any rational from 2^-400 to 2^400, and every draw is a function of fair bits. Draws are
int64, or Python integers where the size is above 2^50 or one of them needs more.
(docs/proofs/rounded_noise)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, as_fraction, whole

from .bits import Bits, Whole, Words
from .points import Points, Prefix, points
from .strips import Exponential, Normal, Strips, strips

Integers: TypeAlias = NDArray[Any]
"""int64, or Python integers (dtype object) where one of them needs more."""

_MOST_PLACES = 40
_LEAST_PLACES = 8
_ROOM = 59
_LEFT_OUT = 5
_LOW = np.uint64(2**32 - 1)
_HALF = np.uint64(32)
_BEYOND_WORDS = 2**63


@attrs.frozen(eq=False)
class Cells:
    """z -> floor(size z + 1/2) where `nearest`, else floor(size z); size > 0."""

    size: Fraction
    nearest: bool

    def of(self, points: Points, source: Bits, caution: float = 0.0) -> Integers:
        """The cell of each point, (n,)."""
        places = min(_MOST_PLACES, _ROOM - _exponent(self.size))
        if places < _LEAST_PLACES:
            return self._all_slowly(points, source)
        cells, unsure = self._quickly(points, places, caution)
        slow = {*np.flatnonzero(unsure).tolist(), *points.longer}
        return _placed(cells, {i: self.exactly(points.prefix(i), source) for i in slow})

    def exactly(self, point: Prefix, source: Bits) -> int:
        """The cell of one point, with as many more digits as that takes."""
        while True:
            low, high = self._ends(point)
            if low == high:
                return low
            point.lengthen(source)

    def _ends(self, point: Prefix) -> tuple[int, int]:
        """The least and the largest cell that the known digits admit."""
        unit = self.size.denominator << (point.bits + 1)
        begin = 2 * self.size.numerator * point.whole + (unit // 2 if self.nearest else 0)
        return begin // unit, (begin + 2 * self.size.numerator - 1) // unit

    def _quickly(
        self, points: Points, places: int, caution: float
    ) -> tuple[Whole, NDArray[np.bool_]]:
        """Cells, and where they are not sure: size z 2^places lies in [high, high + 5]."""
        factor = int(self.size * Fraction(2) ** (places + 64 - points.digits))
        whole = _high(points.first, factor)
        if self.nearest:
            whole += np.uint64(1 << (places - 1))
        margin = int(caution * 2**places)
        rest = (whole & np.uint64((1 << places) - 1)) - np.uint64(margin)
        unsure = rest >= np.uint64((1 << places) - _LEFT_OUT - 2 * margin)
        return (whole >> np.uint64(places)).view(np.int64), unsure

    def _all_slowly(self, points: Points, source: Bits) -> Integers:
        """For sizes above 2^50, with as many more digits at once as mostly suffice."""
        more = 64 * (1 + _exponent(self.size) // 64)
        wholes = _lengthened(points.first, more, source)
        bits = points.digits + more
        step, unit = 2 * self.size.numerator, self.size.denominator << (bits + 1)
        begin = unit // 2 if self.nearest else 0
        pairs = [divmod(step * whole + begin, unit) for whole in wholes]
        unsure = {i: wholes[i] for i, (_, rest) in enumerate(pairs) if rest + step > unit}
        exact_cells = {i: self.exactly(Prefix(whole, bits), source) for i, whole in unsure.items()}
        longer = {i: self.exactly(prefix, source) for i, prefix in points.longer.items()}
        return _placed(np.array([cell for cell, _ in pairs], dtype=object), exact_cells | longer)


def _lengthened(words: Words, more: int, source: Bits) -> list[int]:
    """Each word with `more` bits behind it, a multiple of 64."""
    tails, size = source.words(len(words) * more // 64).tobytes(), more // 8
    return [
        (whole << more) + int.from_bytes(tails[i * size : (i + 1) * size], "little")
        for i, whole in enumerate(words.tolist())
    ]


def _high(words: Words, factor: int) -> Words:
    """At most words factor/2^64, and above it less 3; factor < 2^64."""
    upper, lower = np.uint64(factor >> 32), np.uint64(factor & (2**32 - 1))
    top, bottom = words >> _HALF, words & _LOW
    total: Words = top * upper
    total += (top * lower) >> _HALF
    total += (bottom * upper) >> _HALF
    return total


def _exponent(size: Fraction) -> int:
    """The least e, or one more, with size < 2^e."""
    return size.numerator.bit_length() - size.denominator.bit_length() + 1


def _placed(cells: Integers, exact_cells: dict[int, int]) -> Integers:
    """The cells, with the known ones written in."""
    if any(cell >= _BEYOND_WORDS for cell in exact_cells.values()):
        cells = cells.astype(object)
    for i, cell in exact_cells.items():
        cells[i] = cell
    return cells


# ---------------------------------------------------------------------------- Exact Bernoulli draws
Truth: TypeAlias = NDArray[np.bool_]
Reals: TypeAlias = NDArray[np.float64]

UNIT = 2.0**-53
_WORD = 53
_SLACK = 2.0**-46
_FAR = Fraction(2**60)


def bernoulli_exp_each(
    bits: Bits,
    x: Reals,
    off: Reals,
    exactly: Callable[[int], Fraction],
    table: Strips | None = None,
) -> Truth:
    """True with probability e^-exactly(i) at i, (n,); x[i] >= 0 is within off[i] of it.

    A point z of density e^-z is above t with probability e^-t: so no exponential is computed.
    """
    table = strips(Exponential()) if table is None else table
    drawn = points(table, bits, len(x))
    z = drawn.first * 2.0**-drawn.digits
    with np.errstate(over="ignore", invalid="ignore"):  # of which no comparison is true
        margin = off * (1 + 2.0**-40) + (_SLACK + table.caution)
        result: Truth = z > x + margin
        unsure = ~(result | (z < x - margin))
    for i in sorted({*np.flatnonzero(unsure).tolist(), *drawn.longer}):
        result[i] = drawn.prefix(i).above(exactly(i), bits)
    return result


def bernoulli_exp(bits: Bits, x: Fraction, n: int, table: Strips | None = None) -> Truth:
    """n independent truth values (n,), true with probability e^-x, x >= 0."""
    point = np.full(n, float(min(x, _FAR)))
    return bernoulli_exp_each(bits, point, 2 * UNIT * point, lambda _: x, table)


def bernoulli(bits: Bits, p: Fraction, n: int) -> Truth:
    """n independent truth values (n,), true with probability p, 0 <= p <= 1: a uniform number below
    p, of which 53 bits are drawn, and more where these equal those of p.
    """
    level, rest = divmod(p * 2**_WORD, 1)
    words = bits.words(n) >> np.uint64(64 - _WORD)
    result: Truth = words < np.uint64(int(level))
    for i in np.flatnonzero(words == np.uint64(int(level))) if rest else ():
        result[i] = bernoulli(bits, rest, 1)[0]
    return result


def subset(bits: Bits, size: int, of: int) -> NDArray[np.intp]:
    """`size` of the indices 0, ..., of - 1, ascending, uniform among subsets: those with the least
    words, drawn again until no two at the border are equal.
    """
    if size == of:
        return np.arange(of)
    while True:
        words = bits.words(of)
        order = np.argpartition(words, (size - 1, size))
        if words[order[size - 1]] < words[order[size]]:
            return np.sort(order[:size])


_LARGEST = 2**400


def rounded_gaussian(bits: Bits, std: Exact, n: int) -> Integers:
    """N(0, std^2), each draw rounded to the nearest whole number; (n,). Raises InvalidArgument."""
    return rounded(strips(Normal()), bits, noise_size("std", std), count(n))


def rounded_laplace(bits: Bits, scale: Exact, n: int) -> Integers:
    """Density proportional to e^(-|x|/scale), each draw rounded to the nearest whole number; (n,).
    Raises InvalidArgument.
    """
    return rounded(strips(Exponential()), bits, noise_size("scale", scale), count(n))


def discrete_laplace(bits: Bits, scale: Exact, n: int) -> Integers:
    """Chances proportional to e^(-|x|/scale) on all whole numbers; (n,). Raises InvalidArgument."""
    return two_sided(strips(Exponential()), bits, noise_size("scale", scale), count(n))


def discrete_gaussian(bits: Bits, sigma: Exact, n: int) -> Integers:
    """Chances proportional to e^(-x^2/(2 sigma^2)) on all whole numbers; (n,). Raises
    InvalidArgument. [CanonneKS20]
    """
    return discrete_gaussian_draws(
        strips(Exponential()), bits, noise_size("sigma", sigma), count(n)
    )


def noise_size(name: str, value: object) -> Fraction:
    """`value` as an exact size from 2^-400 to 2^400. Raises InvalidArgument."""
    size = as_fraction(name, value)
    if not Fraction(1, _LARGEST) <= size <= _LARGEST:
        raise InvalidArgument(name, "from 2^-400 to 2^400", value, "Change the unit of the grid.")
    return size


def count(n: object) -> int:
    """`n` as a number of draws. Raises InvalidArgument."""
    return whole("n", n, 0)


def rounded(table: Strips, bits: Bits, size: Fraction, n: int) -> Integers:
    """size z with a fair sign, rounded to the nearest; ties have probability 0."""
    drawn = points(table, bits, n)
    cells = Cells(size, nearest=True).of(drawn, bits, table.caution)
    return np.where(drawn.negative, -cells, cells)


def two_sided(table: Strips, bits: Bits, scale: Fraction, n: int) -> Integers:
    """Geometric draws with a fair sign. -0 is drawn anew, or 0 had twice its chance."""
    cells, missing = Cells(scale, nearest=False), n
    parts: list[Integers] = []
    while missing or not parts:
        drawn = points(table, bits, missing)
        sizes = cells.of(drawn, bits, table.caution)
        draws = np.where(drawn.negative, -sizes, sizes)[~drawn.negative | (sizes != 0)]
        parts.append(draws)
        missing -= len(draws)
    return np.concatenate(parts)


def discrete_gaussian_draws(table: Strips, bits: Bits, sigma: Fraction, n: int) -> Integers:
    """Discrete Laplace draws x of scale t = floor(sigma) + 1, each kept with probability
    e^(-(|x| - sigma^2/t)^2/(2 sigma^2)), which is e^(-x^2/(2 sigma^2) + |x|/t) times a constant.
    """
    t, missing = math.floor(sigma) + 1, n
    parts: list[Integers] = []
    while missing or not parts:
        guess = two_sided(table, bits, Fraction(t), missing + missing // 2)
        draws = guess[_accepted(table, bits, np.abs(guess), sigma, t)][:missing]
        parts.append(draws)
        missing -= len(draws)
    return np.concatenate(parts)


def _accepted(
    table: Strips, bits: Bits, sizes: Integers, sigma: Fraction, t: int
) -> NDArray[np.bool_]:
    """True with probability e^(-(size - sigma^2/t)^2/(2 sigma^2))."""
    centre, spread = sigma**2 / t, 2 * sigma**2
    there = sizes.astype(np.float64)
    gap = there - float(centre)
    gap_off = 4 * UNIT * (there + float(centre))
    x = gap**2 / float(spread)
    off = (2 * np.abs(gap) + gap_off) * gap_off / float(spread) + 8 * UNIT * x
    return bernoulli_exp_each(bits, x, off, lambda i: (int(sizes[i]) - centre) ** 2 / spread, table)
