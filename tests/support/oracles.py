"""Oracles in mpmath and Fractions; they share no code with dpframe but its expression classes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

import mpmath

from dpframe.symbols import Call, Expression, Number, Power, Product, Sum, Symbol

DIGITS = 50


def mpf(value: object) -> mpmath.mpf:
    """A Fraction, int or float in mpmath, at the current precision."""
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return mpmath.mpf(value)


def delta_of(epsilon: object, mu: object) -> mpmath.mpf:
    """The exact privacy profile of Gaussian noise, at 50 digits after cancellation."""
    with mpmath.workdps(4 * DIGITS):
        eps, shift = mpf(epsilon), mpf(mu)
        if shift == 0:
            return mpmath.mpf(0)
        near, far, root = eps / shift - shift / 2, eps / shift + shift / 2, mpmath.sqrt(2)
        return (mpmath.erfc(near / root) - mpmath.exp(eps) * mpmath.erfc(far / root)) / 2


def discrete_delta(epsilon: object, std: object, shift: int) -> mpmath.mpf:
    """The privacy profile of discrete Gaussian noise that is moved by `shift`, by its definition:
    the sum of (P(x) - e^epsilon P(x - shift))_+ over the integers.
    """
    with mpmath.workdps(DIGITS):
        eps, sigma = mpmath.exp(mpf(epsilon)), mpf(std)
        reach = int(16 * sigma) + shift + 20

        def weights(first: int, last: int) -> list[mpmath.mpf]:
            return [mpmath.exp(-((x / sigma) ** 2) / 2) for x in range(first, last + 1)]

        w = weights(-reach - shift, reach)  # at x = i - reach - shift
        pairs = zip(w[shift:], w[:-shift], strict=True)
        return mpmath.fsum(max(a - eps * b, 0) for b, a in pairs) / mpmath.fsum(w)


@lru_cache(maxsize=512)
def _mu_for(epsilon: mpmath.mpf, delta: mpmath.mpf) -> mpmath.mpf:
    low, high = mpmath.mpf(0), mpmath.mpf(1)
    while delta_of(epsilon, high) < delta:
        low, high = high, 2 * high
    for _ in range(170):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(epsilon, middle) < delta else (low, middle)
    return low


def sigma_of(epsilon: object, delta: object) -> mpmath.mpf:
    """The least std at sensitivity 1, by bisection of the exact profile."""
    with mpmath.workdps(DIGITS):
        return 1 / _mu_for(mpf(epsilon), mpf(delta))


def value(formula: Expression, values: Mapping[str, object]) -> mpmath.mpf:
    """The value of a formula at numbers, at 50 digits, by its structure."""
    with mpmath.workdps(DIGITS):
        return _value(formula, values)


def _value(formula: Expression, values: Mapping[str, object]) -> mpmath.mpf:
    match formula:
        case Number(number):
            return mpf(number)
        case Symbol(name, _, _):
            return mpf(values[name])
        case Sum(parts):
            return mpmath.fsum(_value(part, values) for part in parts)
        case Product(parts):
            return mpmath.fprod(_value(part, values) for part in parts)
        case Power(base, exponent):
            return mpmath.power(_value(base, values), mpf(exponent))
        case Call(name, parts):
            return _call(name, [_value(part, values) for part in parts])
    raise TypeError(formula)


def _call(name: str, parts: list[mpmath.mpf]) -> mpmath.mpf:
    known = {"log": mpmath.log, "exp": mpmath.exp, "min": min, "max": max}
    return sigma_of(*parts) if name == "analytic_sigma" else known[name](*parts)


def exactly(formula: Expression, values: Mapping[str, Fraction]) -> Fraction:
    """The value of a rational formula at exact numbers, in Fractions."""
    match formula:
        case Number(number):
            return number
        case Symbol(name, _, _):
            return values[name]
        case Sum(parts):
            return sum((exactly(part, values) for part in parts), Fraction(0))
        case Product(parts):
            product = Fraction(1)
            for part in parts:
                product *= exactly(part, values)
            return product
        case Power(base, exponent) if exponent.denominator == 1:
            return exactly(base, values) ** int(exponent)
        case Call("min" | "max" as name, parts):
            return {"min": min, "max": max}[name](exactly(part, values) for part in parts)
    raise TypeError(formula)
