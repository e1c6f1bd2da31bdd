"""Whose privacy a saved budget is for, as a JSON value and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpframe.errors import InvalidArgument
from dpframe.privacy import Relation, Unit, number


def check_unit(unit: object) -> Unit:
    """`unit`, if it is a Unit whose rows_per_person is a number. Raises InvalidArgument."""
    if type(unit) is not Unit:
        raise InvalidArgument("unit", "a Unit, as certificate.setting.unit is", unit)
    number("rows_per_person", unit.rows_per_person)
    return unit


def of_unit(unit: Unit) -> dict[str, Any]:
    """`{"relation": "add_remove", "rows_per_person": 1}`."""
    rows = int(number("rows_per_person", unit.rows_per_person))
    return {"relation": unit.relation.value, "rows_per_person": rows}


def unit_of(value: Mapping[str, Any]) -> Unit:
    """The unit that `of_unit` wrote. Raises KeyError, ValueError or InvalidArgument."""
    return Unit(Relation(value["relation"]), value["rows_per_person"])
