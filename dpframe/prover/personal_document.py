"""Personalised targets in files: which symbols each record has of its own, and the groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpframe.privacy import Guarantee, PersonalizedDP
from dpframe.privacy.given import Grouped
from dpframe.privacy.personal import own_symbols_of
from dpframe.symbols import Expression, Symbol, from_json, to_json


def each_of(target: PersonalizedDP) -> dict[str, object]:
    """The names of what each record has of its own; and the groups, where there are any. Budgets
    that were listed record by record are not in the file: the ranges of the symbols hold them.
    """
    found: dict[str, object] = {"own": [symbol.name for symbol in own_symbols_of(target.each)]}
    if not target.groups:
        return found
    grouped = [one for one in target.given.values() if isinstance(one, Grouped)]
    shares = target.shares
    return {
        **found,
        "groups": list(target.groups),
        "amounts": {one.name: [to_json(amount) for amount in one.amounts] for one in grouped},
        "shares": None if shares is None else [str(shares[name]) for name in target.groups],
    }


def personal_target(
    each: Guarantee, spec: Mapping[str, Any], symbols: Mapping[str, Symbol]
) -> PersonalizedDP:
    """The target of a file. Raises InvalidArgument."""
    plain: dict[str, Any] = {name: getattr(each, name) for name in each.parameters}
    if "groups" not in spec:
        return PersonalizedDP(**plain)
    names = spec["groups"]
    for parameter, amounts in spec["amounts"].items():
        formulas: list[Expression] = [from_json(amount, symbols) for amount in amounts]
        plain[parameter] = dict(zip(names, formulas, strict=True))
    shares = None if spec["shares"] is None else dict(zip(names, spec["shares"], strict=True))
    return PersonalizedDP(**plain, shares=shares)
