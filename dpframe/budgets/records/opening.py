"""Columns with nothing spent, of the budgets that a person gives."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dpframe.errors import InvalidArgument

from ..filters.prices import Kind, exactly
from .amounts import amounts_of, array_of, columns_of, is_one
from .column import Column
from .grouped import new_groups
from .members import members
from .single import new_singles


def opened(budgets: object, groups: object, kind: Kind) -> tuple[Column, ...]:
    """One column a currency. Raises InvalidArgument."""
    if isinstance(budgets, Mapping):
        return _grouped(budgets, groups, kind)
    if groups is not None or is_one(budgets, kind):
        wanted = "a mapping from groups to budgets, with groups=; or an array of one a record"
        way_out = "One budget for all is {'all': budget}, groups=numpy.zeros(n, int)."
        raise InvalidArgument("budgets", wanted, type(budgets).__name__, way_out)
    given = [array_of("budget", each, None) for each in columns_of("budget", budgets, kind)]
    if len({len(each) for each in given}) > 1 or (len(given) > 1 and not (given[1] < 1).all()):
        wanted = "as many deltas as epsilons, each delta below 1"
        raise InvalidArgument("budgets", wanted, "other arrays")
    columns = [new_singles(each) for each in given]
    return tuple(columns)


def _grouped(budgets: Mapping[object, object], groups: object, kind: Kind) -> tuple[Column, ...]:
    if groups is None:
        way_out = "Give groups=, a name or the place of a name in the budgets, for each record."
        raise InvalidArgument("groups", "an array of one group a record", None, way_out)
    everybody = members(list(budgets), groups)
    rows = [_budget(budgets[name], kind) for name in everybody.names]
    return tuple(new_groups(everybody, column) for column in zip(*rows, strict=True))


def _budget(given: object, kind: Kind) -> tuple[Fraction, ...]:
    amounts = amounts_of("budget", given, kind)
    exactly(kind, amounts)  # refuses what is out of range, such as a delta of 0
    return amounts
