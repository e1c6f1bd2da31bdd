"""certify: from a declaration, a target and a setting to a certificate, or to a refusal that lists
every open obligation.
"""

from __future__ import annotations

from dpframe.errors import InvalidArgument, Uncertified
from dpframe.graph import Regression, Setting
from dpframe.guarantees import Guarantee

from .certificate import Certificate
from .problem import Problem
from .report import Report, verify
from .text import refusal_text


def certify(
    regression: Regression, *, target: Guarantee, setting: Setting, accountant: str = "auto"
) -> Certificate:
    """Prove that `regression` satisfies `target` in `setting`, for all values of its parameters. No
    data in sight.

    `accountant` is "auto", "basic", "gaussian" or "zcdp". Raises Uncertified with every open
    obligation, each refuted (with a counterexample)
    or unproved (with what would help); InvalidArgument for anything else.
    """
    report = examine(regression, target=target, setting=setting, accountant=accountant)
    if not report.proved:
        raise Uncertified(report, refusal_text(regression, report))
    return Certificate(regression, report)


def examine(
    regression: Regression, *, target: Guarantee, setting: Setting, accountant: str = "auto"
) -> Report:
    """The report that certify decides by: never raises Uncertified. Raises InvalidArgument for
    arguments of another type.
    """
    for name, value, kind in (
        ("regression", regression, Regression),
        ("target", target, Guarantee),
        ("setting", setting, Setting),
    ):
        if not isinstance(value, kind):
            raise InvalidArgument(name, f"a dp.{kind.__name__}", value, "")
    graph = regression.graph(setting, target.budget)
    return verify(Problem(graph, target, setting), accountant)
