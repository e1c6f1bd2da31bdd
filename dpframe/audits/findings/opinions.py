"""What all releases cost together, by every accountant that applies, tightest first;
and a second opinion, dp_accounting's number for the same releases, with its known limits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.accountants import (
    Accountant,
    BasicAccountant,
    Composition,
    ConcentratedAccountant,
    GaussianAccountant,
    NumericAccountant,
    OptimalAccountant,
    Part,
    RenyiAccountant,
    to_event,
)
from dpframe.audits.cost import pure_cost
from dpframe.errors import DPFrameError, MissingExtra
from dpframe.numerics import profile_epsilon, profile_epsilon_lower, to_float
from dpframe.pld.losses import GaussianLoss, SubsampledGaussianLoss
from dpframe.privacy import ApproxDP, PureDP, Share
from dpframe.prover import Verdict
from dpframe.prover.parallel import moving
from dpframe.symbols import Expression
from dpframe.wording import Cited, digits, say

from ..joint_cost import joint_cost
from .example import Values, delta_at, upper_at
from .profile import Parts, apart, guarantees, together

if TYPE_CHECKING:
    from ..report import Audit

SHARP = 1e-9  # relative: so near to each other, two ends are one number
SHARES = "basic composition of the claimed shares"


@attrs.frozen(kw_only=True)
class Opinion:
    """Bounds on epsilon at `delta`, by one accountant.

    `upper` is rounded up: so much is enough. `lower` is rounded down: some pair of neighbours costs
    at least that; None where this accountant only bounds from above. `upper` is None, and `applies`
    is False, where it has no answer: `says` tells why.
    """

    name: str
    lower: float | None = None
    upper: float | None = None
    delta: float
    says: str
    source: str = ""
    applies: bool = attrs.field(init=False)

    @applies.default
    def _has_answer(self) -> bool:
        return self.upper is not None


def opinions(audit: Audit, values: Values) -> tuple[Opinion, ...]:
    """One an accountant, the smallest upper bound first; those that do not apply stand last.

    Where private data reaches what is public, nothing bounds the cost, and there are none.
    """
    if any(one.verdict is not Verdict.PROVED for one in audit.report.common):
        return ()
    return tuple(sorted(_all(audit, values), key=_rank))


def _rank(one: Opinion) -> tuple[float, bool]:
    upper = math.inf if one.upper is None else one.upper
    return (float(digits(upper, 9)), one.lower is None)


def _all(audit: Audit, values: Values) -> Iterator[Opinion]:
    problem, delta = audit.report.problem, delta_at(audit.report.problem, values)
    joint = joint_cost(problem, values)
    if joint is not None and delta and not joint.sampled:
        sharp = joint.mu[0] >= joint.mu[1] * (1 - SHARP)
        yield Opinion(
            name="joint Gaussian profile",
            lower=profile_epsilon_lower(delta, Fraction(joint.mu[0])) if joint.mu[0] > 0 else None,
            upper=profile_epsilon(delta, Fraction(joint.mu[1])),
            delta=float(delta),
            says=say("{}of all releases at once", "exact, " if sharp else ""),
            source=say("{} {}", Cited("[DongRS22, Cor 3.3]"), Cited("[BalleW18, Thm 8]")),
        )
    parts, alone = together(problem, joint, values), apart(problem, values)
    if parts:
        pure = pure_cost(problem, values, delta)
        yield from _of_parts(parts, delta, joined=parts != alone, least=pure[0] if pure else 0.0)
    if alone and alone != parts and delta:
        yield from _of_single(alone, delta)
    yield from _of_exact_shares(audit, values, delta)
    yield from _of_shares(audit, values, delta)


def _of_parts(parts: Parts, delta: Fraction, *, joined: bool, least: float) -> Iterator[Opinion]:
    """Of losses that bound the whole; `least` is what one pure release costs some neighbours."""
    how = say("of the joint $mu$") if joined else "each draw alone"
    given = guarantees(parts)
    pure = all(isinstance(part.what, PureDP) for part in given)
    if pure:
        says = "exact, of one release" if least else "epsilons add up"
        name = "basic composition of pure releases"
        for one in _answered(name, BasicAccountant(), given, 0, says):
            yield attrs.evolve(one, lower=least or None)
    if not delta:
        return
    numeric = say("certified, of privacy losses, {}", how)
    yield from _answered("numeric composition", NumericAccountant(), parts, delta, numeric)
    renyi = say("all orders, {}", how)
    yield from _answered("Rényi", RenyiAccountant(), parts, delta, renyi)
    if any(isinstance(part.what, SubsampledGaussianLoss) for part in parts):
        return  # a rho would not count what samples hide
    rho = say("rhos add up, {}", how)
    yield from _answered("zero-concentrated", ConcentratedAccountant(), given, delta, rho)


def _of_single(parts: Parts, delta: Fraction) -> Iterator[Opinion]:
    """Of Gaussian releases as if each met its own worst pair of neighbours."""
    says = "squared mus add up"
    given = guarantees(parts)
    yield from _answered("Gaussian, each release alone", GaussianAccountant(), given, delta, says)


def _of_exact_shares(audit: Audit, values: Values, delta: Fraction) -> Iterator[Opinion]:
    """Basic composition of what Gaussian releases cost alone, by their exact profiles."""
    parts = apart(audit.report.problem, values)
    if not parts or not delta or not all(isinstance(one.what, GaussianLoss) for one in parts):
        return
    draws = sum(part.count for part in parts)
    each = delta / draws
    epsilons = [profile_epsilon(each, part.what.mu) for part in parts]  # type: ignore[union-attr]
    if not all(map(math.isfinite, epsilons)):
        return
    total = sum(Fraction(e) * part.count for e, part in zip(epsilons, parts, strict=True))
    yield Opinion(
        name="basic composition of exact costs",
        upper=to_float(total, up=True),
        delta=float(delta),
        says=say("exact epsilons at $delta$/{} add up", draws),
        source=say("{} {}", Cited("[DworkR14, Thm B.1]"), Cited("[BalleW18, Thm 8]")),
    )


def _of_shares(audit: Audit, values: Values, delta: Fraction) -> Iterator[Opinion]:
    """Of the shares that are claimed, where each is proved."""
    charged = audit.report.problem.graph.charged
    if not charged or any(one.share is None for one in charged):
        return
    if audit.target.currency[0] != "epsilon":
        return  # amounts of rho, of mu^2 or of a divergence are no epsilons
    failing = [line.name for line in audit.lines if line.verdict is not Verdict.PROVED]
    failing += _unproved(audit)
    basic = Opinion(
        name=SHARES,
        delta=float(delta),
        says="the shares add up",
        source=Cited("[DworkR14, Thm B.1]"),
    )
    if failing:
        different = list(dict.fromkeys(failing))
        more = f" and {len(different) - 3} more" if len(different) > 3 else ""
        yield attrs.evolve(basic, says=say("not proved: {}", ", ".join(different[:3]) + more))
        return
    amounts = _amounts(audit.shares_sum, values)
    if amounts is not None and amounts[1] <= delta:
        yield attrs.evolve(basic, upper=to_float(amounts[0], up=True))
    claimed = _claimed(audit, values)
    if claimed is not None and delta:
        says = "the least that the shares imply"
        name = "optimal composition of the claimed shares"
        yield from _answered(name, OptimalAccountant(), claimed, delta, says)


def _unproved(audit: Audit) -> list[str]:
    """Procedures whose theorems are not proved by basic composition to earn their shares."""
    names = [one.label for one in audit.report.problem.graph.procedures]
    basic = [one for one in audit.report.attempts if one.name == "basic"]
    found = [o for one in basic for o in one.obligations if o.verdict is not Verdict.PROVED]
    return [o.node for o in found] if basic else names


def _claimed(audit: Audit, values: Values) -> Parts | None:
    """The shares as guarantees; None where one has no number, a bound may fail, or cells of a
    partition are charged in parallel.
    """
    graph = audit.report.problem.graph
    pairs = [(one, one.share) for one in graph.charged]
    if graph.bounds or len(list(moving(audit.report.problem, pairs))) != 1:
        return None
    found = [_part(one.share, one.times, values) for one in graph.charged]
    return None if None in found else tuple(part for part in found if part is not None)


def _part(share: Share | None, times: Expression, values: Values) -> Part | None:
    if share is None or share.currency not in (("epsilon",), ("epsilon", "delta")):
        return None
    known, count = _amounts(share, values), upper_at(times, values)
    if known is None or count is None or count.denominator != 1:
        return None
    if known[0] <= 0 or not 0 <= known[1] < 1:
        return None
    return Part(ApproxDP(*known) if known[1] else PureDP(known[0]), int(count))


def _amounts(share: Share | None, values: Values) -> tuple[Fraction, Fraction] | None:
    """epsilon and delta of a share, delta 0 where it has none; None where one has no number."""
    found = [] if share is None else [upper_at(amount, values) for amount in share.amounts]
    epsilon, delta = (*found, Fraction(0))[:2] if found else (None, None)
    return None if epsilon is None or delta is None else (epsilon, delta)


def _answered(
    name: str, accountant: Accountant, parts: Parts, delta: Fraction | int, says: str
) -> Iterator[Opinion]:
    """What an accountant answers; nothing where it cannot add these."""
    try:
        upper = _answer(accountant, parts, Fraction(delta))
    except DPFrameError:
        return
    yield Opinion(
        name=name,
        upper=upper,
        delta=float(delta),
        says=says,
        source=accountant.citation,
    )


def _answer(accountant: Accountant, parts: Parts, delta: Fraction) -> float:
    if delta:
        return accountant.epsilon(parts, delta).upper
    epsilons = (part.what.amounts[0] * part.count for part in parts)  # type: ignore[union-attr]
    found = [upper_at(amount, {}) for amount in epsilons]
    return to_float(sum((one for one in found if one is not None), Fraction(0)), up=True)


NAME = "dp_accounting, PLD"
STEP = 1e-4  # their own default
MOST_DRAWS = 5000
LIMITS = (
    "its own composition, on a grid of losses and in floating point: an upper bound, no theorem; "
    "it knows nothing of sensitivities, the noise multipliers are ours (docs/peers)"
)


def second_opinion(audit: Audit, values: Values) -> Opinion | None:
    """dp_accounting's epsilon at the target's delta; None where it is not installed, and where our
    cost has no parts to export.

    Where it has no event for a part, `applies` is False and `says` tells why.
    """
    problem, delta = audit.report.problem, delta_at(audit.report.problem, values)
    if any(one.verdict is not Verdict.PROVED for one in audit.report.common) or not delta:
        return None
    parts = together(problem, joint_cost(problem, values), values)
    if not parts:
        return None
    if _draws(parts) > MOST_DRAWS:
        return _silent(float(delta), say("it is not run on more than {} draws", MOST_DRAWS))
    try:
        event = to_event(Composition(parts, problem.setting.relation, NumericAccountant()))
        ours = NumericAccountant().epsilon(parts, delta).upper
    except MissingExtra:
        return None
    except DPFrameError as error:
        return _silent(float(delta), str(error))
    if not math.isfinite(ours):
        return None
    return _theirs(event, float(delta), max(STEP, STEP * ours))


def _draws(parts: Parts) -> int:
    """Draws that it composes one after the other: all but plain Gaussian noise."""
    return sum(part.count for part in parts if not isinstance(part.what, GaussianLoss))


def _theirs(event: object, delta: float, step: float) -> Opinion:
    """Their number on a grid of losses with this step: finer than STEP costs minutes where a
    release costs thousands, and a coarser grid is still an upper bound.
    """
    from dp_accounting import pld

    try:
        accountant = pld.PLDAccountant(value_discretization_interval=step)
        accountant.compose(event)
        epsilon = float(accountant.get_epsilon(delta))
    except (ValueError, ArithmeticError, MemoryError) as error:
        return _silent(delta, say("it failed: {}", type(error).__name__))
    if not math.isfinite(epsilon):
        return _silent(delta, say("it found no finite $epsilon$"))
    return Opinion(name=NAME, upper=epsilon, delta=delta, says=LIMITS)


def _silent(delta: float, why: str) -> Opinion:
    return Opinion(name=NAME, delta=delta, says=why)
