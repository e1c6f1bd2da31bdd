"""Exact expressions: small immutable trees over the rationals and named parameters.

They are hashable, printable and compare by structure (`==` never makes an equation). Numbers are
exact: a float
becomes its shortest decimal when it is given, before any arithmetic, so gamma=0.7 never yields
shares that sum to 1 + 4e-17.
Like terms and like factors are collected as a tree is built; nothing else is simplified here
(dpframe.verify does algebra).
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction

import attrs

from dpframe.errors import InvalidArgument, TouchesData

from .domain import Domain

Exact = "Expression | Fraction | int | float | str"
MAX_POWER = 64
MAX_BITS = 20_000
FUNCTIONS = {
    "log": 1,
    "exp": 1,
    "min": 0,
    "max": 0,
    "analytic_sigma": 2,
}  # 0: any number of arguments


class Expression:
    """Abstract: an exact formula. Domain: wherever all its parts are defined. (No ABC: its instance
    checks would dominate verification.)
    """

    __slots__ = ("_found",)  # the symbols that occur, once asked for
    __array_ufunc__ = None
    _found: frozenset[Symbol]

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The direct subexpressions."""
        raise TypeError(type(self))

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """The same operation on other parts."""
        raise TypeError(type(self), parts)

    def __add__(self, other: object) -> Expression:
        return NotImplemented if _reads_data(other) else add(self, other)

    def __radd__(self, other: object) -> Expression:
        return add(other, self)

    def __sub__(self, other: object) -> Expression:
        return NotImplemented if _reads_data(other) else add(self, multiply(-1, other))

    def __rsub__(self, other: object) -> Expression:
        return add(other, multiply(-1, self))

    def __mul__(self, other: object) -> Expression:
        return NotImplemented if _reads_data(other) else multiply(self, other)

    def __rmul__(self, other: object) -> Expression:
        return multiply(other, self)

    def __truediv__(self, other: object) -> Expression:
        return NotImplemented if _reads_data(other) else multiply(self, power(other, -1))

    def __rtruediv__(self, other: object) -> Expression:
        return multiply(other, power(self, -1))

    def __pow__(self, other: object) -> Expression:
        return power(self, other)

    def __neg__(self) -> Expression:
        return multiply(-1, self)

    def __pos__(self) -> Expression:
        return self

    def __bool__(self) -> bool:
        raise TouchesData(
            f"the formula {self} has no truth value while it is symbolic; compare numbers, "
            "or use dp.max and dp.min"
        )

    def __float__(self) -> float:
        raise TouchesData(
            f"the formula {self} is exact and has no single float; certificate.at(...) "
            "gives it numbers"
        )

    def __str__(self) -> str:
        from .text import text

        return text(self)

    __repr__ = __str__

    def symbols(self) -> frozenset[Symbol]:
        """Every parameter that occurs."""
        try:
            return self._found
        except AttributeError:
            found = (
                frozenset((self,))
                if isinstance(self, Symbol)
                else frozenset().union(*(part.symbols() for part in self.parts))
            )
            object.__setattr__(self, "_found", found)
            return found

    def substitute(self, values: Mapping[str, Expression]) -> Expression:
        """The formula with parameters, by name, replaced."""
        return _substitute(self, values, {}) if values else self


def _reads_data(other: object) -> bool:
    """Whether `other` is a statistic, which knows how to stay one under arithmetic."""
    return hasattr(other, "__expression__")


def _substitute(
    expression: Expression, values: Mapping[str, Expression], seen: dict[Expression, Expression]
) -> Expression:
    if isinstance(expression, Symbol):
        return values.get(expression.name, expression)
    if not expression.parts:
        return expression
    if expression not in seen:
        seen[expression] = expression.rebuild(
            tuple(_substitute(part, values, seen) for part in expression.parts)
        )
    return seen[expression]


@attrs.frozen(slots=True, eq=False, repr=False, str=False)
class Number(Expression):
    """An exact rational."""

    value: Fraction

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is Number
            and self.value.as_integer_ratio() == other.value.as_integer_ratio()
        )

    def __hash__(self) -> int:
        return hash(self.value.as_integer_ratio())

    @property
    def parts(self) -> tuple[Expression, ...]:
        """A number has none."""
        return ()

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """Itself."""
        del parts
        return self

    def __float__(self) -> float:
        return float(self.value)


@attrs.frozen(slots=True, eq=False, repr=False, str=False)
class Symbol(Expression):
    """A parameter with the domain over which every claim about it must hold.

    `origin` is None for a public parameter; otherwise it is the statistic of the data whose value
    the symbol stands for.
    """

    name: str
    domain: Domain
    origin: Hashable | None = None

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is Symbol
            and (self.name, self.domain, self.origin) == (other.name, other.domain, other.origin)
        )

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """A parameter has none."""
        return ()

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """Itself."""
        del parts
        return self


@attrs.frozen(slots=True, cache_hash=True, repr=False, str=False)
class Sum(Expression):
    """The sum of at least two terms."""

    parts: tuple[Expression, ...]

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """The sum of other terms."""
        return add(*parts)


@attrs.frozen(slots=True, cache_hash=True, repr=False, str=False)
class Product(Expression):
    """The product of at least two factors; a rational factor comes first."""

    parts: tuple[Expression, ...]

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """The product of other factors."""
        return multiply(*parts)


@attrs.frozen(slots=True, cache_hash=True, repr=False, str=False)
class Power(Expression):
    """base ** exponent with a rational exponent; the square root is exponent 1/2."""

    base: Expression
    exponent: Fraction

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The base."""
        return (self.base,)

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """Another base to the same exponent."""
        return power(parts[0], self.exponent)


@attrs.frozen(slots=True, cache_hash=True, repr=False, str=False)
class Call(Expression):
    """log, exp, min, max, or the implicit atom analytic_sigma(epsilon, delta)."""

    name: str
    parts: tuple[Expression, ...]

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """The same function of other arguments."""
        return call(self.name, *parts)


def exact(value: object, name: str = "value") -> Expression:
    """`value` as an exact expression: Fraction and int as they are, text parsed, a float as its
    shortest decimal.

    Raises InvalidArgument for bool, nan, infinities and anything else.

    >>> exact(0.7), exact("1/3"), exact(2)
    (7/10, 1/3, 2)
    """
    if isinstance(value, Expression):
        return value
    reading = getattr(value, "__expression__", None)
    return Number(rational(value, name)) if reading is None else reading()


def rational(value: object, name: str = "value") -> Fraction:
    """`value` as an exact rational; a float as its shortest decimal. Raises InvalidArgument."""
    if type(value) is Fraction:
        return value
    if isinstance(value, Number):
        return value.value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        raise InvalidArgument(
            name, "a number", value, "True and False are not numbers here; write 1 or 0."
        )
    if isinstance(value, numbers.Integral):
        return Fraction(int(value))
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    if isinstance(value, numbers.Real):
        return _from_float(float(value), name)
    if isinstance(value, str):
        return _from_text(value, name)
    raise InvalidArgument(
        name, "a number, a Fraction, text such as '1/3', or an expression", value, ""
    )


def _from_float(value: float, name: str) -> Fraction:
    if not math.isfinite(value):
        raise InvalidArgument(name, "finite", value, "")
    return Fraction(repr(value))


def _from_text(value: str, name: str) -> Fraction:
    exponent = value.lower().partition("e")[2]
    try:
        small = len(value) <= 80 and abs(int(exponent or "0")) <= 400
        return Fraction(value if small else "too large")
    except (ValueError, ZeroDivisionError):
        raise InvalidArgument(
            name,
            "a number written like '0.05', '1/3' or '1e-6'",
            value,
            "Formulas are read by dp.parse.",
        ) from None


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
