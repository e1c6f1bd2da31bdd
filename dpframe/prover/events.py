"""Bounds that hold with high probability: each is as far out as its failure needs, for both
neighbours. (proofs/events)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any

from dpframe.exact.documents import Refused
from dpframe.graph import Bound
from dpframe.privacy import ApproxDP
from dpframe.symbols import Expression, Number, log, sqrt
from dpframe.theory.releases import tail_paid
from dpframe.wording import Formula, digits, reference, say

from .algebra import enclose
from .judge import Assuming
from .problem import FIELD, PROVED, Edit, Obligation, Problem, Witness, opened
from .sign import counterexample, nonnegative, positive

RULE = "Pr[N(0, 1) > t] <= exp(-t^2/2)/2, Pr[Laplace(1) > t] = exp(-t)/2 for t >= 0"
SOURCE = "(proofs/events)"


def events(problem: Problem) -> list[Obligation]:
    """Every obligation of the graph's bounds; the proved ones as one object."""
    bounds = problem.graph.bounds
    failing = [one for bound in bounds for one in (*_paid(problem, bound), *_holds(problem, bound))]
    if failing or not bounds:
        return failing
    facts = tuple(say("{}: failure {}", bound.label, bound.failure) for bound in bounds[:8])
    rule = say(
        "each bound holds on both neighbours, but with its failure: {} {}", RULE, reference(SOURCE)
    )
    return [Obligation("event", "bounds", rule, facts, PROVED, count=len(bounds))]


def _paid(problem: Problem, bound: Bound) -> Iterator[Obligation]:
    if not isinstance(problem.target, ApproxDP):
        rule = say("a failure is paid for in $delta$")
        fix = say("use `dp.ApproxDP(epsilon, delta)`.")
        yield opened("event", bound.name, rule, (str(problem.target),), fix)
    if not positive(bound.failure, problem.field).proved:
        rule = say("the failure must be positive for every parameter value")
        fix = say("give it a share.")
        fact = say("failure = {}", bound.failure)
        yield opened("event", bound.name, rule, (fact,), fix)


def _holds(problem: Problem, bound: Bound) -> Iterator[Obligation]:
    if not _tail_proved(problem, bound):
        yield _tail_open(bound)
    moved = bound.value.moved
    if moved is not None and not nonnegative(bound.margin - moved.value, problem.field).proved:
        yield _margin_open(bound, moved.value)


def _tail_proved(problem: Problem, bound: Bound) -> bool:
    """Whether noise passes `stds` with at most the failure probability, by the rule book."""
    field = problem.field
    far, failure = field.formula(bound.stds), field.formula(bound.failure)
    with suppress(Refused):  # a part of the tail is not shown to be defined
        if far is not None and failure is not None and field.ring.prove(far):
            return tail_paid(Assuming(field), far, failure, bound.normal)
    return False


def _tail(stds: Any, *, normal: bool) -> Any:
    """Pr[N(0, 1) > stds], enclosed; of Laplace noise of scale 1, for stds < 0 a lower bound."""
    if normal:
        return (stds / enclose(sqrt(2), {})).erfc() / 2
    return (-stds).exp() / 2 if stds >= 0 else enclose(Number(Fraction(1, 2)), {})


def _tail_open(bound: Bound) -> Obligation:
    rule = "the noise may exceed the bound with at most the failure probability that is paid for"
    facts = (say("stds = {}, failure = {}", bound.stds, bound.failure),)
    tail = log(1 / (2 * bound.failure))
    enough = sqrt(2 * tail) if bound.normal else tail
    written = "sqrt(2 log(1/(2 failure)))" if bound.normal else "log(1/(2 failure))"
    fix = say("leave ``stds`` out: {} is enough.", Formula(written))
    return _open(bound, rule, facts, fix, Edit(FIELD, bound, enough, "stds"))


def _margin_open(bound: Bound, least: Expression) -> Obligation:
    rule = "the margin must cover the move of the statistic between neighbours"
    facts = (say("margin = {}", bound.margin), say("sensitivity = {}", least))
    fix, edit = (
        say("leave ``margin`` out: it is the sensitivity."),
        Edit(FIELD, bound, least, "margin"),
    )
    return _open(bound, rule, facts, fix, edit)


def _open(bound: Bound, rule: str, facts: tuple[str, ...], fix: str, edit: Edit) -> Obligation:
    return opened("event", bound.name, rule, facts, fix, _witness(bound), edit)


def _witness(bound: Bound) -> Witness | None:
    """Numbers at which the noise passes stds and margin, less the move of the statistic, more often
    than the failure, where some pair of neighbours attains that move: stds make up for a margin
    that is short, and a margin for stds.
    """
    release, moved = bound.value, bound.value.moved
    if moved is None or not moved.attained:
        return None
    unit = release.deviation if bound.normal else release.mechanism.formula
    far = bound.stds + (bound.margin - moved.value) / unit
    if any(symbol.origin is not None for symbol in far.symbols() | bound.failure.symbols()):
        return None
    return counterexample((far, bound.failure), partial(_fails, normal=bound.normal))


def _fails(far: Any, paid: Any, *, normal: bool) -> str | None:
    true = _tail(far, normal=normal)
    if not true > paid:
        return None
    ratio = float((true / paid).mid())
    return say(
        "it fails with probability {}, {} times what is paid",
        digits(float(true.mid()), 4),
        digits(ratio, 4),
    )
