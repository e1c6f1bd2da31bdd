"""The result of verification: every obligation of a graph, and the derivation that proves its
total, if there is one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from dpframe.errors import OutsideTheorem
from dpframe.graph import Graph, Release
from dpframe.graph.post import source_digest
from dpframe.graph.rows import COLUMNS
from dpframe.identity import forget_hashes, own_function, state
from dpframe.privacy import RenyiDP
from dpframe.symbols import RELEASED, Number
from dpframe.wording import ANALYTIC, say

from . import structure
from .algebra import at_point
from .basic import with_theorems
from .derivations import DERIVATIONS, SHARES, SUM, Derivation, selected
from .mixture import amplified
from .noise import POSITIVE, noise
from .plan import events, plan
from .problem import (
    ALL,
    UNPROVED,
    Attempt,
    Constraint,
    Edit,
    Obligation,
    Problem,
    Witness,
    alone,
    opened,
    thinnings,
)
from .sign import counterexample

MOST = 64  # releases of which a part is compared with the target


@attrs.frozen(slots=False)
class Report:
    """The obligations of a graph: common ones, the plan of shares, and those of each derivation.
    `chosen` proves the total, or is None.
    """

    problem: Problem
    common: tuple[Obligation, ...]
    plan: tuple[Obligation, ...]
    attempts: tuple[Attempt, ...]
    chosen: Attempt | None
    accountant: str = "auto"
    sealed: tuple[object, ...] = attrs.field(default=(), init=False, repr=False, eq=False)
    """What the problem was made of when it was proved; set by `verify` alone."""

    @property
    def proved(self) -> bool:
        """Whether the target was proved, by `verify` and for this very problem."""
        return self.chosen is not None and bool(self.sealed)

    @property
    def made_of(self) -> tuple[object, ...]:
        """A flat list of everything that was proved: `sealed`, unless a part was changed since.
        Parts of classes from outside are not examined; what they state is.
        """
        concluded = self.concluded  # first, as classes from outside run code of their own
        return (*state(self.problem.graph, self.problem.given), *concluded)

    @property
    def unchanged(self) -> bool:
        """Whether the graph and the claim are as they were proved; code of functions aside."""
        stated = self._stated
        found = (*state(self.problem.graph, self.problem.given), stated)
        return found == self.sealed[: len(found)]

    @property
    def concluded(self) -> tuple[object, ...]:
        """The parts of it that a proof adds to its problem."""
        graph, found = self.problem.graph, state(self.chosen and self.chosen.constraints)
        functions = [one.function for one in graph.calls]
        digests = (source_digest(f) for f in functions if not own_function(f))
        return (self._stated, *found, *digests)

    @property
    def _stated(self) -> str:
        """The graph as its classes from outside state it, by empty caches."""
        proved = self.chosen is not None and self.problem.trusted
        return json.dumps(self.problem.graph.written()) if proved else ""

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """The obligations of the proof; without one, those of the first derivation tried."""
        last = self.chosen or next(iter(self.attempts), None)
        return (*self.common, *self.plan, *(last.obligations if last else ()))

    @property
    def overspent(self) -> tuple[Obligation, ...]:
        """The sums of shares that exceed the target at some values of the parameters."""
        return tuple(
            one
            for one in self.plan
            if one.refuted and one.edit is not None and one.edit.what == "shares"
        )

    @cached_property
    def aside(self) -> str:
        """The accountant that proves the total if only shares fail; "" otherwise."""
        names = (one.name for one in self.attempts if not self.proved and proves_alone(self, one))
        return next(names, "")

    @property
    def open_obligations(self) -> tuple[Obligation, ...]:
        """Every open obligation, refuted or unproved, of every derivation that was tried. If one
        proves the total and only shares fail, those of the others are omitted.
        """
        if self.proved:
            return ()
        last = {SUM.name, SHARES.name}  # of these only what is refuted, where others were tried
        alone = all(attempt.name in last for attempt in self.attempts)
        left_out = self._all_rows | (set() if alone else last)
        every = [(attempt.name, o) for attempt in self.attempts for o in attempt.obligations]
        tried = [o for name, o in every if name not in left_out or o.refuted]
        if any(map(_refuted, self.attempts)):  # no other derivation can prove it
            tried = [o for o in tried if o.refuted]
        elif self.aside:
            tried = [o for o in tried if o.kind != "total"]
        return tuple(dict.fromkeys(o for o in (*self.common, *self.plan, *tried) if not o.proved))

    @property
    def _all_rows(self) -> set[str]:
        """The attempts that charge subsampled draws as draws on all rows, beside one that counts
        amplification; refuted, they refute the others too.
        """
        counts, tried = {"numeric", "rdp"}, {attempt.name for attempt in self.attempts}
        counted = counts & tried and any(map(amplified, self.problem.graph.releases))
        return tried - counts if counted else set()

    @property
    def claims(self) -> tuple[Obligation, ...]:
        """Claims about shares that the chosen derivation does not use; they are recorded separately
        and need not hold.
        """
        if self.chosen is None or self.chosen.name == "basic":
            return ()
        other = next((attempt for attempt in self.attempts if attempt.name == "basic"), None)
        return (*(() if other is None else other.obligations),)


def verify(problem: Problem, accountant: str = "auto") -> Report:
    """Decide every obligation of `problem`; `accountant` as in `certify`."""
    forget_hashes(problem.graph, problem.given)  # nodes may have been changed while declared
    before = problem.made_of or state(problem.graph, problem.given)
    report = attrs.evolve(_of_width(_verify(problem, accountant)), accountant=accountant)
    object.__setattr__(report, "sealed", (*before, *report.concluded))
    return report


def proves_alone(report: Report, attempt: Attempt) -> bool:
    """Whether naming the accountant of this attempt proves the total for all parameter values: only
    shares fail, which it does not use.
    """
    alone = attempt.name in DERIVATIONS and attempt.name != "basic"  # the rest add shares up
    whole = attempt.proved and not attempt.constraints
    return whole and alone and verify(report.problem, attempt.name).proved


def _of_width(report: Report) -> Report:
    """The report without counterexamples that no table can realise: with another number of columns
    than a map of this declaration takes, or with one column where a rule assumes several.
    """
    maps: list[Any] = [one for one in report.problem.data if getattr(one, "width", None)]
    open_to = [one for one in maps if not isinstance(one.source.columns, Number)]
    if not open_to:
        return report
    widths = {one.width if one.source.columns == COLUMNS else 0 for one in open_to}

    def possible(obligation: Obligation) -> Obligation:
        values = {} if obligation.witness is None else obligation.witness.values
        elsewhere = widths != {values.get(COLUMNS.name, max(widths))} or min(widths) <= 1
        if not obligation.refuted or not elsewhere:
            return obligation
        return attrs.evolve(obligation, verdict=UNPROVED, witness=None)

    common, plan = (tuple(map(possible, one)) for one in (report.common, report.plan))
    tried = ((one, tuple(map(possible, one.obligations))) for one in report.attempts)
    attempts = tuple(attrs.evolve(one, obligations=judged) for one, judged in tried)
    return attrs.evolve(report, common=common, plan=plan, attempts=attempts)


def _verify(problem: Problem, accountant: str) -> Report:
    planned = tuple(plan(problem))
    chosen = selected(accountant, problem.accountant)
    planning = any(map(_shares, chosen))  # then a theorem's noise is positive with its share
    common, bounds = _common(problem, planned=planning), events(problem)
    if not _all_proved(common):
        part = _refuted_part(problem, planned=planning)
        return Report(problem, (*common, *bounds), planned, part, None)
    common, bounded = (*common, *bounds), _all_proved(bounds)
    attempts: list[Attempt] = []
    for derivation in _order(problem, chosen):
        attempt = derivation(problem)
        if attempt is None:
            continue
        if accountant == "auto" and not _shares(derivation):
            attempt = with_theorems(attempt, problem)
        attempts.append(_with_point(attempt))
        binding = [one for one in planned if planning or one.kind == "draws"]
        if bounded and attempts[-1].proved and _all_proved(binding):
            return Report(problem, common, planned, tuple(attempts), attempts[-1])
    if not any(map(_settled, attempts)):
        from .attained import refutation

        attempts += refutation(problem)
    if not attempts:
        common = (*common, _none_applies(problem))
    return Report(problem, common, planned, tuple(attempts), None)


def _common(problem: Problem, *, planned: bool) -> tuple[Obligation, ...]:
    return (*structure.obligations(problem), *noise(problem, planned=planned))


def _refuted_part(problem: Problem, *, planned: bool) -> tuple[Attempt, ...]:
    """The total, refuted by the releases of which nothing is open, as a part of the releases costs
    at most the whole. None of a problem with noise or maps that are undefined at some parameters.
    """
    releases = problem.graph.releases
    if problem.personal is not None or thinnings(problem.graph) or len(releases) > MOST:
        return ()
    judged = [_common(_only(problem, one), planned=planned) for one in releases]
    undefined = any(o.kind == "domain" or o.rule == POSITIVE for some in judged for o in some)
    part = [one for one, found in zip(releases, judged, strict=True) if _all_proved(found)]
    if undefined or not 0 < len(part) < len(releases):
        return ()
    return tuple(
        alone(part, one) for one in _verify(_only(problem, *part), "auto").attempts if _refuted(one)
    )


def _only(problem: Problem, *releases: Release) -> Problem:
    return attrs.evolve(problem, graph=Graph.of(releases))


def _refuted(attempt: Attempt) -> bool:
    return any(one.kind == "total" and one.refuted for one in attempt.obligations)


def _settled(attempt: Attempt) -> bool:
    """Whether it decides the total: shares that are earned may sum to more than the target."""
    proved = attempt.proved and not attempt.constraints
    return _refuted(attempt) or (proved and attempt.name not in {"basic", SHARES.name})


def _all_proved(obligations: Sequence[Obligation]) -> bool:
    return all(obligation.proved for obligation in obligations)


def _none_applies(problem: Problem) -> Obligation:
    rule = (
        "some derivation must apply: basic composition (every release has a share), joint "
        "Gaussian DP (all Gaussian), zCDP"
    )
    noises = [release.noise.kind for release in problem.graph.releases]
    kinds = dict.fromkeys([*noises, *(one.kind for one in problem.graph.procedures)])
    facts = (say("target {}; noise {}", problem.target, ", ".join(kinds)),)
    fix = "give every release a share of the budget"
    fix += say(", and leave `accountant='auto'`.") if isinstance(problem.target, RenyiDP) else "."
    return opened("total", ALL, rule, facts, fix, edit=Edit("even shares"))


def _shares(derivation: Derivation) -> bool:
    """Whether it adds up shares of the budget."""
    return derivation.proof in {"shares", "exact shares"}


def _order(problem: Problem, chosen: Sequence[Derivation]) -> Sequence[Derivation]:
    """Those of the derivations that may apply, in order. Raises OutsideTheorem if a named one may
    not.
    """
    shared = all(charged.share is not None for charged in problem.graph.charged)
    only_shares = bool(problem.graph.procedures or problem.graph.bounds)
    currency = "epsilon" in problem.target.currency
    tried = [one for one in chosen if _shares(one) or not only_shares]
    if not tried:
        raise OutsideTheorem(
            "procedures and bounds that may fail are added up by basic composition: use "
            "accountant='basic' or 'auto'."
        )
    serves = {"shares": shared and currency, "exact shares": not only_shares}
    serving = [one for one in tried if serves.get(one.proof, True)]
    if isinstance(problem.target, RenyiDP):  # (epsilon, delta) bounds no divergence
        return [one for one in serving if one.proof != "shares"]
    if not serving and len(chosen) == 1:
        raise OutsideTheorem(
            "basic composition adds shares of (epsilon, delta): give every release a share "
            "of the budget, or use another accountant."
        )
    return serving


def _with_point(attempt: Attempt) -> Attempt:
    """A region restricted by theorems must have a point, and be known before anything is drawn."""
    carved = [c for c in attempt.constraints if RELEASED in c.left.scope | c.right.scope]
    if carved:
        where, repair = "whatever is released before", "narrow the range of the released number."
    elif not attempt.proved or not attempt.constraints or example(attempt.constraints):
        return attempt
    else:
        where = "somewhere on the declared domain"
        repair = say(
            "widen the parameters' ranges, use {}, or give numbers: the exact profile then "
            "decides.",
            ANALYTIC,
        )
    rule, facts = f"the theorems' hypotheses must hold {where}", carved or attempt.constraints
    failing = opened("region", "parameters", rule, tuple(map(str, facts[:8])), repair)
    return attrs.evolve(attempt, obligations=(*attempt.obligations, failing))


def example(constraints: Sequence[Constraint]) -> Witness | None:
    """A point of the domain at which every constraint holds, or None if none was found."""

    def all_hold(*gaps: Any) -> str | None:
        return "" if all(map(_open_or_closed, constraints, gaps)) else None

    return counterexample([one.right - one.left for one in constraints], all_hold)


def satisfied(constraint: Constraint, values: Mapping[str, Fraction]) -> bool:
    """Whether the constraint certainly holds at these numbers."""
    return _open_or_closed(constraint, *at_point([constraint.right - constraint.left], values))


def _open_or_closed(constraint: Constraint, gap: Any) -> bool:
    return bool(gap > 0 if constraint.strict else gap >= 0)
