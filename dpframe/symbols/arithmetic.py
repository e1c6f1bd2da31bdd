"""Building formulas: sums, products, powers, functions; like terms and factors are collected."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from dpframe.errors import InvalidArgument

from .exactness import exact, rational
from .expression import FUNCTIONS, Call, Expression, Number, Power, Product, Sum, Symbol

MAX_POWER = 64
MAX_BITS = 20_000
NOTHING, UNIT = Fraction(0), Fraction(1)
ZERO, ONE = Number(NOTHING), Number(UNIT)


def add(*terms: object) -> Expression:
    """The sum, like terms collected."""
    constant = NOTHING
    collected: dict[Expression, Fraction] = {}
    for term in _flatten(terms, Sum):
        if type(term) is Number:
            constant = constant + term.value if constant else term.value
        else:
            coefficient, rest = split_coefficient(term)
            collected[rest] = collected[rest] + coefficient if rest in collected else coefficient
    parts = [_scaled(coefficient, rest) for rest, coefficient in collected.items() if coefficient]
    if constant or not parts:
        parts.insert(0, Number(constant))
    return parts[0] if len(parts) == 1 else Sum(tuple(parts))


def multiply(*factors: object) -> Expression:
    """The product, like factors collected."""
    coefficient = UNIT
    collected: dict[Expression, Fraction] = {}
    for factor in _flatten(factors, Product):
        if type(factor) is Number:
            coefficient = factor.value if coefficient is UNIT else coefficient * factor.value
        else:
            base, exponent = (
                (factor.base, factor.exponent) if type(factor) is Power else (factor, UNIT)
            )
            collected[base] = collected[base] + exponent if base in collected else exponent
    if not coefficient:
        return ZERO
    if max(map(int.bit_length, coefficient.as_integer_ratio())) > MAX_BITS:
        raise InvalidArgument("product", f"of at most {MAX_BITS} bits", "a huge number", "")
    parts = [
        base if exponent is UNIT else power(base, exponent)
        for base, exponent in collected.items()
        if exponent
    ]
    if any(type(part) is Number for part in parts):
        return multiply(coefficient, *parts)
    if (coefficient is not UNIT and coefficient != UNIT) or not parts:
        parts.insert(0, Number(coefficient))
    return parts[0] if len(parts) == 1 else Product(tuple(parts))


def power(base: object, exponent: object) -> Expression:
    """base ** exponent for a rational exponent of at most 64 in size. Raises InvalidArgument, also
    for 1/0.
    """
    root, degree = exact(base, "base"), rational(exponent, "exponent")
    if abs(degree) > MAX_POWER or degree.denominator > MAX_POWER:
        raise InvalidArgument("exponent", f"at most {MAX_POWER} in size", exponent, "")
    if degree.denominator == 1 and degree.numerator in (0, 1):
        return root if degree else ONE
    if isinstance(root, Number):
        return _number_power(root, degree)
    if isinstance(root, Power) and (
        degree.denominator == 1 or root.exponent.denominator > 1 or _nonnegative(root.base)
    ):
        return power(root.base, root.exponent * degree)
    if isinstance(root, Product) and degree.denominator == 1:
        return multiply(*(power(part, degree) for part in root.parts))
    return Power(root, degree)


def _nonnegative(base: Expression) -> bool:
    return isinstance(base, Symbol) and base.domain.nonnegative


def _number_power(root: Number, degree: Fraction) -> Expression:
    if root.value == 0 and degree < 0:
        raise InvalidArgument("divisor", "different from zero", 0, "")
    if max(map(int.bit_length, root.value.as_integer_ratio())) * abs(degree) > MAX_BITS:
        raise InvalidArgument("power", f"of at most {MAX_BITS} bits", f"... ** {degree}", "")
    if degree.denominator == 1:
        return Number(root.value ** int(degree))
    if root.value < 0:
        raise InvalidArgument("radicand", "not negative", root.value, "")
    exactly = _exact_root(root.value ** abs(int(degree.numerator)), degree.denominator)
    if exactly is None:
        return Power(root, degree)
    return Number(exactly if degree > 0 else 1 / exactly)


def _exact_root(value: Fraction, order: int) -> Fraction | None:
    if order != 2:
        return None
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    return Fraction(top, bottom) if Fraction(top * top, bottom * bottom) == value else None


def call(name: str, *arguments: object) -> Expression:
    """log, exp, min, max or analytic_sigma. Raises InvalidArgument for another name or count."""
    parts = tuple(exact(argument, f"argument of {name}") for argument in arguments)
    if FUNCTIONS.get(name, -1) not in (0, len(parts)) or not parts:
        raise InvalidArgument(
            "function",
            f"one of {', '.join(FUNCTIONS)} with its arguments",
            f"{name}/{len(parts)}",
            "",
        )
    if name in ("min", "max"):
        return _extremum(name, parts)
    if name == "log" and isinstance(parts[0], Number):
        if parts[0].value <= 0:
            raise InvalidArgument("argument of log", "positive", parts[0].value, "")
        if parts[0].value == 1:
            return ZERO
    return Call(name, parts)


def _extremum(name: str, parts: tuple[Expression, ...]) -> Expression:
    distinct = tuple(dict.fromkeys(parts))
    values = [part.value for part in distinct if isinstance(part, Number)]
    rest = [part for part in distinct if not isinstance(part, Number)]
    if values:
        rest.append(Number(min(values) if name == "min" else max(values)))
    return rest[0] if len(rest) == 1 else Call(name, tuple(rest))


def _flatten(items: Iterable[object], kind: type) -> Iterable[Expression]:
    for item in items:
        expression = item if isinstance(item, Expression) else exact(item)
        if isinstance(expression, kind):
            yield from expression.parts
        else:
            yield expression


def split_coefficient(term: Expression) -> tuple[Fraction, Expression]:
    """A term as rational coefficient times the rest."""
    if type(term) is Product and type(term.parts[0]) is Number:
        rest = term.parts[1:]
        return term.parts[0].value, rest[0] if len(rest) == 1 else Product(rest)
    return UNIT, term


def _scaled(coefficient: Fraction, rest: Expression) -> Expression:
    if coefficient == 1:
        return rest
    factors = rest.parts if isinstance(rest, Product) else (rest,)
    return Product((Number(coefficient), *factors))
