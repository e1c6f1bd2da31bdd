"""The Gaussian privacy profile and its inverses, with proved error bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from .interval import FAR, Interval, magnitude, multiplied, raised, transcendental
from .limits import HALF, ONE, ZERO, Unbounded


def mills(x: Fraction, bits: int) -> Interval:
    """R(x) = (1 - Phi(x))/phi(x) for |x| <= 2^40 or x >= 4, to a width of about 2^-bits.

    x >= 4: R = 1/g_1, g_k = x + k/g_(k+1), where x < g_k < x + k/x, since g_k is a quotient of
    repeated integrals of the normal tail, which are positive. [DLMF, 7.18(iv), 7.9.1]
    |x| < 4: R = sqrt(pi/2) exp(x^2/2) - sum of x^(2k+1)/(2k+1)!!, of one sign. [DLMF, 7.6.2]
    """
    unit = 1 << (bits + 24)
    if x >= 4:
        a, b = math.floor(x * unit), math.ceil(x * unit)
        n = int(bits**2 / min(x, Fraction(10**6)) ** 2 / 4) + 12
        start = (a, b)
        b += (n + 1) * unit * unit // a + 1
        for k in range(n, 0, -1):
            a, b = start[0] + k * unit * unit // b, start[1] - (-k * unit * unit) // a
        return Fraction(unit, b), Fraction(unit, a)
    more = bits + 24 + int(x * x)
    pi, power = transcendental("pi", ZERO, more), transcendental("exp", x * x / 2, more)
    whole = multiplied(raised((2 * pi[0], 2 * pi[1]), HALF, more), power, more)  # phi(x) R(-inf)
    if x <= -4:
        low, high = mills(-x, bits)
        return whole[0] - high, whole[1] - low
    low, high = odd_series(abs(x), unit)
    if x < 0:
        low, high = -high, -low
    return whole[0] / 2 - high, whole[1] / 2 - low


def odd_series(x: Fraction, unit: int) -> Interval:
    """The sum of x^(2k+1)/(2k+1)!! for 0 <= x < 4; beyond the cut it is below a geometric one."""
    low, high = math.floor(x * unit), math.ceil(x * unit)
    square = (math.floor(x * x * unit), math.ceil(x * x * unit))
    total, k = (0, 0), 0
    while high > 1 or 2 * x * x > 2 * k + 3:
        total = (total[0] + low, total[1] + high)
        low = low * square[0] // (unit * (2 * k + 3))
        high = -(-high * square[1] // (unit * (2 * k + 3)))
        k += 1
    return Fraction(total[0], unit), Fraction(total[1] + 2 * high, unit)


@lru_cache(maxsize=4096)
def profile(e: Fraction, mu: Fraction) -> Interval:
    """delta(e; mu) = Phi(mu/2 - e/mu) - exp(e) Phi(-mu/2 - e/mu), for e >= 0. [BalleW18, Thm 8]

    With t = e/mu - mu/2 and w = t + mu it is phi(t) (R(t) - R(w)), R the Mills ratio.
    """
    if mu <= 0:
        return ZERO, ZERO
    near, far = e / mu - mu / 2, e / mu + mu / 2
    if abs(near) > 64:
        return (ZERO, FAR) if near > 0 else (1 - FAR, ONE)
    bits = 80 + max(0, -magnitude(mu))
    (low, high), (least, most) = mills(near, bits), mills(far, bits)
    pi, power = transcendental("pi", ZERO, bits), transcendental("exp", -near * near / 2, bits)
    root = raised((2 * pi[0], 2 * pi[1]), -HALF, bits)
    gap = (max(low - most, ZERO), high - least)
    below, above = multiplied(multiplied(power, root, bits), gap, bits)
    return below, min(above, ONE)


def least_std(e: Interval, d: Interval) -> Interval:
    """An enclosure of analytic_sigma: decreasing in both arguments. Raises Unbounded."""
    if d[0] <= 0 or d[1] >= 1:
        raise Unbounded
    low, high = most_mu(max(e[1], ZERO), d[1])[1], most_mu(max(e[0], ZERO), d[0])[0]
    return 1 / low, 1 / high


@lru_cache(maxsize=1024)
def most_mu(e: Fraction, d: Fraction) -> Interval:
    """(a, b) close together, delta(e; a) <= d < delta(e; b). Raises Unbounded."""
    b = ONE
    for step in (Fraction(2), HALF):
        for _ in range(1500):
            low, high = profile(e, b)
            if low > d if step == 2 else high <= d:
                break
            b *= step
        else:
            raise Unbounded
    a, b = b, 2 * b
    while profile(e, b)[0] <= d:
        b *= 2
    while b - a > a / 2**44:
        middle = (a + b) / 2
        low, high = profile(e, middle)
        if low <= d < high:
            break
        a, b = (middle, b) if high <= d else (a, middle)
    return a, b
