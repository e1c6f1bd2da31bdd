"""Accounts in a notebook: what is spent of each budget, and when it was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from importlib import import_module
from typing import Any

from dpframe.notebooks import bar, card, pyplot, sentences

from .accounts import Account, Charge


def ledger_html(accounts: Sequence[Account]) -> str:
    """A card an account: its budget, what is spent in words and as a bar, its runs."""
    return "".join(map(_account, accounts)) or card("a ledger without data sets")


def _account(account: Account) -> str:
    unit = "the unit of privacy of its first run" if account.unit is None else account.unit
    many = f"{account.runs} run{'' if account.runs == 1 else 's'}"
    more = f", {account.unfinished} of them not finished" if account.unfinished else ""
    spent, fits = account.sums
    return card(
        f"{account.dataset}: {account.budget}",
        sentences([f"for {unit}", f"{spent}; {many}{more}", fits]),
        *map(bar, map(float, _shares(account, account.main.state.spent))),
    )


def _shares(account: Account, spent: Sequence[Fraction]) -> list[Fraction]:
    """Of the ceiling of the main total, for each of its amounts that is not 0."""
    pairs = zip(spent, account.main.wholes, strict=True)
    return [part / whole for part, whole in pairs if whole]


def draw(account: Account, charges: Sequence[Charge], ax: Any = None) -> Any:
    """A step a run for each amount of the main total, in shares of its ceiling."""
    axes = pyplot().subplots(layout="constrained")[1] if ax is None else ax
    dates: Any = import_module("matplotlib.dates")

    kind = account.main.kind
    times = [datetime.fromisoformat(charge.time) for charge in charges]
    begun = [datetime.fromisoformat(account.created), *times]
    for place, (name, whole) in enumerate(zip(kind.currency, account.main.wholes, strict=True)):
        if not whole:
            continue
        total, steps = Fraction(0), [0.0]
        for charge in charges:
            total += charge.prices[kind.kind][place]
            steps.append(float(100 * total / whole))
        label = f"{name}, of {float(whole):.4g}"
        (line,) = axes.step(begun, steps, where="post", label=label)
        axes.plot(begun[1:], steps[1:], "o", color=line.get_color(), markersize=4)
    axes.axhline(100, color="grey", linewidth=0.8, linestyle="--")
    axes.set(ylim=(0, 105), ylabel="spent, % of the budget")
    axes.set_title(f"{account.dataset}: {account.budget}", fontsize="medium")
    axes.legend(loc="upper left", fontsize="small")
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(axes.xaxis.get_major_locator()))
    return axes
