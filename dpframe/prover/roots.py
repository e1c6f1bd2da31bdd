"""Formulas with square roots of numbers and symbols, as polynomials in the roots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from dpframe.symbols import (
    Call,
    Expression,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    add,
    call,
    multiply,
    parameter,
    power,
)

CLOSED = {(0, 0): "neither", (1, 0): "left", (0, 1): "right", (1, 1): "both"}
FINE = 2**64  # ends of ranges that are no rational roots are rounded outwards to its parts


def without_roots(formula: Expression) -> Expression | None:
    """The same with t for every sqrt(x) and t^2 for x: what holds for all t of their ranges, which
    contain every root, holds for all x. None where there is no such root, or x may be negative.
    """
    bases = dict.fromkeys(_under_roots(formula))
    taken = {symbol.name for symbol in formula.symbols()}
    names = [f"root_{index}" for index in range(len(bases))]
    if not bases or taken & set(names) or not all(map(_nonnegative, bases)):
        return None
    pairs = zip(bases, names, strict=True)
    return _rebuilt(formula, {base: _root(base, name) for base, name in pairs})


def _under_roots(formula: Expression) -> Iterator[Expression]:
    if isinstance(formula, Power) and formula.exponent.denominator == 2:
        yield formula.base
    for part in formula.parts:
        yield from _under_roots(part)


def _nonnegative(base: Expression) -> bool:
    if isinstance(base, Number):
        return base.value >= 0
    return isinstance(base, Symbol) and base.domain.nonnegative and base.domain.lower is not None


def _root(base: Expression, name: str) -> Symbol:
    """A symbol whose range contains every root of `base`."""
    if not isinstance(base, Symbol):
        value = base.value if isinstance(base, Number) else Fraction(0)
        return parameter(name, _rounded(value, up=False), _rounded(value, up=True), closed="both")
    domain = base.domain
    low = _rounded(domain.lower or Fraction(0), up=False)
    high = None if domain.upper is None else _rounded(domain.upper, up=True)
    left, right = domain.lower_closed, domain.upper_closed and high is not None
    return parameter(name, low, high, closed=CLOSED[left, right])


def _rounded(value: Fraction, *, up: bool) -> Fraction:
    """sqrt(value), exact where it is rational, else rounded outwards."""
    below = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    if below * below == value:
        return below
    whole = math.isqrt(value.numerator * FINE * FINE // value.denominator)
    return Fraction(whole + up, FINE)


def _rebuilt(formula: Expression, roots: dict[Expression, Symbol]) -> Expression:
    match formula:
        case Power(base, exponent) if base in roots and exponent.denominator == 2:
            return power(roots[base], 2 * exponent)
        case Symbol() if formula in roots:
            return power(roots[formula], 2)
        case Sum(parts):
            return add(*(_rebuilt(part, roots) for part in parts))
        case Product(parts):
            return multiply(*(_rebuilt(part, roots) for part in parts))
        case Power(base, exponent):
            return power(_rebuilt(base, roots), exponent)
        case Call(name, parts):
            return call(name, *(_rebuilt(part, roots) for part in parts))
    return formula
