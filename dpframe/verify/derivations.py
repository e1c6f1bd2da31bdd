"""The named derivations of a total: basic composition of shares, joint Gaussian DP, zCDP. One is
enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import attrs

from dpframe.graph import Joint, Release
from dpframe.guarantees import (
    ApproxDP,
    GaussianDP,
    PureDP,
    ZeroConcentratedDP,
    concentrated_epsilon,
)
from dpframe.sensitivity import L1
from dpframe.symbols import Expression, Number, add, power

from .earn import earns
from .enclose import enclose
from .judge import Move, judge
from .obligation import PROVED, REFUTED, UNPROVED, Constraint, Obligation, Witness, named
from .problem import Problem
from .profile_rule import Claim
from .sign import nonnegative, positive_size

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


@attrs.frozen
class Attempt:
    """A derivation: its name and source, its obligations, and the hypotheses that carve the domain."""

    name: str
    citation: str
    obligations: tuple[Obligation, ...]
    constraints: tuple[Constraint, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether every obligation is."""
        return all(obligation.verdict is PROVED for obligation in self.obligations)


def classes(releases: Sequence[Release]) -> list[tuple[Release, int]]:
    """One representative and the size of each class of releases that pose the same obligation."""
    found: dict[object, tuple[Release, int]] = {}
    for release in releases:
        key = (release.statistic, release.stated, release.share, release.times)
        first, count = found.get(key, (release, 0))
        found[key] = (first, count + 1)
    return list(found.values())


def noise(problem: Problem, *, planned: bool) -> list[Obligation]:
    """Every release has a derived sensitivity and noise of positive size; a theorem's noise is
    positive where its share is (`planned`).
    """
    failing, count = [], 0
    for release, many in classes(problem.graph.releases):
        count += many
        failing.extend(_noise(problem, release, planned=planned))
    rule = f"each sensitivity is derived for {problem.setting.unit}, in the norm of its mechanism"
    return failing or [
        Obligation("sensitivity", "releases", rule, _sensitivities(problem), PROVED, count=count)
    ]


def _sensitivities(problem: Problem) -> tuple[str, ...]:
    facts = []
    for release in {
        (release.statistic, release.noise): release for release in problem.graph.releases
    }.values():
        moved = release.statistic.sensitivity(release.noise.norm)
        facts.append(
            f"{release.statistic.label}: {moved.value if moved else '?'} ({release.noise.norm}; {moved.rule if moved else ''})"
        )
    return tuple(dict.fromkeys(facts))[:8]


def _noise(problem: Problem, release: Release, *, planned: bool) -> list[Obligation]:
    from dpframe.graph import path

    from .structure import moves

    moved = release.statistic.sensitivity(release.noise.norm)
    if moved is None:
        way, rule = path(release.statistic), f"a derived {release.noise.norm} sensitivity"
        fix = "clip rows and labels to public bounds, and put no aggregate of the data into a row map."
        return [
            Obligation(
                "sensitivity",
                release.label,
                f"{rule}: none for {way}",
                (f"{release.statistic.label} is unbounded",),
                REFUTED,
                Witness(says=_unbounded(release, moves)),
                fix,
            )
        ]
    if release.rule is not None and planned and moved.value is not ZERO and moved.value != ZERO:
        return []
    if not positive_size(release.mechanism.formula, problem.field):
        fact = f"{release.noise.noise} = {release.mechanism.formula}"
        return [
            Obligation(
                "noise",
                release.label,
                "the noise must be defined and positive for every parameter value",
                (fact,),
                UNPROVED,
                repair="declare open ranges that exclude zero.",
            )
        ]
    return []


def _unbounded(release: Release, moves: Callable[..., str]) -> str:
    from dpframe.graph.rows import Scaled
    from dpframe.graph.statistics import RawAggregate

    node = release.statistic
    inner = node
    while inner.inputs:
        if isinstance(inner, Scaled) and not inner.public:
            return f"one record changes {inner.by}, and with it every row: all n rows move"
        if isinstance(inner, RawAggregate):
            return moves(inner)
        inner = inner.inputs[0]  # type: ignore[assignment]
    return f"one row of norm M moves {node.label} by an amount that grows with M without bound"


def basic(problem: Problem) -> Attempt:
    """Every release earns its share, and the shares sum to the target. [DworkR14, Thm B.1]"""
    found: list[Obligation] = []
    constraints: dict[Constraint, None] = {}
    done: dict[str, tuple[Obligation, int]] = {}
    for release, count in classes(problem.graph.releases):
        result = earns(problem, release)
        constraints.update(dict.fromkeys(result.constraints))
        if result.obligation.verdict is not PROVED:
            found.append(attrs.evolve(result.obligation, count=count))
            continue
        first, many = done.get(result.obligation.rule, (result.obligation, 0))
        done[result.obligation.rule] = (first, many + count)
    found += [
        attrs.evolve(
            first,
            count=many,
            node="each release" if many > 1 else first.node,
            facts=first.facts if many == 1 else (),
        )
        for first, many in done.values()
    ]
    if problem.target.kind == "pure":
        found += _pure_only(problem)
    return Attempt(
        "basic", "[DworkR14, Thm B.1]", tuple(found), tuple(thinned(list(constraints), problem))
    )


def _pure_only(problem: Problem) -> list[Obligation]:
    rule = "a pure target needs pure releases"
    return [
        Obligation(
            "total",
            release.label,
            rule,
            (release.noise.kind,),
            UNPROVED,
            repair="use dp.Laplace.pure, or an approximate target.",
        )
        for release in problem.graph.releases
        if release.noise.kind != "laplace"
    ]


def thinned(constraints: list[Constraint], problem: Problem) -> list[Constraint]:
    """Fewer constraints that imply all: of c_i x <= b the largest c_i; of many, the whole budget's."""
    from dpframe.symbols.expression import _coefficient

    from .sign import quick_sign

    largest: dict[tuple[Expression, Expression, bool], tuple[Fraction, Constraint]] = {}
    for constraint in constraints:
        coefficient, rest = _coefficient(constraint.left)
        key = (
            (rest, constraint.right, constraint.strict)
            if quick_sign(rest) > 0
            else (constraint.left, constraint.right, constraint.strict)
        )
        if key not in largest or largest[key][0] < coefficient:
            largest[key] = (coefficient, constraint)
    kept = [constraint for _, constraint in largest.values()]
    rights = {
        (constraint.right, constraint.strict, constraint.source)
        for constraint in kept
        if not constraint.right.symbols()
    }
    if len(kept) > 8 and len(rights) == 1:
        ((right, strict, source),) = rights
        return [Constraint(problem.target.amounts[0], right, strict, source)]
    return kept


def gaussian(problem: Problem) -> Attempt | None:
    """All releases together are mu-Gaussian DP, mu^2 the joint move of one pair of neighbours.
    [DongRS22, Cor 3.3]
    """
    releases = problem.graph.releases
    if (
        not releases
        or any(release.noise.kind != "gaussian" for release in releases)
        or isinstance(problem.target, PureDP)
    ):
        return None
    return _gaussian(problem, classes(releases))


def _gaussian(problem: Problem, grouped: list[tuple[Release, int]]) -> Attempt | None:
    joint = Joint.of([release.statistic for release, _ in grouped], problem.setting.relation)
    if joint is None:
        return None
    moves = joint_moves(problem, joint, grouped)
    total = joint.total(moves)
    fact = f"mu^2 = {total if len(str(total)) < 400 else '...'} ({joint.rule})"
    name, source = "gaussian", "[DongRS22, Cor 3.3]"
    target = problem.target
    if isinstance(target, ApproxDP):
        claim = Claim(target.epsilon, target.delta, total, joint.attained(moves))
        move = Move("total", "all releases together", claim, moves, joint.branches, fact)
        result = judge(problem, move)
        return Attempt(name, source, (result.obligation,), result.constraints)
    worth = target.amounts[0] if isinstance(target, GaussianDP) else 2 * target.amounts[0]
    return Attempt(
        name,
        source,
        (
            _inside(
                problem,
                joint.branches(moves, lambda a, b: _larger(a, b, problem)),
                joint.attained(moves),
                worth,
                fact,
            ),
        ),
    )


def _larger(a: Expression, b: Expression, problem: Problem) -> Expression:
    from .e1 import larger

    return larger(a, b, problem.field)


def joint_moves(
    problem: Problem, joint: Joint, grouped: list[tuple[Release, int]]
) -> list[Expression]:
    """m_i = (rows size_i/std_i)^2, times the number of draws."""
    return [
        power(problem.rows * size / release.mechanism.formula, 2) * release.times * count
        for size, (release, count) in zip(joint.sizes, grouped, strict=True)
    ]


def _inside(
    problem: Problem,
    branches: Sequence[Expression],
    attained: Expression,
    worth: Expression,
    fact: str,
) -> Obligation:
    """mu^2 <= worth, exactly."""
    rule = "the joint mu^2 must be inside the target"
    decisions = [nonnegative(worth - branch, problem.field) for branch in branches]
    numeric = [_certain(worth - branch) for branch in branches]
    if all(d.proved or n for d, n in zip(decisions, numeric, strict=True)):
        return Obligation("total", "all releases together", rule, (fact, f"target {worth}"), PROVED)
    lower = nonnegative(worth - attained, problem.field)
    broken = lower.proved is False or _certain(attained - worth, strict=True)
    witness = (
        Witness(
            named(lower.witness or {}, worth, attained), f"the worst pair costs mu^2 above {worth}"
        )
        if broken
        else None
    )
    verdict = REFUTED if broken else UNPROVED
    return Obligation(
        "total",
        "all releases together",
        rule,
        (fact, f"target {worth}"),
        verdict,
        witness,
        "give smaller shares, or use dp.Gaussian.analytic.",
    )


def _certain(gap: Expression, *, strict: bool = False) -> bool:
    if gap.symbols():
        return False
    ball = enclose(gap, {})
    return bool(ball > 0 if strict else ball >= 0)


def concentrated(problem: Problem) -> Attempt | None:
    """zCDP of everything: half the joint mu^2 of the Gaussians, half the squared epsilon of the
    Laplace releases. [BunS16]
    """
    if isinstance(problem.target, PureDP) or any(
        release.noise.kind not in ("gaussian", "laplace") for release in problem.graph.releases
    ):
        return None
    rho = _rho(problem)
    if rho is None:
        return None
    fact = f"rho = {rho}"
    if isinstance(problem.target, ZeroConcentratedDP):
        return Attempt(
            "zcdp",
            "[BunS16, Lem 2.3]",
            (_inside(problem, [2 * rho], ZERO, 2 * problem.target.rho, fact),),
        )
    if not isinstance(problem.target, ApproxDP):
        return None
    gap = problem.target.epsilon - concentrated_epsilon(rho, problem.target.delta)
    verdict = PROVED if _certain(gap) else UNPROVED
    rule = "rho + 2 sqrt(rho log(1/delta)) <= epsilon [BunS16, Prop 1.3]"
    obligation = Obligation(
        "total",
        "all releases together",
        rule,
        (fact,),
        verdict,
        None,
        "" if verdict is PROVED else "give numbers, or shares for basic composition.",
    )
    return Attempt("zcdp", "[BunS16, Lem 2.3, Prop 1.3]", (obligation,))


def _rho(problem: Problem) -> Expression | None:
    grouped = classes(problem.graph.releases)
    gaussians = [(release, count) for release, count in grouped if release.noise.kind == "gaussian"]
    joint = Joint.of([release.statistic for release, _ in gaussians], problem.setting.relation)
    if joint is None:
        return None
    parts: list[Expression] = (
        [joint.total(joint_moves(problem, joint, gaussians)) * Fraction(1, 2)] if gaussians else []
    )
    for release, count in grouped:
        if release.noise.kind == "laplace":
            moved = release.statistic.sensitivity(L1)
            if moved is None:
                return None
            parts.append(
                power(moved.value / release.mechanism.formula, 2)
                * release.times
                * Fraction(count, 2)
            )
    return add(*parts)


DERIVATIONS: dict[str, Callable[[Problem], Attempt | None]] = {
    "basic": basic,
    "gaussian": gaussian,
    "zcdp": concentrated,
}
