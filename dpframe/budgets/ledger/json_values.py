"""Guarantees, units and costs as JSON values with exact numbers as text, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpframe.errors import InvalidArgument
from dpframe.privacy import Guarantee, Unit

from ..filters.prices import KINDS, amounts_of, exactly
from ..saved_ledger import exact_amounts, of_unit
from .accounts import Account, Cost

TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}\+00:00")


def of_guarantee(guarantee: Guarantee) -> dict[str, Any]:
    """`{"kind": "gaussian", "mu^2": "1/25"}`."""
    kind = type(guarantee)
    return {
        "kind": kind.kind,
        **dict(zip(kind.currency, of_amounts(amounts_of(guarantee, kind)), strict=True)),
    }


def guarantee(value: Mapping[str, Any]) -> Guarantee:
    """The guarantee that `of_guarantee` wrote. Raises KeyError or InvalidArgument."""
    kind = KINDS[value["kind"]]
    return exactly(kind, exact_amounts(value[name] for name in kind.currency))


def of_amounts(values: Sequence[Fraction]) -> list[str]:
    """Exact numbers as text, 1/10."""
    return [str(value) for value in values]


def of_account(account: Account) -> dict[str, Any]:
    """An account without its totals."""
    return {
        "dataset": account.dataset,
        "budget": of_guarantee(account.budget),
        "unit": of_unit(account.unit),
        "by": account.by,
        "created": account.created,
        "runs": account.runs,
    }


def of_cost(cost: Cost) -> dict[str, Any]:
    """A cost; its unit is that of the data set."""
    return {
        "guarantees": [of_guarantee(one) for one in cost.guarantees],
        "certificate": cost.certificate,
        "description": cost.description,
    }


def cost(value: Mapping[str, Any], unit: Unit) -> Cost:
    """The cost that `of_cost` wrote. Raises KeyError or InvalidArgument."""
    return _cost(json.dumps(value, sort_keys=True), unit)


@lru_cache(
    maxsize=1024
)  # runs are often repeated, and exact numbers take most of the time of reading
def _cost(text: str, unit: Unit) -> Cost:
    value = json.loads(text)
    alternatives = tuple(guarantee(one) for one in value["guarantees"])
    return Cost(alternatives, unit, value["certificate"], value["description"])


def time(value: object) -> str:
    """A time in UTC as it is written, to the millisecond. Raises InvalidArgument."""
    if not (isinstance(value, str) and TIME.fullmatch(value)):
        raise InvalidArgument("time", "UTC in ISO 8601, to the millisecond", value)
    return value
