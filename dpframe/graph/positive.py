"""Formulas that must be positive: bounds, divisors."""

from __future__ import annotations

from dpframe.errors import InvalidArgument
from dpframe.symbols import Expression, Number, Symbol, exact


def positive(value: object, name: str = "norm") -> Expression:
    """An exact formula; a number must be positive, and a public parameter's range. The verifier
    judges everything else. Raises InvalidArgument.
    """
    bound = exact(value, name)
    wrong = isinstance(bound, Number) and bound.value <= 0
    if wrong or (isinstance(bound, Symbol) and bound.origin is None and not bound.domain.positive):
        raise InvalidArgument(
            name,
            "positive",
            str(bound),
            "A bound is a public number, or dp.parameter(name) with a positive range.",
        )
    return bound
