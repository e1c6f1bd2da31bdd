"""A ledger as JSON, for people and other programs. It is read by no function of dpframe."""

from __future__ import annotations

import json
from typing import Any

from . import documents
from .account import Account, Charge
from .book import Book
from .chain import NAME
from .rules import Total


def exported(book: Book) -> str:
    """Budgets, totals and charges with exact numbers as text, and every entry of the chain."""
    number, head = book.head
    whole = {
        "format": NAME,
        "head": head,
        "length": number,
        "datasets": [_account(book, one) for one in book.accounts.values()],
        "chain": [entry._asdict() for entry in book.entries],
    }
    return json.dumps(whole, indent=1) + "\n"


def _account(book: Book, account: Account) -> dict[str, Any]:
    return {
        "dataset": account.dataset,
        "budget": documents.of_guarantee(account.budget),
        "unit": None if account.unit is None else documents.of_unit(account.unit),
        "by": account.by,
        "created": account.created,
        "totals": [_total(total) for total in account.totals],
        "runs": account.runs,
        "unfinished": account.unfinished,
        "charges": [_charge(charge) for charge in book.charges_of(account.dataset)],
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
