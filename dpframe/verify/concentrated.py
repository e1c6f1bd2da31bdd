"""zCDP of everything: half the joint mu^2 of Gaussians, half the squared epsilons of Laplace."""

from __future__ import annotations

from fractions import Fraction

from dpframe.graph import Joint, Release
from dpframe.guarantees import ApproxDP, ZeroConcentratedDP, concentrated_epsilon
from dpframe.sensitivity import L1
from dpframe.symbols import Expression, Number, add, power

from .attempt import ALL, Attempt, Class, certain, classes
from .joint_total import inside, joint_moves
from .obligation import PROVED, UNPROVED, Obligation
from .problem import Problem

ZERO, HALF = Number(Fraction(0)), Fraction(1, 2)


def concentrated(problem: Problem) -> Attempt | None:
    """Sum the rhos; at numbers, rho-zCDP gives (epsilon, delta). [BunS16, Lem 2.3, Prop 1.3]"""
    known = all(release.noise.kind in ("gaussian", "laplace") for release in problem.graph.releases)
    rho = _rho(problem) if known else None
    if rho is None:
        return None
    target, fact = problem.target, f"rho = {rho}"
    if isinstance(target, ZeroConcentratedDP):
        return Attempt("zcdp", (inside(problem, [2 * rho], ZERO, 2 * target.rho, fact),))
    return _approximate(target, rho, fact) if isinstance(target, ApproxDP) else None


def _approximate(target: ApproxDP, rho: Expression, fact: str) -> Attempt:
    rule = "rho + 2 sqrt(rho log(1/delta)) <= epsilon [BunS16, Prop 1.3]"
    if certain(target.epsilon - concentrated_epsilon(rho, target.delta)):
        return Attempt("zcdp", (Obligation("total", ALL, rule, (fact,), PROVED),))
    fix = "give numbers, or shares for basic composition."
    return Attempt("zcdp", (Obligation("total", ALL, rule, (fact,), UNPROVED, repair=fix),))


def _rho(problem: Problem) -> Expression | None:
    grouped = classes(problem.graph.releases)
    gaussians = [(r, count) for r, count in grouped if r.noise.kind == "gaussian"]
    joint = Joint.of([release.statistic for release, _ in gaussians], problem.setting.relation)
    others = [_laplace(r, count) for r, count in grouped if r.noise.kind == "laplace"]
    known = [part for part in others if part is not None]
    if joint is None or len(known) < len(others):
        return None
    return add(_joint(problem, joint, gaussians), *known)


def _joint(problem: Problem, joint: Joint, gaussians: list[Class]) -> Expression:
    return joint.total(joint_moves(problem, joint, gaussians)) * HALF if gaussians else ZERO


def _laplace(release: Release, count: int) -> Expression | None:
    moved = release.statistic.sensitivity(L1)
    if moved is None:
        return None
    return power(moved.value / release.mechanism.formula, 2) * release.times * (count * HALF)
