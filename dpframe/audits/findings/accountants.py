"""What all releases cost together at numbers, by every accountant that applies, tightest first; and
their privacy profile: delta as a function of epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.accountants import (
    Accountant,
    BasicAccountant,
    ConcentratedAccountant,
    NumericAccountant,
    OptimalAccountant,
    Part,
    RenyiAccountant,
)
from dpframe.audits.cost import pure_cost
from dpframe.errors import DPFrameError
from dpframe.graph import Release
from dpframe.graph.graph import classes
from dpframe.identity import own
from dpframe.mechanisms import Laplace
from dpframe.mechanisms.subsampled import on_sample
from dpframe.numerics import (
    Interval,
    profile_delta,
    profile_delta_lower,
    profile_epsilon,
    profile_epsilon_lower,
    to_float,
)
from dpframe.pld.losses import (
    GaussianLoss,
    LaplaceLoss,
    PrivacyLoss,
    ResponseLoss,
    SubsampledGaussianLoss,
)
from dpframe.privacy import (
    ADD_REMOVE,
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    Share,
    ZeroConcentratedDP,
)
from dpframe.prover import Verdict
from dpframe.prover.attained import least_epsilon
from dpframe.prover.mixture import amplified, sampled_loss
from dpframe.prover.mixture import cost as cost_of
from dpframe.prover.parallel import moving
from dpframe.prover.problem import Problem
from dpframe.symbols import ONE, Expression, Number, sqrt
from dpframe.wording import Cited, digits, say

from ..cost import JointCost, joint_cost
from ..figures import against, figure, sharp
from .example import Values, amounts_at, delta_at, number_at, upper_at, used_in, values_of

if TYPE_CHECKING:
    from ..report import Audit


SHARES, COMPOSED = "basic composition of the claimed shares", "numeric composition"
BASIC = "basic composition of pure releases"
UNCOUNTED = "; samples are not counted"
CLAIM = "the claim, which is proved"
ROUNDED = 1 + Fraction(1, 10**9)  # what rounding adds at most


@attrs.frozen(kw_only=True)
class AccountantBounds:
    """Bounds on epsilon at `delta`, by one accountant.

    `upper` is rounded up: so much is enough. `lower` is rounded down: some pair of neighbours costs
    at least that; None where this accountant only bounds from above. `upper` is None where it has
    no answer: `says` has the reason.
    """

    name: str
    lower: float | None = None
    upper: float | None = None
    delta: float
    says: str
    source: str = ""


def by_accountants(audit: Audit, values: Values) -> tuple[AccountantBounds, ...]:
    """One an accountant, the smallest upper bound first; those that do not apply stand last.

    Where private data reaches what is public, nothing bounds the cost, and there are none.
    """
    if not audit.bounded:
        return ()
    problem = audit.report.problem
    delta = delta_at(problem, values)
    chosen = audit.report.accountant
    found = [*_of_releases(problem, values, delta, chosen), *_of_shares(audit, values, delta)]
    return tuple(sorted(found, key=_rank))


def _rank(one: AccountantBounds) -> tuple[float, bool]:
    upper = math.inf if one.upper is None else one.upper
    return (float(digits(upper, 9)), one.lower is None)


@attrs.frozen(kw_only=True)
class TotalCost:
    """Bounds on epsilon at the target's delta, at `at`, numbers for what is left of symbols, by the
    sharpest accountant. Some pair of neighbours costs at least `lower`, 0 where none is known.
    """

    lower: float
    upper: float
    claimed: Fraction
    delta: Fraction
    rule: str
    at: Values

    def record(self) -> dict[str, object]:
        """As JSON values; `epsilon` is the upper bound."""
        return {
            "epsilon": self.upper,
            "lower": self.lower,
            "claimed": float(self.claimed),
            "delta": float(self.delta),
            "rule": self.rule,
            "at": {name: float(value) for name, value in self.at.items()},
        }

    def __str__(self) -> str:
        """`0.596` where it is exact, `<= 1.0` for an upper bound, `> 44.3` for a lower bound that
        exceeds what is claimed.
        """
        if sharp(self.lower, self.upper):
            return against(self.upper, self.claimed)
        if self.lower > self.claimed:
            return f"> {figure(self.lower, 'down', 3)}"
        return f"<= {figure(self.upper, 'up', 2)}"


def cost(audit: Audit) -> TotalCost | None:
    """The cost of an audit at numbers; what is left of symbols gets those of the counterexample, or
    of an example. None where nothing bounds it: also where private data reaches what is public,
    or a bound may fail.
    """
    problem, proved = audit.report.problem, audit.report.proved
    values = values_of(problem, (), audit.counterexample)
    found = [one for one in by_accountants(audit, values) if one.upper is not None]
    amounts = amounts_at(problem, values)
    if not (found or (proved and audit.bounded)) or amounts is None:
        return None
    claimed, delta = (*amounts, Fraction(0))[:2]
    upper, rule = (found[0].upper, found[0].name) if found else (None, CLAIM)
    if upper is None or (proved and upper > claimed):
        rule = rule if upper is not None and upper <= claimed * ROUNDED else CLAIM
        upper = float(claimed)
    return TotalCost(
        lower=max((one.lower or 0.0 for one in found), default=0.0),
        upper=upper,
        claimed=claimed,
        delta=delta,
        rule=rule,
        at=used_in(problem, values),
    )


def _of_releases(
    problem: Problem, values: Values, delta: Fraction, chosen: str
) -> Iterator[AccountantBounds]:
    """By the noise of the releases, whatever shares they claim; of accountants that do not count
    samples where there are some, the chosen one alone.
    """
    joint = joint_cost(problem, values)
    low = Fraction(0 if joint is None else joint.mu[0])
    apart_low = least_epsilon(problem, values, delta) if delta else 0.0
    together_low = profile_epsilon_lower(delta, low) if delta and low > 0 else 0.0
    if joint is not None and delta and (not joint.sampled or chosen == "gaussian"):
        yield AccountantBounds(
            name="joint Gaussian profile",
            lower=together_low or None,
            upper=profile_epsilon(delta, Fraction(joint.mu[1])),
            delta=float(delta),
            says=say(
                "{}of all releases at once{}",
                "exact, " if joint.sharp else "",
                UNCOUNTED * joint.sampled,
            ),
            source=say("{} {}", Cited("[DongRS22, Cor 3.3]"), Cited("[BalleW18, Thm 8]")),
        )
    parts = together(problem, joint, values)
    if not parts:
        return
    given = guarantees(parts)
    if all(isinstance(part.what, PureDP) for part in given):
        pure = pure_cost(problem, values, delta)
        lower = pure[0] if pure else 0.0
        upper = sum((_amount(part) for part in given), Fraction(0))
        yield AccountantBounds(
            name=BASIC,
            lower=lower or None,
            upper=to_float(upper, up=True),
            delta=0.0,
            says="exact, of one release" if lower else "epsilons add up",
            source=BasicAccountant.citation,
        )
    if not delta:
        return
    how = say("of the joint $mu$") if parts != apart(problem, values) else "each draw alone"
    numeric = say("certified, of privacy losses, {}", how)
    for one in _answered(COMPOSED, NumericAccountant(), parts, delta, numeric):
        known = max(apart_low, together_low if joint and joint.sampled else 0.0)
        yield attrs.evolve(one, lower=known or None)
    yield from _answered("Rényi", RenyiAccountant(), parts, delta, say("all orders, {}", how))
    sampled = any(isinstance(part.what, SubsampledGaussianLoss) for part in parts)
    if not sampled or chosen == ConcentratedAccountant.name:
        rho = say("rhos add up, {}{}", how, UNCOUNTED * sampled)
        yield from _answered("zero-concentrated", ConcentratedAccountant(), given, delta, rho)


def _amount(part: Part) -> Fraction:
    assert isinstance(part.what, PureDP)  # noqa: S101 - as they are chosen
    return (upper_at(part.what.epsilon, {}) or Fraction(0)) * part.count


def _of_shares(audit: Audit, values: Values, delta: Fraction) -> Iterator[AccountantBounds]:
    """Of the shares that are claimed, where each is proved."""
    charged = audit.report.problem.graph.charged
    if not charged or any(one.share is None for one in charged):
        return
    if audit.target.currency[0] != "epsilon":
        return  # amounts of rho, of mu^2 or of a divergence are no epsilons
    failing = [line.name for line in audit.lines if line.verdict is not Verdict.PROVED]
    failing += _unproved(audit)
    basic = AccountantBounds(
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
    name: str, accountant: Accountant, parts: Parts, delta: Fraction, says: str
) -> Iterator[AccountantBounds]:
    """What an accountant answers; nothing where it cannot add these."""
    try:
        upper = accountant.epsilon(parts, delta).upper
    except DPFrameError:
        return
    yield AccountantBounds(
        name=name,
        upper=upper,
        delta=float(delta),
        says=says,
        source=accountant.citation,
    )


# ---------------------------------------------------- Releases as privacy losses, and their profile
Parts = tuple[Part, ...]


def together(problem: Problem, joint: JointCost | None, values: Values) -> Parts | None:
    """Losses that bound all releases: one Gaussian of the joint mu where all noise is Gaussian,
    else one loss a draw. None where a release has no loss, or no bound.
    """
    releases = problem.graph.releases
    if joint is not None and not any(map(amplified, releases)):
        mu = Fraction(joint.mu[1])
        return (Part(GaussianLoss(mu)),) if mu > 0 else ()
    return apart(problem, values)


def apart(problem: Problem, values: Values) -> Parts | None:
    """One loss a draw, each at its own worst pair of neighbours; together these bound the whole,
    since every pair moves every release by at most that.
    """
    found: list[Part] = []
    for release, count in classes(problem.graph.releases):
        part = _loss(release, count, values)
        if part is None:
            return None
        found.append(part)
    return tuple(found) if problem.graph.additive else None


def guarantees(parts: Parts) -> Parts:
    """The same parts as guarantees, for accountants that add these; samples are not counted."""
    return tuple(Part(_guarantee(part.what), part.count) for part in parts)


def _guarantee(what: Guarantee | PrivacyLoss) -> Guarantee:
    match what:
        case GaussianLoss(mu):
            return GaussianDP(mu)
        case SubsampledGaussianLoss():
            return GaussianDP(what.mu)
        case LaplaceLoss(epsilon) | ResponseLoss(epsilon):
            return PureDP(epsilon)
    assert isinstance(what, Guarantee)  # noqa: S101 - `_loss` makes no others
    return what


def _loss(release: Release, count: int, values: Values) -> Part | None:
    """What draws of this release cost; None where nothing bounds them at these numbers."""
    try:
        amount = number_at(cost_of(release.on_all_rows).amounts[0], values)
    except DPFrameError:
        return None
    size = _size(release, amount)
    times = number_at(release.times, values)
    if size is None or not isinstance(times, Number) or times.value.denominator != 1:
        return None
    what = _what(release, size, values)
    return None if what is None else Part(what, int(times.value) * count)


def _size(release: Release, amount: Expression) -> Fraction | None:
    """mu, rho or epsilon, rounded up; above 0."""
    formula = sqrt(amount) if release.gives is GaussianDP else amount
    found = upper_at(formula, {})
    return found if found is not None and found > 0 else None


def _what(release: Release, size: Fraction, values: Values) -> Guarantee | PrivacyLoss | None:
    if amplified(release):
        return sampled_loss(release, {name: Number(value) for name, value in values.items()})
    if release.gives is GaussianDP:
        return GaussianLoss(size)
    if release.gives is PureDP:
        whole = (LaplaceLoss if type(release.mechanism) is Laplace else ResponseLoss)(size)
        rate = release.hides if own(release.noise) else None
        return whole if rate is None or rate == ONE else on_sample(whole, rate.value)
    return ZeroConcentratedDP(size) if release.gives is ZeroConcentratedDP else None


POINTS = 49
FEW = 17  # where each costs a composition; a quarter, where that takes seconds
PROFILE_RULE = "certified composition of privacy losses"
REACH = Fraction(2)  # times the larger of what is claimed and what it costs


@attrs.frozen
class Profile:
    """delta between `lower` and `upper` at each of `epsilons`, both certified; `claimed` is the
    point (epsilon, delta) of the claim, None where it is not one of approximate privacy.
    """

    epsilons: tuple[float, ...]
    upper: tuple[float, ...]
    lower: tuple[float, ...]
    claimed: tuple[float, float] | None
    rule: str


def profile(problem: Problem, values: Values, cost: float | None) -> Profile | None:
    """The profile from 0 to twice what is claimed or costs, whichever is more; None where nothing
    bounds it. Where no pair is known to attain it, `lower` is 0.
    """
    joint = joint_cost(problem, values)
    sampled = any(map(amplified, problem.graph.releases))
    exact = joint is not None and not sampled
    at = (
        _exact_profile(joint)
        if joint is not None and exact
        else _composed_profile(problem, joint, values)
    )
    if at is None:
        return None
    claimed = _claimed_point(problem, values)
    known = [Fraction(one) for one in (cost, claimed and claimed[0]) if one]
    slow = sampled and problem.setting.relation is not ADD_REMOVE
    top, last = REACH * max(known, default=Fraction(1)), (POINTS if exact else FEW) - 1
    last = last // 4 if slow else last
    steps = [Fraction(float(top * k / last)) for k in range(last + 1)]  # doubles, exactly
    try:
        found = [at(epsilon) for epsilon in steps]
    except DPFrameError:
        return None
    return Profile(
        tuple(map(float, steps)),
        tuple(one.upper for one in found),
        tuple(one.lower for one in found),
        claimed,
        joint.rule if joint is not None and exact else PROFILE_RULE,
    )


At = Callable[[Fraction], Interval]


def _exact_profile(joint: JointCost) -> At:
    """Of one Gaussian release, between the bounds on its mu."""
    low, high = map(Fraction, joint.mu)
    return lambda at: Interval(profile_delta_lower(at, low), profile_delta(at, high))


def _composed_profile(problem: Problem, joint: JointCost | None, values: Values) -> At | None:
    """Of one loss a draw; not below what releases attain that read all rows."""
    parts, account = together(problem, joint, values), NumericAccountant()
    low = Fraction(0 if joint is None else joint.mu[0])
    if not parts:
        return None
    return lambda epsilon: Interval(
        profile_delta_lower(epsilon, low), account.delta(parts, epsilon).upper
    )


def _claimed_point(problem: Problem, values: Values) -> tuple[float, float] | None:
    amounts = amounts_at(problem, values)
    if amounts is None or "epsilon" not in problem.target.currency:
        return None
    return float(amounts[0]), float(amounts[1]) if len(amounts) == 2 else 0.0
