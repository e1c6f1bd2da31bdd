"""Basic composition: every release earns its share; the plan of shares does the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import attrs

from dpframe.accountants import Accountant
from dpframe.graph import Procedure, Release
from dpframe.graph.graph import Class
from dpframe.identity import own
from dpframe.mechanisms import Laplace
from dpframe.privacy import PureDP
from dpframe.symbols import Number, split_coefficient

from .earn import earns
from .judge import Earned
from .obligation import NOISE, PROVED, UNPROVED, Attempt, Constraint, Edit, Obligation
from .problem import Problem

FEW = 8


def basic(problem: Problem, accountant: Accountant) -> Attempt:
    """Every release earns its share, and the shares sum to the target. [DworkR14, Thm B.1]"""
    del accountant  # the plan adds the shares up
    found: list[Obligation] = []
    constraints: dict[Constraint, None] = {}
    for release, count in _by_whole(problem, problem.classes):
        result = earns(problem, release)
        constraints.update(dict.fromkeys(result.constraints))
        once = count == result.obligation.count
        found.append(result.obligation if once else attrs.evolve(result.obligation, count=count))
    for result in _of_procedures(problem):
        constraints.update(dict.fromkeys(result.constraints))
        found.append(result.obligation)
    obligations = (*_summed(found), *_pure_only(problem))
    return Attempt("basic", obligations, tuple(thinned(list(constraints), problem)))


def _of_procedures(problem: Problem) -> Iterator[Earned]:
    if problem.graph.procedures:
        from .procedures import earned  # with all that explains them

        for procedure in problem.graph.procedures:
            yield from earned(problem, procedure)


def _by_whole(problem: Problem, grouped: Sequence[Class]) -> list[Class]:
    """Many releases by one theorem with symbolic weights of the target, as one release of the whole
    target: what its hypothesis bounds in the whole, it bounds in each share (the plan proves that
    shares are positive and sum to at most the whole). As they are, where the whole is too much.
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
    held = earns(problem, whole).obligation.verdict is PROVED
    return [(whole, sum(count for _, count in same))] if held else same


def with_theorems(attempt: Attempt, problem: Problem) -> Attempt:
    """Another derivation, with what the named theorems of calibrated releases need beside it: a
    theorem outside its hypotheses is refused, whatever else would prove the total.
    """
    named = [r for r, _ in problem.classes if r.rule is not None and r.share is not None]
    results = [earns(problem, release) for release in named]
    failing = [r.obligation for r in results if r.obligation.verdict is not PROVED]
    needed = list(dict.fromkeys(part for result in results for part in result.constraints))
    return attrs.evolve(
        attempt,
        obligations=(*attempt.obligations, *failing),
        constraints=(*attempt.constraints, *thinned(needed, problem)),
    )


def _summed(found: list[Obligation]) -> list[Obligation]:
    """Open obligations as they are; the proved ones of one rule as one object."""
    proved: dict[str, list[Obligation]] = {}
    for obligation in found:
        if obligation.verdict is PROVED:
            proved.setdefault(obligation.rule, []).append(obligation)
    summed = [_sum(same) for same in proved.values()]
    return [obligation for obligation in found if obligation.verdict is not PROVED] + summed


def _sum(same: list[Obligation]) -> Obligation:
    if len(same) == 1:
        return same[0]
    count = sum(obligation.count for obligation in same)
    return attrs.evolve(same[0], count=count, node="each release", facts=())


def _pure_only(problem: Problem) -> list[Obligation]:
    if problem.target.kind != "pure":
        return []
    rule, fix = (
        "a pure target needs pure releases",
        "use dp.Laplace.pure, or an approximate target.",
    )
    return [
        Obligation(
            "total",
            release.label,
            rule,
            (_kind(release),),
            UNPROVED,
            repair=fix,
            edit=Edit(NOISE, release, Laplace.pure) if isinstance(release, Release) else None,
        )
        for release in problem.graph.charged
        if release.gives is not PureDP
    ]


def _kind(charged: Release | Procedure) -> str:
    return charged.noise.kind if isinstance(charged, Release) else charged.kind


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
    kept = [constraint for _, constraint in largest.values()]
    return _whole(kept, problem) if len(kept) > FEW else kept


def _whole(kept: list[Constraint], problem: Problem) -> list[Constraint]:
    """Bounds on many shares of epsilon, replaced by one on the whole; all others stay."""
    on_shares: dict[object, list[Constraint]] = {}
    for constraint in kept:
        if constraint.left in problem.epsilons and not constraint.right.symbols():
            on_shares.setdefault((constraint.right, constraint.strict), []).append(constraint)
    whole = problem.target.amounts[0]
    narrow = bool(whole.symbols())  # a number of epsilon beyond the bound would exclude everything
    many = {key: group for key, group in on_shares.items() if narrow and len(group) > FEW}
    replaced = {constraint for group in many.values() for constraint in group}
    wholes = [attrs.evolve(group[0], left=whole) for group in many.values()]
    return [constraint for constraint in kept if constraint not in replaced] + wholes
