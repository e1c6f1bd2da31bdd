"""The profile of a Gaussian and pure draws together, by a contour integral with its error."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .interval import FAR, Interval, multiplied, outwards, transcendental
from .limits import ONE, ZERO, Unbounded

Complex = tuple[Interval, Interval]
Parts = Sequence[tuple[str, Fraction, int]]  # mechanism, epsilon, number of draws
Contour = tuple[Fraction, Fraction, int]  # real part, step, number of nodes
DIGITS = 160


def composed(e: Fraction, square: Fraction, pure: Parts, path: Contour) -> Fraction:
    """An upper bound on delta(e) of a Gaussian, mu^2 = square > 0, and pure releases.

    (h/pi) (g(c)/2 + sum_k Re g(c + ikh)), g(z) = E[exp(zL)] exp(-ez)/(z (z + 1)), is delta plus
    aliases, all >= 0, for every c, h > 0. What is left out from t on is at most
    E[exp(cL)] exp(-ec) exp(-square t^2/2)/(pi (t - h)).
    """
    c, h, count = path
    first = node(c, ZERO, e, square, pure)[0][1]
    total = first / 2 + sum(node(c, k * h, e, square, pure)[0][1] for k in range(1, count))
    t = count * h
    rest = transcendental("exp", -square * t * t / 2, DIGITS)[1] * first * c * (c + 1) / (t - h)
    return (h * total + rest) / transcendental("pi", ZERO, DIGITS)[0]


def node(c: Fraction, t: Fraction, e: Fraction, square: Fraction, pure: Parts) -> Complex:
    """E[exp(zL)] exp(-ez)/(z (z + 1)) at z = c + it, enclosed. A draw of Laplace noise contributes
    ((z + 1) exp(zx) + z exp(-(z + 1) x))/(2z + 1); of another pure kind, randomised response.
    """
    value = turned((c * (c + 1) - t * t) * square / 2 - c * e, (2 * c + 1) * t * square / 2 - t * e)
    value = times(value, over((ONE, ZERO), (c * (c + 1) - t * t, (2 * c + 1) * t)))
    for mechanism, x, count in pure:
        up, down = turned(c * x, t * x), turned(-(c + 1) * x, -t * x)
        if mechanism == "laplace":
            up = times(up, over((c + 1, t), (2 * c + 1, 2 * t)))
            down = times(down, over((c, t), (2 * c + 1, 2 * t)))
        else:
            low, high = transcendental("exp", -x, DIGITS)
            up = times(up, ((1 / (1 + high), 1 / (1 + low)), (ZERO, ZERO)))
            down = times(down, ((1 / (1 + high), 1 / (1 + low)), (ZERO, ZERO)))
        both = [outwards(a[0] + b[0], a[1] + b[1], DIGITS) for a, b in zip(up, down, strict=True)]
        power = (both[0], both[1])
        for bit in f"{count:b}"[::-1]:  # by squaring
            value = tamed(times(value, power)) if bit == "1" else value
            power = tamed(times(power, power))
    return value


def tamed(a: Complex) -> Complex:
    """The same, widened where it is tiny, so that no number becomes long. Raises Unbounded."""
    size = max(abs(end) for part in a for end in part)
    if size * FAR**10 > 1:
        raise Unbounded
    return ((-FAR, FAR), (-FAR, FAR)) if size < FAR else a


def turned(x: Fraction, y: Fraction) -> Complex:
    """exp(x + iy)."""
    size = transcendental("exp", x, DIGITS)
    real, imaginary = (transcendental(name, y, DIGITS) for name in ("cos", "sin"))
    return multiplied(size, real, DIGITS), multiplied(size, imaginary, DIGITS)


def times(a: Complex, b: Complex) -> Complex:
    """The product of complex numbers."""
    products = [multiplied(x, y, DIGITS) for x in a for y in b]
    (low, high), (least, most) = products[0], products[3]
    real = outwards(low - most, high - least, DIGITS)
    (low, high), (least, most) = products[1], products[2]
    return real, outwards(low + least, high + most, DIGITS)


def over(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction]) -> Complex:
    """The quotient of exact complex numbers, enclosed."""
    size = b[0] * b[0] + b[1] * b[1]
    real, imaginary = a[0] * b[0] + a[1] * b[1], a[1] * b[0] - a[0] * b[1]
    ends = [outwards(part / size, part / size, DIGITS) for part in (real, imaginary)]
    return ends[0], ends[1]
