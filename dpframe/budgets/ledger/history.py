"""Single charges, read from the file again: a book keeps their sums alone. A ledger as JSON, for
people and other programs, is read by no function of dpframe.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Unit

from . import json_values
from .accounts import Account, Charge, Total
from .chain import BEGINNING, NAME, ChainEntry, believed


def charge_of(entry: ChainEntry, content: Mapping[str, Any], unit: Unit) -> Charge:
    """The charge that an entry states."""
    return Charge(
        number=entry.number,
        hash=entry.hash,
        dataset=entry.dataset,
        cost=json_values.cost(content["cost"], unit),
        prices={kind: json_values.amounts(one) for kind, one in content["prices"].items()},
        time=json_values.time(entry.time),
    )


def charges_of(entries: Iterable[ChainEntry], units: Mapping[str, Unit]) -> dict[int, Charge]:
    """The charges of data sets of these units, by number, in order. Raises BadLedger for what is no
    charge.
    """
    found: dict[int, Charge] = {}

    def read(entry: ChainEntry, content: Mapping[str, Any]) -> None:
        if entry.action == "charge":
            found[entry.number] = charge_of(entry, content, units[entry.dataset])
            return
        charge = found[content["charge"]]
        if charge.released is not None or charge.dataset != entry.dataset:
            raise InvalidArgument("charge", "one of this data set, released once", "another")
        found[charge.number] = attrs.evolve(charge, released=json_values.time(entry.time))

    for entry in entries:
        if entry.action in {"charge", "released"} and entry.dataset in units:
            believed(entry, read)
    return found


def exported(accounts: Sequence[Account], entries: Sequence[ChainEntry]) -> str:
    """Budgets, totals and charges with exact numbers as text, and every entry of the chain."""
    number, head = entries[-1].head if entries else BEGINNING
    units = {one.dataset: one.unit for one in accounts if one.unit is not None}
    charges = charges_of(entries, units).values()
    whole = {
        "format": NAME,
        "head": head,
        "length": number,
        "datasets": [
            _account(one, [charge for charge in charges if charge.dataset == one.dataset])
            for one in accounts
        ],
        "chain": [entry._asdict() for entry in entries],
    }
    return json.dumps(whole, indent=1) + "\n"


def _account(account: Account, charges: Iterable[Charge]) -> dict[str, Any]:
    return {
        **json_values.of_account(account),
        "totals": [_total(total) for total in account.totals],
        "unfinished": account.unfinished,
        "charges": [_charge(charge) for charge in charges],
    }


def _total(total: Total) -> dict[str, Any]:
    names = total.kind.currency
    amounts = (total.state.spent, total.state.remaining)
    spent, left = (dict(zip(names, json_values.of_amounts(one), strict=True)) for one in amounts)
    return {"ceiling": json_values.of_guarantee(total.ceiling), "spent": spent, "remaining": left}


def _charge(charge: Charge) -> dict[str, Any]:
    return {
        "number": charge.number,
        "hash": charge.hash,
        **json_values.of_cost(charge.cost),
        "prices": {kind: json_values.of_amounts(one) for kind, one in charge.prices.items()},
        "status": charge.status,
        "charged": charge.time,
        "released": charge.released,
    }
