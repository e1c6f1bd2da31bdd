"""Exact coins: true with probability e^-x or p, decided by fair bits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .bits import Bits
from .points import points
from .strips import Exponential, Strips, strips

Truth: TypeAlias = NDArray[np.bool_]
Reals: TypeAlias = NDArray[np.float64]

UNIT = 2.0**-53
_WORD = 53
_SLACK = 2.0**-46
_FAR = Fraction(2**60)


def exponential_coins(
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
    found = points(table, bits, len(x))
    z = found.first * 2.0**-found.digits
    with np.errstate(over="ignore", invalid="ignore"):  # of which no comparison is true
        margin = off * (1 + 2.0**-40) + (_SLACK + table.caution)
        result: Truth = z > x + margin
        unsure = ~(result | (z < x - margin))
    for i in sorted({*np.flatnonzero(unsure).tolist(), *found.longer}):
        result[i] = found.prefix(i).above(exactly(i), bits)
    return result


def same_coins(bits: Bits, x: Fraction, n: int, table: Strips | None = None) -> Truth:
    """n coins (n,), each true with probability e^-x, x >= 0."""
    point = np.full(n, float(min(x, _FAR)))
    return exponential_coins(bits, point, 2 * UNIT * point, lambda _: x, table)


def rational_coins(bits: Bits, p: Fraction, n: int) -> Truth:
    """n coins (n,), each true with probability p, 0 <= p <= 1: a uniform number below p, of which
    53 bits are drawn, and more where those are p's.
    """
    level, rest = divmod(p * 2**_WORD, 1)
    words = bits.words(n) >> np.uint64(64 - _WORD)
    result: Truth = words < np.uint64(int(level))
    for i in np.flatnonzero(words == np.uint64(int(level))) if rest else ():
        result[i] = rational_coins(bits, rest, 1)[0]
    return result


def subset(bits: Bits, size: int, of: int) -> NDArray[np.intp]:
    """`size` of the indices 0, ..., of - 1, ascending, all subsets alike: those with the least
    words, drawn anew until no two at the border are equal.
    """
    if size == of:
        return np.arange(of)
    while True:
        words = bits.words(of)
        order = np.argpartition(words, (size - 1, size))
        if words[order[size - 1]] < words[order[size]]:
            return np.sort(order[:size])
