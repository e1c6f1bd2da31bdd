"""What records would pay for one execution, from a certificate and public budgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.execution.budgets import asked
from dpframe.execution.numbers import PublicNumbers
from dpframe.graph import OfBudgets
from dpframe.graph.rows import COLUMNS
from dpframe.privacy import REPLACE_ONE, PersonalizedDP
from dpframe.prover import Certificate
from dpframe.prover.roster import Roster
from dpframe.sources.budgets import listed
from dpframe.symbols import Expression

from .budget_reports import BudgetReport
from .record_costs import record_costs

Array = NDArray[Any]


def budget_report(
    certificate: Certificate,
    budgets: object = None,
    *,
    d: int | None = None,
    n: int | None = None,
) -> BudgetReport:
    """What each record would pay for one execution of `certificate` with these public budgets.

    `budgets`, shape (n,), has one number or the name of a group for each record, as for dp.execute;
    left out where the target lists them, or has groups. `d` is the number of columns, where noise
    depends on it, and `n` that of records, where it depends on that and groups have shares only.
    Nothing is executed. Raises NotExecutable or InvalidArgument.
    """
    if not isinstance(certificate, Certificate) or not isinstance(
        certificate.target, PersonalizedDP
    ):
        wanted = "a certificate for dp.PersonalizedDP(...)"
        raise InvalidArgument("certificate", wanted, type(certificate).__name__)
    if isinstance(budgets, str):
        way_out = "Give the column itself: frame[name]."
        raise InvalidArgument("budgets", "one number or name a record", budgets, way_out)
    roster = roster_for(certificate, budgets)
    target: Any = certificate.target
    public = certificate.setting.relation is REPLACE_ONE
    known = public and not (target.groups and budgets is None)
    if public and not known and target.shares is not None:
        roster = _of_many(certificate, roster, n)
        known = n is not None
    sizes = {"n": round(float(roster.counts.sum()))} if known else {}
    if d is None and any(COLUMNS in one.symbols() for one in _weighing(certificate)):
        raise InvalidArgument("d", "the number of columns, which weights depend on", None)
    return report_at(certificate, roster, sizes if d is None else {**sizes, "d": d})


def _of_many(certificate: Certificate, roster: Roster, n: int | None) -> Roster:
    """Shares of n records; as shares where nothing depends on n. Raises InvalidArgument."""
    totals = [one for one in certificate.graph.nodes if isinstance(one, OfBudgets)]
    asked_for = any(one.what in ("total", "cap") for one in totals) or "n" in certificate.symbols
    if n is None and asked_for:
        raise InvalidArgument("n", "the number of records, which noise depends on", None)
    return roster if n is None else attrs.evolve(roster, counts=roster.counts * n)


def _weighing(certificate: Certificate) -> list[Expression]:
    """The formulas that numbers of all budgets read."""
    nodes = [node for node in certificate.graph.nodes if isinstance(node, OfBudgets)]
    return [formula for node in nodes for formula in node.formulas.values()]


def report_at(
    certificate: Certificate,
    roster: Roster,
    sizes: Mapping[str, int],
    executed: Roster | None = None,
) -> BudgetReport:
    """The report at public sizes n and d, and at the numbers of the list of budgets as it was
    `executed`.
    """
    numbers = PublicNumbers.of(certificate, sizes, roster if executed is None else executed)
    return record_costs(certificate, roster, numbers.common)


def roster_for(certificate: Certificate, budgets: object) -> Roster:
    """The different budgets; who has which is counted under replace-one alone, where it is public.

    Raises NotExecutable or InvalidArgument.
    """
    target: Any = certificate.target
    given = target.groups if budgets is None and target.groups else budgets
    wanted = asked(certificate, given)
    if wanted is None or wanted.roster is None:
        raise InvalidArgument("budgets", "one number or name a record", type(budgets).__name__)
    if budgets is None or wanted.keys is not None:
        return wanted.roster
    check_names(target, budgets)
    return counted(certificate, wanted.roster, np.unique(_texts(budgets), return_counts=True))


def counted(certificate: Certificate, roster: Roster, found: tuple[Array, Array]) -> Roster:
    """A roster of groups with its records, where their number is public."""
    if certificate.setting.relation is not REPLACE_ONE:
        return roster
    counts = dict(zip(found[0].tolist(), found[1].tolist(), strict=True))
    return attrs.evolve(roster, counts=np.array([counts.get(name, 0) for name in roster.names]))


def check_names(target: PersonalizedDP, budgets: object, name: str = "budgets") -> None:
    """Names of groups that were declared, one a record. Raises InvalidArgument."""
    if not set(_texts(budgets).tolist()) <= set(target.groups):
        wanted = f"names of groups: {', '.join(target.groups)}"
        way_out = "Declare every group."
        raise InvalidArgument(name, wanted, "others", way_out)


def _texts(budgets: Any) -> Array:
    values = listed(budgets) if isinstance(budgets, (list, tuple)) else np.asarray(budgets)
    if values.ndim != 1:
        wanted = "one name of a group for each record, in one dimension"
        raise InvalidArgument("budgets", wanted, f"shape {values.shape}")
    return values.astype(str)
