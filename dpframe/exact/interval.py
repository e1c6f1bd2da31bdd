"""Rational intervals that certainly contain the exact value, in whole numbers and fractions only.

The ends are rounded outwards to `bits` significant bits. The functions below compute with a whole
number `n` of units 2^-scale and a bound on its error in the same units, and each docstring says
why the bound holds; `scale` exceeds `bits` by so much that the error hardly shows in the ends.
[MooreKC09, Introduction to Interval Analysis]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .documents import ZERO, Unbounded

FAR = Fraction(1, 2**2900)  # above exp(-64^2/2)
LARGEST = 20_000  # the argument of exp
TURNS = 2**40  # the argument of cos and sin


class Interval(NamedTuple):
    """The exact value v satisfies lower <= v <= upper."""

    lower: Fraction
    upper: Fraction


def magnitude(value: Fraction) -> int:
    """log2 of a positive number, to within 1."""
    return value.numerator.bit_length() - value.denominator.bit_length()


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
    return Interval(floor_to(low, bits), -floor_to(-high, bits))


def middle(low: Fraction, high: Fraction) -> Fraction:
    """A number between; about the geometric mean where magnitudes lie between."""
    if low > 0 and high > 4 * low:
        return low * (1 << magnitude(high / low) // 2)
    return high / 4 if low == 0 else (low + high) / 2


def added(a: Interval, b: Interval, bits: int) -> Interval:
    """The sum."""
    return outwards(a[0] + b[0], a[1] + b[1], bits)


def multiplied(a: Interval, b: Interval, bits: int) -> Interval:
    """The product."""
    if a[0] >= 0 and b[0] >= 0:
        return outwards(a[0] * b[0], a[1] * b[1], bits)
    ends = [x * y for x in a for y in b]
    return outwards(min(ends), max(ends), bits)


def raised(x: Interval, e: Fraction | int, bits: int) -> Interval:
    """x^e; for a fraction e, of the part of x that is >= 0. Raises Unbounded."""
    if e < 0:
        low, high = raised(x, -e, bits)
        if low <= 0 <= high:
            raise Unbounded
        return outwards(1 / high, 1 / low, bits)
    low, high = x
    if e.denominator == 1:
        ends = low ** int(e), high ** int(e)
        return outwards(ZERO if low < 0 < high and e % 2 == 0 else min(ends), max(ends), bits)
    roots = [root_ends(max(end, ZERO) ** e.numerator, e.denominator, bits) for end in x]
    return outwards(roots[0][0], roots[1][1], bits)


def whole_root(value: int, q: int) -> int:
    """The whole part of value^(1/q), for value >= 0: Newton's method, from above."""
    if q == 2 or value < 2:
        return math.isqrt(value) if q == 2 else value
    low = 1 << -(-value.bit_length() // q)
    root = low + 1
    while low < root:
        root, low = low, ((q - 1) * low + value // low ** (q - 1)) // q
    return root


def root_ends(value: Fraction, q: int, bits: int) -> Interval:
    """value^(1/q) for value >= 0, exact where it is rational, or else to `bits` bits."""
    root = Fraction(whole_root(value.numerator, q), whole_root(value.denominator, q))
    if root**q == value:
        return Interval(root, root)
    scale = Fraction(2) ** (bits - magnitude(value) // q)
    low = whole_root(math.floor(value * scale**q), q)
    return Interval(low / scale, (low + 1) / scale)


def within(low: int, high: int, scale: int, bits: int) -> Interval:
    """The numbers from low to high units 2^-scale, with ends of `bits` bits."""
    return Interval(_floored(low, scale, bits), -_floored(-high, scale, bits))


def _floored(n: int, scale: int, bits: int) -> Fraction:
    """n/2^scale, rounded down to `bits` significant bits."""
    drop = max(n.bit_length() - bits, 0)
    n, scale = n >> drop, scale - drop
    return Fraction(n, 1 << scale) if scale >= 0 else Fraction(n << -scale)


def _odd_series(top: int, bottom: int, scale: int, sign: int) -> tuple[int, int]:
    """atanh z (sign 1) or atan z (sign -1), the sum of sign^k z^(2k+1)/(2k+1), z = top/bottom,
    |z| <= 1/3, and a bound on the error.

    |z| is rounded down to a units, which moves the sum by at most 9/8. From a on, each power errs
    by at most e/9 + 1/3 + 1 < 2, where e < 2 is the error of the one before, 1/3 comes from the
    square and 1 from rounding; so each term errs by less than 3. A power that is rounded to 0 is
    below 2, and so is below 2 (1 + 1/9 + ...) < 3 what is left out.
    """
    power = (abs(top) << scale) // bottom
    square, total, k = power * power >> scale, 0, 0
    while power:
        term = power // (2 * k + 1)
        total += term if sign == 1 or k % 2 == 0 else -term
        power = power * square >> scale
        k += 1
    return total if top > 0 else -total, 3 * k + 5


@lru_cache(maxsize=1024)
def _log_two(scale: int) -> int:
    """n <= log 2 <= n + 2 units: 2 atanh(1/3), whose error is less than a unit with these bits."""
    more = scale.bit_length() + 8
    n, error = _odd_series(1, 3, scale + more, 1)
    return 2 * (n - error) >> more


@lru_cache(maxsize=1024)
def _pi(scale: int) -> int:
    """n <= pi <= n + 2 units: 16 atan(1/5) - 4 atan(1/239). [Machin]"""
    more = scale.bit_length() + 8
    (n, error), (m, other) = (_odd_series(1, d, scale + more, -1) for d in (5, 239))
    return 16 * n - 4 * m - 16 * error - 4 * other >> more


def pi(bits: int) -> Interval:
    """pi, to a relative width of 2^(2 - bits)."""
    return within(_pi(bits + 16), _pi(bits + 16) + 2, bits + 16, bits)


@lru_cache(maxsize=4096)
def exp(x: Fraction, bits: int) -> Interval:
    """exp(x), to a relative width of 2^(2 - bits); below -20,000 (0, FAR). Raises Unbounded above.

    x = k log 2 + r where 0 <= r < 0.7, and r lies within 1 + 2 |k| units above n: 2 for each log 2,
    rounded up for k > 0 and down for k < 0, and 1 for x. As exp(w) <= 1 + 2 w for w < 1, exp(r) is
    at most exp(n) (1 + 2 (1 + 2 |k|) units).
    """
    if x > LARGEST:
        raise Unbounded
    if x < -LARGEST:
        return Interval(ZERO, FAR)
    scale = bits + 32
    start = (x.numerator << scale) // x.denominator
    k, n = divmod(start, _log_two(scale) + 2 * (start >= 0))
    low, high = _exp_units(n, scale + 8)
    high += (high * (2 + 4 * abs(k)) >> scale) + 1
    return within(low, high, scale + 8 - k, bits)


def _exp_units(n: int, scale: int) -> tuple[int, int]:
    """Bounds on exp(256 t) for t = n units, 0 <= t < 1/256: Taylor's sum, squared eight times.

    A term is rounded down, so it errs by at most e/256 + 1 < 2, where e < 2 is the error of the one
    before. One that is rounded to 0 is below 2, and it and all that follow are below 3 together.
    """
    term = total = 1 << scale
    k = 0
    while term:
        k += 1
        term = (term * n >> scale) // k
        total += term
    low, high = total, total + 2 * k + 3
    for _ in range(8):
        low, high = low * low >> scale, (high * high >> scale) + 1
    return low, high


@lru_cache(maxsize=4096)
def log(x: Fraction, bits: int) -> Interval:
    """log(x), x > 0, to a relative width of 2^(2 - bits): k log 2 + 2 atanh((m - 1)/(m + 1)) for
    x = 2^k m, 2/3 <= m <= 4/3. Raises Unbounded.

    k log 2 errs by |k| units about its middle, and |log x| >= |k|/4. For k = 0 the units are as
    much smaller as (m - 1)/(m + 1) is.
    """
    if x <= 0:
        raise Unbounded
    if x == 1:
        return Interval(ZERO, ZERO)
    k = magnitude(x)
    n, d = x.numerator << max(-k, 0), x.denominator << max(k, 0)
    if 3 * n > 4 * d:
        d, k = 2 * d, k + 1
    elif 3 * n < 2 * d:
        n, k = 2 * n, k - 1
    scale = bits + 24 + (0 if k else (n + d).bit_length() - (n - d).bit_length())
    total, error = _odd_series(n - d, n + d, scale, 1)
    middle = 2 * total + (k * (_log_two(scale) + 1) if k else 0)
    error = 2 * error + abs(k)
    return within(middle - error, middle + error, scale, bits)


def cos_sin_units(x: Fraction, scale: int) -> tuple[int, int, int]:
    """cos(x) and sin(x) in units 2^-scale, and a bound on the error of each, below 2^42 + 3 scale.

    x = k pi/2 + r with |r| < 0.8. r lies within 1 + 2 |k| units of n: 2 for each pi/2 and 1 for x;
    neither function moves by more than its argument. Terms of exp(ir) in turn are those of cos and
    of sin. A term errs by at most (0.8 e + 1)/j + 1 < 3, where e < 3 is the error of the one
    before, and one that is rounded to 0 is below 3; so is what follows in each alternating sum.
    """
    if abs(x) >= TURNS:
        raise Unbounded
    start, quarter = (x.numerator << scale) // x.denominator, _pi(scale - 1)
    k = (2 * start + quarter) // (2 * quarter)
    n = start - k * quarter
    term, j, sums = 1 << scale, 0, [0, 0]
    while term:
        sums[j % 2] += term if j % 4 < 2 else -term
        j += 1
        term = (term * abs(n) >> scale) // j
    cosine, sine = sums[0], sums[1] if n >= 0 else -sums[1]
    turned = ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))[k % 4]
    return *turned, 3 * (j // 2 + 2) + 1 + 2 * abs(k)


class Near(NamedTuple):
    """A complex number within `error` units of real + i imaginary units."""

    real: int
    imaginary: int
    error: int


def phases(x: Fraction, scale: int) -> Iterator[Near]:
    """exp(ikx) for k = 0, 1, ... in units 2^-scale.

    Where z and w lie on the unit circle and err by d and e, their product errs by e + (1 + e) d,
    and by sqrt(2) units more when its parts are rounded. Here e is sqrt(2) times the error of one
    part, and the rest of the step is above e d while d < 2/5.
    """
    cosine, sine, own = cos_sin_units(x, scale)
    step = 2 * own + 3
    real, imaginary, error = 1 << scale, 0, 0
    while True:
        yield Near(real, imaginary, error)
        turned = real * cosine - imaginary * sine >> scale
        real, imaginary = turned, real * sine + imaginary * cosine >> scale
        error += step
