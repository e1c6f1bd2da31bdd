"""Joint Gaussian DP: all Gaussian releases are one Gaussian release of the stacked statistics."""

from __future__ import annotations

from collections.abc import Sequence

from dpframe.graph import Joint
from dpframe.guarantees import ApproxDP, GaussianDP, PureDP
from dpframe.symbols import Expression

from .attempt import ALL, Attempt, Class, certain, classes
from .e1 import larger
from .judge import Move, judge
from .obligation import PROVED, REFUTED, UNPROVED, Obligation, Witness, named
from .problem import Problem
from .profile_rule import Claim
from .sign import nonnegative

LONG = 400  # characters of a formula that fit on a screen


def gaussian(problem: Problem) -> Attempt | None:
    """All releases together are mu-Gaussian DP, mu^2 the joint move of one pair of neighbours.
    [DongRS22, Thm 2.7, Cor 3.3]
    """
    releases = problem.graph.releases
    if not releases or any(release.gives is not GaussianDP for release in releases):
        return None
    grouped = classes(releases)
    joint = Joint.of([release.statistic for release, _ in grouped], problem.setting.relation)
    if joint is None or isinstance(problem.target, PureDP):
        return None
    return _total(problem, joint, joint_moves(problem, joint, grouped))


def joint_moves(problem: Problem, joint: Joint, grouped: Sequence[Class]) -> list[Expression]:
    """m_i, the squared mu at rows times size_i ((rows size_i/std_i)^2), times the draws."""
    return [
        release.guarantee(problem.rows * size).amounts[0] * release.times * count
        for size, (release, count) in zip(joint.sizes, grouped, strict=True)
    ]


def _total(problem: Problem, joint: Joint, moves: Sequence[Expression]) -> Attempt:
    total, target = joint.total(moves), problem.target
    text = str(total)
    fact = f"mu^2 = {text if len(text) < LONG else '...'} ({joint.rule})"
    if isinstance(target, ApproxDP):
        claim = Claim(target.epsilon, target.delta, total, joint.attained(moves))
        result = judge(problem, Move("total", ALL, claim, moves, joint.branches, fact))
        return Attempt("gaussian", (result.obligation,), result.constraints)
    worth = target.amounts[0] if isinstance(target, GaussianDP) else 2 * target.amounts[0]
    branches = joint.branches(moves, lambda a, b: larger(a, b, problem.field))
    return Attempt("gaussian", (inside(problem, branches, joint.attained(moves), worth, fact),))


def inside(
    problem: Problem,
    branches: Sequence[Expression],
    attained: Expression,
    worth: Expression,
    fact: str,
) -> Obligation:
    """mu^2, the largest of `branches`, is at most `worth`, exactly."""
    rule, facts = "the joint mu^2 must be inside the target", (fact, f"target {worth}")
    gaps = [worth - branch for branch in branches]
    if all(nonnegative(gap, problem.field).proved or certain(gap) for gap in gaps):
        return Obligation("total", ALL, rule, facts, PROVED)
    lower = nonnegative(worth - attained, problem.field)
    fix = "give smaller shares, or use dp.Gaussian.analytic."
    if lower.proved is not False and not certain(attained - worth, strict=True):
        return Obligation("total", ALL, rule, facts, UNPROVED, repair=fix)
    where = named(lower.witness or {}, worth, attained)
    witness = Witness(where, f"the worst pair costs more than {worth} in mu^2")
    return Obligation("total", ALL, rule, facts, REFUTED, witness, fix)
