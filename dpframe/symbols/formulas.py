"""How rules make formulas of numbers, where numbers are expressions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from dpframe.theory.relations import Relation

from .arithmetic import add
from .expression import Expression, Number
from .parameters import analytic_sigma, exp, log, maximum, minimum


class Formulas:
    """The part of a context of the rule book that makes formulas, of expressions."""

    def __init__(self, relation: Relation | None) -> None:
        self.replaced = relation is not None and relation.replaced
        self.changes = 1 if relation is None else relation.changes

    def number(self, value: int | Fraction) -> Expression:
        """A number as an expression."""
        return Number(Fraction(value))

    def minimum(self, *parts: Expression) -> Expression:
        """The smallest."""
        return minimum(*parts)

    def maximum(self, *parts: Expression) -> Expression:
        """The largest."""
        return maximum(*parts)

    def log(self, f: Expression) -> Expression:
        """The natural logarithm."""
        return log(f)

    def exp(self, f: Expression) -> Expression:
        """The exponential."""
        return exp(f)

    def analytic_sigma(self, epsilon: Expression, delta: Expression) -> Expression:
        """The least std of Gaussian noise that makes a move of 1 (epsilon, delta)-DP."""
        return analytic_sigma(epsilon, delta)

    def total(self, parts: Iterable[Expression]) -> Expression:
        """The sum."""
        return add(*parts)

    def constant(self, f: Expression) -> Fraction | None:
        """The number that an expression is; None for any other."""
        return f.value if isinstance(f, Number) else None

    def same(self, f: Expression, g: Expression) -> bool:
        """Whether two expressions are one tree."""
        return f == g
