"""Accounts, costs and charges as JSON values with exact numbers as text, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.privacy import Guarantee, Unit

from ..filters.prices import KINDS, amounts_of, exactly
from ..saved_ledger import exact_amounts, of_unit
from .accounts import Account, Charge, Cost, check_line
from .chain import BEGINNING, NAME, ChainEntry, validated

TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}\+00:00")


def of_guarantee(guarantee: Guarantee) -> dict[str, Any]:
    """`{"kind": "gaussian", "mu^2": "1/25"}`."""
    kind = type(guarantee)
    amounts = of_amounts(amounts_of(guarantee, kind))
    return {"kind": kind.kind, **dict(zip(kind.currency, amounts, strict=True))}


def guarantee(value: Mapping[str, Any]) -> Guarantee:
    """The guarantee that `of_guarantee` wrote. Raises KeyError or InvalidArgument."""
    kind = KINDS[value["kind"]]
    return exactly(kind, exact_amounts(value[name] for name in kind.currency))


def of_amounts(values: Sequence[Fraction]) -> list[str]:
    """Exact numbers as text, 1/10."""
    return [str(value) for value in values]


def of_account(account: Account) -> dict[str, Any]:
    """An account; its totals with what is spent of their ceilings."""
    return {
        "dataset": account.dataset,
        **of_opening(account.budget, account.unit, account.by),
        "created": account.created,
        "totals": [
            {"ceiling": of_guarantee(total.ceiling), "spent": of_amounts(total.spent)}
            for total in account.totals
        ],
        "runs": account.runs,
        "unfinished": account.unfinished,
    }


def of_opening(budget: Guarantee, unit: Unit | None, by: str | None) -> dict[str, Any]:
    """An account as it is opened."""
    return {"budget": of_guarantee(budget), "unit": of_unit(unit), "by": by}


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


@lru_cache(maxsize=1024)  # runs are often repeated, and exact numbers take long to read
def _cost(text: str, unit: Unit) -> Cost:
    value = json.loads(text)
    alternatives = tuple(guarantee(one) for one in value["guarantees"])
    return Cost(alternatives, unit, value["certificate"], value["description"])


def of_note(text: str) -> dict[str, str]:
    """The entry of a note in the content of a charge; none where there is no note."""
    return {"note": text} if text else {}


def note(content: Mapping[str, Any]) -> str:
    """The note that a charge states, or "". Raises InvalidArgument."""
    return check_line("note", content.get("note", ""))


def time(value: object) -> str:
    """A time in UTC as it is written, to the millisecond. Raises InvalidArgument."""
    if not (isinstance(value, str) and TIME.fullmatch(value)):
        raise InvalidArgument("time", "UTC in ISO 8601, to the millisecond", value)
    return value


def charge_of(entry: ChainEntry, content: Mapping[str, Any], unit: Unit) -> Charge:
    """The charge that an entry states."""
    return Charge(
        number=entry.number,
        hash=entry.hash,
        dataset=entry.dataset,
        cost=cost(content["cost"], unit),
        prices={kind: exact_amounts(one) for kind, one in content["prices"].items()},
        time=time(entry.time),
        note=note(content),
    )


def charges_of(entries: Iterable[ChainEntry], units: Mapping[str, Unit]) -> dict[int, Charge]:
    """The charges of data sets of these units, by number, in order. Raises BadLedger for another
    entry.
    """
    found: dict[int, Charge] = {}

    def read(entry: ChainEntry, content: Mapping[str, Any]) -> None:
        if entry.action == "charge":
            found[entry.number] = charge_of(entry, content, units[entry.dataset])
            return
        charge = found[content["charge"]]
        if charge.released is not None or charge.dataset != entry.dataset:
            raise InvalidArgument("charge", "one of this data set, released once", Plain("another"))
        found[charge.number] = attrs.evolve(charge, released=time(entry.time))

    for entry in entries:
        if entry.action in {"charge", "released"} and entry.dataset in units:
            validated(entry, read)
    return found


def exported(accounts: Sequence[Account], entries: Sequence[ChainEntry]) -> str:
    """Every account, and every entry of the chain, for people and other programs: no function of
    dpframe reads it.
    """
    number, head = entries[-1].head if entries else BEGINNING
    whole = {
        "format": NAME,
        "head": head,
        "length": number,
        "datasets": list(map(of_account, accounts)),
        "chain": [entry._asdict() for entry in entries],
    }
    return json.dumps(whole, indent=1) + "\n"
