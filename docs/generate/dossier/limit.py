"""The largest epsilon up to which a claim is exactly true: one number decides every smaller epsilon
where all noise is Gaussian and its stds are proportional to 1/epsilon. [proofs/profile, F1]
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs
from flint import arb

from docs.generate.refutations.limits import refuted_above
from dpframe.errors import DPFrameError
from dpframe.graph import Joint, Regression
from dpframe.graph.graph import classes
from dpframe.literature.catalogue import setting_of
from dpframe.numerics import epsilon_limit
from dpframe.privacy import ApproxDP, GaussianDP, Relation
from dpframe.prover import Verdict
from dpframe.prover.algebra import enclose, rational_ball
from dpframe.prover.certify import examine
from dpframe.prover.problem import Problem, joint_moves
from dpframe.prover.total import reached_moves
from dpframe.symbols import EPSILON, Expression, Symbol, power

from .worst import Worst, worst

MONOTONE = "mu is proportional to epsilon, so that one number decides: F1, proofs/profile"


@attrs.frozen
class Limit:
    """The claim holds for every epsilon up to `epsilon`, proved at it and rounded down; from
    `refuted` on it fails for some pair of neighbours, rounded up. `square` bounds mu^2/epsilon^2.

    With a free parameter both are about its worst value: `worst` says where it lies and by how many
    boxes that is proved; `parameter` is its name.
    """

    epsilon: float
    refuted: float
    square: tuple[Fraction, Fraction]
    rule: str
    parameter: str = ""
    worst: Worst | None = None

    @property
    def exact(self) -> bool:
        """Whether both ends agree to nine digits."""
        return self.refuted - self.epsilon <= 1e-9 * self.epsilon


def limit(
    regression: Regression, relation: Relation, delta: Fraction, *, box: bool = False
) -> Limit | None:
    """The limit of a declaration at B = Y = 1; None where some noise is not Gaussian, not
    proportional to 1/epsilon, or something other than noise stands in the way.
    """
    squares = _squares(regression, relation, delta, box=box)
    if squares is None:
        return None
    upper, lower = squares
    free = upper.symbols() | lower.symbols()
    if not free:
        high, low = _ends(upper)[1], _ends(lower)[0]
        return _limit(low, high, delta, MONOTONE)
    if len(free) > 1:
        return None
    return _over(next(iter(free)), upper, lower, delta)


def _over(parameter: Symbol, upper: Expression, lower: Expression, delta: Fraction) -> Limit | None:
    """The limit for the worst value of a parameter."""
    found = worst(upper, parameter)
    reached = found if lower == upper else worst(lower, parameter)
    if found is None or reached is None:
        return None
    rule = f"{found.boxes} boxes cover {parameter.name} {parameter.domain}; {MONOTONE}"
    made = _limit(reached.low, found.high, delta, rule)
    where = attrs.evolve(found, at=reached.at)
    return made and attrs.evolve(made, parameter=parameter.name, worst=where)


def _limit(low: Fraction, high: Fraction, delta: Fraction, rule: str) -> Limit | None:
    """From bounds on mu^2/epsilon^2."""
    if not 0 < high:
        return None
    holds = epsilon_limit(1 / high, delta)
    fails = refuted_above(lambda e, _: e * rational_ball(low).sqrt(), delta) if low > 0 else INF
    return Limit(holds, fails, (low, high), rule)


INF = float("inf")


def _ends(formula: Expression) -> tuple[Fraction, Fraction]:
    """Bounds on a formula without symbols."""
    ball: arb = enclose(formula, {})
    if not ball.is_finite():
        return Fraction(0), Fraction(0)
    return _fraction(ball.lower()), _fraction(ball.upper())


def _fraction(end: Any) -> Fraction:
    man, exponent = end.man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exponent)


def _squares(
    regression: Regression, relation: Relation, delta: Fraction, *, box: bool
) -> tuple[Expression, Expression] | None:
    """mu^2/epsilon^2 of all releases: an upper bound, and one that a pair of neighbours reaches.
    None where it depends on epsilon.
    """
    target, setting = ApproxDP(EPSILON, delta), setting_of(relation, 1, box=box)
    try:
        report = examine(regression, target=target, setting=setting)
    except DPFrameError:
        return None
    problem, common = report.problem, report.common
    if any(one.verdict is not Verdict.PROVED for one in common) or not _gaussian(problem):
        return None
    grouped = classes(problem.graph.releases)
    joint = Joint.of([release.statistic for release, _ in grouped], relation)
    if joint is None:
        return None
    moves = [move / power(EPSILON, 2) for move in joint_moves(problem.rows, joint, grouped)]
    if any(EPSILON in move.symbols() for move in moves):
        return None
    return joint.total(moves), reached_moves(joint, moves, grouped)


def _gaussian(problem: Problem) -> bool:
    releases: Sequence[Any] = problem.graph.releases
    alone = problem.graph.additive and not problem.graph.procedures and not problem.graph.bounds
    return bool(releases) and alone and all(one.gives is GaussianDP for one in releases)
