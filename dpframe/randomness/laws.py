"""The laws that noise is drawn from, each exact in distribution: n independent whole numbers.

A size is any rational from 2^-400 to 2^400, and every draw is a function of fair bits. Draws are
int64, or Python integers where the size is above 2^50 or one of them needs more.
(docs/proofs/rounded_noise)
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, as_fraction, whole

from .bits import Bits
from .cells import Cells, Integers
from .coins import UNIT, exponential_coins
from .points import points
from .strips import Exponential, Normal, Strips, strips

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
    return bell(strips(Exponential()), bits, noise_size("sigma", sigma), count(n))


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
    found = points(table, bits, n)
    cells = Cells(size, nearest=True).of(found, bits, table.caution)
    return np.where(found.negative, -cells, cells)


def two_sided(table: Strips, bits: Bits, scale: Fraction, n: int) -> Integers:
    """Geometric draws with a fair sign. -0 is drawn anew, or 0 had twice its chance."""
    cells, missing = Cells(scale, nearest=False), n
    parts: list[Integers] = []
    while missing or not parts:
        found = points(table, bits, missing)
        sizes = cells.of(found, bits, table.caution)
        draws = np.where(found.negative, -sizes, sizes)[~found.negative | (sizes != 0)]
        parts.append(draws)
        missing -= len(draws)
    return np.concatenate(parts)


def bell(table: Strips, bits: Bits, sigma: Fraction, n: int) -> Integers:
    """Discrete Laplace draws x of scale t = floor(sigma) + 1, each kept with probability
    e^(-(|x| - sigma^2/t)^2/(2 sigma^2)), which is e^(-x^2/(2 sigma^2) + |x|/t) times a constant.
    """
    t, missing = math.floor(sigma) + 1, n
    parts: list[Integers] = []
    while missing or not parts:
        guess = two_sided(table, bits, Fraction(t), missing + missing // 2)
        draws = guess[_kept(table, bits, np.abs(guess), sigma, t)][:missing]
        parts.append(draws)
        missing -= len(draws)
    return np.concatenate(parts)


def _kept(table: Strips, bits: Bits, sizes: Integers, sigma: Fraction, t: int) -> NDArray[np.bool_]:
    """True with probability e^(-(size - sigma^2/t)^2/(2 sigma^2))."""
    centre, spread = sigma**2 / t, 2 * sigma**2
    there = sizes.astype(np.float64)
    gap = there - float(centre)
    gap_off = 4 * UNIT * (there + float(centre))
    x = gap**2 / float(spread)
    off = (2 * np.abs(gap) + gap_off) * gap_off / float(spread) + 8 * UNIT * x
    return exponential_coins(bits, x, off, lambda i: (int(sizes[i]) - centre) ** 2 / spread, table)
