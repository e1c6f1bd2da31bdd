"""What all releases satisfy together, in symbols, as an accountant that adds guarantees says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpframe.accountants import Accountant, AdditiveAccountant
from dpframe.errors import InvalidArgument
from dpframe.graph import Joint, Release
from dpframe.graph.graph import Class
from dpframe.identity import own
from dpframe.privacy import (
    ApproxDP,
    GaussianDP,
    Guarantee,
    ZeroConcentratedDP,
    as_kind,
    concentrated_epsilon,
)
from dpframe.symbols import Expression, Number, log, maximum, sqrt

from .judge import Move, judge
from .obligation import ALL, ALL_NOISE, PROVED, UNPROVED, Attempt, Edit, Obligation, joint_moves
from .parallel import about, moving
from .problem import Problem
from .profile_rule import Claim
from .sign import nonnegative, positive

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))
CONVERTED = "rho + 2 sqrt(rho log(1/delta)) <= epsilon [BunS16, Prop 1.3]"


def total(problem: Problem, accountant: Accountant) -> Attempt | None:
    """The accountant's total of the guarantees of all releases is inside the target: in the kind of
    the target, or as (epsilon, delta). All Gaussian releases are one, of the joint mu; a release
    that is drawn often is added by `times`. (proofs/joint)
    """
    if not isinstance(accountant, AdditiveAccountant) or not problem.graph.releases:
        return None
    choices = moving(problem, problem.classes)
    found = [_together(problem, accountant, chosen) for chosen in choices]
    totals = list(dict.fromkeys(one for one in found if one is not None))
    if None in found:
        return None
    return _inside(problem, totals, about(problem, choices))


def _together(
    problem: Problem, accountant: AdditiveAccountant, grouped: Sequence[Class]
) -> Guarantee | None:
    """What one pair of neighbours can tell from all releases; None where one cannot be added."""
    gaussians = [(r, count) for r, count in grouped if r.gives is GaussianDP]
    joint = Joint.of([release.statistic for release, _ in gaussians], problem.setting.relation)
    if joint is None:
        return None
    parts = [_alone(accountant, r, count) for r, count in grouped if r.gives is not GaussianDP]
    if gaussians:
        square = joint.total(joint_moves(problem.rows, joint, gaussians))
        parts.insert(0, accountant.admit(GaussianDP(sqrt(square))))
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    found = accountant.total(known)
    if not (isinstance(found, Guarantee) and own(type(found))):
        way_out = "Return dp.PureDP, dp.ApproxDP, dp.ZeroConcentratedDP or dp.GaussianDP."
        raise InvalidArgument(f"total of {accountant.name}", "a guarantee", found, way_out)
    return found


def _alone(accountant: AdditiveAccountant, release: Release, count: int) -> Guarantee | None:
    """All draws of one release, in the kind that the accountant adds."""
    moved = release.statistic.sensitivity(release.noise.norm)
    admitted = None if moved is None else accountant.admit(release.guarantee(moved.value))
    times = release.times * count
    if admitted is None or times == ONE:
        return admitted
    whole = int(times.value) if isinstance(times, Number) else times
    return accountant.times(admitted, whole)  # type: ignore[arg-type]  # a parameter, in symbols


def _inside(problem: Problem, totals: Sequence[Guarantee], said: Sequence[str]) -> Attempt | None:
    """Every total that some pair of neighbours may cost is inside the target; None where no theorem
    compares them.
    """
    target = problem.target
    same = [as_kind(one, type(target)) or one for one in totals]
    facts = (*_facts(same), *said)
    if all(set(one.currency) <= set(target.currency) for one in same):
        limits = dict(zip(target.currency, target.amounts, strict=True))
        pairs = [pair for one in same for pair in zip(one.currency, one.amounts, strict=True)]
        shown = all(_shown(problem, limits[name] - amount) for name, amount in pairs)
        return _attempt("the total must be inside the target", facts, shown=shown)
    if not isinstance(target, ApproxDP):
        return None
    if all(isinstance(one, GaussianDP) for one in same):
        return _profiles(problem, target, [one.amounts[0] for one in same], facts)
    found = [as_kind(one, ZeroConcentratedDP) for one in same]
    rhos = [one.amounts[0] for one in found if one is not None]
    gaps = [_gaps(problem, rho, target) for rho in rhos]
    shown = all(any(_shown(problem, gap) for gap in some) for some in gaps)
    return _attempt(CONVERTED, facts, shown=shown) if len(rhos) == len(same) else None


def _facts(totals: Sequence[Guarantee]) -> list[str]:
    """`rho = 2*epsilon^2`, the largest where there are several."""
    found: dict[str, list[Expression]] = {}
    for one in totals:
        for name, amount in zip(one.currency, one.amounts, strict=True):
            found.setdefault(name, []).append(amount)
    return [f"{name} = {maximum(*amounts)}" for name, amounts in found.items()]


def _profiles(
    problem: Problem, target: ApproxDP, squares: Sequence[Expression], facts: tuple[str, ...]
) -> Attempt:
    """Totals in Gaussian DP, with these squared mus."""
    found = []
    for square in squares:
        claim, edit = Claim(target.epsilon, target.delta, square, ZERO), Edit(ALL_NOISE)
        fact = "; ".join(facts)
        found.append(judge(problem, Move("total", ALL, claim, [("rest", square)], fact, edit)))
    constraints = dict.fromkeys(part for one in found for part in one.constraints)
    return Attempt("total", tuple(one.obligation for one in found), tuple(constraints))


def _gaps(problem: Problem, rho: Expression, target: ApproxDP) -> Iterator[Expression]:
    """Formulas one of which is >= 0 only if rho-zCDP implies the target: epsilon - rho - 2 sqrt(rho
    L) with L = log(1/delta) [BunS16, Prop 1.3]; and, at each order a > 1 that the target names,
    epsilon - a rho - L/(a - 1) [Mironov17, Prop 3], which is at most that: with x = (a - 1) rho and
    y = L/(a - 1), 2 sqrt(x y) <= x + y.
    """
    yield target.epsilon - concentrated_epsilon(rho, target.delta)
    for order in sorted(_named(target.epsilon), key=str)[:8]:
        if positive(order - 1, problem.field).proved:
            yield target.epsilon - order * rho - log(1 / target.delta) / (order - 1)


def _named(formula: Expression) -> set[Expression]:
    """Every number and symbol of a formula."""
    if not formula.parts:
        return {formula}
    return set().union(*map(_named, formula.parts))


def _shown(problem: Problem, gap: Expression) -> bool:
    return nonnegative(gap, problem.field).proved is True


def _attempt(rule: str, facts: tuple[str, ...], *, shown: bool) -> Attempt:
    if shown:
        return Attempt("total", (Obligation("total", ALL, rule, facts, PROVED),))
    fix = (
        "give numbers, or shares for basic composition; or scale the noise with "
        "dp.regressions.Jointly(...)."
    )
    edit = Edit(ALL_NOISE)
    return Attempt(
        "total", (Obligation("total", ALL, rule, facts, UNPROVED, repair=fix, edit=edit),)
    )
