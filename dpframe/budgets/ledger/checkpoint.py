"""Checkpoints: what all entries before one add up to, as an entry of the chain itself.

Whoever reads past a checkpoint computes it again and compares; whoever opens a long file begins at
the last but one, so that the last is computed again there too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from dpframe.errors import InvalidArgument

from ..filters.prices import KINDS
from ..kept import unit_of
from . import json_values
from .accounts import Account, Total, total_of
from .names import check_name
from .plan import check_budget, check_by, check_kept

EVERY = 500  # entries from one checkpoint to the next, at least
SHARE = 25  # what it lists, accounts and unfinished runs, may be that many times the entries


def due(since: int, listed: int) -> bool:
    """Whether one is due `since` entries after the last, where it would list so many things: a
    fixed cost an entry on average, whatever the number of data sets.
    """
    return since >= max(EVERY, listed // SHARE)


def document(accounts: Iterable[Account], waiting: Mapping[int, str]) -> dict[str, Any]:
    """Every account, and which of its charges are not known to have been released."""
    numbers = defaultdict(list)
    for number, dataset in waiting.items():
        numbers[dataset].append(number)
    return {"accounts": [_of(one, sorted(numbers[one.dataset])) for one in accounts]}


def read(content: Mapping[str, Any], before: int) -> tuple[dict[str, Account], dict[int, str]]:
    """The accounts and unfinished charges that `document` wrote. Raises InvalidArgument, KeyError
    or ValueError for what no entries with numbers below `before` could have added up to.
    """
    (accounts, waiting) = {}, {}  # type: tuple[dict[str, Account], dict[int, str]]
    for value in content["accounts"]:
        account = _account(value)
        accounts[account.dataset] = account
        waiting |= dict.fromkeys(value["unfinished"], account.dataset)
    right = all(type(number) is int and 0 < number < before for number in waiting)
    if not right or document(accounts.values(), waiting) != content:
        raise InvalidArgument("checkpoint", "what it adds up to", "something else")
    return accounts, waiting


def _of(account: Account, unfinished: list[int]) -> dict[str, Any]:
    totals = [_of_total(total) for total in account.totals]
    return {**json_values.of_account(account), "totals": totals, "unfinished": unfinished}


def _of_total(total: Total) -> dict[str, Any]:
    spent = json_values.of_amounts(total.state.spent)
    return {"ceiling": json_values.of_guarantee(total.ceiling), "spent": spent}


def _account(value: Mapping[str, Any]) -> Account:
    check_name(value["dataset"])
    budget = check_budget(json_values.guarantee(value["budget"]))
    by, runs = value["by"], value["runs"]
    check_by(budget, None if by is None else KINDS[by])
    if type(runs) is not int or not 0 <= len(value["unfinished"]) <= runs:
        raise InvalidArgument("runs", "at least those that are unfinished", runs)
    totals = tuple(
        total_of(json_values.guarantee(one["ceiling"]), json_values.amounts(one["spent"]), runs)
        for one in value["totals"]
    )
    check_kept(budget, tuple(total.ceiling for total in totals))
    unit = None if value["unit"] is None else unit_of(value["unit"])
    if runs and (unit is None or not totals):
        raise InvalidArgument("unit and totals", "settled before the first charge", "open")
    return Account(
        dataset=value["dataset"],
        budget=budget,
        unit=unit,
        by=by,
        created=json_values.time(value["created"]),
        totals=totals,
        runs=runs,
        unfinished=len(value["unfinished"]),
    )
