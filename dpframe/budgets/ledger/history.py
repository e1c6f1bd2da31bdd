"""Accounts for readers: single charges, JSON, a table and a picture in notebooks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from importlib import import_module
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.notebooks import bar, card, pyplot, sentences
from dpframe.privacy import Unit

from ..filters.prices import Total
from ..saved_ledger import exact_amounts
from . import json_values
from .accounts import Account, Charge
from .chain import BEGINNING, NAME, ChainEntry, validated

# Single charges, read from the file again: a book keeps their sums alone. A ledger as JSON, for
# people and other programs, is read by no function of dpframe.


def charge_of(entry: ChainEntry, content: Mapping[str, Any], unit: Unit) -> Charge:
    """The charge that an entry states."""
    return Charge(
        number=entry.number,
        hash=entry.hash,
        dataset=entry.dataset,
        cost=json_values.cost(content["cost"], unit),
        prices={kind: exact_amounts(one) for kind, one in content["prices"].items()},
        time=json_values.time(entry.time),
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
            raise InvalidArgument("charge", "one of this data set, released once", "another")
        found[charge.number] = attrs.evolve(charge, released=json_values.time(entry.time))

    for entry in entries:
        if entry.action in {"charge", "released"} and entry.dataset in units:
            validated(entry, read)
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
            _record(one, [charge for charge in charges if charge.dataset == one.dataset])
            for one in accounts
        ],
        "chain": [entry._asdict() for entry in entries],
    }
    return json.dumps(whole, indent=1) + "\n"


def _record(account: Account, charges: Iterable[Charge]) -> dict[str, Any]:
    return {
        **json_values.of_account(account),
        "totals": [_total(total) for total in account.totals],
        "unfinished": account.unfinished,
        "charges": [_charge(charge) for charge in charges],
    }


def _total(total: Total) -> dict[str, Any]:
    spent, left = (
        dict(zip(total.kind.currency, json_values.of_amounts(amounts), strict=True))
        for amounts in (total.spent, total.remaining)
    )
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


# ---------------------------------------- In a notebook: the spent part of each budget, over time
def ledger_html(accounts: Sequence[Account]) -> str:
    """A card an account: its budget, the spent part in words and as a bar, its runs."""
    return "".join(map(_card, accounts)) or card("a ledger without data sets")


def _card(account: Account) -> str:
    unit, spent, fits, runs = account.lines
    pairs = zip(account.main.spent, account.main.most or (), strict=True)
    shares = [float(part / whole) for part, whole in pairs if whole]
    words = sentences([unit, f"{spent}; {runs}", fits])
    return card(f"{account.dataset}: {account.budget}", words, *map(bar, shares))


def draw(account: Account, charges: Sequence[Charge], ax: Any = None) -> Any:
    """A step a run for each amount of the main total, in shares of its ceiling."""
    axes = pyplot().subplots(layout="constrained")[1] if ax is None else ax
    dates: Any = import_module("matplotlib.dates")

    kind = account.main.kind
    times = [datetime.fromisoformat(charge.time) for charge in charges]
    begin = [datetime.fromisoformat(account.created), *times]
    for place, (name, whole) in enumerate(zip(kind.currency, account.main.most or (), strict=True)):
        if not whole:
            continue
        total, steps = Fraction(0), [0.0]
        for charge in charges:
            total += charge.prices[kind.kind][place]
            steps.append(float(100 * total / whole))
        label = f"{name}, of {float(whole):.4g}"
        (line,) = axes.step(begin, steps, where="post", label=label)
        axes.plot(begin[1:], steps[1:], "o", color=line.get_color(), markersize=4)
    axes.axhline(100, color="grey", linewidth=0.8, linestyle="--")
    axes.set(ylim=(0, 105), ylabel="spent, % of the budget")
    axes.set_title(f"{account.dataset}: {account.budget}", fontsize="medium")
    axes.legend(loc="upper left", fontsize="small")
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(axes.xaxis.get_major_locator()))
    return axes
