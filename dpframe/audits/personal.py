"""What each record really pays, as a part of an audit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from dpframe.budgets.roster import Roster, listed
from dpframe.errors import DPFrameError, NotExecutable
from dpframe.privacy import PersonalizedDP
from dpframe.privacy.personal import Listed, own_symbols_of
from dpframe.prover import Certificate

from .budget_reports import BudgetReport
from .record_costs import budget_report, report_at, roster_for

if TYPE_CHECKING:
    from .report import Audit

COLUMNS = 100  # assumed where caps on weights depend on an unknown number of columns
EXAMPLES, EACH = (Fraction(1, 100), Fraction(1, 10), Fraction(1)), 1000  # records of each example


@attrs.frozen
class Bill:
    """What records pay: the report, at which numbers; or why that is unknown."""

    report: BudgetReport | None
    at: str = ""
    refusal: str = ""

    @classmethod
    def of(cls, audit: Audit) -> Bill | None:
        """The costs of the target's own budgets, or of an example; None where there are none."""
        certificate = audit.certificate
        if audit.report.problem.personal is None or certificate is None:
            return None
        at = f", at {COLUMNS} columns" if "d" in certificate.symbols else ""
        try:
            report, example = report_of(certificate)
        except DPFrameError as refusal:
            return cls(None, refusal=" ".join(str(refusal).split()))
        return cls(report, f"{at}{example}")


def paid(audit: Audit) -> Iterator[str]:
    """The costs beside what the budgets ask for."""
    bill = Bill.of(audit)
    if bill is None:
        return
    if bill.report is None:
        yield "What each record pays"
        yield f"  not known here: {bill.refusal}"
        return
    yield f"What each record pays, at noise as it is executed{bill.at}"
    yield from (f"  {line}" if line else "" for line in str(bill.report).split("\n"))


def report_of(certificate: Certificate) -> tuple[BudgetReport, str]:
    """The report of the target's own budgets, and in which case it is. Raises DPFrameError where
    numbers are missing.
    """
    target: Any = certificate.target
    own = own_symbols_of(target.each)
    if target.groups and target.shares is None:
        return _for_many(certificate, roster_for(certificate, None)), ", for groups of one size"
    if len(own) > 1 and _free(target):
        names = " and ".join(symbol.name for symbol in own)
        raise NotExecutable(f"give the {names} of all records with the target")
    d = COLUMNS if "d" in certificate.symbols else None
    if target.groups:
        n = EACH * len(target.groups)
        return budget_report(certificate, d=d, n=n), f", for {n:,} records"
    if not _free(target):
        return budget_report(certificate, d=d), ""
    examples = np.array([float(one) for one in EXAMPLES if one in own[0].domain])
    roster, _ = listed([Listed(own[0].name, examples)])
    counted = attrs.evolve(roster, counts=np.full(roster.size, float(EACH)))
    return _for_many(certificate, counted), f", for {EACH:,} records of each as an example"


def _free(target: PersonalizedDP) -> bool:
    """Whether the target has no budgets yet."""
    return not any(hasattr(one, "numbers") for one in target.given.values())


def _for_many(certificate: Certificate, roster: Roster) -> BudgetReport:
    """As if there were equally many records of each."""
    counted = attrs.evolve(roster, counts=np.full(roster.size, float(EACH)))
    sizes = {name: size for name, size in (("d", COLUMNS),) if name in certificate.symbols}
    if "n" in certificate.symbols:
        sizes["n"] = EACH * roster.size
    return report_at(certificate, roster, sizes, counted)
