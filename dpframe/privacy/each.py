"""One record's own budget as a symbol: what is proved for it is proved for every record."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.errors import check_word
from dpframe.symbols import RECORD, Expression, Origin, Scope, Symbol, parameter

BUDGETS = {"epsilon": None, "delta": 1, "rho": None, "mu": None}


@attrs.frozen
class Each(Origin):
    """The origin of a symbol that stands for a number which each record has of its own; `public`,
    whether anybody may know it of everybody.
    """

    scope: ClassVar[Scope] = RECORD
    public: bool = True


def each(
    name: str, lower: object = 0, upper: object = None, *, closed: str = "neither"
) -> Expression:
    """Every record's own epsilon, delta, rho or mu, public and anywhere in (lower, upper): what
    dp.PersonalizedDP is certified for when no budgets are given yet. Raises InvalidArgument.

    >>> each("epsilon"), each("epsilon", upper=1).symbols() == each("epsilon").symbols()
    (epsilon, False)
    """
    check_word("name", name, BUDGETS, f"one of {', '.join(BUDGETS)}")
    most = BUDGETS[name] if upper is None else upper
    return attrs.evolve(parameter(name, lower, most, closed=closed), origin=Each())


def own_symbols(formula: Expression) -> list[Symbol]:
    """The symbols of a formula that each record has of its own, by name."""
    found = [symbol for symbol in formula.symbols() if isinstance(symbol.origin, Each)]
    return sorted(found, key=lambda symbol: symbol.name)
