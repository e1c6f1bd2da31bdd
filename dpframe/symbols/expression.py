"""Exact expressions: small immutable trees over the rationals and named parameters.

They are hashable, printable and compare by structure (`==` never makes an equation). Numbers are
exact: a float becomes its shortest decimal when it is given, before any arithmetic, so gamma=0.7
never yields shares that sum to 1 + 4e-17. Like terms and like factors are collected as a tree is
built; nothing else is simplified here (dpframe.prover does algebra).
"""

from __future__ import annotations

import enum
from collections.abc import Hashable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain, TouchesData
from dpframe.exact.documents import Range
from dpframe.exact.formula import range_text
from dpframe.operators import by_operator


@attrs.frozen(cache_hash=True)
class Domain:
    """{x : lower < x < upper}, with <= at a closed end; None is an infinite end."""

    lower: Fraction | None = None
    upper: Fraction | None = None
    lower_closed: bool = False
    upper_closed: bool = False
    integer: bool = False

    def __attrs_post_init__(self) -> None:
        """A domain must have a point."""
        if self.example() is None:
            wanted, way_out = "a range that contains a point", "Give lower < upper."
            raise InvalidArgument("domain", wanted, Plain(self), way_out)

    def __contains__(self, value: Fraction) -> bool:
        """Whether the exact number lies in the domain."""
        return value in self.span

    def __str__(self) -> str:
        """`in (0, 1)`, `in [1, inf), whole`."""
        return range_text(self.span)

    @property
    def span(self) -> Range:
        """The same, as the kernel has it."""
        return Range(self.lower, self.upper, self.lower_closed, self.upper_closed, self.integer)

    @property
    def positive(self) -> bool:
        """Whether every point is > 0."""
        return self.span.sign == 2

    @property
    def nonnegative(self) -> bool:
        """Whether every point is >= 0."""
        return self.lower is not None and self.lower.numerator >= 0

    def example(self) -> Fraction | None:
        """A point of the domain, or None where there is none."""
        return next((point for point in self.candidates() if point in self), None)

    def candidates(self) -> tuple[Fraction, ...]:
        """Candidate points, most ordinary first; not all of them lie in the domain."""
        found = self._ordinary()
        return (*found, *(Fraction(whole(x)) for x in found for whole in (floor, ceil)))

    def _ordinary(self) -> tuple[Fraction, ...]:
        low, high = self.lower, self.upper
        if low is not None and high is not None:
            span = [low + (high - low) * Fraction(k, 8) for k in (4, 2, 6, 1, 7)]
            return (*span, low + 1, low, high)
        if low is not None:
            return low + 1, low + 2, low + Fraction(1, 2), low
        if high is not None:
            return high - 1, high - Fraction(1, 2), high
        return (Fraction(1), Fraction(0))


# ------------------------------------------------------------------------------------ scopes
# Information flow. Scopes are a lattice, not a chain: earlier releases and a record's own numbers
# are independent of each other. A weight may read only the former, a bound on rows only the latter,
# the size of noise both. A formula has the union of the scopes of its symbols. [Denning76]
class Scope(enum.Flag):
    """What a number depends on; it may be read where `formula.scope in allowed`."""

    PUBLIC = 0
    """Public numbers, the same for neighbours, before anything is released."""
    RELEASED = 1
    """Earlier releases."""
    RECORD = 2
    """The record: each has its own number, such as its budget."""
    DATA = 4
    """The table: only mechanisms may read it, and statistics and maps through inputs."""


PUBLIC, RELEASED, RECORD, DATA = Scope.PUBLIC, Scope.RELEASED, Scope.RECORD, Scope.DATA


class Origin:
    """Abstract: the meaning of a symbol that is no public parameter, with its scope; by default the
    strictest, DATA.
    """

    __slots__ = ()
    scope: ClassVar[Scope] = DATA


# number of arguments; 0: any number
FUNCTIONS = {"log": 1, "exp": 1, "min": 0, "max": 0, "analytic_sigma": 2}


FORMULAS = "The functions of formulas are dp.sqrt, dp.log, dp.exp, dp.minimum and dp.maximum."


class Expression:
    """Abstract: an exact formula. Domain: wherever all its parts are defined. (No ABC: its instance
    checks would dominate verification.)
    """

    __slots__ = ("_symbols",)  # cached
    _symbols: frozenset[Symbol]

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The direct subexpressions."""
        raise TypeError(type(self))

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """The same operation on other parts."""
        raise TypeError(type(self), parts)

    def __add__(self, other: object) -> Expression:
        return NotImplemented if _reads_data(other) else arithmetic.add(self, other)

    def __radd__(self, other: object) -> Expression:
        return arithmetic.add(other, self)

    def __sub__(self, other: object) -> Expression:
        if _reads_data(other):
            return NotImplemented
        return arithmetic.add(self, arithmetic.multiply(arithmetic.MINUS_ONE, other))

    def __rsub__(self, other: object) -> Expression:
        return arithmetic.add(other, arithmetic.multiply(arithmetic.MINUS_ONE, self))

    def __mul__(self, other: object) -> Expression:
        return NotImplemented if _reads_data(other) else arithmetic.multiply(self, other)

    def __rmul__(self, other: object) -> Expression:
        return arithmetic.multiply(other, self)

    def __truediv__(self, other: object) -> Expression:
        if _reads_data(other):
            return NotImplemented
        return arithmetic.multiply(self, arithmetic.power(other, -1))

    def __rtruediv__(self, other: object) -> Expression:
        return arithmetic.multiply(other, arithmetic.power(self, -1))

    def __pow__(self, other: object) -> Expression:
        return arithmetic.power(self, other)

    def __neg__(self) -> Expression:
        return arithmetic.multiply(arithmetic.MINUS_ONE, self)

    def __pos__(self) -> Expression:
        return self

    def __bool__(self) -> bool:
        raise TouchesData(
            f"the formula {self} has no truth value while it is symbolic; compare numbers, "
            "or use dp.maximum and dp.minimum"
        )

    def __float__(self) -> float:
        way_out = (
            "certificate.at(...) gives it numbers."
            if self.symbols()
            else "Noise takes it as it is, dp.Gaussian(std=...); dp.gaussian_sigma(0.7, 1e-6) is "
            "the double above dp.analytic_sigma."
        )
        raise TouchesData(
            f"the formula {self} is exact and has no single float. {way_out} {FORMULAS}"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **_: Any) -> Any:
        found = by_operator(self, ufunc, method, operands)
        if found is NotImplemented:
            name = ufunc.__name__
            raise TouchesData(f"numpy's {name} takes numbers, and {self} is a formula. {FORMULAS}")
        return found

    def __str__(self) -> str:
        from .text import text

        return text(self)

    __repr__ = __str__

    def symbols(self) -> frozenset[Symbol]:
        """Every parameter that occurs."""
        try:
            return self._symbols
        except AttributeError:
            own = frozenset((self,)) if isinstance(self, Symbol) else frozenset()
            symbols = own.union(*(part.symbols() for part in self.parts))
            object.__setattr__(self, "_symbols", symbols)
            return symbols

    @property
    def scope(self) -> Scope:
        """The union of the scopes of its symbols."""
        scope = PUBLIC
        for symbol in self.symbols():
            if symbol.origin is not None:
                scope |= symbol.scope
        return scope

    def substitute(self, values: Mapping[str, Expression]) -> Expression:
        """The formula with parameters, by name, replaced."""
        return _substitute(self, values, {}) if values else self


def _reads_data(other: object) -> bool:
    """Whether `other` is a statistic, which has its own arithmetic."""
    return hasattr(other, "__expression__")


def _substitute(
    expression: Expression, values: Mapping[str, Expression], cache: dict[Expression, Expression]
) -> Expression:
    if isinstance(expression, Symbol):
        return values.get(expression.name, expression)
    if not expression.parts:
        return expression
    if expression not in cache:
        cache[expression] = expression.rebuild(
            tuple(_substitute(part, values, cache) for part in expression.parts)
        )
    return cache[expression]


class Leaf(Expression):
    """Abstract: a formula without parts."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[Expression, ...]:
        """None."""
        return ()

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """Itself."""
        del parts
        return self


@attrs.frozen(slots=True, eq=False, repr=False, str=False)
class Number(Leaf):
    """An exact rational."""

    value: Fraction

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is Number
            and self.value.as_integer_ratio() == other.value.as_integer_ratio()
        )

    def __hash__(self) -> int:
        return hash(self.value.as_integer_ratio())

    def __float__(self) -> float:
        return float(self.value)


@attrs.frozen(slots=True, eq=False, repr=False, str=False)
class Symbol(Leaf):
    """A parameter with the domain over which every claim about it must hold.

    `origin` is None for a public parameter; otherwise it is what the symbol stands for: a statistic
    of the data, a released number, a record's own budget, a number of all budgets.
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
        return hash(self.name) if self.origin is None else hash((self.name, self.origin))

    @property
    def scope(self) -> Scope:
        """The scope of its origin; DATA, the strictest, for an origin without a scope."""
        if self.origin is None:
            return PUBLIC
        return self.origin.scope if isinstance(self.origin, Origin) else DATA


@attrs.frozen(slots=True, cache_hash=True, repr=False, str=False)
class Sum(Expression):
    """The sum of at least two terms."""

    parts: tuple[Expression, ...]

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """The sum of other terms."""
        return arithmetic.add(*parts)


@attrs.frozen(slots=True, cache_hash=True, repr=False, str=False)
class Product(Expression):
    """The product of at least two factors; a rational factor comes first."""

    parts: tuple[Expression, ...]

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """The product of other factors."""
        return arithmetic.multiply(*parts)


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
        return arithmetic.power(parts[0], self.exponent)


@attrs.frozen(slots=True, cache_hash=True, repr=False, str=False)
class Call(Expression):
    """log, exp, min, max, or the implicit atom analytic_sigma(epsilon, delta)."""

    name: str
    parts: tuple[Expression, ...]

    def rebuild(self, parts: tuple[Expression, ...]) -> Expression:
        """The same function of other arguments."""
        return arithmetic.call(self.name, *parts)


from . import arithmetic  # noqa: E402 - the operators above build with it, and it needs the classes
