"""What all releases satisfy together, in symbols: Gaussian releases as one Gaussian release of the
stacked statistics, and the total of an accountant that adds guarantees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import attrs

from dpframe.accountants import Accountant, AdditiveAccountant
from dpframe.errors import InvalidArgument
from dpframe.graph import Joint, Release
from dpframe.graph.graph import Class
from dpframe.identity import own
from dpframe.privacy import (
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    as_kind,
    concentrated_epsilon,
)
from dpframe.symbols import ONE, RELEASED, ZERO, Expression, Number, log, maximum, sqrt
from dpframe.symbols.expression import Call
from dpframe.theory.guarantees import GUARANTEES as BOOK
from dpframe.wording import (
    JOINTLY,
    PART_JOINTLY,
    Cited,
    Formula,
    digits,
    say,
    scaling,
    ways,
    written,
)

from .algebra import Field, number
from .judge import Earned, Move, ProfileClaim, earned_together, judge
from .parallel import about, moving
from .problem import (
    ALL,
    PROVED,
    Attempt,
    Edit,
    Obligation,
    Problem,
    Witness,
    joint_moves,
    named,
    opened,
    totalled,
)
from .rounding import hidden_onto_whole, of_all
from .sign import OPEN, nonnegative, positive, surely_nonnegative

SHORT, LONG = 24, 400  # characters of a number, of a formula that fit on a screen


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
    joints = [joint_of_classes(problem, some) for some in choices]
    known = [joint for joint in joints if joint is not None]
    if len(known) < len(joints):
        return None
    cells = about(problem, choices)
    pairs = zip(known, choices, strict=True)
    return earned_together([_stacked(problem, *pair, cells) for pair in pairs])


def joint_of_classes(problem: Problem, grouped: Sequence[Class]) -> Joint | None:
    """How far the statistics of these releases move together; None where one has no bound."""
    return Joint.of([release.statistic for release, _ in grouped], problem.setting.relation)


def _stacked(
    problem: Problem, joint: Joint, grouped: Sequence[Class], cells: tuple[str, ...]
) -> Earned:
    """Whether what one pair of neighbours may move together is inside the target."""
    target, moves = problem.target, joint_moves(problem.rows, joint, grouped)
    lost = of_all(hidden_onto_whole, grouped)
    attained, square = reached_moves(joint, moves, grouped), joint.total(moves)
    text = Formula(written(square))
    if not square.symbols() and len(text) > SHORT:
        text = digits(number(square, {}, up=True))
    sampled = any(one.sampled is not None for one, _ in grouped)
    rule = joint.rule + "; samples are not counted" * sampled
    fact = say("$mu^2$ = {} ({})", text if len(text) < LONG else "...", rule)
    if isinstance(target, ApproxDP):
        claim = ProfileClaim(target.epsilon, target.delta, square, attained, lost)
        squares = joint.squares(moves)
        move = Move("total", ALL, claim, squares, fact, Edit("all noise"), sampled)
        result = judge(problem, move)
    else:
        branches = joint.branches(moves, partial(_larger, problem.field))
        worth = _worth(target), _worth(target, lost)
        result = Earned(inside(problem, branches, attained, worth, fact))
    obligation = attrs.evolve(result.obligation, facts=(*result.obligation.facts, *cells))
    return attrs.evolve(result, obligation=obligation)


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


def _worth(target: Guarantee, lost: Expression = ZERO) -> Expression:
    """The joint mu^2 that spends a target by the rule book, as in rho = mu^2/2, or in a divergence
    D_a = a mu^2/2, and `lost`, which rounding hides of it. [DongRS22] [BunS16, Prop 1.6]
    [Mironov17, Prop 7]
    """
    amount = target.amounts[0]
    if isinstance(target, RenyiDP):
        return 2 * (amount + lost) / target.order
    return BOOK[target.kind].of_mu * amount


def _larger(field: Field, a: Expression, b: Expression) -> Expression:
    """max(a, b) of positive formulas, or a + b where it is not settled which is larger."""
    if nonnegative(a - b, field).proved:
        return a
    return b if nonnegative(b - a, field).proved else a + b


def inside(
    problem: Problem,
    branches: Sequence[Expression],
    attained: Expression,
    worths: tuple[Expression, Expression],
    fact: str,
) -> Obligation:
    """mu^2, the largest of `branches`, is at most the first of `worths`, exactly; not if some pair
    attains more than the second.
    """
    enough, worth = worths
    rule = say("the joint $mu^2$ must be inside the target")
    facts = (fact, say("target {}", enough))
    gaps = [enough - branch for branch in branches]
    if all(nonnegative(gap, problem.field).proved for gap in gaps):
        return Obligation("total", ALL, rule, facts, PROVED)
    one_pair = attained.parts if isinstance(attained, Call) and attained.name == "max" else ()
    tried = ((one, nonnegative(worth - one, problem.field)) for one in (*one_pair, attained))
    least, lower = next((pair for pair in tried if pair[1].proved is False), (attained, OPEN))
    fix = say(", or calibrate all noise together: {}.", JOINTLY)
    raised = say("raise the std{}", fix)
    if lower.proved is not False:
        return opened("total", ALL, rule, facts, raised, edit=Edit("all noise"))
    where = named(lower.witness or {}, worth, least)
    square, limit = (digits(number(one, where, up=True), 9) for one in (least, worth))
    witness = Witness(where, say("the worst pair costs $mu^2$ = {} > {}", square, limit))
    factor = sqrt(least / worth)
    if not factor.symbols():
        times = math.ceil(1000 * number(factor, {}, up=True)) / 1000
        raised = say("multiply all noise by {}{}", digits(times), fix)
    return opened("total", ALL, rule, facts, raised, witness, edit=Edit("all noise"))


DIVERGENCE = say(
    "the divergence of the target's order is at most order times $rho$ {}",
    Cited("[BunS16, Def 1.1]"),
)
CONVERSION = say("$rho + 2 sqrt(rho log(1/delta)) <= epsilon$ {}", Cited("[BunS16, Prop 1.3]"))


def total(problem: Problem, accountant: Accountant) -> Attempt | None:
    """The accountant's total of the guarantees of all releases is inside the target: in the kind of
    the target, or as (epsilon, delta). All Gaussian releases are one, of the joint mu; a release
    that is drawn often is added by `times`. (proofs/joint)
    """
    if not isinstance(accountant, AdditiveAccountant) or not problem.graph.releases:
        return None
    choices = moving(problem, problem.classes)
    sums = [_together(problem, accountant, chosen) for chosen in choices]
    totals = list(dict.fromkeys(one for one in sums if one is not None))
    if None in sums:
        return None
    return _inside(problem, totals, about(problem, choices))


def _together(
    problem: Problem, accountant: AdditiveAccountant, grouped: Sequence[Class]
) -> Guarantee | None:
    """What one pair of neighbours can tell from all releases; None where one cannot be added."""
    gaussians = [(r, count) for r, count in grouped if r.gives is GaussianDP]
    joint = joint_of_classes(problem, gaussians)
    if joint is None:
        return None
    parts = [_alone(accountant, r, count) for r, count in grouped if r.gives is not GaussianDP]
    if gaussians:
        square = joint.total(joint_moves(problem.rows, joint, gaussians))
        parts.insert(0, accountant.admit(GaussianDP.of(square)))
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    whole = accountant.total(known)
    if not (isinstance(whole, Guarantee) and own(type(whole))):
        way_out = "Return dp.PureDP, dp.ApproxDP, dp.ZeroConcentratedDP or dp.GaussianDP."
        raise InvalidArgument(f"total of {accountant.name}", "a guarantee", whole, way_out)
    return whole


def _alone(accountant: AdditiveAccountant, release: Release, count: int) -> Guarantee | None:
    """All draws of one release, in the kind that the accountant adds."""
    moved = release.moved
    given = None if moved is None else release.given_in(accountant.adds, moved.value)
    admitted = None if given is None else accountant.admit(given)
    times = release.times * count
    if admitted is None or times == ONE:
        return admitted
    whole = int(times.value) if isinstance(times, Number) else times
    return accountant.times(admitted, whole)  # type: ignore[arg-type]  # a parameter, in symbols


def _inside(problem: Problem, totals: Sequence[Guarantee], notes: Sequence[str]) -> Attempt | None:
    """Every total that some pair of neighbours may cost is inside the target; None where no theorem
    compares them.
    """
    target = problem.target
    same = [as_kind(one, type(target)) or one for one in totals]
    facts = (*_facts(same), *notes)
    if all(set(one.currency) <= set(target.currency) for one in same):
        limits = dict(zip(target.currency, target.amounts, strict=True))
        pairs = [pair for one in same for pair in zip(one.currency, one.amounts, strict=True)]
        shown = all(
            surely_nonnegative(limits[name] - amount, problem.field) for name, amount in pairs
        )
        rule = "the total must be inside the target"
        return _attempt(problem, rule, facts, [target, *same], shown=shown)
    if isinstance(target, RenyiDP):
        return _divergence(problem, target, totals, notes)
    if not isinstance(target, ApproxDP):
        return None
    if all(isinstance(one, GaussianDP) for one in same):
        return _profiles(problem, target, [one.amounts[0] for one in same], facts)
    concentrated = [as_kind(one, ZeroConcentratedDP) for one in same]
    rhos = [one.amounts[0] for one in concentrated if one is not None]
    gaps = [_gaps(problem, rho, target) for rho in rhos]
    shown = all(any(surely_nonnegative(gap, problem.field) for gap in some) for some in gaps)
    if len(rhos) < len(same):
        return None
    return _attempt(problem, CONVERSION, facts, [target, *same], shown=shown)


def _divergence(
    problem: Problem, target: RenyiDP, totals: Sequence[Guarantee], notes: Sequence[str]
) -> Attempt | None:
    """A rho bounds the divergence of order a by a rho, and an epsilon every one. [BunS16, Def 1.1]
    [Mironov17, Sec II]
    """
    concentrated = [as_kind(one, ZeroConcentratedDP) for one in totals]
    rhos = [one for one in concentrated if one is not None]
    if len(rhos) < len(totals):
        return None
    amounts = [
        (one.amounts[0],) * isinstance(one, PureDP) + (target.order * rho.amounts[0],)
        for one, rho in zip(totals, rhos, strict=True)
    ]
    limit = target.amounts[0]
    shown = all(
        any(surely_nonnegative(limit - one, problem.field) for one in some) for some in amounts
    )
    return _attempt(problem, DIVERGENCE, (*_facts(rhos), *notes), [target, *rhos], shown=shown)


def _facts(totals: Sequence[Guarantee]) -> list[str]:
    """`rho = 2*epsilon^2`, the largest where there are several."""
    by_name: dict[str, list[Expression]] = {}
    for one in totals:
        for name, amount in zip(one.currency, one.amounts, strict=True):
            by_name.setdefault(name, []).append(amount)
    return [say("{} = {}", Formula(name), maximum(*amounts)) for name, amounts in by_name.items()]


def _profiles(
    problem: Problem, target: ApproxDP, squares: Sequence[Expression], facts: tuple[str, ...]
) -> Attempt:
    """Totals in Gaussian DP, with these squared mus."""
    results = []
    for square in squares:
        claim, edit = ProfileClaim(target.epsilon, target.delta, square, ZERO), Edit("all noise")
        fact = "; ".join(facts)
        results.append(judge(problem, Move("total", ALL, claim, [("rest", square)], fact, edit)))
    return earned_together(results)


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


def _attempt(
    problem: Problem,
    rule: str,
    facts: tuple[str, ...],
    compared: Sequence[Guarantee],
    *,
    shown: bool,
) -> Attempt:
    """Totals compared with the target: proved, or open with a repair."""
    symbolic = any(amount.symbols() for one in compared for amount in one.amounts)
    numbers = say("give numbers, as {} needs beside other releases", PART_JOINTLY)
    repair = ways(
        numbers if symbolic else say("raise the noise"),
        "give every release a share, for basic composition",
        scaling(normal=all(one.gives is GaussianDP for one in problem.graph.releases)),
        signs=["; or "] * 2,
    )
    return totalled(rule, facts, repair, proved=shown)
