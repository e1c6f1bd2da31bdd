"""What all releases cost together at numbers, by every accountant that applies, tightest first; and
their privacy profile: delta as a function of epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import attrs

from dpframe.accountants import (
    Accountant,
    BasicAccountant,
    ConcentratedAccountant,
    NumericAccountant,
    Part,
    RenyiAccountant,
)
from dpframe.errors import DPFrameError
from dpframe.graph import Release
from dpframe.numerics import profile_delta, profile_epsilon, to_float
from dpframe.pld.losses import GaussianLoss, SubsampledGaussianLoss
from dpframe.privacy import (
    ADD_REMOVE,
    Guarantee,
    PureDP,
    ZeroConcentratedDP,
)
from dpframe.prover import Verdict
from dpframe.prover.attained import least_epsilon
from dpframe.prover.mixture import Mixture, amplified, upper
from dpframe.prover.mixture import cost as cost_of
from dpframe.prover.problem import Problem
from dpframe.symbols import Expression, Number
from dpframe.wording import Cited, digits, say

from ..cost import JointCost, attained_epsilon, joint_cost
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
    apart_low = least_epsilon(problem, values, delta) if delta else 0.0
    together_low = joint.least_epsilon(delta) if joint is not None and delta else 0.0
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
    parts, given = composed(problem, joint, values)
    if not parts:
        return
    if all(isinstance(part.what, PureDP) for part in given):
        lower = 0.0 if delta else attained_epsilon(problem, values)
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
    how: str = "each draw alone"
    if any(isinstance(part.what, GaussianLoss) for part in parts):
        how = "Gaussian noise jointly" if len(parts) > 1 else say("of the joint $mu$")
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
    sums = () if audit.shares_sum is None else audit.shares_sum.amounts
    match [upper_at(amount, values) for amount in sums]:
        case [Fraction() as epsilon]:
            yield attrs.evolve(basic, upper=to_float(epsilon, up=True))
        case [Fraction() as epsilon, Fraction() as lost] if lost <= delta:
            yield attrs.evolve(basic, upper=to_float(epsilon, up=True))


def _unproved(audit: Audit) -> list[str]:
    """Procedures whose theorems are not proved by basic composition to earn their shares."""
    names = [one.label for one in audit.report.problem.graph.procedures]
    basic = [one for one in audit.report.attempts if one.name == "basic"]
    found = [o for one in basic for o in one.obligations if o.verdict is not Verdict.PROVED]
    return [o.node for o in found] if basic else names


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


def composed(problem: Problem, joint: JointCost | None, values: Values) -> tuple[Parts, Parts]:
    """Losses that bound all releases at numbers, and the same as guarantees, which do not count
    what samples hide of Gaussian noise: one of the joint mu, and one for each other draw at its own
    worst pair. Empty where a release has no loss, or no bound.
    """
    releases = problem.graph.releases
    if joint is not None and not joint.sampled:
        mixture = Mixture(Fraction(joint.mu[1]), ())
        return mixture.parts(), mixture.guarantees()
    numbers = {name: Number(value) for name, value in values.items()}
    times = [number_at(one.times, values) for one in releases]
    whole = all(isinstance(one, Number) and one.value.denominator == 1 for one in times)
    if not problem.graph.additive or not whole:
        return (), ()
    rhos = [one for one in releases if one.gives is ZeroConcentratedDP]
    try:
        mixture = Mixture.of([one for one in releases if one not in rhos], numbers)
        other = tuple(
            Part(_rho(one, numbers), int(upper(one.times.substitute(numbers)))) for one in rhos
        )
    except DPFrameError:  # no bound, or no finite number
        return (), ()
    return (*mixture.parts(), *other), (*mixture.guarantees(), *other)


def _rho(release: Release, numbers: Mapping[str, Expression]) -> Guarantee:
    return ZeroConcentratedDP(upper(cost_of(release.on_all_rows).amounts[0].substitute(numbers)))


MOST = 16  # releases of which each is left out in turn
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
    exact = joint if joint is not None and not sampled else None
    parts = () if exact else composed(problem, joint, values)[0]
    if exact is None and not parts:
        return None
    claimed = _claimed_point(problem, values)
    known = [Fraction(one) for one in (cost, claimed and claimed[0]) if one]
    slow = sampled and problem.setting.relation is not ADD_REMOVE
    top, last = REACH * max(known, default=Fraction(1)), (POINTS if exact else FEW) - 1
    last = last // 4 if slow else last
    steps = [Fraction(float(top * k / last)) for k in range(last + 1)]  # doubles, exactly
    account = NumericAccountant()
    try:
        if exact is not None:
            upper = tuple(profile_delta(at, Fraction(exact.mu[1])) for at in steps)
        else:
            upper = tuple(account.delta(parts, at).upper for at in steps)
    except DPFrameError:
        return None
    lower = tuple(0.0 if joint is None else joint.least_delta(at) for at in steps)
    rule = PROFILE_RULE if exact is None else exact.rule
    return Profile(tuple(map(float, steps)), upper, lower, claimed, rule)


@attrs.frozen
class Remaining:
    """Upper bounds on epsilon at one delta: of the noise of all releases, and for each release of
    the others without it; as sharp as the accountant that the page names first.
    """

    whole: float
    others: tuple[float, ...]


def remaining(problem: Problem, values: Values) -> Remaining | None:
    """None of one release and of many; where a cost has no bound at these numbers; and where each
    composition takes seconds.
    """
    graph, delta = problem.graph, delta_at(problem, values)
    slow = problem.setting.relation is not ADD_REMOVE and any(map(amplified, graph.releases))
    if slow or not graph.additive or not 1 < len(graph.releases) <= MOST:
        return None
    rest = (tuple(node for node in graph.nodes if node is not one) for one in graph.releases)
    graphs = (graph, *(attrs.evolve(graph, nodes=nodes) for nodes in rest))
    found = [_least(attrs.evolve(problem, graph=one), values, delta) for one in graphs]
    known = tuple(one for one in found if one is not None)
    return Remaining(known[0], known[1:]) if len(known) == len(found) else None


def _least(problem: Problem, values: Values, delta: Fraction) -> float | None:
    sampled = any(map(amplified, problem.graph.releases))
    joint = None if sampled else joint_cost(problem, values)
    if joint is not None and delta:
        return profile_epsilon(delta, Fraction(joint.mu[1]))
    parts, given = composed(problem, joint, values)
    if delta and parts:
        return _numeric(parts, delta)
    pure = parts and all(isinstance(part.what, PureDP) for part in given)
    return to_float(sum(map(_amount, given), Fraction(0)), up=True) if pure else None


@lru_cache(maxsize=64)
def _numeric(parts: Parts, delta: Fraction) -> float | None:
    try:
        return NumericAccountant().epsilon(parts, delta).upper
    except DPFrameError:  # it cannot add these
        return None


def _claimed_point(problem: Problem, values: Values) -> tuple[float, float] | None:
    amounts = amounts_at(problem, values)
    if amounts is None or "epsilon" not in problem.target.currency:
        return None
    return float(amounts[0]), float(amounts[1]) if len(amounts) == 2 else 0.0
