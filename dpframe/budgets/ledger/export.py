"""A ledger as JSON, for people and other programs. It is read by no function of dpframe."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from . import documents
from .account import Account, Charge
from .chain import BEGINNING, NAME, Entry
from .history import charges_of
from .rules import Total


def exported(accounts: Sequence[Account], entries: Sequence[Entry]) -> str:
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
        **documents.of_account(account),
        "totals": [_total(total) for total in account.totals],
        "unfinished": account.unfinished,
        "charges": [_charge(charge) for charge in charges],
    }


def _total(total: Total) -> dict[str, Any]:
    names = total.kind.currency
    amounts = (total.state.spent, total.state.remaining)
    spent, left = (dict(zip(names, documents.of_amounts(one), strict=True)) for one in amounts)
    return {"ceiling": documents.of_guarantee(total.ceiling), "spent": spent, "remaining": left}


def _charge(charge: Charge) -> dict[str, Any]:
    return {
        "number": charge.number,
        "hash": charge.hash,
        **documents.of_cost(charge.cost),
        "prices": {kind: documents.of_amounts(one) for kind, one in charge.prices.items()},
        "status": charge.status,
        "charged": charge.time,
        "released": charge.released,
    }
