"""certify: from a declaration, a target and a setting to a certificate, or to a refusal that lists
every open obligation.

A certificate is an immutable value that states what was proved; only certificates can be executed.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import attrs

from dpframe.accountants import Accountant
from dpframe.errors import (
    DPFrameError,
    InvalidArgument,
    Plain,
    Uncertified,
    UnusedRelease,
    check_word,
    of_target,
)
from dpframe.graph import Graph, Node, Procedure, Regression, Release, Setting
from dpframe.graph.procedure import everything
from dpframe.graph.statistics import Statistic
from dpframe.identity import own
from dpframe.kernel import Verdict
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP

from .at_numbers import AtNumbers
from .derivations import derivation_of
from .problem import Constraint, Obligation, Problem, place, sampling, trusted_classes
from .report import Report, satisfied, verify

if TYPE_CHECKING:
    from dpframe.accountants import Composition


def _above(module: str) -> Any:
    """A module of dpframe.execution, which runs certificates and so imports this one."""
    return importlib.import_module(f"dpframe.execution.{module}")


TITLES = {  # by the kind of a premise
    "unit": ("A1", "The unit of privacy"),
    "budgets": ("A2", "Budgets are public"),
    "numerics": ("A3", "Idealised numerics"),
    "failures": ("A4", "Failures are not published"),
    "ambient": ("A5", "No ambient data"),
    "trusted": ("A6", "Trusted by name"),
    "sensitivity": ("A7", "Stated sensitivities"),
    "records": ("A8", "Records are read alone"),
    "samples": ("A9", "Samples are fresh and secret"),
}


class Premise(str):
    """An assumption of a proof, of a `kind` that docs/assumptions explains; "" if of none."""

    __slots__ = ("kind", "says")
    kind: str
    says: str

    def __new__(cls, kind: str, text: str, says: str = "") -> Self:
        """The text of documents, of this kind, and how it is printed where that differs."""
        found = super().__new__(cls, text)
        found.kind, found.says = kind, says or text
        return found

    @property
    def heading(self) -> tuple[str, str]:
        """The identifier and the title in docs/assumptions; A0 of a kind without one."""
        return TITLES.get(self.kind, ("A0", "Assumed"))

    @property
    def line(self) -> str:
        """`A1 one unit of privacy is: ...`."""
        return f"{self.heading[0]} {self.says}"

    def __reduce__(self) -> tuple[type[Premise], tuple[str, str, str]]:
        """Its kind and texts."""
        return Premise, (self.kind, str(self), self.says)


IDEALIZED = "idealized numerics: {} proved over the reals and executed in floating point"
FAILURES = Premise(
    "failures",
    "failures are not published: whether bad input is refused depends on the data "
    '(with missing="drop": assumed only where the receipt lists it)',
    "failures are not published: an error can reveal that a record is missing or invalid. With "
    'missing="drop" such rows are left out instead of refused; the receipt of an execution lists '
    "this assumption if one record can cause an error all the same",
)
BUDGETS = Premise(
    "budgets", "everybody's budget is public, and follows from nothing that is private"
)
RECORDS = Premise(
    "records", "each record is read by itself, and in every pass alike: tested, not proved"
)
AMBIENT = Premise(
    "ambient", "the declaration and its post-processing functions read no data but their arguments"
)


@attrs.frozen(slots=False, eq=False)
class Certificate(AtNumbers):
    """`report` proved its problem; `values` are the numbers given so far. Constructed by certify
    and load only.
    """

    def __attrs_post_init__(self) -> None:
        """Refuse to construct a certificate without a proof."""
        if not self.report.proved:
            got = Plain("one with open obligations")
            raise InvalidArgument("report", "proved", got, "dp.certify makes certificates.")
        super().__attrs_post_init__()
        self._inside(self.values)

    @property
    def derivation(self) -> str:
        """The name of the derivation that proves the total."""
        return "" if self.report.chosen is None else self.report.chosen.name

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """All obligations of the proof, without those of a plan of shares that it does not use."""
        return tuple(one for one in self.report.obligations if one.proved)

    @property
    def region(self) -> tuple[Constraint, ...]:
        """Hypotheses of theorems that restrict the declared domain; enforced by `at`."""
        return () if self.report.chosen is None else self.report.chosen.constraints

    @property
    def assumptions(self) -> tuple[Premise, ...]:
        """The assumptions of the proof."""
        return assumed(
            self.report.problem, FAILURES, RECORDS, AMBIENT, *samples(self.regression, self.graph)
        )

    def _inside(self, given: Mapping[str, Fraction]) -> None:
        for constraint in self.region:
            names = {one.name for one in constraint.left.symbols() | constraint.right.symbols()}
            if names <= given.keys() and not satisfied(constraint, given):
                where = ", ".join(f"{name} = {given[name]}" for name in sorted(names))
                way_out = (
                    "Certify at these numbers: dp.certify(..., target=dp.ApproxDP(...)) then "
                    "decides by the exact profile; or use dp.Gaussian.analytic."
                )
                wanted = f"inside the proof's region, {constraint} ({constraint.source})"
                raise InvalidArgument("parameters", wanted, where, way_out)

    @cached_property
    def claim(self) -> dict[str, object]:
        """The certificate file without the steps of its proof: the input of its hash."""
        from .document import document

        return document(self)

    @cached_property
    def document(self) -> dict[str, object]:
        """The certificate file, as JSON values, with its proof; see docs/certificate-format."""
        from .witnesses import proved

        return proved(self.claim)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict of the kernel on the certificate file, whose proof it replays."""
        from .witnesses import replayed

        return replayed(self.claim)

    @property
    def hash(self) -> str:
        """SHA-256 of the statement, the graph and the assumptions."""
        return str(self.claim["hash"])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its file and the classes that it trusts; proved again when it is loaded."""
        from .document import load

        again = partial(load, trust=self.report.problem.trust)
        return again, (json.loads(json.dumps(self.claim)),)

    def save(self, path: str | Path) -> None:
        """Write the certificate file; `dpframe check` and dp.load read it.

        Raises InvalidArgument where dp.load could not import the declaration or a function again,
        or a field of the declaration is nothing that a file can hold.
        """
        from dpframe import documents

        documents.check_place(path, "path")
        places: list[Any] = [type(self.regression), *(p.function for p in self.graph.calls)]
        lost = [place.__qualname__ for place in places if "<" in place.__qualname__]
        if lost:
            way_out = "Define it at the top of a module."
            raise InvalidArgument("declaration", "importable as module:name", lost[0], way_out)
        try:
            text = json.dumps(self.document, indent=1)
        except TypeError as error:
            wanted = "of fields that are numbers, texts, formulas or declarations"
            way_out = "Name a theorem inside declare, or choose it there by a field that is a text."
            got = Plain(str(error).removeprefix("Object of type ").partition(" ")[0])
            raise InvalidArgument("declaration", wanted, got, way_out) from None
        Path(path).write_text(text + "\n")

    def as_composition(self) -> Composition:
        """The releases as a composition, for any accountant and for other libraries."""
        from .mixture import together

        return together(self)

    def preview(self, *, n: int, d: int | None = None) -> Any:
        """The noise at public sizes, and which intervals it will leave, before any budget is spent.
        `d`, the number of columns, is omitted if a codebook determines it.
        """
        return _above("preview").preview(self, n=n, d=d)

    def rehearse(self, *, n: int | None = None, d: int | None = None) -> Any:
        """What post-processing does on synthetic releases of about `n` records of `d` columns,
        public guesses; nothing is charged, and no data is read. A dp.experiments.Rehearsal:
        `passed`, `failures`, and print it. Raises InvalidArgument, NotExecutable.
        """
        return _above("rehearsal").rehearse(self, n=n, d=d)

    def __str__(self) -> str:
        """What was proved, for a privacy officer."""
        from .text import certificate_text

        return certificate_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .text import certificate_html

        return certificate_html(self)


def assumed(problem: Problem, *always: Premise) -> tuple[Premise, ...]:
    """The assumptions about a declaration; `always` those about every one."""
    unit = Premise("unit", f"one unit of privacy is: {problem.setting.unit}")
    budgets = () if problem.personal is None else (BUDGETS,)
    believed = (_trusted(kind) for kind in problem.foreign if kind in problem.trust)
    stated = (*believed, *on_their_word(problem.graph))
    return (unit, *budgets, *idealized(problem.graph), *always, *stated)


def samples(regression: Regression, graph: Graph) -> tuple[Premise, ...]:
    """That an algorithm which is described draws samples as stated; execution of a declaration
    draws them itself.
    """
    drawn = [one for one in graph.releases if one.sampled is not None]
    described = getattr(regression, "described", False)
    texts = (f"{one.label}: {sampling(one.times, one.sampled)}" for one in drawn if described)
    return tuple(Premise("samples", text) for text in dict.fromkeys(texts))


def idealized(graph: Graph) -> tuple[Premise, ...]:
    """The names of releases that are not computed exactly."""
    named = [one.label for one in graph.charged if not _exactly(one)]
    if not named:
        return ()
    verb = "is" if len(named) == 1 else "are"
    text = IDEALIZED.format(f"{', '.join(dict.fromkeys(named))} {verb}")
    return (Premise("numerics", text),)


def _exactly(one: Release | Procedure) -> bool:
    """Noise of a class from outside is not known to be drawn exactly."""
    return one.exact and own(one.noise if isinstance(one, Release) else type(one))


def on_their_word(graph: Graph) -> tuple[Premise, ...]:
    """Facts that nodes state and no rule derives, each in a sentence that names the node."""
    kinds = {node.assumption: isinstance(node, Statistic) for node in stating(graph)}
    return tuple(Premise("sensitivity" if of else "", text) for text, of in kinds.items())


def _trusted(kind: type) -> Premise:
    """What is trusted of a class from outside."""
    stated = "its sensitivity, noise or theorem"
    if issubclass(kind, Accountant):
        stated = "what releases cost together"
    text = f"{place(kind)} is trusted: what it states of {stated} is taken on its word"
    return Premise("trusted", text)


def stating(graph: Graph) -> list[Node]:
    """The nodes that state facts, also inside procedures."""
    return [node for node in everything(graph.nodes) if node.assumption]


ABOVE_0 = (
    "A delta far below one over the number of records, as 1e-6, is usual; without one use "
    "dp.Laplace."
)
CALIBRATIONS = ("as declared", "jointly")


@of_target
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
    data are read.

    `accountant` is "auto", the name of an accountant of dpframe, or an accountant object; the total
    of an accountant of your own (its `epsilon`, at numbers) is compared with the target.
    `calibrate="jointly"` scales all noise by one factor until the total meets the target
    (dp.regressions.Jointly). `trust` lists plug-in classes (statistics, mechanisms, theorems,
    accountants) whose stated facts the proof may use; the certificate names them.

    Under "auto" every declared share must hold, and every calibration theorem within its
    hypotheses, whichever derivation proves the total. Under a named accountant, shares that it does
    not use are not required to hold.

    Raises Uncertified with every open obligation, refuted with a counterexample or unproved with a
    repair; InvalidArgument for invalid arguments.
    """
    if isinstance(target, RenyiDP):
        way_out = "dp.audit judges it; certify for dp.ZeroConcentratedDP(rho), rho = epsilon/order."
        wanted = "a guarantee that certificates state"
        raise InvalidArgument("target", wanted, Plain(target), way_out)
    chosen = calibrated(regression, calibrate)
    report = examine(chosen, target=target, setting=setting, accountant=accountant, trust=trust)
    if not report.proved:
        from .text import refusal_text

        raise Uncertified(report, refusal_text(chosen, report))
    return Certificate(chosen, report)


def calibrated(regression: Regression, how: str) -> Regression:
    """The declaration with noise as declared, or scaled jointly."""
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
    """The report on which `certify` decides, without raising Uncertified. Raises InvalidArgument
    for arguments of another type, and for an output that omits a release; it then also names other
    open obligations.
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
    try:
        graph = graph_of(regression, setting, target)
    except UnusedRelease as error:
        if error.regression is not regression:  # what scales its noise has not been applied
            raise
        report = verify(Problem.of(error.graph, target, setting, believed, own_one), name)
        if report.proved:
            raise
        from .text import refusal_text

        way_out = f"{error.way_out} With it returned:\n{refusal_text(regression, report)}"
        raise UnusedRelease(error.name, error.requirement, error.value, way_out) from None
    return verify(Problem.of(graph, target, setting, believed, own_one), name)


def graph_of(regression: Regression, setting: Setting, target: Guarantee) -> Graph:
    """The graph of a declaration, derived here and not taken from the declaration. Raises
    InvalidArgument, with the name delta if the declaration needs one and the target has none.
    """
    try:
        return _derived(regression, setting, target)
    except InvalidArgument as error:
        if not isinstance(target, PureDP):
            raise
        try:
            graph = _derived(regression, setting, ApproxDP(target.epsilon, "1e-6"))
        except DPFrameError:
            raise error from None
        normal = any(release.gives is GaussianDP for release in graph.releases)
        if not (normal or graph.procedures):
            raise
    wanted = f"above 0 for {'Gaussian noise' if normal else regression}"
    raise InvalidArgument("delta", wanted, 0, ABOVE_0)


def _derived(regression: Regression, setting: Setting, target: Guarantee) -> Graph:
    if type(regression).graph is Regression.graph:
        return Regression.graph(regression, setting, target.budget)
    return Graph.of(regression.graph(setting, target.budget).output)


NOT_PRIVATE = "NOT PRIVATE"


@attrs.frozen(slots=False, eq=False)
class Unproved(AtNumbers):
    """A declaration without a certificate: dp.experiments.simulate runs it on data that are not
    secret; dp.execute refuses it.
    """


def unproved(
    regression: Regression, *, target: Guarantee, setting: Setting, label: str
) -> Unproved:
    """A declaration without a proof, for simulation. `label` must be "NOT PRIVATE"; the result of a
    simulation carries it. Raises InvalidArgument.
    """
    if not isinstance(label, str) or label != NOT_PRIVATE:
        way_out = "Nothing was proved: write label='NOT PRIVATE', or use dp.certify."
        raise InvalidArgument("label", f"{NOT_PRIVATE!r}, word for word", label, way_out)
    return Unproved(regression, examine(regression, target=target, setting=setting))
