"""Budgets of a personalised target, as a ledger of records reads them."""

from __future__ import annotations

from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.numerics import to_float
from dpframe.privacy import GaussianDP, Guarantee, PersonalizedDP, number
from dpframe.privacy.personal import Grouped, Listed
from dpframe.symbols import exact

from ..filters.prices import Kind, kind_of


def budgets_and_kind(
    budgets: object, kind: type[Guarantee] | None, *, up: bool = False
) -> tuple[object, Kind]:
    """Budgets as they are, or those of a personalised target; and what adds up. Squares of listed
    mus, and a common delta, are rounded down, or `up` where they are to be charged. Raises
    InvalidArgument.
    """
    if not isinstance(budgets, PersonalizedDP):
        return budgets, kind_of(kind)
    found = kind_of(type(budgets.each))
    if kind is not None and kind_of(kind) is not found:
        raise InvalidArgument("kind", f"{found.__name__}, that of the target", kind)
    return (_grouped(budgets) if budgets.groups else _listed(budgets, up=up)), found


def _grouped(target: PersonalizedDP) -> dict[str, Guarantee]:
    """A guarantee a group."""
    named = {name: _amounts(one, len(target.groups)) for name, one in target.given.items()}
    each: Any = target.each
    return {
        group: attrs.evolve(each, **{name: amounts[k] for name, amounts in named.items()})
        for k, group in enumerate(target.groups)
    }


def _amounts(given: object, count: int) -> tuple[object, ...]:
    return given.amounts if isinstance(given, Grouped) else (given,) * count


def _double(common: object, *, up: bool) -> float:
    """A number that all records share. Raises InvalidArgument for a parameter."""
    return to_float(number("budget", exact(common)), up=up)


def _listed(target: PersonalizedDP, *, up: bool) -> Any:
    """One array; of epsilon and delta a pair of arrays."""
    lists = [one for one in target.given.values() if isinstance(one, Listed)]
    if not lists:
        way_out = "Give numbers: an array of one a record, or groups."
        raise InvalidArgument("budgets", "of numbers", str(target), way_out)
    import numpy as np

    count = len(lists[0].numbers)
    columns = [
        one.numbers if isinstance(one, Listed) else np.full(count, _double(one, up=up))
        for one in target.given.values()
    ]
    if isinstance(target.each, GaussianDP):
        away = np.inf if up else 0
        moved = np.nextafter(columns[0], away)  # beyond the decimal that the double means
        return np.nextafter(moved * moved, away)
    return columns[0] if len(columns) == 1 else tuple(columns)
