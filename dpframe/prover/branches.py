"""Bounds on products with minima and roots in them: a minimum is at most each of its arguments, and
what else is no rational function is some positive number.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpframe.symbols import (
    Call,
    Domain,
    Expression,
    Number,
    Power,
    Product,
    Symbol,
    multiply,
    power,
)

from .algebra import Field
from .problem import Problem
from .resolve import resolve
from .sign import nonnegative, positive_size, quick_sign

ONE = Number(Fraction(1))
MOST = 64  # bounds that are tried


def at_most(problem: Problem, amount: Expression, most: Expression) -> bool:
    """Whether some bound on `amount` is shown to be at most `most` for all values of all symbols.
    False says nothing.
    """
    for _, bound in zip(range(MOST), bounds(amount), strict=False):
        unknown = _unknowns(most - bound, problem)
        field = Field((*problem.symbols, *unknown.values()))
        if nonnegative(resolve(most - bound, field, unknown), field).proved:
            return True
    return False


def bounds(amount: Expression) -> Iterator[Expression]:
    """Formulas that are at least `amount`: itself; and, where a minimum is one of its factors, or a
    maximum divides it, and everything is positive, the same with one of the arguments instead.
    """
    yield amount
    parts = amount.parts if isinstance(amount, Product) else (amount,)
    for place, part in enumerate(parts):
        others = [*parts[:place], *parts[place + 1 :]]
        if all(quick_sign(other) > 0 for other in others):
            for larger in _larger(part):
                yield from bounds(multiply(larger, *others))


def _larger(part: Expression) -> list[Expression]:
    """Formulas that are at least a factor: the arguments of a minimum, 1/argument of 1/maximum."""
    if isinstance(part, Call) and part.name == "min":
        return list(part.parts)
    divides = isinstance(part, Power) and part.exponent < 0
    base = part.base if isinstance(part, Power) else part
    if not (divides and isinstance(part, Power) and isinstance(base, Call) and base.name == "max"):
        return []
    return [power(one, part.exponent) for one in base.parts if quick_sign(one) > 0]


def _unknowns(formula: Expression, problem: Problem) -> dict[Expression, Symbol]:
    """Every call, and every root, that is not inside another: a positive number where it is one."""
    found = sorted(set(_outermost(formula)), key=str)
    positive = [one for one in found if positive_size(one, problem.field)]
    return {one: Symbol(f"part {i}", Domain(Fraction(0))) for i, one in enumerate(positive)}


def _outermost(formula: Expression) -> Iterator[Expression]:
    root = isinstance(formula, Power) and formula.exponent.denominator > 1
    if isinstance(formula, Call) or root:
        yield formula
        return
    for part in formula.parts:
        yield from _outermost(part)
