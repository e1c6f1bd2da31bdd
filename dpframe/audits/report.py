"""audit: what a declaration claims, what it costs, and whether its total holds. It reports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from dpframe.accountants import Accountant
from dpframe.errors import of_target
from dpframe.graph import Regression, Setting
from dpframe.privacy import Guarantee, RenyiDP, Share
from dpframe.prover import Certificate, Obligation, Report, Verdict, examine
from dpframe.prover.certify import AMBIENT, FAILURES, Premise, assumed, samples
from dpframe.prover.parallel import moving
from dpframe.prover.text import overspent
from dpframe.symbols import Number, add, maximum
from dpframe.wording import in_file

from .cost import JointCost, joint_cost
from .lines import ReleaseLine, lines

ONE = Number(Fraction(1))


@attrs.frozen(slots=False, eq=False, repr=False, str=False)
class Audit:
    """What became of a declaration. `str` is the page an officer reads, `records` the same as
    JSON.
    """

    regression: Regression
    report: Report

    @property
    def bounded(self) -> bool:
        """Every release has a bound, and private data reaches nothing that is public."""
        return all(one.verdict is Verdict.PROVED for one in self.report.common)

    @cached_property
    def joint(self) -> JointCost | None:
        """The cost of all releases together at the target's numbers; None while symbols are left,
        where some noise is not Gaussian, and where not everything is `bounded`.
        """
        return joint_cost(self.report.problem, {}) if self.bounded else None

    @cached_property
    def lines(self) -> tuple[ReleaseLine, ...]:
        """One entry a release, in order."""
        return lines(self.regression, self.report)

    @property
    def target(self) -> Guarantee:
        """What is claimed of the total."""
        return self.report.problem.target

    @property
    def claimed(self) -> Guarantee:
        """The same as it was given: of each record where the target is personalised."""
        return self.report.problem.claimed

    @property
    def setting(self) -> Setting:
        """Who is a neighbour, and what is public."""
        return self.report.problem.setting

    @property
    def joint_epsilon(self) -> float | None:
        """The exact epsilon of all releases together at the target's delta, rounded up.

        None where some noise is not Gaussian, or a symbol is left.
        """
        return None if self.joint is None or self.joint.epsilon is None else self.joint.epsilon[1]

    @property
    def joint_epsilon_lower(self) -> float | None:
        """The same rounded down: some pair of neighbours costs at least this."""
        return None if self.joint is None or self.joint.epsilon is None else self.joint.epsilon[0]

    @cached_property
    def shares_sum(self) -> Share | None:
        """What the releases claim in sum, each draw charged, of cells of a public partition the
        costliest; None where none claims anything.
        """
        currency, graph = self.target.currency, self.report.problem.graph
        claims = ((one, one.share) for one in graph.charged if one.share)
        shared = [(one, share) for one, share in claims if share.currency == currency]
        if not shared:
            return None
        failures = {"delta": [bound.failure for bound in graph.bounds]}
        found = []
        for name in currency:
            lost = failures.get(name, ())
            sums = (
                add(*(one.times * share.amount(name) for one, share in some), *lost)
                for some in moving(self.report.problem, shared)
            )
            found.append(maximum(*dict.fromkeys(sums)))
        return Share(currency, tuple(found), (ONE,) * len(currency))

    @property
    def verdict(self) -> Verdict:
        """Whether the total holds.

        Refuted: the exact cost of some pair of neighbours exceeds the target, or they differ in
        what is released without noise, or nothing bounds a release. Shares that sum to more than
        the target leave the total unproved: the releases may cost less than they claim. So does a
        formula or a function that reads private data: its value is not known. So does a bound that
        fails more often than is paid for: more of delta may be left.
        """
        if self.report.proved:
            return Verdict.PROVED
        broken = self.broken is not None
        leaks = (o for o in self.report.common if o.kind not in {"domain", "event"})
        broken |= any(o.verdict is Verdict.REFUTED for o in leaks)
        return Verdict.REFUTED if broken else Verdict.UNPROVED

    @property
    def where(self) -> str:
        """Where the total is proved, in words, if hypotheses of theorems carve the ranges that are
        claimed; "" else. What is beyond is not proved, and may be false.
        """
        from .sentence import conditions

        return "" if self.report.chosen is None else conditions(self.report.chosen.constraints)

    @property
    def holds_by(self) -> str:
        """The accountant by which the claim holds although its shares do not prove it; "" else."""
        return self.report.aside if self.verdict is Verdict.UNPROVED else ""

    @property
    def described(self) -> bool:
        """Whether the declaration is a description in a file."""
        return getattr(self.regression, "described", False)

    def advice(self, text: str) -> str:
        """The advice in the language of the declaration: Python, or lines of a description."""
        return in_file(text) if self.described else text

    @property
    def plan_verdict(self) -> Verdict | None:
        """Whether the shares are positive and sum to at most the target; None without shares."""
        verdicts = {obligation.verdict for obligation in self.report.plan}
        return next(
            (one for one in (Verdict.REFUTED, Verdict.UNPROVED, Verdict.PROVED) if one in verdicts),
            None,
        )

    @property
    def derivation(self) -> str:
        """The name of the derivation that proves the total, or ""."""
        return "" if self.report.chosen is None else self.report.chosen.name

    @property
    def broken(self) -> Obligation | None:
        """The refuted obligation on the total, with numbers that break it; None where none is."""
        tried = (o for attempt in self.report.attempts for o in attempt.obligations)
        return next((o for o in tried if o.kind == "total" and o.verdict is Verdict.REFUTED), None)

    @property
    def witness(self) -> Mapping[str, Fraction]:
        """Numbers of the symbols at which the total breaks; empty where it does at the target's."""
        found = None if self.broken is None else self.broken.witness
        return {} if found is None else found.values

    @property
    def counterexample(self) -> Mapping[str, Fraction]:
        """Numbers of the symbols at which what is refuted fails: the total, else the shares, else
        another obligation. Empty where it fails at the target's, and where nothing is refuted, or
        the total is proved.
        """
        if self.report.proved:
            return {}
        opened = self.report.open_obligations
        refuted = [o for o in opened if o.verdict is Verdict.REFUTED and o.witness is not None]
        first = self.broken or next(iter((*self.report.overspent, *refuted)), None)
        return {} if first is None or first.witness is None else first.witness.values

    @property
    def refuted_at(self) -> Mapping[str, Fraction]:
        """The counterexample where the total is refuted; empty elsewhere."""
        return self.counterexample if self.verdict is Verdict.REFUTED else {}

    @cached_property
    def worst(self) -> JointCost | None:
        """The cost of all releases together at the witness."""
        return joint_cost(self.report.problem, self.witness) if self.witness else self.joint

    @property
    def certificate(self) -> Certificate | None:
        """The certificate, where the total is proved; of Renyi divergences there is none."""
        if isinstance(self.target, RenyiDP):
            return None
        return Certificate(self.regression, self.report) if self.report.proved else None

    @property
    def assumptions(self) -> tuple[Premise, ...]:
        """What is assumed, not proved."""
        drawn = samples(self.regression, self.report.problem.graph)
        return assumed(self.report.problem, FAILURES, AMBIENT, *drawn)

    @property
    def trusted(self) -> tuple[str, ...]:
        """The classes of your own, module:Class, whose word the proof takes."""
        return self.report.problem.trusted

    @property
    def sentence(self) -> str:
        """The one sentence to sign."""
        from .sentence import sentence

        return sentence(self)

    def records(self) -> dict[str, Any]:
        """Everything as JSON values; formulas as text, infinities as text."""
        chosen = self.report.chosen
        total = self.shares_sum
        found = {
            "subject": str(self.regression),
            "target": str(self.target),
            "unit": str(self.setting.unit),
            "verdict": str(self.verdict),
            "counterexample": {name: str(value) for name, value in self.counterexample.items()},
            "overspent": overspent(self.report),
            "proved_by": self.report.aside,
            "where": self.where,
            "sentence": self.sentence,
            "derivation": self.derivation,
            "trusted": list(self.trusted),
            "region": [] if chosen is None else [str(one) for one in chosen.constraints],
            "releases": [line.record() for line in self.lines],
            "plan": None if self.plan_verdict is None else str(self.plan_verdict),
            "shares_sum": total and dict(zip(total.currency, map(str, total.amounts), strict=True)),
            "joint": self.joint and self.joint.record(),
            "joint_epsilon": self.joint_epsilon,
            "joint_epsilon_lower": self.joint_epsilon_lower,
            "obligations": list(map(self._obligation, self.report.obligations)),
            "open": list(map(self._obligation, self.report.open_obligations)),
            "assumptions": list(self.assumptions),
        }
        plain: dict[str, Any] = _plain(found)
        return plain

    def _obligation(self, one: Obligation) -> dict[str, object]:
        return {**obligation_record(one), "way_out": self.advice(one.repair)}

    def __str__(self) -> str:
        """The document as short text, at most 100 columns wide."""
        return self.text()

    def text(self, width: int = 100, *, details: bool = False) -> str:
        """The document as text: what matters first, or with all `details` but pictures."""
        from .findings import findings
        from .sections import document
        from .text import text

        call = "" if details else "audit.text(details=True)"
        return text(document(findings(self, whole=False)), width, details=call)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .text import card_of

        return card_of(self)

    def to_html(self) -> str:
        """The page as one HTML file, as of `dpframe audit --html`. Raises MissingExtra without
        Jinja2.
        """
        from .findings import findings
        from .html import html

        return html(findings(self))


def obligation_record(obligation: Obligation) -> dict[str, object]:
    """An obligation as JSON values."""
    witness = obligation.witness
    return {
        "kind": obligation.kind,
        "node": obligation.node,
        "rule": obligation.rule,
        "facts": list(obligation.facts),
        "verdict": str(obligation.verdict),
        "at": {}
        if witness is None
        else {name: str(value) for name, value in witness.values.items()},
        "witness": "" if witness is None else str(witness),
        "way_out": obligation.repair,
        "count": obligation.count,
    }


def _plain(value: Any) -> Any:
    """Infinities as text: JSON has none."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


@of_target
def audit(
    regression: Regression,
    *,
    target: Guarantee,
    setting: Setting,
    accountant: str | Accountant = "auto",
    trust: Sequence[type] = (),
) -> Audit:
    """Judge `regression` against `target` in `setting`, release by release and in total.

    Reports what `certify` would raise. At numbers it also states exact costs, rounded up; where the
    target or a hyperparameter is symbolic, verdicts hold for all values and a refuted one comes
    with numbers that break it. `accountant` and `trust` are as for dp.certify; the page names what
    is trusted. Raises InvalidArgument or OutsideTheorem for unusable arguments.
    """
    report = examine(regression, target=target, setting=setting, accountant=accountant, trust=trust)
    return Audit(regression, report)
