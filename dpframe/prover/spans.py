"""Ranges of formulas: an interval that contains every value, by the rules of interval arithmetic
with exact ends. What it cannot bound, it calls unbounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce

import attrs

from dpframe.exact.interval import root_ends
from dpframe.numerics.rounding import arb_lower, arb_upper
from dpframe.symbols import Call, Domain, Expression, Number, Power, Product, Sum, Symbol, call

from .enclose import enclose

BITS = 128  # of ends that are no rational roots, rounded outwards
LARGEST = 1000  # beyond, exponentials are not evaluated
ZERO = Fraction(0)
ANYWHERE, POSITIVE = Domain(), Domain(ZERO)


def span(formula: Expression) -> Domain:
    """An interval that contains the value of `formula` at every point where it is defined.

    >>> from dpframe.symbols import call, parameter
    >>> print(span(call("max", 1 / parameter("x", 2, 4), "1/3")))
    in [1/3, 1/2)
    """
    match formula:
        case Number(value):
            return _point(value)
        case Symbol(_, domain, _):
            return attrs.evolve(domain, integer=False)
        case Sum(parts):
            return reduce(_sum, map(span, parts))
        case Product(parts):
            return reduce(_product, map(span, parts))
        case Power(base, exponent):
            return _power(span(base), exponent)
        case Call("max", parts):
            return _reflected(_least([_reflected(span(part)) for part in parts]))
        case Call("min", parts):
            return _least([span(part) for part in parts])
        case Call("log", (part,)):
            return _increasing("log", span(part), lambda end: end > 0, ANYWHERE)
        case Call("exp", (part,)):
            return _increasing("exp", span(part), lambda end: abs(end) < LARGEST, POSITIVE)
        case Call("analytic_sigma", _):
            return POSITIVE
    return ANYWHERE


def roots(domain: Domain, degree: int) -> Domain:
    """Every root of this degree of the points of a domain that are >= 0."""
    low, closed = (domain.lower, domain.lower_closed) if domain.nonnegative else (ZERO, True)
    high = None if domain.upper is None else root(domain.upper, degree, up=True)
    left, upper = root(low or ZERO, degree, up=False), domain.upper_closed and high is not None
    return Domain(left, high, lower_closed=closed, upper_closed=upper)


def root(value: Fraction, degree: int, *, up: bool) -> Fraction:
    """The root of value >= 0 of this degree: exact where it is rational, else rounded outwards."""
    return root_ends(value, degree, BITS)[up]


def _point(value: Fraction) -> Domain:
    return Domain(value, value, lower_closed=True, upper_closed=True)


def _reflected(one: Domain) -> Domain:
    """The domain of -x."""
    low = None if one.upper is None else -one.upper
    high = None if one.lower is None else -one.lower
    return Domain(low, high, lower_closed=one.upper_closed, upper_closed=one.lower_closed)


def _sum(one: Domain, other: Domain) -> Domain:
    """x + y: an end is reached only where both are."""
    low = None if one.lower is None or other.lower is None else one.lower + other.lower
    high = None if one.upper is None or other.upper is None else one.upper + other.upper
    left, right = one.lower_closed and other.lower_closed, one.upper_closed and other.upper_closed
    return Domain(low, high, lower_closed=left, upper_closed=right)


def _product(one: Domain, other: Domain) -> Domain:
    """x y of what is >= 0, or of what is >= 0 and what is <= 0."""
    for first, second in ((one, other), (other, one)):
        if first.upper is not None and first.upper <= 0 and not first.nonnegative:
            return _reflected(_product(_reflected(first), second))
    if not (one.nonnegative and other.nonnegative):
        return ANYWHERE
    low = (one.lower or ZERO) * (other.lower or ZERO)
    ends = one.upper, other.upper
    high = None if ends[0] is None or ends[1] is None else ends[0] * ends[1]
    zero = any(part.lower == 0 and part.lower_closed for part in (one, other))
    left = (one.lower_closed and other.lower_closed) if low else zero
    right = not high or (one.upper_closed and other.upper_closed)
    return Domain(low, high, lower_closed=left, upper_closed=high is not None and right)


def _power(one: Domain, exponent: Fraction) -> Domain:
    """x^k of x >= 0, which is monotone; an even power of anything is >= 0."""
    if not one.nonnegative or one.lower is None:
        even = exponent.denominator == 1 and exponent % 2 == 0
        return Domain(ZERO, lower_closed=True) if even else ANYWHERE
    if exponent < 0:
        return _inverted(_power(one, -exponent))
    taken = one if exponent.denominator == 1 else roots(one, exponent.denominator)
    low, high = taken.lower or ZERO, taken.upper
    k = exponent.numerator
    return attrs.evolve(taken, lower=low**k, upper=None if high is None else high**k)


def _inverted(one: Domain) -> Domain:
    """1/x of x > 0."""
    if one.upper == 0:
        return POSITIVE
    low, left = (ZERO, False) if one.upper is None else (1 / one.upper, one.upper_closed)
    high, right = (1 / one.lower, one.lower_closed) if one.lower else (None, False)
    return Domain(low, high, lower_closed=left, upper_closed=right)


def _least(spans: Sequence[Domain]) -> Domain:
    """The range of the least of several numbers."""
    lows, highs = [one.lower for one in spans], [one.upper for one in spans]
    low = None if None in lows else min(end for end in lows if end is not None)
    high = min((end for end in highs if end is not None), default=None)
    left = any(one.lower == low and one.lower_closed for one in spans)
    right = all(one.upper_closed for one in spans if one.upper == high)
    return Domain(low, high, lower_closed=left, upper_closed=high is not None and right)


def _increasing(
    name: str, one: Domain, usable: Callable[[Fraction], bool], whole: Domain
) -> Domain:
    """An increasing function, at both ends where they are usable."""
    low, left = whole.lower, False
    if one.lower is not None and usable(one.lower):
        low, left = arb_lower(enclose(call(name, Number(one.lower)), {})), one.lower_closed
    high, right = None, False
    if one.upper is not None and usable(one.upper):
        high, right = arb_upper(enclose(call(name, Number(one.upper)), {})), one.upper_closed
    return Domain(low, high, lower_closed=left, upper_closed=right)
