"""Formulas as text, such that dpframe.parse reads back the same formula."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from .expression import Call, Expression, Number, Power, Product, Sum, Symbol

SUM, PRODUCT, POWER, ATOM = range(4)


def text(expression: Expression) -> str:
    """`expression` in infix notation.

    >>> from dpframe.symbols import DELTA, log, sqrt
    >>> text(sqrt(2 * log(2 / DELTA)) / 3)
    '1/3*sqrt(2*log(2/delta))'
    """
    return _render(expression)[0]


def _render(expression: Expression) -> tuple[str, int]:
    match expression:
        case Number(value):
            return _number(value)
        case Symbol(name, _):
            return name, ATOM
        case Sum(parts):
            return _sum(parts), SUM
        case Product(parts):
            return _product(parts), PRODUCT
        case Power(base, exponent):
            return _power(base, exponent)
        case Call(name, parts):
            return f"{name}({', '.join(text(part) for part in parts)})", ATOM
    raise TypeError(expression)


def _number(value: Fraction) -> tuple[str, int]:
    shown = plain(value)
    if value < 0:
        return shown, SUM
    return shown, PRODUCT if "/" in shown else ATOM


def plain(value: Fraction) -> str:
    """An exact number as a person writes it: 3, 1/3, 1e-6 (a decimal where it is exact and short).

    >>> plain(Fraction(1, 10**6)), plain(Fraction(1, 3)), plain(Fraction(1, 20))
    ('1e-6', '1/3', '1/20')
    """
    if abs(value.numerator) < 10**6 and value.denominator < 1000:
        return str(value)
    exact = (short for short in map(partial(_decimal, value), (6, 12)) if Fraction(short) == value)
    return next(exact, str(value))


def _decimal(value: Fraction, digits: int) -> str:
    """The nearest decimal of so many digits, 0 beyond all doubles."""
    try:
        short = f"{float(value):.{digits}g}"
    except OverflowError:
        return "0"
    return short.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def _wrap(expression: Expression, least: int) -> str:
    rendered, level = _render(expression)
    return rendered if level >= least else f"({rendered})"


def _sum(parts: tuple[Expression, ...]) -> str:
    rendered = _wrap(parts[0], SUM)
    for part in parts[1:]:
        term = _wrap(part, PRODUCT) if not _negative(part) else text(part)
        rendered += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return rendered


def _negative(part: Expression) -> bool:
    return (
        isinstance(part, Product) and isinstance(part.parts[0], Number) and part.parts[0].value < 0
    )


def _product(parts: tuple[Expression, ...]) -> str:
    above = [part for part in parts if not (isinstance(part, Power) and part.exponent < 0)]
    powers = [part for part in parts if isinstance(part, Power) and part.exponent < 0]
    below = [_positive_power(part.base, -part.exponent) for part in powers]
    sign = ""
    if above and isinstance(above[0], Number) and above[0].value < 0:
        sign, above[0] = "-", Number(-above[0].value)
        above = above[1:] if above[0] == Number(Fraction(1)) and len(above) > 1 else above
    top = "*".join(_wrap(part, POWER if i else PRODUCT) for i, part in enumerate(above)) or "1"
    if len(below) > 1:
        return f"{sign}{top}/({_product(tuple(below))})"
    return sign + top + "".join("/" + _wrap(part, POWER) for part in below)


def _power(base: Expression, exponent: Fraction) -> tuple[str, int]:
    if exponent == Fraction(1, 2):
        return f"sqrt({text(base)})", ATOM
    if exponent < 0:
        return "1/" + _wrap(_positive_power(base, -exponent), POWER), PRODUCT
    degree = str(exponent) if exponent.denominator == 1 else f"({exponent})"
    return f"{_wrap(base, ATOM)}^{degree}", POWER


def _positive_power(base: Expression, exponent: Fraction) -> Expression:
    return base if exponent == 1 else Power(base, exponent)
