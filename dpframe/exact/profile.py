"""The Gaussian privacy profile between rational bounds, and the noise that it requires.

The delta of Gaussian and pure releases together is at most a sum along a line in the plane. For
the joint privacy loss L, g(z) = E[exp(zL)] exp(-ez)/(z (z + 1)) and c, h > 0,

    (h/pi) (g(c)/2 + sum_k Re g(c + ikh)) = delta(e) + aliases, all of which are >= 0,

so that every line and step are sound, and good ones are sharp. [ZhuDW22, Thm 10; AbateW92]
All factors are divided by what they are at c: then they lie in the unit disc, errors only add up,
and numbers of fixed size do. Their phases at k = 0, 1, ... are powers of one number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import count, islice
from typing import NamedTuple

from .documents import HALF, ONE, ZERO, Unbounded
from .interval import FAR, Interval, Near, exp, log, magnitude, multiplied, phases, pi, raised

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


class ContourLine(NamedTuple):
    """z = c + ikh for k = 0, ..., nodes - 1, at least two."""

    c: Fraction
    h: Fraction
    nodes: int


def composed(e: Fraction, square: Fraction, pure: Sequence[Draws], line: ContourLine) -> Fraction:
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
    """An upper bound on log g(c). With y = exp(-(2c + 1) x), E[exp(cL)] of a draw is exp(cx) times
    v + (1 - v) y, v = (c + 1)/(2c + 1), or 2/(1 + exp(-x)) times that, v = 1/2, for randomised
    response.
    """
    most = c * (c + 1) * square / 2 - c * e - log(c * (c + 1), BITS).lower
    for laplace, x, n in pure:
        y, v = exp(-(2 * c + 1) * x, BITS).upper, _weight(laplace, c)
        most += n * (c * x + log(v + (1 - v) * y, BITS).upper)
        if not laplace:
            most += n * log(2 / (1 + exp(-x, BITS).lower), BITS).upper
    return most


def _weight(laplace: bool, c: Fraction) -> Fraction:  # noqa: FBT001
    return (c + 1) / (2 * c + 1) if laplace else HALF


def _terms(
    e: Fraction, square: Fraction, pure: Sequence[Draws], line: ContourLine
) -> Iterator[Near]:
    """g(z)/g(c) for z = c + it, t = 0, h, 2h, ...: exp(-square t^2/2) exp(i ((2c + 1) square/2 - e)
    t) c (c + 1)/(z (z + 1)), times the factors of the draws.
    """
    c, h, _ = line
    turns = phases(h * ((2 * c + 1) * square / 2 - e), SCALE)
    factors = [_factors(one, line) for one in pure]
    for k, (a, b, d) in enumerate(_wholes(line)):
        size = _between(exp(-square * (k * h) ** 2 / 2, BITS))
        real, imaginary, top = a * (a + d) - b * b, (2 * a + d) * b, a * (a + d)
        kernel = _quotient(top * real, -top * imaginary, real**2 + imaginary**2)
        value = _times(_times(next(turns), size), kernel)
        for factor, one in zip(factors, pure, strict=True):
            value = _times(value, _power(next(factor), one.times))
        yield value


def _wholes(line: ContourLine) -> Iterator[tuple[int, int, int]]:
    """(a, b, d) with c = a/d and kh = b/d, for k = 0, 1, ..."""
    d = math.lcm(line.c.denominator, line.h.denominator)
    a, step = int(line.c * d), int(line.h * d)
    return ((a, k * step, d) for k in count())


def _factors(one: Draws, line: ContourLine) -> Iterator[Near]:
    """E[exp(zL)]/E[exp(cL)] of one draw at z = c + it: (u w + (1 - u) y/w)/(v + (1 - v) y), with
    w = exp(itx), y = exp(-(2c + 1) x), u = (z + 1)/(2z + 1) or 1/2, and v what u is at c.
    """
    laplace, x, _ = one
    c = line.c
    v = _weight(laplace, c)
    low, high = exp(-(2 * c + 1) * x, BITS)
    most, least = (1 / (v + (1 - v) * y) / 2 for y in (low, high))  # halved: v >= 1/2
    up, down = _between(Interval(least, most)), _between(Interval(least * low, most * high))
    u = Near(UNIT // 2, 0, 0)
    for (a, b, d), w in zip(_wholes(line), phases(line.h * x, SCALE), strict=False):
        if laplace:
            m = 2 * a + d
            u = _quotient((a + d) * m + 2 * b * b, -b * d, m * m + 4 * b * b)
        rest = Near(UNIT - u.real, -u.imaginary, u.error)
        back = Near(w.real, -w.imaginary, w.error)
        parts = _times(_times(u, w), up), _times(_times(rest, back), down)
        yield Near(*(2 * (p + q) for p, q in zip(*parts, strict=True)))


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


OUT = 64  # stds, beyond which a tail is below FAR


@lru_cache(maxsize=4096)
def profile(e: Fraction, mu: Fraction) -> Interval:
    """delta(e; mu) = Phi(mu/2 - e/mu) - exp(e) Phi(-mu/2 - e/mu), for e >= 0. [BalleW18, Thm 8]

    With t = e/mu - mu/2 and w = t + mu it is phi(t) (R(t) - R(w)), R the Mills ratio, and 1 less
    phi(t) (R(-t) + R(w)).
    """
    if mu <= 0:
        return Interval(ZERO, ZERO)
    near, far = e / mu - mu / 2, e / mu + mu / 2
    if abs(near) > OUT:
        return Interval(ZERO, FAR) if near > 0 else Interval(1 - FAR, ONE)
    bits = 80 + max(0, -magnitude(mu))
    (low, high), (least, most) = mills(near, bits), mills(far, bits)
    density = multiplied(exp(-near * near / 2, bits), raised(_two_pi(bits), -HALF, bits), bits)
    below, above = multiplied(density, Interval(max(low - most, ZERO), high - least), bits)
    return Interval(below, min(above, ONE))


def mills(x: Fraction, bits: int) -> Interval:
    """R(x) = (1 - Phi(x))/phi(x) for x >= -64, to a width of about 2^-bits.

    x >= 4: R = 1/g_1, g_k = x + k/g_(k+1), where x < g_k < x + k/x, since g_k is a quotient of
    repeated integrals of the normal tail, which are positive. [DLMF, 7.18(iv), 7.9.1]
    |x| < 4: R = sqrt(pi/2) exp(x^2/2) - sum of x^(2k+1)/(2k+1)!!, of one sign. [DLMF, 7.6.2]
    """
    if x >= 4:
        return _continued_fraction(x, bits)
    more = bits + 24 + int(x * x)
    whole = multiplied(raised(_two_pi(more), HALF, more), exp(x * x / 2, more), more)  # 1/phi(x)
    if x <= -4:
        low, high = _continued_fraction(-x, bits)
        return Interval(whole[0] - high, whole[1] - low)
    low, high = _odd_series(abs(x), bits + 24)
    if x < 0:
        low, high = -high, -low
    return Interval(whole[0] / 2 - high, whole[1] / 2 - low)


def _two_pi(bits: int) -> Interval:
    low, high = pi(bits)
    return Interval(2 * low, 2 * high)


def _continued_fraction(x: Fraction, bits: int) -> Interval:
    """R(x) for x >= 4: from bounds on g_(n+1) to bounds on g_1, in units 2^-(bits + 24)."""
    unit = 1 << (bits + 24)
    first, last = math.floor(x * unit), math.ceil(x * unit)
    n = int(bits**2 / min(x, Fraction(10**6)) ** 2 / 4) + bits // 8 + 12
    a, b = first, last + (n + 1) * unit * unit // first + 1
    for k in range(n, 0, -1):
        a, b = first + k * unit * unit // b, last - (-k * unit * unit) // a
    return Interval(Fraction(unit, b), Fraction(unit, a))


def _odd_series(x: Fraction, scale: int) -> Interval:
    """The sum of x^(2k+1)/(2k+1)!! for 0 <= x < 4; beyond the cut it is below a geometric one."""
    unit = 1 << scale
    low, high = math.floor(x * unit), math.ceil(x * unit)
    square = (math.floor(x * x * unit), math.ceil(x * x * unit))
    least, most, k = 0, 0, 0
    while high > 1 or 2 * x * x > 2 * k + 3:
        least, most = least + low, most + high
        low = low * square[0] // (unit * (2 * k + 3))
        high = -(-high * square[1] // (unit * (2 * k + 3)))
        k += 1
    return Interval(Fraction(least, unit), Fraction(most + 2 * high, unit))


def least_std(e: Interval, d: Interval) -> Interval:
    """The least std of the Gaussian mechanism at sensitivity 1 for (e, d)-DP: decreasing in both.
    Raises Unbounded.
    """
    if d[0] <= 0 or d[1] >= 1:
        raise Unbounded
    low, high = most_mu(max(e[1], ZERO), d[1])[1], most_mu(max(e[0], ZERO), d[0])[0]
    return Interval(1 / low, 1 / high)


@lru_cache(maxsize=1024)
def most_mu(e: Fraction, d: Fraction) -> Interval:
    """(a, b) close together with delta(e; a) <= d < delta(e; b). Raises Unbounded."""
    a = _stepped(ONE, HALF, lambda mu: profile(e, mu).upper <= d)
    a = _stepped(a, Fraction(2), lambda mu: profile(e, 2 * mu).upper > d)
    b = _stepped(2 * a, Fraction(2), lambda mu: profile(e, mu).lower > d)
    while b - a > a / 2**44:
        middle = (a + b) / 2
        low, high = profile(e, middle)
        if low <= d < high:
            break
        a, b = (middle, b) if high <= d else (a, middle)
    return Interval(a, b)


def _stepped(mu: Fraction, factor: Fraction, holds: Callable[[Fraction], bool]) -> Fraction:
    """The first of mu, mu factor, mu factor^2, ... that has reached. Raises Unbounded."""
    for _ in range(1500):
        if holds(mu):
            return mu
        mu *= factor
    raise Unbounded
