"""The plan: shares that are positive and sum to at most the budget; and whether each release's
noise earns its share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import attrs

from dpframe.graph import Release
from dpframe.graph.release import ONE
from dpframe.guarantees import Share
from dpframe.mechanisms import Calibration
from dpframe.sensitivity import L1, L2
from dpframe.symbols import Domain, Expression, Number, Symbol, add, analytic_sigma, power

from .algebra import Field
from .e1 import Totals, larger, tail_rule
from .enclose import enclose
from .obligation import PROVED, REFUTED, UNPROVED, Constraint, Obligation, Witness, named, shown
from .problem import Problem
from .profile_rule import Claim, holds, known_delta, on_boxes, refute
from .resolve import atoms, resolve
from .sign import nonnegative, positive

ZERO = Number(Fraction(0))
POSITIVE = Domain(Fraction(0))


def plan(problem: Problem) -> list[Obligation]:
    """Shares are positive where they must be, and sum to at most the target, on the whole domain."""
    shared = [release for release in problem.graph.releases if release.share is not None]
    if not shared:
        return list(_counts(problem))
    foreign = [*_foreign(problem, shared), *_counts(problem)]
    failing = foreign or (
        []
        if _weights_hold(problem, shared)
        else [*_signs(problem, shared), *_sums(problem, shared)]
    )
    sums = "shares are positive and sum to at most the target, identically in all parameters"
    facts = tuple(
        f"{name}: {_short_sum(problem, index)}"
        for index, name in enumerate(problem.target.currency)
    )
    return failing or [Obligation("plan", "budget", sums, facts, PROVED, count=len(shared))]


def _short_sum(problem: Problem, index: int) -> str:
    shared = [release for release in problem.graph.releases if release.share is not None]
    name = problem.target.currency[index]
    text = (
        " + ".join(str(_charge(release, name)) for release in shared)
        if len(shared) <= 6
        else f"{len(shared)} shares"
    )
    return f"{text} <= {problem.target.amounts[index]}"


def _weights_hold(problem: Problem, releases: Sequence[Release]) -> bool:
    """Whether all shares are weights of the target that are positive and sum to at most 1: the
    amounts then are (the target is positive).
    """
    target = problem.target.amounts
    if any(release.share.wholes != target for release in releases if release.share is not None):
        return False
    rows = [
        (release.share.weights, release.times) for release in releases if release.share is not None
    ]
    for index in range(len(target)):
        if index and all(weights[index] is weights[0] for weights, _ in rows):
            continue
        if not all(
            positive(weight, problem.field).proved
            for weight in dict.fromkeys(weights[index] for weights, _ in rows)
        ):
            return False
        total = add(
            *(weights[index] if times is ONE else weights[index] * times for weights, times in rows)
        )
        if not nonnegative(1 - total, problem.field).proved:
            return False
    return True


def _foreign(problem: Problem, releases: Sequence[Release]) -> Iterator[Obligation]:
    currency = problem.target.currency
    for release in releases:
        if release.share is not None and release.share.currency != currency:
            facts = (
                f"share in {', '.join(release.share.currency)}",
                f"target in {', '.join(currency)}",
            )
            yield Obligation(
                "plan",
                release.label,
                "a share must be in the target's currency",
                facts,
                REFUTED,
                Witness(says="it would be spent uncounted"),
                "take shares from the budget that declare is given.",
            )


def _counts(problem: Problem) -> Iterator[Obligation]:
    for release in problem.graph.releases:
        decision = (
            nonnegative(release.times - 1, problem.field) if release.times is not ONE else None
        )
        if decision is not None and not decision.proved:
            witness = (
                None
                if decision.witness is None
                else Witness(named(decision.witness, release.times), "fewer than one draw")
            )
            yield Obligation(
                "plan",
                release.label,
                "the number of draws must be at least 1",
                (f"times = {release.times}",),
                UNPROVED,
                witness,
                "declare the parameter with lower=1.",
            )


def _signs(problem: Problem, releases: Sequence[Release]) -> Iterator[Obligation]:
    seen: dict[tuple[Share, bool], None] = {}
    for release in releases:
        share = release.share
        assert share is not None
        key = (share, release.noise.kind == "gaussian")
        if key in seen:
            continue
        seen[key] = None
        for name, amount in zip(share.currency, share.amounts, strict=True):
            yield from _sign(problem, release, name, amount, strict=key[1] or name != "delta")


def _sign(
    problem: Problem, release: Release, name: str, amount: Expression, *, strict: bool
) -> Iterator[Obligation]:
    decision = (positive if strict else nonnegative)(amount, problem.field)
    if decision.proved:
        return
    word = "positive" if strict else "nonnegative"
    says = "" if decision.value is None else f"the share is {shown(decision.value)}"
    witness = None if decision.witness is None else Witness(named(decision.witness, amount), says)
    yield Obligation(
        "plan",
        release.label,
        f"its share of {name} must be {word} for every parameter value",
        (
            f"share of {name} = {amount}",
            *(f"{s.name} {s.domain}" for s in sorted(amount.symbols(), key=lambda s: s.name)),
        ),
        UNPROVED if decision.proved is None else REFUTED,
        witness,
        f"declare the parameter on a range where {amount} is {word} (an open interval excludes its ends), or give another share.",
    )


def _sums(problem: Problem, releases: Sequence[Release]) -> Iterator[Obligation]:
    for index, (name, whole) in enumerate(
        zip(problem.target.currency, problem.target.amounts, strict=True)
    ):
        total = add(*(_charge(release, name) for release in releases))
        decision = nonnegative(whole - total, problem.field)
        if decision.proved:
            continue
        yield _overspent(problem, releases, index, total, decision)


def _charge(release: Release, name: str) -> Expression:
    amount = _amount(release, name)
    return amount if release.times is ONE else amount * release.times


def _amount(release: Release, name: str) -> Expression:
    share = release.share
    assert share is not None
    return share.amount(name) if name in share.currency else ZERO


def _overspent(
    problem: Problem, releases: Sequence[Release], index: int, total: Expression, decision: object
) -> Obligation:
    name, whole = problem.target.currency[index], problem.target.amounts[index]
    witness, value = decision.witness, decision.value  # type: ignore[attr-defined]
    shown_witness = None
    if witness is not None:
        spent = total.substitute({symbol.name: Number(v) for symbol, v in witness.items()})
        limit = whole.substitute({symbol.name: Number(v) for symbol, v in witness.items()})
        says = (
            f"the shares sum to {_plain(spent)}, more than {_plain(limit)}"
            if value is not None
            else ""
        )
        shown_witness = Witness(named(witness, total, whole), says)
    facts = tuple(
        f"{release.label}: {_amount(release, name)}{_times(release)}" for release in releases[:8]
    )
    more = (f"... and {len(releases) - 8} more",) if len(releases) > 8 else ()
    return Obligation(
        "plan",
        "budget",
        f"the shares of {name} must sum to at most {whole} [DworkR14, Thm B.1]; each release pays for its own draw",
        (*facts, *more, f"sum = {total}"),
        UNPROVED if decision.proved is None else REFUTED,  # type: ignore[attr-defined]
        shown_witness,
        _repair_sum(problem, total, whole),
    )


def _plain(formula: Expression) -> str:
    return shown(formula.value) if isinstance(formula, Number) else str(formula)


def _times(release: Release) -> str:
    return "" if release.times == Number(Fraction(1)) else f", {release.times} times"


def _repair_sum(problem: Problem, total: Expression, whole: Expression) -> str:
    ratio = problem.field.ratio(total / whole)
    if ratio is None:
        return "give smaller shares."
    reduced = ratio.reduced()
    if not (reduced.top.is_constant() and reduced.bottom.is_constant()):
        return "choose weights that sum to 1 identically: the last one as 1 minus the others; or budget.split_evenly(k)."
    factor = Fraction(str(reduced.bottom.leading_coefficient())) / Fraction(
        str(reduced.top.leading_coefficient())
    )
    if factor > Fraction(999_999, 1_000_000):
        return "these look like rounded decimals: write exact weights, such as Fraction(1, 3), or budget.split_evenly(k)."
    return f"multiply every share by {factor}, or draw once and use the released value twice."


@attrs.frozen
class Earned:
    """What became of one release's share: an open obligation, or the hypotheses it needs."""

    obligation: Obligation
    constraints: tuple[Constraint, ...] = ()


def earns(problem: Problem, release: Release) -> Earned:
    """Whether the release's noise gives its share, by its named theorem, or by E1, boxes or the
    exact profile where the noise is stated.
    """
    share = release.share
    norm = release.noise.norm
    sensitivity = release.statistic.sensitivity(norm)
    if share is None or sensitivity is None:
        return Earned(
            Obligation(
                "share",
                release.label,
                "a share and a sensitivity",
                (),
                UNPROVED,
                repair="give the release a share.",
            )
        )
    if release.rule is not None:
        return _by_theorem(problem, release, share, sensitivity.value)
    if release.noise.kind == "laplace":
        return _stated_laplace(problem, release, share, sensitivity.value)
    return _stated_gaussian(problem, release, share)


def _by_theorem(
    problem: Problem, release: Release, share: Share, sensitivity: Expression
) -> Earned:
    rule = release.rule
    assert rule is not None
    proved = _earned(release.label, rule, sensitivity)
    limit = rule.limit(share)
    if limit is None:
        return Earned(proved)
    constraint = Constraint(*limit, source=f"{rule.name} {rule.citation}")
    inside = within(problem, constraint)
    if inside is None:
        return Earned(proved, (constraint,))
    return Earned(proved) if inside else Earned(_outside(release, constraint))


@lru_cache(maxsize=256)
def _earned(label: str, rule: Calibration, sensitivity: Expression) -> Obligation:
    fact = f"sensitivity {sensitivity} ({rule.mechanism.norm})"
    return Obligation(
        "share", label, f"earns its share by {rule.name} {rule.citation}", (fact,), PROVED
    )


def _outside(release: Release, constraint: Constraint) -> Obligation:
    rule = release.rule
    assert rule is not None
    return Obligation(
        "share",
        release.label,
        f"{rule.name} {rule.citation} is a theorem only where {constraint}",
        (f"here {constraint.left} against {constraint.right}",),
        REFUTED,
        Witness(
            {s.name: s.domain.example() or Fraction(0) for s in constraint.left.symbols()},
            f"the hypothesis {constraint} fails everywhere on the domain",
        ),
        "use dp.Gaussian.analytic, which is exact for every epsilon, or state the std, dp.Gaussian(std=...), to have it judged by the exact profile.",
    )


def within(problem: Problem, constraint: Constraint) -> bool | None:
    """True where the domain implies the constraint, False where it excludes it everywhere, None
    where it carves.
    """
    left, right = constraint.left, constraint.right
    if not left.symbols() and not right.symbols():
        gap = enclose(right - left, {})
        return bool(gap > 0 if constraint.strict else gap >= 0)
    if any(symbol.domain.upper is None for symbol in left.symbols()) or right.symbols():
        return None
    from dpframe.numerics.rounding import arb_lower

    bound = Number(arb_lower(enclose(right, {})))
    decision = (positive if constraint.strict else nonnegative)(bound - left, problem.field)
    if decision.proved:
        return True
    low = nonnegative(left - bound - Fraction(1, 10**12), problem.field).proved
    return False if low else None


def _stated_laplace(
    problem: Problem, release: Release, share: Share, sensitivity: Expression
) -> Earned:
    decision = nonnegative(share.epsilon * release.mechanism.formula - sensitivity, problem.field)
    fact = f"scale = {release.mechanism.formula}, L1 sensitivity {sensitivity}, share of epsilon {share.epsilon}"
    rule = "Laplace noise earns epsilon_i where scale >= (L1 sensitivity)/epsilon_i [DworkR14, Thm 3.6]"
    if decision.proved:
        return Earned(Obligation("share", release.label, rule, (fact,), PROVED))
    witness, verdict = laplace_witness(release, share.epsilon, decision.witness)
    numeric = _numeric_gap(share.epsilon * release.mechanism.formula - sensitivity)
    if numeric is True:
        return Earned(Obligation("share", release.label, rule, (fact,), PROVED))
    repair = f"use dp.Laplace.pure, which takes the L1 sensitivity {sensitivity}; the L2 sensitivity is for Gaussian noise."
    return Earned(Obligation("share", release.label, rule, (fact,), verdict, witness, repair))


def _numeric_gap(gap: Expression) -> bool | None:
    if gap.symbols():
        return None
    ball = enclose(gap, {})
    return True if ball >= 0 else False if ball < 0 else None


def laplace_witness(
    release: Release, epsilon: Expression, point: object
) -> tuple[Witness | None, object]:
    """A counterexample to Laplace noise, and the verdict: refuted where the L1 sensitivity is
    attained.
    """
    from .sign import points

    own = release.statistic.one_row(L1, release.statistic.unit.relation)
    sensitivity = release.statistic.sensitivity(L1)
    if own is None or sensitivity is None or not own.attained:
        return None, UNPROVED
    loss = sensitivity.value / release.mechanism.formula
    symbols = sorted({*loss.symbols(), *epsilon.symbols()}, key=lambda symbol: symbol.name)
    tries = [point] if isinstance(point, dict) else []
    for values in [*tries, *points(symbols)]:
        balls = {s.name: enclose(Number(v), {}) for s, v in values.items()}
        if any(symbol.name not in balls for symbol in symbols):
            continue
        true, claimed = enclose(loss, balls), enclose(epsilon, balls)
        if true > claimed:
            says = f"a row moves it by {float(enclose(sensitivity.value, balls).mid()):.6g} in L1 norm: privacy loss {float(true.mid()):.6g} > {float(claimed.mid()):.6g}"
            return Witness(named(values, loss, epsilon), says), REFUTED
    return None, UNPROVED


def _stated_gaussian(problem: Problem, release: Release, share: Share) -> Earned:
    sensitivity = release.statistic.sensitivity(L2)
    assert sensitivity is not None
    move = power(sensitivity.value / release.mechanism.formula, 2)
    reached = release.statistic.one_row(L2, release.statistic.unit.relation)
    lower = move if reached is not None and reached.attained else ZERO
    claim = Claim(share.epsilon, share.delta, move, lower)
    return judge(
        problem,
        release.label,
        claim,
        [move],
        lambda moves, _: moves,
        "share",
        _fact(release, sensitivity.value, share),
    )


def _fact(release: Release, sensitivity: Expression, share: Share) -> str:
    return f"std = {release.mechanism.formula}, L2 sensitivity {sensitivity}, share ({share})"


def by_definition(
    problem: Problem, claim: Claim, moves: Sequence[Expression], totals: Totals
) -> bool:
    """Whether mu^2 <= 1/analytic_sigma(epsilon, delta)^2, exactly: with that atom as a positive
    unknown s, every branch times s^2 is at most 1.
    """
    atom = analytic_sigma(claim.epsilon, claim.delta)
    if not any(atom in atoms(move) for move in moves):
        return False
    unknown = Symbol("the value of analytic_sigma", POSITIVE)
    field = Field((*problem.symbols, unknown))
    settled = [resolve(move, field, {atom: unknown}) for move in moves]
    branches = totals(settled, lambda a, b: larger(a, b, field))
    return all(nonnegative(1 - branch * power(unknown, 2), field).proved for branch in branches)


def judge(
    problem: Problem,
    label: str,
    claim: Claim,
    moves: Sequence[Expression],
    totals: Totals,
    kind: str,
    fact: str,
) -> Earned:
    """Decide (epsilon, delta) for a Gaussian move: the exact profile at numbers, rule E1, boxes;
    then look for a counterexample.
    """
    facts = (fact,)
    if by_definition(problem, claim, moves, totals):
        return Earned(
            Obligation(
                kind,
                label,
                "analytic_sigma: the std is enough by its definition [BalleW18, Thm 8]",
                facts,
                PROVED,
            )
        )
    if not claim.symbols:
        facts = (fact, known_delta(claim, {}))
        if holds(claim, {}):
            return Earned(
                Obligation(
                    kind, label, "exact Gaussian privacy profile [BalleW18, Thm 8]", facts, PROVED
                )
            )
    else:
        tail = tail_rule(moves, totals, claim.epsilon, claim.delta, problem.field)
        if tail is not None and within(problem, tail.constraint) is not False:
            carved = () if within(problem, tail.constraint) else (tail.constraint,)
            note = f"a = {tail.a}, S = {tail.S}"
            return Earned(
                Obligation(
                    kind, label, "rule E1, a Gaussian tail bound (proofs/e1)", (fact, note), PROVED
                ),
                carved,
            )
        boxed = on_boxes(claim)
        if boxed is not None:
            rule = f"exact Gaussian privacy profile on {boxed.boxes} boxes (ball arithmetic) [BalleW18, Thm 8]"
            return Earned(Obligation(kind, label, rule, (fact,), PROVED), boxed.constraints)
    witness = refute(claim)
    repair = (
        "raise the std, or calibrate it: dp.Gaussian.analytic is exact; or lower the claim."
        if witness
        else "give numbers, or bounded ranges: dp.parameter(name, lower, upper)."
    )
    rule = "the exact Gaussian privacy profile must stay inside the claim [BalleW18, Thm 8]"
    return Earned(
        Obligation(kind, label, rule, facts, REFUTED if witness else UNPROVED, witness, repair)
    )
