"""The catalogue: the verdict on each regression under each relation, for all parameters and at
numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs

from dpframe.audits.figures import clipped
from dpframe.audits.findings.accountants import TotalCost, cost
from dpframe.audits.report import Audit, audit
from dpframe.audits.sentence import conditions
from dpframe.errors import DPFrameError, InvalidArgument
from dpframe.graph import Column, Regression, Rows, Setting
from dpframe.graph.node import DataNode
from dpframe.privacy import (
    ApproxDP,
    Guarantee,
    PersonalizedDP,
    PureDP,
    Relation,
    each,
)
from dpframe.prover import Constraint, Obligation, Verdict
from dpframe.prover.certify import examine
from dpframe.regressions import (
    AMBSSGD,
    AdaptiveGradientDescent,
    FunctionalRidge,
    LogisticOutputPerturbation,
    Tuned,
)
from dpframe.symbols import DATA, DELTA, EPSILON, parameter

from .every import about, everything, together

RELATIONS = tuple(Relation)
HERE = "epsilon = 1, delta = 1e-6, B = Y = 1"  # the numbers of every cost
WORDS = {
    "basic": "basic composition of shares",
    "gaussian": "joint Gaussian differential privacy",
    "numeric": "certified numeric composition",
    "zcdp": "zero-concentrated differential privacy",
}
BUDGET = {"epsilon", "delta", "B", "Y"}  # symbols that have numbers there
NO_DATA = "no data"
NOTHING, CLAIMS = "nothing", {True: "epsilon", False: "(epsilon, delta)"}

# The examples of declarations without defaults, or too large at theirs
EXAMPLES: Mapping[type[Regression], Regression] = {
    Tuned: Tuned(of=FunctionalRidge(), field="lam", candidates=(1, 10)),  # type: ignore[call-arg]
    LogisticOutputPerturbation: LogisticOutputPerturbation(penalty=1),  # type: ignore[call-arg]
    AMBSSGD: AMBSSGD(rounds=2),  # type: ignore[call-arg]  # two releases a round, all unrolled
    AdaptiveGradientDescent: AdaptiveGradientDescent(rounds=2),  # type: ignore[call-arg]
}


@attrs.frozen(kw_only=True, eq=False, slots=False)
class Entry:
    """The verdict on one declaration under one relation.

    `every` is its audit for all epsilon, delta, B and Y, `here` that at epsilon = 1, delta = 1e-6
    (none where it is `pure`), B = Y = 1. They are None where the declaration fails, with `error`.
    """

    regression: Regression
    relation: Relation
    pure: bool
    every: Audit | None
    here: Audit | None
    error: str = ""

    @cached_property
    def each(self) -> str:
        """The verdict for a budget of each record: `certified` for any budgets, else `refused`;
        `no data` where none are read.
        """
        if self.blind:
            return NO_DATA
        target = PersonalizedDP(each("epsilon"), None if self.pure else DELTA)
        try:
            report = examine(self.regression, target=target, setting=setting_of(self.relation))
        except DPFrameError:
            return "refused"
        return "certified" if report.proved else "refused"

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self.regression).__name__

    @property
    def claim(self) -> str:
        """Its claim: `(epsilon, delta)`, `epsilon`, or nothing where nothing is charged."""
        charged = self.every is not None and self.every.report.problem.graph.charged
        return CLAIMS[self.pure] if charged else NOTHING

    @property
    def scope(self) -> str:
        """Where its claim is proved: `every` parameter, a `region`, at `numbers` only, or ""."""
        if self.every is not None and self.every.verdict is Verdict.PROVED:
            return "region" if self.region else "every"
        return "numbers" if self.here is not None and self.here.verdict is Verdict.PROVED else ""

    @property
    def certified(self) -> bool:
        """Whether it is certified: for every parameter, in a region, or at numbers where nothing
        refutes the claim elsewhere.
        """
        broken = self.every is not None and self.every.verdict is Verdict.REFUTED
        return self.scope in ("every", "region") or (self.scope == "numbers" and not broken)

    @property
    def blind(self) -> bool:
        """Whether it reads nothing of the table, so that there is nothing to certify."""
        if self.every is None:
            return False
        nodes = self.every.report.problem.graph.nodes
        private = any(DATA in one.scope for node in nodes for one in node.formulas.values())
        return not private and not any(isinstance(node, DataNode) for node in nodes)

    @property
    def verdict(self) -> str:
        """`certified`, `refused`, or `no data` where none are read."""
        if self.blind:
            return NO_DATA
        return "certified" if self.certified else "refused"

    @property
    def region(self) -> tuple[Constraint, ...]:
        """The hypotheses of theorems that carve the range of the parameters."""
        chosen = None if self.every is None else self.every.report.chosen
        return () if chosen is None else chosen.constraints

    @property
    def derivation(self) -> str:
        """The composition theorem of the total, or ""."""
        for one in (self.every, self.here):
            if self.certified and one is not None and one.derivation:
                return one.derivation
        return ""

    @cached_property
    def cost(self) -> TotalCost | None:
        """Its cost at the numbers; None where nothing bounds it."""
        return None if self.here is None else cost(self.here)

    @property
    def reason(self) -> str:
        """One line: the derivation and where it holds; or the first failure, with numbers."""
        if self.blind:
            return "it reads no row and no label, so it costs nothing and needs no certificate"
        if not self.certified:
            return _refusal(self)
        where = {
            "every": "for every parameter",
            "region": f"where {conditions(self.region)}",
            "numbers": f"at {HERE} only",
        }
        return f"{where[self.scope]}, by {WORDS[self.derivation]}"

    def record(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            **about(type(self.regression)),
            "relation": str(self.relation),
            "verdict": self.verdict,
            "each": self.each,
            "scope": self.scope,
            "reason": self.reason,
            "guarantee": self.claim if self.certified else NOTHING,
            "claim": self.claim,
            "cost": self.cost and self.cost.record(),
            "derivation": self.derivation,
            "region": [str(one) for one in self.region],
            "subject": str(self.regression),
        }


def catalogue(
    classes: Sequence[type[Regression]] | None = None,
    relations: Sequence[Relation] = RELATIONS,
) -> list[Entry]:
    """One entry a class and relation, families together, in the order of their first member;
    by default all of dpframe's regressions. Raises InvalidArgument.
    """
    listed = together(everything() if classes is None else classes)
    return [entry(example(cls), relation) for cls in listed for relation in relations]


def example(cls: type[Regression]) -> Regression:
    """The declaration with its defaults, or its example. Raises InvalidArgument."""
    if cls in EXAMPLES:
        return EXAMPLES[cls]
    try:
        return cls()
    except TypeError as error:
        way_out = "Give it an example in EXAMPLES, dpframe/literature/catalogue.py."
        raise InvalidArgument(cls.__name__, "complete without arguments", error, way_out) from None


def entry(regression: Regression, relation: Relation) -> Entry:
    """The verdict on a declaration under a relation; errors are part of the entry."""
    pure = claims_pure(regression, relation)
    targets = (PureDP(EPSILON), PureDP(1)) if pure else (_APPROX, ApproxDP(1, "1e-6"))
    audits: list[Audit | None] = []
    error = ""
    for target, norm in zip(targets, (None, 1), strict=True):
        try:
            audits.append(audit(regression, target=target, setting=setting_of(relation, norm)))
        except DPFrameError as raised:
            error = error or " ".join(str(raised).split())
            audits.append(None)
    every, here = audits
    return Entry(
        regression=regression, relation=relation, pure=pure, every=every, here=here, error=error
    )


_APPROX = ApproxDP(EPSILON, DELTA)


def setting_of(relation: Relation, size: int | None = None, *, box: bool = False) -> Setting:
    """Rows of a ball of radius B (or a box), labels up to Y; both `size` where that is given."""
    rows = parameter("B") if size is None else size
    labels = parameter("Y") if size is None else size
    return Setting(
        X=Rows(box=rows) if box else Rows(norm=rows), y=Column(bound=labels), relation=relation
    )


def claims_pure(regression: Regression, relation: Relation) -> bool:
    """Whether all its releases need a budget of epsilon alone."""
    target: Guarantee = PureDP(EPSILON)
    try:
        graph = regression.graph(setting_of(relation), target.budget)
    except DPFrameError:
        return False
    return bool(graph.charged) and all(one.gives is PureDP for one in graph.charged)


def _refusal(found: Entry) -> str:
    if found.every is None:
        return f"it cannot be declared: {found.error}"
    if found.here is not None and _stand_ins(found):
        return f"at {HERE}: {_first_sentence(_first(found.here))}"
    reason = _first_sentence(_first(found.every))
    if found.scope == "numbers":
        return f"{reason}; at {HERE} it is certified"
    boxed = _boxed(found)
    return f"{reason}; for rows of a box, |x_j| <= B, it is certified" if boxed else reason


def _stand_ins(found: Entry) -> set[str]:
    """Symbols for numbers that code computes itself: no value of theirs is that of the code."""
    if found.every is None or found.here is None:
        return set()
    return _public(found.every) - _public(found.here) - BUDGET


def _public(judged: Audit) -> set[str]:
    """The names of public parameters."""
    return {one.name for one in judged.report.problem.symbols if one.origin is None}


def _first(judged: Audit) -> Obligation:
    """The refuted total; else the first refuted obligation; else the first open one."""
    opened = judged.report.open_obligations
    refuted = (one for one in opened if one.verdict is Verdict.REFUTED)
    return judged.broken or next(refuted, opened[0])


def _first_sentence(obligation: Obligation) -> str:
    rule = f"{clipped(obligation.node, 60)}: {clipped(obligation.rule, 150)}"
    if obligation.example:
        return f"{rule}: {clipped(obligation.example, 230)}"
    numbers = [fact for fact in obligation.facts if fact.startswith(("mu = ", "mu at most "))]
    return f"{': '.join([rule, *numbers])} ({obligation.verdict})"


def _boxed(found: Entry) -> bool:
    """Whether it is certified for rows of a box, where that was not refuted for those of a ball."""
    judged = found.every
    if judged is None or judged.verdict is Verdict.REFUTED:
        return False
    target, setting = judged.target, setting_of(found.relation, box=True)
    try:
        return audit(found.regression, target=target, setting=setting).report.proved
    except DPFrameError:
        return False
