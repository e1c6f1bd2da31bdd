"""Formulas as JSON: "3/2" is a number, "gamma" a parameter, ["*", a, b] an operation, ["^", base,
"1/2"] a power.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dpframe.errors import BadCertificate

from .arithmetic import add, call, multiply, power
from .exactness import rational
from .expression import Call, Expression, Number, Power, Product, Sum, Symbol

Json = "str | list[Json]"


def to_json(expression: Expression) -> object:
    """The JSON value of a formula."""
    match expression:
        case Number(value):
            return str(value)
        case Symbol(name, _):
            return name
        case Sum(parts):
            return ["+", *map(to_json, parts)]
        case Product(parts):
            return ["*", *map(to_json, parts)]
        case Power(base, exponent):
            return ["^", to_json(base), str(exponent)]
        case Call(name, parts):
            return [name, *map(to_json, parts)]
    raise TypeError(expression)


def from_json(value: object, symbols: Mapping[str, Symbol], depth: int = 0) -> Expression:
    """The formula of a JSON value over the declared `symbols`. Raises BadCertificate."""
    if depth > 60:
        raise BadCertificate("formula", "at most 60 levels deep", value, "")
    if isinstance(value, str):
        return _leaf(value, symbols)
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise BadCertificate("formula", "text or a list that starts with an operation", value, "")
    if value[0] == "^" and len(value) == 3:
        return power(from_json(value[1], symbols, depth + 1), rational(value[2]))
    parts = [from_json(part, symbols, depth + 1) for part in value[1:]]
    if value[0] in ("+", "*"):
        return add(*parts) if value[0] == "+" else multiply(*parts)
    return call(value[0], *parts)


def _leaf(value: str, symbols: Mapping[str, Symbol]) -> Expression:
    if value in symbols:
        return symbols[value]
    if value[:1].isalpha():
        raise BadCertificate("formula", f"over {', '.join(symbols)}", value, "")
    return Number(Fraction(rational(value)))
