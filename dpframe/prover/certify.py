"""certify: from a declaration, a target and a setting to a certificate, or to a refusal that lists
every open obligation.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.accountants import Accountant
from dpframe.errors import InvalidArgument, Uncertified, check_word
from dpframe.graph import Graph, Regression, Setting
from dpframe.identity import own
from dpframe.privacy import Guarantee

from .certificate import Certificate
from .derivations import derivation_of
from .problem import Problem, trusted_classes
from .report import Report, verify

CALIBRATIONS = ("as declared", "jointly")


def certify(
    regression: Regression,
    *,
    target: Guarantee,
    setting: Setting,
    accountant: str | Accountant = "auto",
    calibrate: str = "as declared",
    trust: Sequence[type] = (),
) -> Certificate:
    """Prove that `regression` satisfies `target` in `setting`, for all values of its parameters. No
    data in sight.

    `accountant` is "auto", the name of an accountant of dpframe, or an accountant. With one of your
    own, its `total` of all guarantees (or its `epsilon`, at numbers) is compared with the target.
    `calibrate="jointly"` scales all noise together until the whole meets the target
    (dp.regressions.Jointly); the certificate names it. `trust` names classes of your own (a
    statistic, mechanism, theorem or accountant) whose word the proof may take; the certificate
    prints them. Under "auto" shares must hold as declared and named theorems inside their
    hypotheses, whichever derivation proves the total; under a named one, claims that it does not
    use block nothing.

    Raises Uncertified with every open obligation, each refuted (with a counterexample) or unproved
    (with what would help); InvalidArgument for anything else.
    """
    chosen = calibrated(regression, calibrate)
    report = examine(chosen, target=target, setting=setting, accountant=accountant, trust=trust)
    if not report.proved:
        from .text import refusal_text

        raise Uncertified(report, refusal_text(chosen, report))
    return Certificate(chosen, report)


def calibrated(regression: Regression, how: str) -> Regression:
    """The declaration with noise as declared, or all of it scaled jointly."""
    check_word("calibrate", how, CALIBRATIONS)
    if how != "jointly":
        return regression
    from .jointly import Jointly

    return Jointly(of=regression)  # type: ignore[call-arg]


def examine(
    regression: Regression,
    *,
    target: Guarantee,
    setting: Setting,
    accountant: str | Accountant = "auto",
    trust: Sequence[type] = (),
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
            found: object = value
            way_out = "Make one of it, by calling it." if isinstance(found, type) else ""
            raise InvalidArgument(name, f"a dp.{kind.__name__}", value, way_out)
    if not own(type(target)):
        raise InvalidArgument("target", "one of dpframe's own guarantees", type(target), "")
    believed = trusted_classes(trust)
    name, own_one = derivation_of(accountant)
    graph = graph_of(regression, setting, target)
    return verify(Problem.of(graph, target, setting, believed, own_one), name)


def graph_of(regression: Regression, setting: Setting, target: Guarantee) -> Graph:
    """The graph of a declaration, derived here, whatever the declaration says of itself."""
    if type(regression).graph is Regression.graph:
        return Regression.graph(regression, setting, target.budget)
    return Graph.of(regression.graph(setting, target.budget).output)
