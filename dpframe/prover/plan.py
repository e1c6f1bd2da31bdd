"""The plan: shares that are positive, in the target's currency, and sum to at most the target; and
bounds that hold with high probability, each as far out as its failure needs, for both neighbours.
(proofs/events)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any

import attrs

from dpframe.exact.documents import Refused
from dpframe.graph import Bound, Procedure, Release
from dpframe.graph.release import whole as is_whole
from dpframe.mechanisms.base import NEEDS_DELTA, WITH_DELTA
from dpframe.privacy import ApproxDP, GaussianDP, PureDP, Share, ZeroConcentratedDP
from dpframe.symbols import (
    ONE,
    ZERO,
    Expression,
    Number,
    add,
    log,
    multiply,
    split_coefficient,
    sqrt,
)
from dpframe.theory.releases import tail_paid
from dpframe.wording import BY_HAND, Cited, Code, Formula, digits, joined, reference, say, ways

from .algebra import number
from .judge import Assuming, noise_tail
from .parallel import about, coarse, moving
from .problem import (
    PROVED,
    UNPROVED,
    Edit,
    Obligation,
    Overspent,
    Problem,
    Witness,
    named,
    opened,
    shown,
)
from .rounding import whole_step
from .sign import Decision, counterexample, nonnegative, positive

LONG = 200  # characters of sums that fit on a screen
BASIC = Cited("[DworkR14, Thm B.1]")
SOURCES = {
    "epsilon": BASIC,
    "delta": BASIC,
    "rho": Cited("[BunS16, Lem 2.3]"),
    "mu^2": Cited("[DongRS22, Cor 3.3]"),
}
NESTED = Code(
    "budget.split(a, (1 - a)*b, (1 - a)*(1 - b))"
)  # positive, and sum to 1, for all a and b in (0, 1)
NORMAL = (GaussianDP, ZeroConcentratedDP)  # what noise gives whose loss has no bound
RENYI = Cited("[Mironov17, Prop 1]")  # divergences of one order
Charged = Release | Procedure
Pair = tuple[Charged, Share]


def plan(problem: Problem) -> list[Obligation]:
    """Every obligation of the plan, on the whole domain; one object if all are proved."""
    pairs = [(r, r.share) for r in problem.graph.charged if r.share is not None]
    foreign = [*_foreign(problem, pairs), *_counts(problem)]
    if foreign or not pairs:
        return foreign
    if not problem.graph.bounds and _weights_hold(problem, pairs):
        return [_proved(problem, pairs)]
    failing = [*_signs(problem, pairs), *_sums(problem, pairs)]
    return failing or [_proved(problem, pairs)]


def _proved(problem: Problem, pairs: Sequence[Pair]) -> Obligation:
    rule = "shares are positive and sum to at most the target, identically in all parameters"
    names = problem.target.currency
    choices = moving(problem, pairs)
    facts: list[str] = [
        say("{}: {}", Formula(name), _sum_text(problem, choices, i)) for i, name in enumerate(names)
    ]
    facts += about(problem, choices)
    return Obligation("plan", "budget", rule, tuple(facts), PROVED, count=len(pairs))


def _sum_text(problem: Problem, choices: Sequence[Sequence[Pair]], index: int) -> str:
    name = problem.target.currency[index]
    sums = dict.fromkeys(_summands(problem, pairs, name) for pairs in choices)
    text = next(iter(sums)) if len(sums) == 1 else say("max({})", joined(", ", sums))
    text = text if len(text) < LONG else say("the largest of {} sums", len(sums))
    return say("{} $<=$ {}", text, problem.target.amounts[index])


def _summands(problem: Problem, pairs: Sequence[Pair], name: str) -> str:
    if len(pairs) > 6:
        return say("{} shares", len(pairs))
    charges = [*(_charge(pair, name) for pair in pairs), *_failures(problem, name)]
    return joined(" + ", charges)


def _weights_hold(problem: Problem, pairs: Sequence[Pair]) -> bool:
    """Whether all shares are positive weights of the (positive) target, with sum at most 1."""
    target = problem.target.amounts
    if any(share.wholes != target for _, share in pairs):
        return False
    charges: list[tuple[Charged, int]] = [*problem.classes]
    charges += [(one, 1) for one in problem.graph.procedures]
    choices = moving(problem, charges)
    apart = any(share.weights[0] is not other for _, share in pairs for other in share.weights)
    each = range(len(target) if apart else 1)
    return all(_weighed(problem, some, index) for index in each for some in choices)


def _weighed(problem: Problem, charges: Sequence[tuple[Charged, int]], index: int) -> bool:
    """Whether the weights of charges are positive, and sum to at most 1 with all their draws."""
    grouped: dict[tuple[Expression, Expression], list[Fraction]] = {}
    for one, count in charges:
        if one.share is not None:
            scale, rest = split_coefficient(one.share.weights[index])
            grouped.setdefault((rest, one.times), []).append(scale * count if count > 1 else scale)
    for (rest, _), scales in grouped.items():
        factors = [rest] if min(scales) > 0 else [scale * rest for scale in scales]
        if not all(positive(factor, problem.field).proved for factor in factors):
            return False
    total = add(*(multiply(add(*scales), *key) for key, scales in grouped.items()))
    return nonnegative(1 - total, problem.field).proved is True


def _foreign(problem: Problem, pairs: Sequence[Pair]) -> Iterator[Obligation]:
    currency = problem.target.currency
    for release, share in pairs:
        if share.currency != currency:
            ours, theirs = ", ".join(currency), ", ".join(share.currency)
            rule = "a share must be in the target's currency"
            facts = (say("share in {}", theirs), say("target in {}", ours))
            fix = "take shares from the budget that declare is given."
            witness = Witness(says="it would be spent uncounted")
            yield opened("plan", release.label, rule, facts, fix, witness)


def _counts(problem: Problem) -> Iterator[Obligation]:
    for release in problem.graph.releases:
        if release.times is ONE:
            continue
        if not is_whole(release.times):
            rule = "the number of draws is a whole number"
            fix = say("`dp.release(..., times=T)` checks it.")
            fact = say("times = {}", release.times)
            yield opened("draws", release.label, rule, (fact,), fix)
        decision = nonnegative(release.times - 1, problem.field)
        if not decision.proved:
            rule = "the number of draws must be at least 1 for every parameter value"
            witness = decision.counterexample("fewer than one draw", release.times)
            fix = say("declare the parameter with lower=1, closed='left', integer=True.")
            yield opened(
                "draws", release.label, rule, (say("times = {}", release.times),), fix, witness
            )


def _signs(problem: Problem, pairs: Sequence[Pair]) -> Iterator[Obligation]:
    """Epsilon must be positive; delta too, except for pure noise."""
    kinds = {(share, release.gives is not PureDP): release for release, share in pairs}
    for (share, spends), release in kinds.items():
        for name, amount in zip(share.currency, share.amounts, strict=True):
            yield from _sign(problem, release, name, amount, spends or name != "delta")


def _sign(
    problem: Problem, release: Release | Procedure, name: str, amount: Expression, strict: object
) -> Iterator[Obligation]:
    decision = (positive if strict else nonnegative)(amount, problem.field)
    if decision.proved:
        return
    word = "positive" if strict else "nonnegative"
    says = "" if decision.value is None else say("the share is {}", shown(decision.value))
    ranges = sorted(amount.symbols(), key=lambda symbol: symbol.name)
    normal = name == "delta" and isinstance(release, Release) and release.gives in NORMAL
    why, other = (say(": {}", NEEDS_DELTA), WITH_DELTA) if normal else ("", "give another share.")
    nested = domain = say("")
    if ranges:
        where = "declare the parameter where {} is {} (an open interval excludes its ends)"
        domain = say(where, amount, word)
    amounts = {one for whole in problem.target.amounts for one in whole.symbols()}
    if len(set(ranges) - amounts) > 1:
        nested = say("nest the shares, as in {}", NESTED)
    signs = [*["; or "] * bool(nested), *[", or "] * bool(domain)]
    repair = ways(nested, domain, other, signs=signs, end="")
    rule = say("its share of {} must be {} for every parameter value{}", Formula(name), word, why)
    facts = (
        say("share of {} = {}", Formula(name), amount),
        *(say("{} {}", Formula(s.name), s.domain) for s in ranges),
    )
    yield opened("plan", release.label, rule, facts, repair, decision.counterexample(says, amount))


def _sums(problem: Problem, pairs: Sequence[Pair]) -> Iterator[Obligation]:
    choices = moving(problem, pairs)
    notes = about(problem, choices)
    for index, (name, whole) in enumerate(
        zip(problem.target.currency, problem.target.amounts, strict=True)
    ):
        for some in choices:
            total = add(*(_charge(pair, name) for pair in some), *_failures(problem, name))
            decision = nonnegative(whole - total, problem.field)
            if not decision.proved:
                overspent = _overspent(problem, some, index, total, decision)
                if coarse(problem, pairs):
                    overspent = attrs.evolve(overspent, verdict=UNPROVED)
                yield attrs.evolve(overspent, facts=(*overspent.facts, *notes))
                break


def _failures(problem: Problem, name: str) -> list[Expression]:
    """Failure probabilities of bounds, each charged once to delta. (proofs/events)"""
    return [bound.failure for bound in problem.graph.bounds] if name == "delta" else []


def _charge(pair: Pair, name: str) -> Expression:
    release, share = pair
    amount = share.amount(name)
    return amount if release.times is ONE else amount * release.times


def _overspent(
    problem: Problem, pairs: Sequence[Pair], index: int, total: Expression, decision: Decision
) -> Obligation:
    name, whole = problem.target.currency[index], problem.target.amounts[index]
    shares = [
        say("{}: {}{}", release.label, share.amount(name), _times(release))
        for release, share in pairs
    ]
    bounds = problem.graph.bounds if name == "delta" else ()
    shares += [say("{} may fail: {}", bound.name, bound.failure) for bound in bounds]
    more = [say("... and {} more", len(shares) - 8)] if len(shares) > 8 else []
    listed = (*shares[:8], *more)
    rule = say(
        "the shares of {} must sum to at most {} {}; each release pays for its own draw",
        *(Formula(name), whole, SOURCES.get(name, RENYI)),
    )
    fix, facts = _repair(problem, name, total, whole), (*listed, say("sum = {}", total))
    witness = _overspent_at(decision, total, whole, Formula(name), listed)
    edit = Edit("shares", value=whole / total, name=name) if total != ZERO else None
    return opened("plan", "budget", rule, facts, fix, witness, edit)


def _overspent_at(
    decision: Decision, total: Expression, whole: Expression, name: str, shares: tuple[str, ...]
) -> Overspent | None:
    if decision.witness is None:
        return None
    numbers = {symbol.name: Number(value) for symbol, value in decision.witness.items()}
    much = _too_much(total.substitute(numbers), whole.substitute(numbers))
    values = named(decision.witness, total, whole)
    return Overspent(values, say("the shares sum to {}", much), name, much, shares)


def _too_much(spent: Expression, limit: Expression) -> str:
    """`6/5, more than 1`; the difference, if both print alike."""
    texts = _plain(spent), _plain(limit)
    if texts[0] == texts[1] and isinstance(spent, Number) and isinstance(limit, Number):
        more = float(spent.value - limit.value)
        return say("{} and {} more", texts[1], digits(more, 3))
    return say("{}, more than {}", *texts)


def _plain(formula: Expression) -> str:
    if isinstance(formula, Number):
        return Formula(shown(formula.value))
    return Formula(formula) if formula.symbols() else digits(number(formula, {}, up=False))


def _times(release: Release | Procedure) -> str:
    return "" if release.times == ONE else say(", {} times", release.times)


def _repair(problem: Problem, name: str, total: Expression, whole: Expression) -> str:
    factor = problem.field.constant(whole / total) if total != ZERO else None
    only_shares = problem.graph.procedures or problem.graph.bounds
    by_hand = say("") if only_shares else say("{}", BY_HAND)
    if factor is None:
        free = total.symbols() - whole.symbols()
        nested = say("nested, as in {}", NESTED)
        last = nested if len(free) > 1 else "the last one as 1 minus the others"
        weights = say("choose weights that sum to 1 identically: {}", last)
        evenly = say("`budget.split_evenly(k)`")
        return ways(weights, evenly, by_hand, signs=["; or ", *[", or "] * bool(by_hand)])
    if factor > Fraction(999_999, 1_000_000):
        return say(
            "these look like rounded decimals: write exact weights, such as Fraction(1, "
            "3), or `budget.split_evenly(k)`."
        )
    bounds = ", ".join(bound.name for bound in problem.graph.bounds)
    lower = say("lower the failure of {}", bounds) if bounds else ""
    stated = any(one.rule is None and one.share is not None for one in problem.graph.releases)
    fit = " and raise stated noise to fit" if stated else ""
    every = say("multiply every share of {} by {}{}", Formula(name), factor, fit)
    return ways(every, "draw once and use the released value twice", by_hand, lower)


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


def _tail_open(bound: Bound) -> Obligation:
    rule = "the noise may exceed the bound with at most the failure probability that is paid for"
    facts = (say("stds = {}, failure = {}", bound.stds, bound.failure),)
    tail = log(1 / (2 * bound.failure))
    enough = sqrt(2 * tail) if bound.normal else tail
    written = "sqrt(2 log(1/(2 failure)))" if bound.normal else "log(1/(2 failure))"
    fix = say("leave ``stds`` out: {} is enough.", Formula(written))
    return _open(bound, rule, facts, fix, Edit("field", bound, enough, "stds"))


def _margin_open(bound: Bound, least: Expression) -> Obligation:
    rule = "the margin must cover the move of the statistic between neighbours"
    facts = (say("margin = {}", bound.margin), say("sensitivity = {}", least))
    fix, edit = (
        say("leave ``margin`` out: it is the sensitivity."),
        Edit("field", bound, least, "margin"),
    )
    return _open(bound, rule, facts, fix, edit)


def _open(bound: Bound, rule: str, facts: tuple[str, ...], fix: str, edit: Edit) -> Obligation:
    return opened("event", bound.name, rule, facts, fix, _witness(bound), edit)


def _witness(bound: Bound) -> Witness | None:
    """Numbers at which the noise passes stds and margin, less the move of the statistic, more often
    than the failure, where some pair of neighbours attains that move: stds make up for a margin
    that is short, and a margin for stds. Of whole numbers, execution adds two steps to the margin,
    and rounds the noise by half a step at most.
    """
    release, moved = bound.value, bound.value.moved
    if moved is None or not moved.attained:
        return None
    unit = release.deviation if bound.normal else release.mechanism.formula
    added = whole_step(release) * Fraction(5, 2)
    far = bound.stds + (bound.margin - moved.value + added) / unit
    if any(symbol.origin is not None for symbol in far.symbols() | bound.failure.symbols()):
        return None
    return counterexample((far, bound.failure), partial(_fails, normal=bound.normal))


def _fails(far: Any, paid: Any, *, normal: bool) -> str | None:
    true = noise_tail("gaussian" if normal else "laplace", far)
    if not true > paid:
        return None
    chance, times = (digits(float(one.mid()), 4) for one in (true, true / paid))
    return say("it fails with probability {}, {} times what is paid", chance, times)
