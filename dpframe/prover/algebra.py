"""Exact algebra: formulas as rational functions over Q in the graph's symbols (python-flint inside,
never outside this folder).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import Any

import attrs
import flint

from dpframe.symbols import Domain, Expression, Number, Power, Product, Sum, Symbol, multiply, power

Polynomial = Any  # flint.fmpq_mpoly
MAX_TERMS = 20_000


@attrs.frozen(eq=False)
class Ratio:
    """top/bottom, polynomials over Q."""

    top: Polynomial
    bottom: Polynomial

    @property
    def is_zero(self) -> bool:
        """Whether it is identically 0."""
        return bool(self.top.is_zero())

    def __add__(self, other: Ratio) -> Ratio:
        if self.bottom == other.bottom:
            return Ratio(self.top + other.top, self.bottom)
        return Ratio(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __mul__(self, other: Ratio) -> Ratio:
        return Ratio(self.top * other.top, self.bottom * other.bottom)

    @property
    def constant(self) -> Fraction | None:
        """Its value where it is a constant; None otherwise."""
        reduced = self.reduced()
        if not (reduced.top.is_constant() and reduced.bottom.is_constant()) or self.is_zero:
            return None
        value = reduced.top.leading_coefficient() / reduced.bottom.leading_coefficient()
        return Fraction(int(value.p), int(value.q))

    def power(self, exponent: int) -> Ratio:
        """The integer power."""
        top, bottom = (self.top, self.bottom) if exponent >= 0 else (self.bottom, self.top)
        return Ratio(top ** abs(exponent), bottom ** abs(exponent))

    def reduced(self) -> Ratio:
        """Without common factors."""
        common = self.top.gcd(self.bottom)
        return self if common.is_one() else Ratio(self.top / common, self.bottom / common)


class Field:
    """Rational functions over Q in `symbols`; a value with memory, one a verification."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        """Names are ordered, so that equal graphs make equal polynomials."""
        self.symbols = tuple(sorted(set(symbols), key=lambda symbol: symbol.name)) or (
            Symbol("_", Domain(Fraction(0), Fraction(1))),
        )
        self.context = flint.fmpq_mpoly_ctx.get(
            tuple(f"x{i}" for i in range(len(self.symbols))), flint.Ordering.lex
        )
        self.one = self.context.constant(1)
        self._known: dict[Expression, Ratio | None] = {
            symbol: Ratio(generator, self.one)
            for symbol, generator in zip(self.symbols, self.context.gens(), strict=True)
        }

    def ratio(self, formula: Expression) -> Ratio | None:
        """`formula` as a rational function; None where it is not one (a log is left) or is huge."""
        if formula not in self._known:
            self._known[formula] = self._ratio(formula)
        return self._known[formula]

    def _ratio(self, formula: Expression) -> Ratio | None:
        match formula:
            case Number(value):
                return Ratio(
                    self.context.constant(flint.fmpq(value.numerator, value.denominator)), self.one
                )
            case Sum(parts):
                return self._fold(parts, Ratio.__add__)
            case Product(parts):
                return self._fold(parts, Ratio.__mul__)
            case Power(base, exponent) if exponent.denominator == 1:
                return self._power(self.ratio(base), int(exponent))
        return None

    def _power(self, inner: Ratio | None, exponent: int) -> Ratio | None:
        if inner is None or (exponent < 0 and inner.is_zero):
            return None
        most = max(len(inner.top), len(inner.bottom)) - 1  # terms of a power: C(most + e, most)
        return None if comb(most + abs(exponent), most) > MAX_TERMS else inner.power(exponent)

    def _fold(self, parts: tuple[Expression, ...], combine: Any) -> Ratio | None:
        total: Ratio | None = None
        for part in parts:
            ratio = self.ratio(part)
            if ratio is None:
                return None
            total = ratio if total is None else combine(total, ratio)
            if len(total.top) > MAX_TERMS:
                return None
        return total

    def evaluate(self, polynomial: Polynomial, point: Mapping[Symbol, Fraction]) -> Fraction:
        """The exact value at a point."""
        value = polynomial(
            *(flint.fmpq(point[s].numerator, point[s].denominator) for s in self.symbols)
        )
        return Fraction(int(value.p), int(value.q))

    def product(self, ratio: Ratio) -> Expression | None:
        """The ratio as one product of a number and powers of symbols; None where it is none."""
        one = ratio.reduced()
        parts: list[Expression] = []
        for side, sign in ((one.top, 1), (one.bottom, -1)):
            terms = list(side.to_dict().items())
            if len(terms) != 1:
                return None
            exponents, c = terms[0]
            parts.append(power(Fraction(int(c.p), int(c.q)), sign))
            parts += [power(s, sign * int(k)) for s, k in zip(self.symbols, exponents, strict=True)]
        return multiply(*parts)

    def modulo(self, ratio: Ratio, root: Symbol, degree: int, whole: Ratio) -> Ratio:
        """The same ratio where root^degree = `whole`, without that power of `root` or higher ones.
        As it is, where `whole` is no polynomial.
        """
        if not whole.bottom.is_constant():
            return ratio
        place, base = self.symbols.index(root), whole.top / whole.bottom.leading_coefficient()
        sides = (ratio.top, ratio.bottom)
        return Ratio(*(self._modulo(side, place, degree, base) for side in sides))

    def _modulo(self, side: Polynomial, place: int, degree: int, base: Polynomial) -> Polynomial:
        total = self.context.constant(0)
        for exponents, coefficient in side.to_dict().items():
            many, left = divmod(exponents[place], degree)
            lower = (*exponents[:place], left, *exponents[place + 1 :])
            total += self.context.from_dict({lower: coefficient}) * base**many
        return total

    def used(self, polynomial: Polynomial) -> list[int]:
        """The positions of the symbols that occur."""
        return [index for index, degree in enumerate(polynomial.degrees()) if degree > 0]
