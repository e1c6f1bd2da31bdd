"""Rational intervals, rounded outwards."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from .limits import ONE, ZERO, Exponent, Unbounded

Interval = tuple[Fraction, Fraction]
FAR = Fraction(1, 2**2900)  # above exp(-64^2/2)


def whole_root(value: int, q: int) -> int:
    """The whole part of value^(1/q), for value >= 0."""
    if q == 2 or value < 2:
        return math.isqrt(value) if q == 2 else value
    low, high = 0, 1 << (value.bit_length() // q + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**q <= value else (low, middle)
    return low


def root_ends(value: Fraction, q: int, bits: int) -> Interval:
    """value^(1/q) for value >= 0, exact where it is rational, or else to `bits` bits."""
    root = Fraction(whole_root(value.numerator, q), whole_root(value.denominator, q))
    if root**q == value:
        return root, root
    scale = Fraction(2) ** (bits - magnitude(value) // q)
    low = whole_root(math.floor(value * scale**q), q)
    return low / scale, (low + 1) / scale


def magnitude(value: Fraction) -> int:
    """About log2 of a positive number."""
    return value.numerator.bit_length() - value.denominator.bit_length()


# Ends are rational. mpmath gives exp, log and pi only: asked for 24 bits more than are used, and
# widened by 2^-bits, so that an error of a few of its last bits does no harm.
def floor_to(value: Fraction, bits: int) -> Fraction:
    """A number at or below `value` with `bits` significant bits; a short one is kept."""
    if value.numerator.bit_length() + value.denominator.bit_length() < 3 * bits:
        return value
    shift = bits - magnitude(abs(value))
    if shift < 0:
        return Fraction((value.numerator // (value.denominator << -shift)) << -shift)
    return Fraction((value.numerator << shift) // value.denominator, 1 << shift)


def outwards(low: Fraction, high: Fraction, bits: int) -> Interval:
    """An enclosure with short ends."""
    return floor_to(low, bits), -floor_to(-high, bits)


@lru_cache(maxsize=4096)
def transcendental(name: str, x: Fraction, bits: int) -> Interval:
    """An enclosure of exp(x), log(x) (x > 0), or pi, to a relative width of 2^(2 - bits); of cos(x)
    or sin(x), |x| < 2^40, to an absolute one.
    """
    from mpmath import libmp

    point = [libmp.from_rational(x.numerator, x.denominator, bits + 64, end) for end in "fc"]
    if name == "pi":
        point = [libmp.mpf_pi(bits + 24, end) for end in "fc"]
    elif name == "exp" and abs(x) > 20_000:
        if x > 0:
            raise Unbounded
        return ZERO, FAR
    elif name in ("cos", "sin"):
        if abs(x) >= 2**40:
            raise Unbounded
        both = libmp.mpf_cos_sin(point[0], bits + 24)
        point = [both[name == "sin"]] * 2
    else:
        function = libmp.mpf_exp if name == "exp" else libmp.mpf_log
        point = [function(p, bits + 24, end) for p, end in zip(point, "fc", strict=True)]
    low, high = (Fraction(*map(int, libmp.to_rational(p))) for p in point)
    slack = ONE / 2**bits if name in ("cos", "sin") else max(abs(low), abs(high)) / 2**bits
    return floor_to(low - slack, bits), -floor_to(-high - slack, bits)


def multiplied(a: Interval, b: Interval, bits: int) -> Interval:
    """The product."""
    ends = [x * y for x in a for y in b] if a[0] < 0 or b[0] < 0 else [a[0] * b[0], a[1] * b[1]]
    return outwards(min(ends), max(ends), bits)


def raised(x: Interval, e: Exponent, bits: int) -> Interval:
    """x^e; for a fraction e, of the part that is >= 0. Raises Unbounded."""
    low, high = x
    if e < 0:
        if low <= 0 <= high:
            raise Unbounded
        low, high = raised(x, -e, bits)
        return outwards(1 / high, 1 / low, bits)
    if e.denominator == 1:
        ends = [low ** int(e), high ** int(e)]
        return outwards(ZERO if low < 0 < high and e % 2 == 0 else min(ends), max(ends), bits)
    roots = [root_ends(max(end, ZERO) ** e.numerator, e.denominator, bits) for end in x]
    return outwards(roots[0][0], roots[1][1], bits)


def log_below(x: Fraction) -> Fraction:
    """A lower bound on log x, for x > 0."""
    return transcendental("log", x, 96)[0]


def middle(low: Fraction, high: Fraction) -> Fraction:
    """A number between; about the geometric mean where magnitudes lie between."""
    if low > 0 and high > 4 * low:
        return low * (1 << magnitude(high / low) // 2)
    return high / 4 if low == 0 else (low + high) / 2
