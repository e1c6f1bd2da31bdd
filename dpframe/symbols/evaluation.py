"""Formulas in any arithmetic that encloses numbers: balls, intervals, intervals of doubles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Generic, TypeVar

import attrs

from .expression import Call, Expression, Number, Power, Product, Sum, Symbol

Value = TypeVar("Value")


@attrs.frozen(eq=False)
class Arithmetic(Generic[Value]):
    """How numbers are written, added, multiplied and raised, and the functions by their names; a
    minimum and a maximum of two.
    """

    number: Callable[[Fraction], Value]
    plus: Callable[[Value, Value], Value]
    times: Callable[[Value, Value], Value]
    power: Callable[[Value, Fraction], Value]
    calls: Mapping[str, Callable[..., Value]]

    def value(
        self, formula: Expression, values: Mapping[str, Value], known: dict[Expression, Value]
    ) -> Value:
        """The formula where each symbol, by name, has its value; each part of it once, `known`."""
        if formula not in known:
            known[formula] = self._found(formula, values, known)
        return known[formula]

    def _found(
        self, formula: Expression, values: Mapping[str, Value], known: dict[Expression, Value]
    ) -> Value:
        match formula:
            case Number(value):
                return self.number(value)
            case Symbol(name, _, _):
                return values[name]
        parts = [self.value(part, values, known) for part in formula.parts]
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
