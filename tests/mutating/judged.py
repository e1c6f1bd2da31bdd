"""What becomes of a mutant: refused; accepted, and by the kernel too; or a survivor."""

from __future__ import annotations

import enum
import hashlib
import json
from functools import cached_property

import attrs

from dpframe.errors import DPFrameError
from dpframe.graph import DataNode, Graph, Loop, Node, Post, Procedure, Release, Setting
from dpframe.graph.graph import origins
from dpframe.privacy import Guarantee
from dpframe.prover import Certificate, Obligation, Report, Verdict
from dpframe.prover.problem import Problem
from dpframe.prover.report import verify

from .mutant import Mutant
from .subject import Operator

# ---------------------------------------------------------------------------- What a graph releases
CHARGED = (Release, Procedure)


def essence(graph: Graph) -> str:
    """SHA-256 of all that a graph releases, and of the data that leave it without noise. Names,
    functions and the order of outputs have no part in it.
    """
    done: dict[Node, str] = {}
    told = [sorted(_told(one, done) for one in found) for found in (graph.charged, raw(graph))]
    return _digest(told)


def raw(graph: Graph) -> tuple[DataNode, ...]:
    """The data and statistics that an output, or a function on the way to one, reads itself."""
    found: dict[DataNode, None] = {}
    seen: set[Node] = set()
    stack = list(graph.outputs)
    while stack:
        node = stack.pop()
        if node in seen or isinstance(node, CHARGED):
            continue
        seen.add(node)
        if isinstance(node, DataNode):
            found[node] = None
        else:
            stack.extend((*node.inputs, *origins(node)))
    return tuple(found)


def _told(node: Node, done: dict[Node, str]) -> str:
    if node not in done:
        own = [node.kind, {} if isinstance(node, (Post, Loop)) else {**node.record(), "name": ""}]
        children = [_told(child, done) for child in (*node.inputs, *origins(node))]
        done[node] = _digest([own, children])
    return done[node]


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


# ----------------------------------------------------------------------------------------- Outcomes
class Outcome(enum.Enum):
    """How a mutant ended. A survivor is an error of dpframe; so is, without a leak, what is
    refused although harmless.
    """

    REFUSED = "refused"
    EQUIVALENT = "equivalent"
    SURVIVOR = "survivor"
    ACCEPTED = "accepted"
    OVERCAUTIOUS = "refused although harmless"
    UNSPELLABLE = "cannot be spelled"

    def __str__(self) -> str:
        """The word."""
        return self.value


REFUSED, EQUIVALENT, SURVIVOR = Outcome.REFUSED, Outcome.EQUIVALENT, Outcome.SURVIVOR
ACCEPTED, OVERCAUTIOUS, UNSPELLABLE = Outcome.ACCEPTED, Outcome.OVERCAUTIOUS, Outcome.UNSPELLABLE


@attrs.frozen(slots=False, eq=False, kw_only=True)
class Judged:
    """A mutant and what became of it.

    `graph` is None where the edit has no words in a graph. `report` is the verifier's, None also
    where the verifier raised an error. `reason` says why it counts as it does.
    """

    mutant: Mutant
    operator: Operator
    place: str
    target: Guarantee
    setting: Setting
    graph: Graph | None
    report: Report | None
    verdict: Outcome
    reason: str

    @property
    def name(self) -> str:
        """`SSP, half: gram`."""
        of = getattr(self.mutant.of, "of", self.mutant.of)
        return f"{type(of).__name__}, {self.operator.name}: {self.place}"

    @cached_property
    def refusal(self) -> Obligation | None:
        """What stands in its way: a refuted obligation where there is one."""
        opened = () if self.report is None else self.report.open_obligations
        refuted = (one for one in opened if one.verdict is Verdict.REFUTED)
        return next(refuted, next(iter(opened), None))

    @property
    def witnessed(self) -> bool:
        """Whether numbers, or two neighbours, show that its claim is wrong."""
        return self.refusal is not None and self.refusal.witness is not None

    @property
    def offered(self) -> bool:
        """Whether the refusal says what to do."""
        opened = () if self.report is None else self.report.open_obligations
        return self.verdict is REFUSED and any(one.repair for one in opened)

    @cached_property
    def key(self) -> str:
        """SHA-256 of what distinguishes mutants: graph, target, setting. Of an edit without words,
        its operator and the reason stand for the graph.
        """
        words = f"{self.operator.name}: {self.reason}"
        graph = words if self.graph is None else self.graph.hash
        return key_of(graph, self.target, self.setting)

    @cached_property
    def essence(self) -> str:
        """SHA-256 of what it releases, target and setting: mutants that differ in post-processing
        or in names alone have one.
        """
        own = self.key if self.graph is None else essence(self.graph)
        return key_of(own, self.target, self.setting)

    def __str__(self) -> str:
        """`refused: SSP, half: gram: ...`."""
        return f"{self.verdict}: {self.name}: {self.reason}"

    __repr__ = __str__


def key_of(graph: str, target: Guarantee, setting: Setting) -> str:
    """SHA-256 of a graph's hash, a target and a setting."""
    text = "\n".join((graph, repr(target), repr(setting)))
    return hashlib.sha256(text.encode()).hexdigest()


def outcome(
    mutant: Mutant, operator: Operator, graph: Graph, target: Guarantee, setting: Setting
) -> tuple[Report | None, Outcome, str]:
    """The verifier's report on a mutant's graph, how it ended, and why. An error of the verifier or
    of the checker is no refusal: the mutant survives.
    """
    try:
        report = verify(Problem.of(graph, target, setting))
    except DPFrameError as error:
        return None, SURVIVOR, f"the verifier raised {type(error).__name__}: {told_of(error)}"
    if not report.proved:
        return report, REFUSED if operator.breaks else OVERCAUTIOUS, told(report)
    if operator.never:
        return report, SURVIVOR, "it reads the data without noise, and was accepted"
    found = confirmed(mutant, report)
    if found:
        return report, SURVIVOR, f"accepted, and not by the independent checker: {found}"
    by = f"proved private by {report.chosen.name if report.chosen else ''}"
    return report, EQUIVALENT if operator.breaks else ACCEPTED, f"{by}, and by the checker"


def told(report: Report) -> str:
    """The obligation that stands in the way, on one line."""
    opened = report.open_obligations
    first = next((one for one in opened if one.verdict is Verdict.REFUTED), opened[0])
    witness = "; ".join(first.facts) if first.witness is None else str(first.witness)
    return f"{first.node}: {first.rule}: {witness}"


SUMMED_BY_HAND = {("CellCounts", "share forgotten")}
"""What the prover adds without the kernel, and is true: a count of each cell with Laplace noise of
the whole epsilon (half of it where a record may change its cell) costs epsilon with or without a
share, since a record is in one cell (leaves one for another)."""


def confirmed(mutant: Mutant, report: Report) -> str:
    """Why the kernel does not accept the certificate; "" where it does, or all but the sum of what
    was summed by hand.
    """
    from dpframe import kernel as check

    by_hand = (type(mutant.of).__name__, mutant.operator) in SUMMED_BY_HAND
    try:
        document = Certificate(mutant, report).document
        return check.check(json.loads(json.dumps(document)), total=not by_hand).reason
    except DPFrameError as error:
        return f"it raised {type(error).__name__}: {told_of(error)}"


def told_of(error: DPFrameError) -> str:
    """An error on one line."""
    return " ".join(str(error).split())
