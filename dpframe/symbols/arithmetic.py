"""Building formulas. Numbers become exact when they are given: a float as its shortest decimal;
bool is refused. Sums and products collect like terms and factors.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from dpframe.errors import InvalidArgument, Plain, check_kind, check_word
from dpframe.exact.documents import CLOSED
from dpframe.exact.ring import NAME
from dpframe.numbers import from_text, shortest
from dpframe.theory.guarantees import Relation

from .expression import FUNCTIONS, Call, Domain, Expression, Number, Power, Product, Sum, Symbol


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
    if type(value) is int:
        return Fraction(value)
    if isinstance(value, Number):
        return value.value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        way_out = "True and False are not numbers here; write 1 or 0."
        raise InvalidArgument(name, "a number", value, way_out)
    if isinstance(value, numbers.Integral):
        return Fraction(int(value))
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise InvalidArgument(name, "finite", value, "")
        return shortest(value)
    if isinstance(value, (str, Decimal)):
        return from_text(name, str(value))
    way_out = "A formula has no number yet." if isinstance(value, Expression) else ""
    raise InvalidArgument(name, "a number, a Fraction, or text such as '1/3'", value, way_out)


MAX_POWER = 64
MAX_BITS = 20_000
NOTHING, UNIT = Fraction(0), Fraction(1)
ZERO, ONE, MINUS_ONE = Number(NOTHING), Number(UNIT), Number(-UNIT)


def add(*terms: object) -> Expression:
    """The sum, like terms collected."""
    constants: list[Fraction] = []
    collected: dict[Expression, list[Fraction]] = {}
    for term in _flatten(terms, Sum):
        if type(term) is Number:
            constants.append(term.value)
        else:
            coefficient, rest = split_coefficient(term)
            collected.setdefault(rest, []).append(coefficient)
    sums = ((_summed(some), rest) for rest, some in collected.items())
    parts = [_scaled(coefficient, rest) for coefficient, rest in sums if coefficient]
    constant = _summed(constants)
    if constant or not parts:
        parts.insert(0, Number(constant))
    return parts[0] if len(parts) == 1 else Sum(tuple(parts))


def _summed(values: list[Fraction]) -> Fraction:
    """The sum, over one common denominator."""
    if len(values) < 4:
        return sum(values[1:], start=values[0]) if values else NOTHING
    ratios = [value.as_integer_ratio() for value in values]
    below = math.lcm(*{bottom for _, bottom in ratios})
    return Fraction(sum(top * (below // bottom) for top, bottom in ratios), below)


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
        raise InvalidArgument("product", f"of at most {MAX_BITS} bits", Plain("a huge number"), "")
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
    top, bottom = degree.as_integer_ratio()
    if abs(top) > MAX_POWER * bottom or bottom > MAX_POWER:
        raise InvalidArgument("exponent", f"at most {MAX_POWER} in size", exponent, "")
    if bottom == 1 and top in (0, 1):
        return root if top else ONE
    if isinstance(root, Number):
        return _number_power(root, degree)
    if isinstance(root, Power) and (
        bottom == 1 or root.exponent.denominator > 1 or _nonnegative(root.base)
    ):
        return power(root.base, root.exponent * degree)
    if isinstance(root, Product) and bottom == 1:
        return multiply(*(power(part, degree) for part in root.parts))
    return Power(root, degree)


def _nonnegative(base: Expression) -> bool:
    return isinstance(base, Symbol) and base.domain.nonnegative


def _number_power(root: Number, degree: Fraction) -> Expression:
    (top, bottom), (above, below) = degree.as_integer_ratio(), root.value.as_integer_ratio()
    if not above and top < 0:
        raise InvalidArgument("divisor", "different from zero", 0, "")
    if max(above.bit_length(), below.bit_length()) * abs(top) > MAX_BITS * bottom:
        raise InvalidArgument("power", f"of at most {MAX_BITS} bits", Plain(f"... ** {degree}"), "")
    if bottom == 1:
        return Number(root.value**top)
    if above < 0:
        raise InvalidArgument("number under a root", "0 or more", Plain(str(root.value)))
    exactly = _exact_root(root.value ** abs(top), bottom)
    if exactly is None:
        return Power(root, degree)
    return Number(exactly if top > 0 else 1 / exactly)


def _exact_root(value: Fraction, order: int) -> Fraction | None:
    if order != 2:
        return None
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    return Fraction(top, bottom) if Fraction(top * top, bottom * bottom) == value else None


def call(name: str, *arguments: object) -> Expression:
    """log, exp, min, max or analytic_sigma. Raises InvalidArgument for another name or count."""
    parts = tuple(exact(argument, f"argument of {name}") for argument in arguments)
    if FUNCTIONS.get(name, -1) not in (0, len(parts)) or not parts:
        wanted = f"one of {', '.join(FUNCTIONS)} with its arguments"
        raise InvalidArgument("function", wanted, Plain(f"{name}/{len(parts)}"), "")
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


RESERVED = {*FUNCTIONS, "sqrt"}


def parameter(
    name: str,
    lower: object = 0,
    upper: object = None,
    *,
    closed: str = "neither",
    integer: bool = False,
) -> Symbol:
    """A parameter `name` that ranges over (lower, upper); None is an infinite end.

    `closed` is "neither", "left", "right" or "both"; `integer` admits whole numbers only. Every
    claim about a graph is proved
    for every value in this range. Raises InvalidArgument.

    >>> parameter("gamma", 0, 1).domain.positive
    True
    """
    if not isinstance(name, str) or not NAME.match(name) or name in RESERVED:
        raise InvalidArgument("name", "a Python name that is no function of formulas", name, "")
    check_word("closed", closed, CLOSED)
    check_kind("integer", integer, bool)
    low, high = _end(lower, "lower"), _end(upper, "upper")
    left, right = map(bool, CLOSED[closed])
    ends = left and low is not None, right and high is not None
    return Symbol(name, _domain(low, high, *ends, integer))


# equal domains are one object, so comparing symbols is cheap
_domain = lru_cache(maxsize=1024)(Domain)


def _end(value: object, name: str) -> Fraction | None:
    return None if value is None else rational(value, name)


def constant(value: object) -> Number:
    """An exact number: constant("0.05"), constant(1), constant("1/3")."""
    return Number(rational(value, "constant"))


def sqrt(x: object) -> Expression:
    """The square root. Domain: x >= 0."""
    return power(x, Fraction(1, 2))


def log(x: object) -> Expression:
    """The natural logarithm. Domain: x > 0."""
    return call("log", x)


def exp(x: object) -> Expression:
    """The exponential."""
    return call("exp", x)


def minimum(*x: object) -> Expression:
    """The smallest argument."""
    return call("min", *x)


def maximum(*x: object) -> Expression:
    """The largest argument."""
    return call("max", *x)


def analytic_sigma(epsilon: object, delta: object) -> Expression:
    """The least std at sensitivity 1 with privacy profile delta(epsilon) <= delta. [BalleW18, Thm
    8]

    An implicit atom: exact in proofs by its definition, rounded up in executions.
    """
    return call("analytic_sigma", epsilon, delta)


EPSILON = parameter("epsilon", 0)
DELTA = parameter("delta", 0, 1)
RHO = parameter("rho", 0)
MU = parameter("mu", 0)


class Formulas:
    """The part of a context of the rule book that makes formulas, of expressions."""

    def __init__(self, relation: Relation | None) -> None:
        self.replaced = relation is not None and relation.replaced
        self.changes = 1 if relation is None else relation.changes

    minimum, maximum = staticmethod(minimum), staticmethod(maximum)
    log, exp = staticmethod(log), staticmethod(exp)
    analytic_sigma = staticmethod(analytic_sigma)

    def number(self, value: int | Fraction) -> Expression:
        """A number as an expression."""
        return Number(Fraction(value))

    def total(self, parts: Iterable[Expression]) -> Expression:
        """The sum."""
        return add(*parts)

    def constant(self, f: Expression) -> Fraction | None:
        """The value of a number; None for any other expression."""
        return f.value if isinstance(f, Number) else None

    def same(self, f: Expression, g: Expression) -> bool:
        """Whether two expressions are the same tree."""
        return f == g
