"""certify: from a declaration, a target and a setting to a certificate, or to a refusal that lists
every open obligation.

The certificate: an immutable value that says what was proved, and the only thing that can be
executed.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.accountants import Accountant
from dpframe.errors import DPFrameError, InvalidArgument, Plain, Uncertified, check_word
from dpframe.graph import Graph, Node, Procedure, Regression, Release, Setting
from dpframe.graph.graph import Unread
from dpframe.identity import own
from dpframe.kernel import Verdict
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP

from .at_numbers import AtNumbers
from .derivations import derivation_of
from .problem import PROVED, Constraint, Obligation, Problem, place, trusted_classes
from .report import Report, satisfied, verify

if TYPE_CHECKING:
    from dpframe.accountants import Composition


REHEARSAL = "dpframe.execution.rehearsal"
IDEALIZED = "idealized numerics: {} proved over the reals and executed in floating point"
FAILURES = (
    "failures are not published: whether bad input is refused depends on the data "
    '(with missing="drop": assumed only where the receipt lists it)'
)
BUDGETS = "everybody's budget is public, and follows from nothing that is private"
RECORDS = "each record is read by itself, and in every pass alike: tested, not proved"
AMBIENT = "the declaration and its post-processing functions read no data but their arguments"


@attrs.frozen(slots=False, eq=False)
class Certificate(AtNumbers):
    """`report` proved its problem; `values` are the numbers given so far. Built by certify and load
    only.
    """

    def __attrs_post_init__(self) -> None:
        """A certificate without a proof does not exist."""
        if not self.report.proved:
            raise InvalidArgument(
                "report", "proved", "one with open obligations", "dp.certify makes certificates."
            )
        super().__attrs_post_init__()
        self._inside(self.values)

    @property
    def derivation(self) -> str:
        """The name of the derivation that proves the total."""
        return "" if self.report.chosen is None else self.report.chosen.name

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """Every obligation of the proof; not those of a plan of shares that fails, on which it
        does not rest.
        """
        return tuple(one for one in self.report.obligations if one.verdict is PROVED)

    @property
    def region(self) -> tuple[Constraint, ...]:
        """Hypotheses of theorems that carve the declared domain; enforced by `at`."""
        return () if self.report.chosen is None else self.report.chosen.constraints

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed, not proved."""
        return assumed(self.report.problem, FAILURES, RECORDS, AMBIENT)

    def _inside(self, given: Mapping[str, Fraction]) -> None:
        for constraint in self.region:
            names = {
                symbol.name for symbol in constraint.left.symbols() | constraint.right.symbols()
            }
            if names <= given.keys() and not satisfied(constraint, given):
                where = ", ".join(f"{name} = {given[name]}" for name in sorted(names))
                way_out = (
                    "Certify at these numbers: dp.certify(..., target=dp.ApproxDP(...)) then "
                    "decides by the exact profile; or use dp.Gaussian.analytic."
                )
                raise InvalidArgument(
                    "parameters",
                    f"inside the proof's region, {constraint} ({constraint.source})",
                    where,
                    way_out,
                )

    @cached_property
    def claim(self) -> dict[str, object]:
        """The certificate file without the steps of its proof: what its hash is of."""
        from .document import document

        return document(self)

    @cached_property
    def document(self) -> dict[str, object]:
        """The certificate file, as JSON values, with its proof: see docs/certificate-format."""
        from .witnesses import proved

        return proved(self.claim)

    @cached_property
    def verdict(self) -> Verdict:
        """What the kernel says of the certificate file, whose proof it replays."""
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
        places: list[Any] = [type(self.regression), *(p.function for p in self.graph.posts)]
        places += [loop.update for loop in self.graph.loops]
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
        """What its releases cost together, for any accountant and any other library."""
        from .composed import together

        return together(self)

    def preview(self, *, n: int, d: int | None = None) -> Any:
        """Noise at public sizes, and which intervals it will leave, before anything is spent; `d`,
        the columns of the table, is left out where a codebook fixes it.
        """
        from .preview import preview

        return preview(self, n=n, d=d)

    def rehearse(self, *, n: int | None = None, d: int | None = None) -> Any:
        """What post-processing does on synthetic releases of about `n` records of `d` columns,
        public guesses; nothing is charged, and no data is read. A dp.experiments.Rehearsal:
        `passed`, `failures`, and print it. Raises InvalidArgument, NotExecutable.
        """
        rehearsal = importlib.import_module(REHEARSAL)  # stands above: it runs certificates
        return rehearsal.rehearse(self, n=n, d=d)

    def __str__(self) -> str:
        """What was proved, as an officer reads it."""
        from .text import certificate_text

        return certificate_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .text import certificate_html

        return certificate_html(self)


def assumed(problem: Problem, *always: str) -> tuple[str, ...]:
    """What is assumed of a declaration, not proved; `always` of every one."""
    unit = f"one unit of privacy is: {problem.setting.unit}"
    budgets = () if problem.personal is None else (BUDGETS,)
    stated = (*on_trust(problem), *on_their_word(problem.graph))
    return (unit, *budgets, *idealized(problem.graph), *always, *stated)


def idealized(graph: Graph) -> tuple[str, ...]:
    """The releases that are not computed exactly, each by name."""
    named = [one.label for one in graph.charged if not _exactly(one)]
    if not named:
        return ()
    verb = "is" if len(named) == 1 else "are"
    return (IDEALIZED.format(f"{', '.join(dict.fromkeys(named))} {verb}"),)


def _exactly(one: Release | Procedure) -> bool:
    """Noise of a class from outside is not known to be drawn exactly, whatever the class says."""
    return one.exact and own(one.noise if isinstance(one, Release) else type(one))


def on_their_word(graph: Graph) -> tuple[str, ...]:
    """What nodes state that no rule derives, each in a sentence that names it."""
    return tuple(dict.fromkeys(node.assumption for node in stating(graph)))


def on_trust(problem: Problem) -> tuple[str, ...]:
    """What is believed of each class of the user's own that `trust` names."""
    return tuple(_trusted(kind) for kind in problem.foreign if kind in problem.trust)


def _trusted(kind: type) -> str:
    stated = "its sensitivity, noise or theorem"
    if issubclass(kind, Accountant):
        stated = "what releases cost together"
    return f"{place(kind)} is trusted: what it states of {stated} is taken on its word"


def stating(graph: Graph) -> list[Node]:
    """The nodes that state something, also those inside procedures, however deep."""
    found, waiting = [], list(graph.nodes)
    while waiting:
        node = waiting.pop(0)
        found += [node] if node.assumption else []
        waiting += node.within if isinstance(node, Procedure) else ()
    return found


def canonical_hash(*parts: object) -> str:
    """SHA-256 of canonical JSON."""
    return hashlib.sha256(
        json.dumps(list(parts), sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


ABOVE_0 = (
    "A delta far below one over the number of records, as 1e-6, is usual; without one use "
    "dp.Laplace."
)
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
    if isinstance(target, RenyiDP):
        way_out = "dp.audit judges it; certify for dp.ZeroConcentratedDP(rho), rho = epsilon/order."
        raise InvalidArgument("target", "a guarantee that certificates state", str(target), way_out)
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
    arguments of another type, and for an output that leaves a release out: it then names what else
    is open.
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
    except Unread as error:
        if error.of is not regression:  # what scales its noise has not been applied
            raise
        report = verify(Problem.of(error.graph, target, setting, believed, own_one), name)
        if report.proved:
            raise
        from .text import refusal_text

        way_out = f"{error.way_out} With it returned:\n{refusal_text(regression, report)}"
        raise InvalidArgument(error.name, error.requirement, error.value, way_out) from None
    return verify(Problem.of(graph, target, setting, believed, own_one), name)


def graph_of(regression: Regression, setting: Setting, target: Guarantee) -> Graph:
    """The graph of a declaration, derived here, whatever the declaration says of itself. Raises
    InvalidArgument, by the name of delta where the declaration needs one and the target has none.
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
    """A declaration without a certificate: dp.experiments.simulate runs it on data that is no
    secret, and dp.execute never does.
    """


def unproved(
    regression: Regression, *, target: Guarantee, setting: Setting, label: str
) -> Unproved:
    """A declaration as it stands, to be simulated. `label` must be "NOT PRIVATE", which the
    result of a simulation then carries. Raises InvalidArgument.
    """
    if not isinstance(label, str) or label != NOT_PRIVATE:
        way_out = "Nothing was proved: write label='NOT PRIVATE', or use dp.certify."
        raise InvalidArgument("label", f"{NOT_PRIVATE!r}, word for word", label, way_out)
    return Unproved(regression, examine(regression, target=target, setting=setting))
