"""delta of Gaussian and pure releases together, bounded above by a sum along a line in the plane.

For the joint privacy loss L, g(z) = E[exp(zL)] exp(-ez)/(z (z + 1)) and c, h > 0,

    (h/pi) (g(c)/2 + sum_k Re g(c + ikh)) = delta(e) + aliases, all of which are >= 0,

so that every line and step are sound, and good ones are sharp. [ZhuDW22, Thm 10; AbateW92]
All factors are divided by what they are at c: then they lie in the unit disc, errors only add up,
and numbers of fixed size do. Their phases at k = 0, 1, ... are powers of one number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count, islice, starmap
from typing import NamedTuple

from .interval import Interval, exp, log, phases, pi
from .limits import ONE, Unbounded

SCALE = 192
BITS = 160
UNIT = 1 << SCALE


class Draws(NamedTuple):
    """Independent draws of a pure mechanism, each epsilon-DP. The loss of Laplace noise is its own;
    that of any other is dominated by randomised response. [KairouzOV15]
    """

    laplace: bool
    epsilon: Fraction
    times: int


class Line(NamedTuple):
    """z = c + ikh for k = 0, ..., nodes - 1, at least two."""

    c: Fraction
    h: Fraction
    nodes: int


class Near(NamedTuple):
    """A complex number of the unit disc within `error` units of real + i imaginary units."""

    real: int
    imaginary: int
    error: int


def composed(e: Fraction, square: Fraction, pure: Sequence[Draws], line: Line) -> Fraction:
    """An upper bound on delta(e) of a Gaussian, mu^2 = square > 0, and pure releases.

    From t = nodes h on, |g| <= g(c) c (c + 1) exp(-square t^2/2)/t^2, and the sum of h/t^2 is at
    most 1/(t - h). Raises Unbounded.
    """
    c, h, n = line
    if min(c, h, square) <= 0 or n < 2 or any(one.epsilon < 0 or one.times < 1 for one in pure):
        raise Unbounded
    terms = islice(_terms(e, square, pure, line), 1, n)
    total = UNIT // 2 + sum(term.real + term.error for term in terms)
    t = n * h
    rest = exp(-square * t * t / 2, BITS).upper * c * (c + 1) / (t - h)
    first = exp(_log_first(e, square, pure, c), BITS).upper
    return first * (h * Fraction(total, UNIT) + rest) / pi(BITS).lower


def _log_first(e: Fraction, square: Fraction, pure: Sequence[Draws], c: Fraction) -> Fraction:
    """An upper bound on log g(c). With y = exp(-(2c + 1) x), E[exp(cL)] of a draw is
    exp(cx) (c + 1 + cy)/(2c + 1), or exp(cx) (1 + y)/(1 + exp(-x)) for randomised response.
    """
    most = c * (c + 1) * square / 2 - c * e - log(c * (c + 1), BITS).lower
    for laplace, x, n in pure:
        y = exp(-(2 * c + 1) * x, BITS).upper
        most += n * c * x
        if laplace:
            most += n * log((c + 1 + c * y) / (2 * c + 1), BITS).upper
        else:
            below = log(1 + exp(-x, BITS).lower, BITS).lower
            most += n * (log(1 + y, BITS).upper - below)
    return most


def _terms(e: Fraction, square: Fraction, pure: Sequence[Draws], line: Line) -> Iterator[Near]:
    """g(z)/g(c) for z = c + it, t = 0, h, 2h, ...: exp(-square t^2/2) exp(i ((2c + 1) square/2 - e)
    t) c (c + 1)/(z (z + 1)), times the factors of the draws.
    """
    c, h, _ = line
    turns = _phases(h * ((2 * c + 1) * square / 2 - e))
    factors = [_factors(one, line) for one in pure]
    for k, (a, b, d) in enumerate(_wholes(line)):
        size = _between(exp(-square * (k * h) ** 2 / 2, BITS))
        real, imaginary, top = a * (a + d) - b * b, (2 * a + d) * b, a * (a + d)
        kernel = _quotient(top * real, -top * imaginary, real**2 + imaginary**2)
        value = _times(_times(next(turns), size), kernel)
        for factor, one in zip(factors, pure, strict=True):
            value = _times(value, _power(next(factor), one.times))
        yield value


def _wholes(line: Line) -> Iterator[tuple[int, int, int]]:
    """(a, b, d) with c = a/d and kh = b/d, for k = 0, 1, ..."""
    d = math.lcm(line.c.denominator, line.h.denominator)
    a, step = int(line.c * d), int(line.h * d)
    return ((a, k * step, d) for k in count())


def _factors(one: Draws, line: Line) -> Iterator[Near]:
    """E[exp(zL)]/E[exp(cL)] of one draw at z = c + it: (u w + (1 - u) y/w)/(v + (1 - v) y), with
    w = exp(itx), y = exp(-(2c + 1) x), u = (z + 1)/(2z + 1) or 1/2, and v what u is at c.
    """
    laplace, x, _ = one
    c = line.c
    v = (c + 1) / (2 * c + 1) if laplace else ONE / 2
    low, high = exp(-(2 * c + 1) * x, BITS)
    most, least = (1 / (v + (1 - v) * y) / 2 for y in (low, high))  # halved: v >= 1/2
    up, down = _between(Interval(least, most)), _between(Interval(least * low, most * high))
    u = Near(UNIT // 2, 0, 0)
    for (a, b, d), w in zip(_wholes(line), _phases(line.h * x), strict=False):
        if laplace:
            m = 2 * a + d
            u = _quotient((a + d) * m + 2 * b * b, -b * d, m * m + 4 * b * b)
        rest = Near(UNIT - u.real, -u.imaginary, u.error)
        back = Near(w.real, -w.imaginary, w.error)
        parts = _times(_times(u, w), up), _times(_times(rest, back), down)
        yield Near(*(2 * (p + q) for p, q in zip(*parts, strict=True)))


def _phases(angle: Fraction) -> Iterator[Near]:
    """exp(ik angle) for k = 0, 1, ..."""
    return starmap(Near, phases(angle, SCALE))


def _between(ends: Interval) -> Near:
    """A real number of [0, 1]."""
    low, high = int(ends.lower * UNIT), int(ends.upper * UNIT) + 1
    return Near(low, 0, high - low)


def _quotient(real: int, imaginary: int, bottom: int) -> Near:
    """(real + i imaginary)/bottom; rounding moves it by at most sqrt(2)."""
    return Near((real << SCALE) // bottom, (imaginary << SCALE) // bottom, 2)


def _times(z: Near, w: Near) -> Near:
    """The product: an error of z times |w| <= 1 plus that of w, and sqrt(2) for rounding."""
    return Near(
        z.real * w.real - z.imaginary * w.imaginary >> SCALE,
        z.real * w.imaginary + z.imaginary * w.real >> SCALE,
        z.error + w.error + (z.error * w.error >> SCALE) + 3,
    )


def _power(z: Near, n: int) -> Near:
    """z^n, by squaring."""
    value = Near(UNIT, 0, 0)
    while n:
        value, z, n = _times(value, z) if n % 2 else value, _times(z, z), n // 2
    return value
