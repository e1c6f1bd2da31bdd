"""Charging everybody's own account before a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dpframe.budgets.records.amounts import budgets_and_kind
from dpframe.errors import InvalidArgument
from dpframe.privacy import Guarantee, PersonalizedDP
from dpframe.privacy.personal import Listed, own_symbols_of
from dpframe.prover.at_numbers import AtNumbers
from dpframe.symbols import Expression, Number

if TYPE_CHECKING:
    from dpframe.budgets.records import RecordLedger


def check_records(records: object, *, private: bool) -> None:
    """Refuse what is no ledger of records, and simulations. Raises InvalidArgument."""
    from dpframe.budgets.records import RecordLedger

    if not isinstance(records, RecordLedger):
        raise InvalidArgument("records", "a dp.RecordLedger", type(records).__name__)
    if not private:
        way_out = "Leave rng out, or simulate on data that is no secret without a ledger."
        raise InvalidArgument("rng", "left out where accounts are charged", "given", way_out)


def promised(records: RecordLedger, certificate: AtNumbers, budgets: object) -> Any:
    """What a certificate promises each record, as a cost: one for all, one a group, or an array of
    one a record. Raises InvalidArgument.
    """
    values = {name: Number(value) for name, value in certificate.values.items()}
    target: Guarantee = certificate.target
    if not isinstance(target, PersonalizedDP):
        return target.substitute(values)
    if target.groups:
        return _of_groups(records, target, values, budgets)
    cost, kind = budgets_and_kind(_listed(target, values, budgets), None, up=True)
    if kind is not records.kind:
        way_out = f"dp.RecordLedger(..., kind=dp.{kind.__name__}) adds it."
        raise InvalidArgument("records", f"accounts in {kind.__name__}", records.kind, way_out)
    return cost


def _listed(
    target: PersonalizedDP, values: Mapping[str, Expression], budgets: object
) -> PersonalizedDP:
    """The target with everybody's own number."""
    given: dict[str, Any] = {
        name: one.substitute(values) if isinstance(one, Expression) else one
        for name, one in target.given.items()
    }
    if any(isinstance(one, Listed) for one in given.values()):
        return PersonalizedDP(**given)
    if isinstance(budgets, str) or budgets is None:
        way_out = "Give the column itself, or list the budgets with the target."
        raise InvalidArgument("budgets", "one number a record, to be charged", budgets, way_out)
    return PersonalizedDP(**{**given, own_symbols_of(target.each)[0].name: budgets})


def _of_groups(
    records: RecordLedger,
    target: PersonalizedDP,
    values: Mapping[str, Expression],
    budgets: object,
) -> dict[str, Guarantee]:
    """One a group, where the ledger has the same records in the same groups."""
    same = records.groups is not None and np.array_equal(
        records.groups, np.asarray(budgets).astype(str)
    )
    if not same:
        wanted = "the groups of the ledger's records, in their order"
        way_out = "dp.RecordLedger(target, groups) has them."
        raise InvalidArgument("budgets", wanted, "others", way_out)
    named: Any = budgets_and_kind(target, None)[0]
    return {group: one.substitute(values) for group, one in named.items()}


def charge(
    records: RecordLedger, certificate: AtNumbers, budgets: object, rows: int | None
) -> None:
    """Charge every record what it is promised, or nobody; `rows` is how many the table has. Raises
    BudgetExceeded or InvalidArgument.
    """
    if rows != records.n:
        wanted = "accounts of the records of the table, one each"
        raise InvalidArgument("records", wanted, f"{records.n} accounts")
    cost = promised(records, certificate, budgets)
    records.spend(cost, unit=certificate.setting.unit)
