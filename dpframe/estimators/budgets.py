"""The budget of an estimator: one for all records, by group, in a column, or one per record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from dpframe.audits.record_costs import check_names, counted
from dpframe.budgets.roster import Roster
from dpframe.errors import BadData, InvalidArgument
from dpframe.execution.public_budgets import (
    RequestedBudgets,
    comparable,
    distinct_budgets,
    read_budgets,
)
from dpframe.privacy import REPLACE_ONE, ApproxDP, Guarantee, PersonalizedDP, PureDP, each
from dpframe.privacy.guarantees import CONVERTS
from dpframe.prover import Certificate
from dpframe.sources import Source
from dpframe.sources.reading import Plain
from dpframe.symbols import RECORD, Expression, rational

NAMES = "fit(X, y, epsilon=names), one name of a group per record, or the name of their column."
REQUIRED = "required"
GIVEN = {
    "epsilon": "such as epsilon=1. Smaller values are more private",
    "delta": "such as delta='1e-6', far below one over the number of records. 0 requests pure "
    "differential privacy",
}
OWN = "fit(X, y, epsilon=numbers), one per record, or the name of their column."


@attrs.frozen(eq=False)
class BudgetClaim:
    """A target and the budgets of records: an array, the name of a column, or None if the target
    has one budget for all records or lists them.
    """

    target: Guarantee
    budgets: Any = None


def claim(epsilon: object, delta: object, given: object = None) -> BudgetClaim:
    """The claim of an estimator with `epsilon` and `delta`, and with the epsilon `given` to `fit`.
    Raises InvalidArgument.
    """
    if given is not None and not (isinstance(given, str) or is_list(given)):
        wanted = "one number or name of a group for each record, or the name of a column"
        raise InvalidArgument("epsilon of fit", wanted, given)
    for name, value in {"epsilon": epsilon, "delta": delta}.items():
        if isinstance(value, str) and value == REQUIRED:
            wanted, _, way_out = GIVEN[name].partition(". ")
            raise InvalidArgument(name, f"given, {wanted}", Plain("nothing"), f"{way_out}.")
    if isinstance(epsilon, Guarantee):
        other = f"dp.certify(regression, target=dp.{type(epsilon).__name__}(...)) and dp.execute"
        way_out = f"Spend it by {other}; or convert it by {CONVERTS}."
        if isinstance(epsilon, PersonalizedDP):
            way_out = f"Give epsilon={{'careful': 0.1, 'open': 1}}, and delta; or use {other}."
        raise InvalidArgument("epsilon", "a number", Plain(epsilon), way_out)
    delta = None if _is_zero(delta) else delta
    if isinstance(epsilon, Mapping) or isinstance(delta, Mapping):
        return _grouped(epsilon, delta, given)
    if epsilon is None or is_column(epsilon) or _is_own(epsilon):
        return _own(epsilon, delta, given)
    if is_list(epsilon):
        return _own(epsilon, delta, epsilon if given is None else given)
    if given is not None:
        way_out = "Construct the estimator with epsilon=None or dp.each('epsilon')."
        raise InvalidArgument("epsilon of fit", "left out: one is given for all", epsilon, way_out)
    return BudgetClaim(_plain(epsilon, delta))


def is_list(value: object) -> bool:
    """Whether this has one entry per record."""
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes, Mapping))


def is_column(value: object) -> bool:
    """Whether this is a text other than a number."""
    if not isinstance(value, str):
        return False
    try:
        rational(value, "epsilon")
    except InvalidArgument:
        return True
    return False


def _is_own(value: object) -> bool:
    return isinstance(value, Expression) and RECORD in value.scope


def _is_zero(delta: object) -> bool:
    plain = not (isinstance(delta, (Mapping, Expression)) or is_list(delta) or delta is None)
    return delta is None or (plain and rational(delta, "delta") == 0)


def _plain(epsilon: object, delta: object) -> Guarantee:
    """One epsilon for all records; delta may differ."""
    exactly = rational(epsilon, "epsilon")
    if delta is None:
        return PureDP(exactly)
    if is_list(delta):
        return PersonalizedDP(exactly, delta)
    return ApproxDP(exactly, rational(delta, "delta"))


def _grouped(epsilon: object, delta: object, given: object) -> BudgetClaim:
    target = PersonalizedDP(epsilon, delta)
    if given is None:
        raise InvalidArgument("epsilon of fit", "given, where there are groups", None, NAMES)
    if not isinstance(given, str):
        check_names(target, given, "epsilon of fit")
    return BudgetClaim(target, given)


def _own(epsilon: object, delta: object, given: object) -> BudgetClaim:
    """One epsilon per record; listed in the target if the estimator has the list or deltas."""
    budgets = epsilon if given is None and isinstance(epsilon, str) else given
    if budgets is None:
        raise InvalidArgument("epsilon", "given, to the estimator or to fit", epsilon, OWN)
    if isinstance(budgets, str) and is_list(delta):
        way_out = "Give epsilons as an array too."
        wanted = "one number where epsilons are a column"
        raise InvalidArgument("delta", wanted, Plain("a list"), way_out)
    if budgets is epsilon and not isinstance(budgets, str):
        return BudgetClaim(PersonalizedDP(budgets, delta))
    if is_list(delta):
        return BudgetClaim(PersonalizedDP(budgets, delta))
    symbol = epsilon if _is_own(epsilon) else each("epsilon")
    return BudgetClaim(PersonalizedDP(symbol, delta), budgets)


def check_relation(claimed: BudgetClaim, setting: object) -> None:
    """Refuse a list of budgets under add/remove, which reveals who is in the table. Raises
    InvalidArgument.
    """
    target, relation = claimed.target, getattr(setting, "relation", REPLACE_ONE)
    if isinstance(target, PersonalizedDP) and not target.groups and not relation.replaced:
        names = " and ".join(target.given)
        if isinstance(claimed.budgets, str):
            way_out = "A text is a number, '0.5'; or, under dp.REPLACE_ONE, a column of budgets."
            raise InvalidArgument("epsilon", "a number, under add/remove", claimed.budgets, way_out)
        wanted = "a number, or a mapping from groups, under add/remove"
        way_out = (
            "A list of budgets reveals who is in the table. Declare groups, "
            "epsilon={'careful': 0.1, 'open': 1}, or use dp.REPLACE_ONE."
        )
        raise InvalidArgument(names, wanted, Plain("one per record"), way_out)


def check_source(source: Source) -> None:
    """Refuse a source that can be read once only, as budgets are read first. Raises BadData."""
    if source.passes < 2:
        got, way_out = Plain("one that can be read once"), "Or use dp.execute(...)."
        raise BadData("X", "an array, a data frame or files, with budgets", got, way_out)


@attrs.frozen(eq=False)
class Rosters:
    """The budgets that the execution used, and those for display: in the order of groups, with the
    numbers of records if these are public.
    """

    executed: Roster
    shown: Roster


def rosters(
    certificate: Certificate, requested: RequestedBudgets, source: Source, executor: Any
) -> Rosters:
    """The budgets of all records, after one or two passes over their column if necessary."""
    budgets = read_budgets(certificate, requested, source, executor)
    if budgets is None:
        raise InvalidArgument("budgets", "of records", None)
    if requested.roster is None or requested.keys is not None:
        return Rosters(budgets.roster, budgets.roster)
    counts = source.total(distinct_budgets, executor=executor)
    texts = comparable(counts.entries), counts.counts
    _check_declared(requested, texts[0].tolist())
    return Rosters(budgets.roster, counted(certificate, requested.roster, texts))


def _check_declared(requested: RequestedBudgets, names: list[Any]) -> None:
    """Refuse undeclared groups, even if no release depends on the groups. Raises BadData."""
    if not set(names) <= set(requested.target.groups):
        wanted = f"among the groups {', '.join(requested.target.groups)}"
        raise BadData("budgets", wanted, Plain("others"), "Declare every group.")
