"""Exact coins and integer noise, from the uniform whole numbers of a generator.

A coin compares a uniform real number with its probability, bit by bit: 53 bits at once, and more
of them only where those do not decide.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.numerics import as_fraction, ball, working

from .base import mirrored

Whole: TypeAlias = NDArray[np.int64]
Truth: TypeAlias = NDArray[np.bool_]

BITS = 53
UNIT = 2.0**-53
_LEAST, _MOST = Fraction(1, 2**400), Fraction(2**50)


def noise_size(name: str, value: object) -> Fraction:
    """`value` as an exact size from 2^-400 to 2^50, beyond which draws may pass 64 bits."""
    size = as_fraction(name, value)
    if not _LEAST <= size <= _MOST:
        raise InvalidArgument(name, "from 2^-400 to 2^50", value, "Draws are 64-bit integers.")
    return size


def exponential_coins(
    rng: np.random.Generator,
    x: NDArray[np.float64],
    off: NDArray[np.float64],
    exactly: Callable[[int], Fraction],
) -> Truth:
    """True with probability e^(-exactly(i)) at i, shape (n,); x[i] >= 0 is within off[i] of it."""
    words = rng.integers(0, 2**BITS, x.shape)
    level = np.exp(-x) * 2.0**BITS
    margin = np.where(off < 1, level * (2 * np.minimum(off, 1) + 12 * UNIT) + 2, np.inf)
    result: Truth = words + 1 <= level - margin
    for i in np.flatnonzero(~result & (words < level + margin)):
        result[i] = settle(rng, int(words[i]), BITS, exactly(int(i)))
    return result


def settle(rng: np.random.Generator, word: int, bits: int, x: Fraction) -> bool:
    """Whether a uniform number whose first `bits` bits are `word` is below e^-x; x >= 0."""
    while True:
        with working(bits + 64):
            level = (-ball(x)).exp() * 2**bits
            if level >= word + 1:
                return True
            if level <= word:
                return False
        word = (word << 32) + int(rng.integers(0, 2**32))
        bits += 32


def same_coins(rng: np.random.Generator, x: Fraction, n: int) -> Truth:
    """n coins, each True with probability e^-x, x >= 0."""
    point = np.full(n, float(x))
    return exponential_coins(rng, point, 2 * UNIT * point, lambda _: x)


def rational_coins(rng: np.random.Generator, p: Fraction, n: int) -> Truth:
    """n coins, each True with probability p, 0 <= p <= 1."""
    level, rest = divmod(p * 2**BITS, 1)
    words = rng.integers(0, 2**BITS, n)
    result: Truth = words < int(level)
    for i in np.flatnonzero(words == int(level)) if rest else ():
        result[i] = rational_coins(rng, rest, 1)[0]
    return result


def geometric(rng: np.random.Generator, rate: Fraction, n: int) -> Whole:
    """n draws from 0, 1, 2, ... with probabilities proportional to e^(-rate x).

    Its binary digits are independent: digit j is 1 with odds e^(-rate 2^j); what is left above
    digit j is geometric again, at rate 2^j.
    """
    total, place = np.zeros(n, dtype=np.int64), 1
    while rate * place < 1:
        total += place * _digit(rng, rate * place, n)
        place *= 2
    return total + place * _run(rng, rate * place, n)


def _digit(rng: np.random.Generator, x: Fraction, n: int) -> Whole:
    """0 or 1, 1 with odds e^-x: a fair digit, where 1 is kept with probability e^-x."""
    result, waiting = np.zeros(n, dtype=np.int64), np.arange(n)
    while len(waiting):
        guess = rng.integers(0, 2, len(waiting))
        kept = (guess == 0) | same_coins(rng, x, len(waiting))
        result[waiting[kept]] = guess[kept]
        waiting = waiting[~kept]
    return result


def _run(rng: np.random.Generator, x: Fraction, n: int) -> Whole:
    """How many coins of probability e^-x come up before one does not."""
    result, waiting = np.zeros(n, dtype=np.int64), np.arange(n)
    while len(waiting):
        waiting = waiting[same_coins(rng, x, len(waiting))]
        result[waiting] += 1
    return result


def two_sided(rng: np.random.Generator, rate: Fraction, n: int) -> Whole:
    """n draws proportional to e^(-rate |x|): the difference of two geometric ones."""
    return geometric(rng, rate, n) - geometric(rng, rate, n)


def in_shape(draws: Whole, shape: tuple[int, ...], *, symmetric: bool) -> Whole:
    """`draws` in `shape`; a symmetric matrix mirrors its upper triangle."""
    return mirrored(draws.reshape(shape), symmetric=symmetric)
