"""Formulas as text, such that `parse` reads back the same formula, and as JSON: "3/2" is a number,
"gamma" a parameter, ["*", a, b] an operation, ["^", base, "1/2"] a power. The parser can only build
arithmetic: no eval, no attributes, no calls but the five functions. `Arithmetic` evaluates formulas
in balls, intervals or intervals of doubles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial, reduce
from types import MappingProxyType
from typing import Generic, TypeVar

import attrs

from dpframe.errors import BadCertificate, InvalidArgument, Plain, UnsafeFormula

from .arithmetic import MAX_POWER, add, call, multiply, power, rational
from .expression import FUNCTIONS, Call, Expression, Number, Power, Product, Sum, Symbol
from .grammar import FormulaReader

Value = TypeVar("Value")


@attrs.frozen(eq=False)
class Arithmetic(Generic[Value]):
    """The operations of an arithmetic on enclosures, and its functions by name; minima and maxima
    are of two arguments.
    """

    number: Callable[[Fraction], Value]
    plus: Callable[[Value, Value], Value]
    times: Callable[[Value, Value], Value]
    power: Callable[[Value, Fraction], Value]
    calls: Mapping[str, Callable[..., Value]]

    def value(
        self, formula: Expression, values: Mapping[str, Value], cached: dict[Expression, Value]
    ) -> Value:
        """The formula at these values of its symbols; each part is evaluated once, and `cached`."""
        if formula not in cached:
            cached[formula] = self._evaluated(formula, values, cached)
        return cached[formula]

    def _evaluated(
        self, formula: Expression, values: Mapping[str, Value], cached: dict[Expression, Value]
    ) -> Value:
        match formula:
            case Number(value):
                return self.number(value)
            case Symbol(name, _, _):
                return values[name]
        parts = [self.value(part, values, cached) for part in formula.parts]
        match formula:
            case Sum():
                return reduce(self.plus, parts)
            case Product():
                return reduce(self.times, parts)
            case Power(_, exponent):
                return self.power(parts[0], exponent)
            case Call("min" | "max" as name, _) if name in self.calls:
                return reduce(self.calls[name], parts)
            case Call(name, _) if name in self.calls:
                return self.calls[name](*parts)
        raise TypeError(formula)


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
    first = part.parts[0] if isinstance(part, Product) else None
    return isinstance(first, Number) and first.value < 0


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


MAX_LENGTH, MAX_DEPTH = 4000, 40
TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?|\.[0-9]+(?:[eE][+-]?[0-9]{1,3})?)|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>\*\*|[-+*/^(),]))"
)


def parse(formula: str, symbols: Mapping[str, Expression] = MappingProxyType({})) -> Expression:
    """The exact expression that `formula` spells over the names in `symbols`.

    Operators + - * / ^ (or **), functions sqrt, log, exp, min, max, analytic_sigma. Raises
    UnsafeFormula for anything else,
    within microseconds: at most 4000 characters, 40 levels, 40 digits, powers of at most 64.

    >>> from dpframe.symbols import DELTA, EPSILON
    >>> parse("sqrt(2*log(2/delta))/(epsilon/3)", {"epsilon": EPSILON, "delta": DELTA})
    3*sqrt(2*log(2/delta))/epsilon
    """
    if not isinstance(formula, str):
        raise InvalidArgument("formula", "text", formula, "")
    if len(formula) > MAX_LENGTH:
        got = Plain(f"{len(formula)} characters")
        raise UnsafeFormula("formula", f"at most {MAX_LENGTH} characters", got, "")
    try:
        return _Formula(formula, symbols).whole()
    except UnsafeFormula:
        raise
    except InvalidArgument as error:
        raise UnsafeFormula("formula", "arithmetic that is defined", formula, str(error)) from None


class _Formula(FormulaReader[Expression]):
    """Reads exact expressions over `symbols`."""

    token, most = TOKEN, MAX_DEPTH

    def __init__(self, formula: str, symbols: Mapping[str, Expression]) -> None:
        super().__init__(formula)
        self.symbols = symbols

    def added(self, terms: list[tuple[bool, Expression]]) -> Expression:
        return add(*(multiply(-1, term) if minus else term for minus, term in terms))

    def multiplied(self, factors: list[tuple[bool, Expression]]) -> Expression:
        return multiply(*(power(factor, -1) if below else factor for below, factor in factors))

    def raised(self, base: Expression, exponent: Expression) -> Expression:
        if not isinstance(exponent, Number) or abs(exponent.value) > MAX_POWER:
            self.refuse(f"A power must be a number of at most {MAX_POWER}.")
        return power(base, exponent.value)

    def literal(self, token: str) -> Expression:
        return Number(rational(token))

    def named(self, word: str) -> Expression:
        if word not in self.symbols:
            names = ", ".join(sorted(self.symbols)) or "none"
            self.refuse(f"Unknown name {word!r}; known: {names}.")
        return self.symbols[word]

    def called(self, word: str, arguments: list[Expression]) -> Expression:
        if word != "sqrt" and word not in FUNCTIONS:
            self.refuse(f"Unknown function {word!r}; known: sqrt, {', '.join(FUNCTIONS)}.")
        if not arguments:
            self.refuse(f"{word} takes an argument.")
        if word == "sqrt" and len(arguments) == 1:
            return power(arguments[0], "1/2")
        return call(word, *arguments)


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
