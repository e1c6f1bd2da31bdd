"""Basic composition: every release spends at most its share, and the plan adds the shares. Whether
the noise of a release matches its share is decided by its calibration theorem, or for stated noise
by any rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import attrs

from dpframe.accountants import Accountant
from dpframe.graph import Procedure, Release
from dpframe.graph.facts import noise_of
from dpframe.graph.graph import Class
from dpframe.identity import own
from dpframe.mechanisms import Calibration, Gaussian, Laplace
from dpframe.mechanisms.base import NEEDS_DELTA, WITH_DELTA
from dpframe.privacy import GaussianDP, PureDP, Share, as_kind
from dpframe.privacy.guarantees import order_of
from dpframe.sensitivity import L2
from dpframe.symbols import RELEASED, ZERO, Expression, Number, split_coefficient
from dpframe.wording import ANALYTIC, Formula, Spelled, Text, reference, say

from .judge import Earned, Move, ProfileClaim, judge, pure_witness, within
from .problem import (
    ON_TRUST,
    PROVED,
    Attempt,
    Constraint,
    Edit,
    Obligation,
    Problem,
    Witness,
    opened,
)
from .rounding import hidden_onto_whole
from .sign import nonnegative, surely_nonnegative


def earns(problem: Problem, release: Release) -> Earned:
    """Whether the noise of a release gives (epsilon_i, delta_i), and under which hypotheses.
    Noise from outside must state no more than the share for which a theorem sizes it.
    """
    share, sensitivity = release.share, release.moved
    if share is None or sensitivity is None:
        rule = "a share and a derived sensitivity"
        repair = "give the release a share of the budget."
        return Earned(opened("share", release.label, rule, (), repair, edit=Edit("even shares")))
    if release.rule is None:
        return _by_guarantee(problem, release, share, sensitivity.value)
    named = _by_theorem(problem, release, release.rule, share, sensitivity.value)
    if own(release.noise) or not named.obligation.proved:
        return named
    stated = _by_guarantee(problem, release, share, sensitivity.value)
    if stated.obligation.proved:
        return Earned(named.obligation, (*named.constraints, *stated.constraints))
    rule = say(
        "{} must size noise that states no more than its share; {} states {}",
        *(release.rule.name, release.noise.__name__, release.guarantee(sensitivity.value)),
    )
    facts = (_added(release, sensitivity.value, share),)
    repair = say("let {} prescribe noise that costs less.", release.rule.name)
    return Earned(opened("share", release.label, rule, facts, repair), named.constraints)


def _by_guarantee(
    problem: Problem, release: Release, share: Share, sensitivity: Expression
) -> Earned:
    if "epsilon" not in share.currency:
        return Earned(_in_kind(problem, release, share, sensitivity))
    if release.gives is not GaussianDP:
        return Earned(_stated(problem, release, share, sensitivity))
    return _stated_gaussian(problem, release, share, sensitivity)


def _by_theorem(
    problem: Problem, release: Release, rule: Calibration, share: Share, sensitivity: Expression
) -> Earned:
    believed = not (own(type(rule)) and own(release.noise))
    proved = _earned(release.label, rule, sensitivity, believed=believed)
    limit = rule.limit(share)
    if limit is None:
        return Earned(proved)
    constraint = Constraint(*limit, source=f"{rule.name} {rule.citation}")
    inside = within(problem, constraint)
    if inside is None:
        return Earned(proved, (constraint,))
    return Earned(proved) if inside else Earned(_outside(release, rule, constraint))


@lru_cache(maxsize=256)
def _earned(
    label: str, rule: Calibration, sensitivity: Expression, *, believed: bool
) -> Obligation:
    fact = say("sensitivity {} ({})", sensitivity, rule.mechanism.norm)
    citation = reference(rule.citation)
    text = say("satisfies its share by {} {}{}", rule.name, citation, ON_TRUST * believed)
    return Obligation("share", label, text, (fact,), PROVED)


def _outside(release: Release, rule: Calibration, constraint: Constraint) -> Obligation:
    symbols = sorted(constraint.left.symbols(), key=lambda symbol: symbol.name)
    where = {symbol.name: symbol.domain.example() or Fraction(0) for symbol in symbols}
    text = say("{} {} is a theorem only where {}", rule.name, reference(rule.citation), constraint)
    facts = (say("here {} against {}", constraint.left, constraint.right),)
    witness = Witness(where, say("the hypothesis {} fails everywhere on the domain", constraint))
    repair = say(
        "use {}, which is exact for every $epsilon$, or state the std{}, to have it judged by the "
        "exact profile.",
        ANALYTIC,
        Spelled(", `dp.Gaussian(std=...)`", ""),
    )
    edit = Edit("noise", release, Gaussian.analytic)
    return opened("share", release.label, text, facts, repair, witness, edit)


def _stated(
    problem: Problem, release: Release, share: Share, sensitivity: Expression
) -> Obligation:
    """Noise that is pure or approximate by itself: its guarantee is at most its share."""
    given = release.guarantee(sensitivity)
    rule = say("its guarantee, {}, must be inside its share", given)
    facts = (_added(release, sensitivity, share),)
    pairs = zip(given.currency, given.amounts, strict=True)
    claims = [(amount, share.amount(name)) for name, amount in pairs if name in share.currency]
    whole = all(name in share.currency for name in given.currency)
    if whole and all(surely_nonnegative(most - amount, problem.field) for amount, most in claims):
        return Obligation("share", release.label, rule, facts, PROVED)
    witness = pure_witness(release, share) if release.gives is PureDP else None
    repair = say(
        "calibrate it to the {} sensitivity {}: {}.",
        release.noise.norm,
        sensitivity,
        Spelled(
            f"`{'dp.' * own(release.noise)}{release.noise.__name__}.pure`",
            '``calibration = "pure"``',
        ),
    )
    if release.noise.selects:
        kind = release.noise.__name__
        repair = say(
            "calibrate it: {}.pure makes its scale {} over its $epsilon$.", kind, sensitivity
        )
    edit = Edit("noise", release, getattr(release.noise, "pure", None))
    return opened("share", release.label, rule, facts, repair, witness, edit)


def _added(release: Release, sensitivity: Expression, share: Share) -> Text:
    """`scale = 1, L1 sensitivity 1, share (epsilon)`."""
    noise, size = release.noise, release.mechanism.formula
    text = "{} = {}, {} sensitivity {}, share ({})"
    return say(text, noise.noise, size, noise.norm, sensitivity, share)


def _in_kind(
    problem: Problem, release: Release, share: Share, sensitivity: Expression
) -> Obligation:
    """Stated noise against a share of rho or of mu squared: its guarantee in the target's kind is
    at most its share, and no less if some pair of neighbours attains it.
    """
    kind = type(problem.target)
    given = as_kind(release.given_in(kind, sensitivity), kind)
    fact = _added(release, sensitivity, share)
    rule = "its guarantee, as a share of the budget is counted, must be inside its share"
    repair = say(
        "calibrate it to the {} sensitivity {}: {}.", release.noise.norm, sensitivity, ANALYTIC
    )
    edit = Edit("noise", release, Gaussian.analytic)
    if given is None or given.currency != share.currency:
        return opened("share", release.label, rule, (fact,), repair, edit=edit)
    (amount,), (most,), order = given.amounts, share.amounts, order_of(given.currency)
    facts = (say("{}: {} = {}", fact, Formula(given.currency[0]), amount),)
    if surely_nonnegative(most - amount, problem.field):
        return Obligation("share", release.label, rule, facts, PROVED)
    above = most if order is None else most + hidden_onto_whole(release)
    lower = nonnegative(above - amount, problem.field)
    says = say(
        "the pair that moves it furthest costs more than its share of {}",
        Formula(given.currency[0]),
    )
    sharp = needed(release, amount, order)
    witness = lower.counterexample(says, amount, above) if sharp else None
    return opened("share", release.label, rule, facts, repair, witness, edit=edit)


def needed(release: Release, amount: Expression, order: Fraction | None = None) -> bool:
    """Whether some pair of neighbours costs all of `amount` in rho or mu squared, or in the
    divergence of an order, but for what rounding hides.

    Gaussian noise of std s and a move v: N(v, s^2 I) against N(0, s^2 I) is as hard to tell apart
    as |v|/s-Gaussian DP allows, with divergence a |v|^2/(2 s^2) of every order a. Discrete Gaussian
    noise, a whole move v of one number and a whole order a: a (x - v)^2 + (1 - a) x^2 = (x - a v)^2
    - a (a - 1) v^2, and x - a v is as whole as x, so that the sum over x of p^a q^(1 - a) is
    e^(a (a - 1) v^2/(2 s^2)): the same divergence. [CanonneKS20, Prop 5]
    """
    moved, noise = release.moved, noise_of(release.noise)
    loss = None if noise is None else noise.loss
    whole = order is None or order.denominator == 1
    sharp = loss is not None and (
        loss.gaussian or (loss.rho is not None and not loss.pure and whole)
    )
    attained = moved is not None and moved.attained and release.reached
    return sharp and attained and RELEASED not in amount.scope


def _stated_gaussian(
    problem: Problem, release: Release, share: Share, sensitivity: Expression
) -> Earned:
    if "delta" not in share.currency:
        facts, edit = (say("share ({})", share),), Edit("noise", release, Laplace.pure)
        return Earned(opened("share", release.label, NEEDS_DELTA, facts, WITH_DELTA, edit=edit))
    size = release.mechanism.formula
    move = release.guarantee(sensitivity).amounts[0]
    moved = release.statistic.sensitivity(L2)
    attained = moved is not None and moved.attained and RELEASED not in move.scope
    lower = move if attained and release.reached else ZERO
    claim = ProfileClaim(share.epsilon, share.delta, move, lower, hidden_onto_whole(release))
    fact = say("std = {}, L2 sensitivity {}, share ({})", size, sensitivity, share)
    edit = Edit("noise", release, Gaussian.analytic)
    return judge(problem, Move("share", release.label, claim, [("rest", move)], fact, edit))


FEW = 8


def basic(problem: Problem, accountant: Accountant) -> Attempt:
    """Every release earns its share, and the shares sum to the target. [DworkR14, Thm B.1]"""
    del accountant  # the plan adds the shares up
    counts = _by_whole(problem, problem.classes)
    results = [_counted(earns(problem, release), count) for release, count in counts]
    results += _of_procedures(problem)
    constraints = dict.fromkeys(part for one in results for part in one.constraints)
    obligations = (*_summed([one.obligation for one in results]), *_pure_only(problem))
    return Attempt(obligations, tuple(thinned(list(constraints), problem)))


def _counted(result: Earned, count: int) -> Earned:
    return attrs.evolve(result, obligation=attrs.evolve(result.obligation, count=count))


def _of_procedures(problem: Problem) -> Iterator[Earned]:
    if problem.graph.procedures:
        from .procedures import earned  # with all that explains them

        for procedure in problem.graph.procedures:
            yield from earned(problem, procedure)


def _by_whole(problem: Problem, grouped: Sequence[Class]) -> list[Class]:
    """Many releases by one theorem with symbolic weights of the target, as one release of the whole
    target: a bound on the whole is a bound on each share (the plan proves that shares are positive
    and sum to at most the whole). The releases themselves, where the whole is too large.
    """
    alike: dict[object, list[Class]] = {}
    for release, count in grouped:
        share = release.share
        weighted = share is not None and share.wholes == problem.target.amounts
        symbolic = weighted and share is not None and not isinstance(share.weights[0], Number)
        named = release.rule is not None and own(type(release.rule))  # their limits bound epsilon
        key = (release.stated, release.statistic) if symbolic and named else release
        alike.setdefault(key, []).append((release, count))
    return [one for same in alike.values() for one in _as_whole(problem, same)]


def _as_whole(problem: Problem, same: list[Class]) -> list[Class]:
    if len(same) <= FEW:
        return same
    whole = attrs.evolve(same[0][0], share=problem.target.budget)
    held = earns(problem, whole).obligation.proved
    return [(whole, sum(count for _, count in same))] if held else same


def with_theorems(attempt: Attempt, problem: Problem) -> Attempt:
    """Another derivation, with the hypotheses of the named theorems of calibrated releases: a
    theorem outside its hypotheses is refused, even if another derivation proves the total.
    """
    results = [
        _by_theorem(problem, one, one.rule, one.share, one.moved.value)
        for one, _ in problem.classes
        if one.rule is not None and one.share is not None and one.moved is not None
    ]
    failing = [r.obligation for r in results if not r.obligation.proved]
    needed = list(dict.fromkeys(part for result in results for part in result.constraints))
    return attrs.evolve(
        attempt,
        obligations=(*attempt.obligations, *failing),
        constraints=(*attempt.constraints, *thinned(needed, problem)),
    )


def _summed(obligations: list[Obligation]) -> list[Obligation]:
    """Open obligations unchanged; the proved ones of one rule as one object."""
    proved: dict[str, list[Obligation]] = {}
    for obligation in obligations:
        if obligation.proved:
            proved.setdefault(obligation.rule, []).append(obligation)
    summed = [_sum(same) for same in proved.values()]
    return [obligation for obligation in obligations if not obligation.proved] + summed


def _sum(same: list[Obligation]) -> Obligation:
    if len(same) == 1:
        return same[0]
    count = sum(obligation.count for obligation in same)
    return attrs.evolve(same[0], count=count, node="each release", facts=())


def _pure_only(problem: Problem) -> list[Obligation]:
    others = [one for one in problem.graph.charged if one.gives is not PureDP]
    return [_not_pure(one) for one in others] if problem.target.kind == "pure" else []


def _not_pure(charged: Release | Procedure) -> Obligation:
    rule = NEEDS_DELTA if _normal(charged) else "a pure target needs pure releases"
    if not isinstance(charged, Release):
        return opened("total", charged.label, rule, (charged.kind,), WITH_DELTA)
    edit = Edit("noise", charged, Laplace.pure)
    return opened("total", charged.label, rule, (charged.noise.kind,), WITH_DELTA, edit=edit)


def _normal(charged: Release | Procedure) -> bool:
    """Whether it adds noise of the book that has no largest loss."""
    noise = noise_of(charged.noise) if isinstance(charged, Release) else None
    return noise is not None and not noise.loss.pure


def thinned(constraints: list[Constraint], problem: Problem) -> list[Constraint]:
    """Fewer constraints that imply all: of c x <= b with x > 0 the one with the largest c; of more
    than eight shares of epsilon with one bound, the whole epsilon's (each share is at most it).
    """
    if not constraints:
        return []
    largest: dict[object, tuple[Fraction, Constraint]] = {}
    for constraint in constraints:
        left = constraint.left
        coefficient, rest = split_coefficient(left)
        sure = problem.field.shown(rest, strict=True)
        if sure is not (coefficient > 0) and left in problem.epsilons:
            sure = coefficient > 0
        key = (rest if sure else left, constraint.right, constraint.strict)
        if key not in largest or largest[key][0] < coefficient:
            largest[key] = (coefficient, constraint)
    sharpest = [constraint for _, constraint in largest.values()]
    return _whole(sharpest, problem) if len(sharpest) > FEW else sharpest


def _whole(constraints: list[Constraint], problem: Problem) -> list[Constraint]:
    """Bounds on many shares of epsilon, replaced by one on the whole; all others stay."""
    on_shares: dict[object, list[Constraint]] = {}
    for constraint in constraints:
        if constraint.left in problem.epsilons and not constraint.right.symbols():
            on_shares.setdefault((constraint.right, constraint.strict), []).append(constraint)
    whole = problem.target.amounts[0]
    narrow = bool(whole.symbols())  # a number of epsilon beyond the bound would exclude everything
    many = {key: group for key, group in on_shares.items() if narrow and len(group) > FEW}
    replaced = {constraint for group in many.values() for constraint in group}
    wholes = [attrs.evolve(group[0], left=whole) for group in many.values()]
    return [constraint for constraint in constraints if constraint not in replaced] + wholes
