"""Formulas of the language in the kernel's ring, where a proof of a sign is searched for when it is
needed. What is shown here, the kernel shows.

Formulas as rigorous enclosures: ball arithmetic at numbers and on boxes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import flint

from dpframe.exact.documents import Refused
from dpframe.exact.formula import Formula
from dpframe.exact.ring import Ring
from dpframe.numerics.calibrate import analytic_sigma_ball
from dpframe.numerics.rounding import arb_float, arb_lower, arb_upper, working
from dpframe.symbols import Call, Expression, Number, Symbol
from dpframe.symbols.text import Arithmetic

from .witnesses import SearchedSteps, exactly

Ball = Any  # flint.arb
BITS = 128


def rational_ball(value: Fraction) -> Ball:
    """An enclosure of an exact rational."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def enclose(
    formula: Expression, values: Mapping[str, Ball], known: dict[Expression, Ball] | None = None
) -> Ball:
    """An enclosure of `formula` where each symbol, by name, lies in its ball; not finite where a
    part is undefined.
    """
    with working(BITS):
        return BALLS.value(formula, values, {} if known is None else known)


def _power(base: Ball, exponent: Fraction) -> Ball:
    if exponent.denominator == 1:
        return base ** int(exponent)
    if exponent.denominator == 2:
        return base.sqrt() ** int(exponent.numerator)
    return (base.log() * rational_ball(exponent)).exp()


BALLS: Arithmetic[Ball] = Arithmetic(
    rational_ball,
    operator.add,
    operator.mul,
    _power,
    {
        "log": flint.arb.log,
        "exp": flint.arb.exp,
        "min": flint.arb.min,
        "max": flint.arb.max,
        "analytic_sigma": analytic_sigma_ball,
    },
)


def at_point(formulas: Sequence[Expression], point: Mapping[str, Fraction]) -> list[Ball]:
    """Enclosures of formulas at exact numbers, by name."""
    balls = {name: rational_ball(value) for name, value in point.items()}
    known: dict[Expression, Ball] = {}
    return [enclose(formula, balls, known) for formula in formulas]


def ends_of(formula: Expression) -> tuple[Fraction, Fraction] | None:
    """Bounds on a formula, exact for a number; None where it has a symbol, or is undefined."""
    if isinstance(formula, Number):
        return formula.value, formula.value
    ball = None if formula.symbols() else enclose(formula, {})
    return None if ball is None or not ball.is_finite() else (arb_lower(ball), arb_upper(ball))


def number(formula: Expression, values: Mapping[str, Fraction], *, up: bool) -> float:
    """The value of `formula` at exact numbers as a double, rounded up or down."""
    return float(arb_float(at_point([formula], values)[0], up=up))


def atoms(formula: Expression) -> frozenset[Call]:
    """Every function call in the formula."""
    inner: frozenset[Call] = frozenset().union(*(atoms(part) for part in formula.parts))
    return inner | {formula} if isinstance(formula, Call) else inner


def substituted(formula: Expression, replaced: Mapping[Any, Expression]) -> Expression:
    """The formula with other formulas in place of some."""
    if formula in replaced:
        return replaced[formula]
    if not formula.parts:
        return formula
    return formula.rebuild(tuple(substituted(part, replaced) for part in formula.parts))


Point = Mapping[Symbol, Fraction]


class Field:
    """Formulas in `symbols`, and in others of other names, which stay in memory: one for each
    verification.
    """

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        """Names are ordered, so that equal graphs make equal formulas."""
        self.symbols = tuple(sorted(set(symbols), key=lambda symbol: symbol.name))
        self.ring = Ring(SearchedSteps())
        self.ring.symbols = {one.name: _atom(self.ring, one) for one in self.symbols}
        self._arithmetic = _arithmetic(self.ring)
        self._known: dict[Expression, Formula] = {}
        self._undefined: set[Expression] = set()
        self._own = {symbol.name: symbol for symbol in self.symbols}

    def formula(self, formula: Expression) -> Formula | None:
        """The formula in the ring; None where it is not shown to be defined on the whole domain."""
        if formula in self._undefined:
            return None
        for symbol in formula.symbols():
            if self._own.setdefault(symbol.name, symbol) != symbol:
                return None
            if symbol.name not in self.ring.symbols:
                self.ring.symbols[symbol.name] = _atom(self.ring, symbol)
        self.ring.work = 0  # the limit is for each formula: the kernel has one for a certificate
        try:
            return self._arithmetic.value(formula, self.ring.symbols, self._known)
        except Refused:
            self._undefined.add(formula)
            return None

    def shown(self, formula: Expression, *, strict: bool) -> bool:
        """Whether it is shown to be defined and >= 0 (> 0 where `strict`) on the whole domain."""
        in_ring = self.formula(formula)
        with suppress(Refused):  # more work than one sign is worth
            return in_ring is not None and self.ring.prove(in_ring, strict=strict)
        return False

    def rational(self, formula: Expression) -> bool:
        """Whether it is shown to be a quotient of polynomials in the symbols."""
        in_ring = self.formula(formula)
        return in_ring is not None and is_rational(in_ring)

    def constant(self, formula: Expression) -> Fraction | None:
        """The number that a formula is; None for any other."""
        in_ring = self.formula(formula)
        with suppress(Refused):
            return None if in_ring is None else self.ring.factored(in_ring).constant
        return None

    def equal(self, one: Expression, other: Expression) -> bool:
        """Whether two formulas, both positive, are shown to be the same."""
        f, g = self.formula(one), self.formula(other)
        if f is None or g is None:
            return False
        with suppress(Refused):
            return not self.ring.clear(f - g)[0] or not self.ring.clear(f**2 - g**2)[0]
        return False

    def value(self, formula: Expression, point: Point) -> Fraction | None:
        """The exact value at a point, where it is seen to be rational."""
        in_ring = self.formula(formula)
        at = {symbol.name: number for symbol, number in point.items()}
        return None if in_ring is None else exactly(self.ring, in_ring, at)


def is_rational(f: Formula) -> bool:
    """Whether a formula is a quotient of polynomials in symbols."""
    atoms = [(f.ring.atoms[g], e) for mono in f.terms for g, e in mono]
    whole = all(e.denominator == 1 and one.kind in ("symbol", "sum") for one, e in atoms)
    return whole and all(is_rational(arg) for one, _ in atoms for arg in one.args)


def _atom(ring: Ring, symbol: Symbol) -> Formula:
    return ring.symbol(symbol.name, symbol.domain.span.whole)


def _arithmetic(ring: Ring) -> Arithmetic[Formula]:
    calls: dict[str, Callable[..., Formula]] = {
        name: lambda *parts, own=name: ring.called(own, parts)
        for name in ("min", "max", "exp", "analytic_sigma")
    }
    plus, times, power = Formula.__add__, Formula.__mul__, Formula.__pow__
    return Arithmetic(ring.lift, plus, times, power, {**calls, "log": ring.log})
