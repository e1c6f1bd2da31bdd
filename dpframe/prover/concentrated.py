"""zCDP of everything: half the joint mu^2 of Gaussians, half the squared epsilons of Laplace."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpframe.accountants import ConcentratedAccountant
from dpframe.graph import Joint, Release
from dpframe.privacy import ApproxDP, GaussianDP, ZeroConcentratedDP, concentrated_epsilon
from dpframe.symbols import Expression, Number, maximum

from .attempt import ALL, Attempt, Class, certain, classes
from .edit import ALL_NOISE, Edit
from .joint_total import inside, joint_moves
from .obligation import PROVED, UNPROVED, Obligation
from .parallel import about, moving
from .problem import Problem

ZERO, HALF = Number(Fraction(0)), Fraction(1, 2)


def concentrated(problem: Problem) -> Attempt | None:
    """Sum the rhos; at numbers, rho-zCDP gives (epsilon, delta). [BunS16, Lem 2.3, Prop 1.3]"""
    grouped = classes(problem.graph.releases)
    choices = moving(problem, grouped)
    found = [_rho(problem, chosen) for chosen in choices]
    rhos = list(dict.fromkeys(rho for rho in found if rho is not None))
    if None in found:
        return None
    said = about(problem, choices)
    target, fact = problem.target, "; ".join((f"rho = {maximum(*rhos)}", *said))
    if isinstance(target, ZeroConcentratedDP):
        doubled = [2 * rho for rho in rhos]
        return Attempt("zcdp", (inside(problem, doubled, ZERO, 2 * target.rho, fact),))
    return _approximate(target, rhos, fact) if isinstance(target, ApproxDP) else None


def _approximate(target: ApproxDP, rhos: Sequence[Expression], fact: str) -> Attempt:
    rule = "rho + 2 sqrt(rho log(1/delta)) <= epsilon [BunS16, Prop 1.3]"
    if all(certain(target.epsilon - concentrated_epsilon(rho, target.delta)) for rho in rhos):
        return Attempt("zcdp", (Obligation("total", ALL, rule, (fact,), PROVED),))
    fix = "give numbers, or shares for basic composition; or scale the noise with dp.Jointly(...)."
    edit = Edit(ALL_NOISE)
    short = Obligation("total", ALL, rule, (fact,), UNPROVED, repair=fix, edit=edit)
    return Attempt("zcdp", (short,))


def _rho(problem: Problem, grouped: Sequence[Class]) -> Expression | None:
    """The joint rho of the Gaussian releases, and that of each other release."""
    gaussians = [(r, count) for r, count in grouped if r.gives is GaussianDP]
    joint = Joint.of([release.statistic for release, _ in gaussians], problem.setting.relation)
    others = [_alone(r, count) for r, count in grouped if r.gives is not GaussianDP]
    known = [part for part in others if part is not None]
    if joint is None or len(known) < len(others):
        return None
    parts = [joint.total(joint_moves(problem, joint, gaussians)) * HALF] if gaussians else []
    total = ConcentratedAccountant().total([ZeroConcentratedDP(part) for part in parts + known])
    return total.amounts[0]


def _alone(release: Release, count: int) -> Expression | None:
    moved = release.statistic.sensitivity(release.noise.norm)
    if moved is None:
        return None
    admitted = ConcentratedAccountant().admit(release.guarantee(moved.value))
    return None if admitted is None else admitted.amounts[0] * release.times * count
