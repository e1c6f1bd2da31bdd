"""The Gaussian privacy profile between rational bounds, and the noise that it asks for."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from .interval import FAR, Interval, exp, magnitude, multiplied, pi, raised
from .limits import HALF, ONE, ZERO, Unbounded

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


def _stepped(mu: Fraction, factor: Fraction, reached: Callable[[Fraction], bool]) -> Fraction:
    """The first of mu, mu factor, mu factor^2, ... that has reached. Raises Unbounded."""
    for _ in range(1500):
        if reached(mu):
            return mu
        mu *= factor
    raise Unbounded
