"""Joint Gaussian DP: all Gaussian releases are one Gaussian release of the stacked statistics."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import attrs

from dpframe.accountants import Accountant
from dpframe.graph import Joint
from dpframe.graph.graph import Class
from dpframe.identity import own
from dpframe.privacy import ApproxDP, GaussianDP, PureDP
from dpframe.symbols import RELEASED, Expression, Number

from .algebra import Field
from .judge import Move, judge
from .obligation import (
    ALL,
    ALL_NOISE,
    PROVED,
    REFUTED,
    UNPROVED,
    Attempt,
    Edit,
    Obligation,
    Witness,
    joint_moves,
    named,
)
from .parallel import about, moving
from .problem import Problem
from .profile_rule import Claim
from .sign import nonnegative

ZERO = Number(Fraction(0))
LONG = 400  # characters of a formula that fit on a screen


def gaussian(problem: Problem, accountant: Accountant) -> Attempt | None:
    """All releases together are mu-Gaussian DP, mu^2 the joint move of one pair of neighbours.
    [DongRS22, Thm 2.7, Cor 3.3] Noise from outside is believed for its amounts, not for its law.
    """
    del accountant  # the sum of squares is one of moves
    releases = problem.graph.releases
    normal = all(one.gives is GaussianDP and own(one.noise) for one in releases)
    if not releases or not normal:
        return None
    if isinstance(problem.target, PureDP):
        return None
    grouped = problem.classes
    choices = moving(problem, grouped)
    said = about(problem, choices)
    found = [_together(problem, chosen, said) for chosen in choices]
    known = [attempt for attempt in found if attempt is not None]
    if len(known) < len(found):
        return None
    obligations = dict.fromkeys(part for attempt in known for part in attempt.obligations)
    constraints = dict.fromkeys(part for attempt in known for part in attempt.constraints)
    return Attempt("gaussian", tuple(obligations), tuple(constraints))


def _together(problem: Problem, grouped: Sequence[Class], said: tuple[str, ...]) -> Attempt | None:
    """What one pair of neighbours may move together is inside the target."""
    joint = Joint.of([release.statistic for release, _ in grouped], problem.setting.relation)
    if joint is None:
        return None
    found = _total(problem, joint, grouped)
    told = tuple(attrs.evolve(o, facts=(*o.facts, *said)) for o in found.obligations)
    return attrs.evolve(found, obligations=told)


def reached_moves(
    joint: Joint, moves: Sequence[Expression], grouped: Sequence[Class]
) -> Expression:
    """A lower bound on the joint mu^2: what a sample or the shape of the noise hides, and what
    follows from released numbers, may be less than its bound.
    """
    pairs = zip(moves, grouped, strict=True)
    open_ones = [RELEASED in move.scope or not one.reached for move, (one, _) in pairs]
    return joint.attained(
        [ZERO if lower else move for lower, move in zip(open_ones, moves, strict=True)]
    )


def _total(problem: Problem, joint: Joint, grouped: Sequence[Class]) -> Attempt:
    moves = joint_moves(problem.rows, joint, grouped)
    total, target = joint.total(moves), problem.target
    attained = reached_moves(joint, moves, grouped)
    text = str(total)
    fact = f"mu^2 = {text if len(text) < LONG else '...'} ({joint.rule})"
    if isinstance(target, ApproxDP):
        claim = Claim(target.epsilon, target.delta, total, attained)
        result = judge(problem, _move(claim, moves, joint, fact))
        return Attempt("gaussian", (result.obligation,), result.constraints)
    worth = target.amounts[0] if isinstance(target, GaussianDP) else 2 * target.amounts[0]
    branches = joint.branches(moves, partial(_larger, problem.field))
    return Attempt("gaussian", (inside(problem, branches, attained, worth, fact),))


def _move(claim: Claim, moves: Sequence[Expression], joint: Joint, fact: str) -> Move:
    return Move("total", ALL, claim, joint.squares(moves), fact, Edit(ALL_NOISE))


def _larger(field: Field, a: Expression, b: Expression) -> Expression:
    """max(a, b) of positive formulas, or a + b where it is not settled which is larger."""
    if nonnegative(a - b, field).proved:
        return a
    return b if nonnegative(b - a, field).proved else a + b


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
    if all(nonnegative(gap, problem.field).proved for gap in gaps):
        return Obligation("total", ALL, rule, facts, PROVED)
    lower = nonnegative(worth - attained, problem.field)
    fix = "give smaller shares, or use dp.Gaussian.analytic."
    if lower.proved is not False:
        return Obligation("total", ALL, rule, facts, UNPROVED, repair=fix, edit=Edit(ALL_NOISE))
    where = named(lower.witness or {}, worth, attained)
    witness = Witness(where, f"the worst pair costs more than {worth} in mu^2")
    return Obligation("total", ALL, rule, facts, REFUTED, witness, fix, edit=Edit(ALL_NOISE))
