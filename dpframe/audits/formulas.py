"""Auditing an algorithm of which only formulas are known: a statistic, a std, a claimed share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dpframe.accountants import Accountant
from dpframe.graph import Setting
from dpframe.privacy import Guarantee
from dpframe.symbols import Symbol

from .descriptions import Spec, plain_releases, read_formula, read_parameter
from .report import Audit, audit

__all__ = ["Formulas", "Spec", "audit_formulas", "read_formula", "read_parameter"]

Formulas = plain_releases


def audit_formulas(
    releases: Sequence[str | Mapping[str, object]],
    *,
    target: Guarantee,
    setting: Setting,
    parameters: Iterable[str | Symbol] = (),
    accountant: str | Accountant = "auto",
    trust: Sequence[type] = (),
) -> Audit:
    """Audit releases of which only formulas are known, by the code that audits declarations.

    Each release is text, `statistic: std` or `statistic: std @ epsilon_i, delta_i` with the share
    that is claimed for it, or a mapping with the keys statistic, std and perhaps share. Formulas
    are over the target's epsilon and delta (rho, mu), B (norm of a row), Y (bound of a label) and
    `parameters`, each `name:lower:upper` (an open range; upper may be left out) or `name=number`.
    Statistics: gram, moment, lambda_min, trace, count, sum, squares, label_sum. The long form is a
    file: dp.audits.read_description.

    Raises UnsafeFormula for text that is not plain arithmetic, InvalidArgument for anything else.
    """
    described: Any = plain_releases(releases, parameters)  # registered as a Regression
    return audit(described, target=target, setting=setting, accountant=accountant, trust=trust)
