"""The derivative of a formula, where it has one everywhere that it is defined."""

from __future__ import annotations

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
    multiply,
    power,
)

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def slope(formula: Expression, symbol: Symbol) -> Expression | None:
    """d formula/d symbol; None where the symbol is inside of a min, a max or an analytic_sigma."""
    if symbol not in formula.symbols():
        return ZERO
    match formula:
        case Symbol():
            return ONE
        case Sum(parts):
            return _summed([slope(part, symbol) for part in parts])
        case Product(parts):
            return _summed([_term(parts, place, symbol) for place in range(len(parts))])
        case Power(base, exponent):
            return _times(slope(base, symbol), exponent * power(base, exponent - 1))
        case Call("log", (inner,)):
            return _times(slope(inner, symbol), 1 / inner)
        case Call("exp", (inner,)):
            return _times(slope(inner, symbol), formula)
    return None


def _summed(terms: list[Expression | None]) -> Expression | None:
    known = [term for term in terms if term is not None]
    return add(ZERO, *known) if len(known) == len(terms) else None


def _term(parts: tuple[Expression, ...], place: int, symbol: Symbol) -> Expression | None:
    """A product with one factor differentiated."""
    others = (part for other, part in enumerate(parts) if other != place)
    return _times(slope(parts[place], symbol), multiply(ONE, *others))


def _times(one: Expression | None, other: Expression) -> Expression | None:
    return None if one is None else one * other
