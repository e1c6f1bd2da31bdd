"""What the releases of an audit cost at numbers, in the words of accountants, and the privacy
profile of all of them together: delta as a function of epsilon.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import attrs

from dpframe.accountants import NumericAccountant, Part
from dpframe.errors import DPFrameError
from dpframe.graph import Release
from dpframe.graph.graph import classes
from dpframe.identity import own
from dpframe.mechanisms import Laplace
from dpframe.mechanisms.subsampled import on_sample
from dpframe.numerics import Interval, profile_delta, profile_delta_lower
from dpframe.pld.losses import (
    GaussianLoss,
    LaplaceLoss,
    PrivacyLoss,
    ResponseLoss,
    SubsampledGaussianLoss,
)
from dpframe.privacy import ADD_REMOVE, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP
from dpframe.prover.mixture import amplified, cost, sampled_loss
from dpframe.prover.problem import Problem
from dpframe.symbols import ONE, Expression, Number

from ..joint_cost import JointCost, joint_cost
from .example import Values, amounts_at, number_at, upper_at

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
        amount = number_at(cost(release.on_all_rows).amounts[0], values)
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
    from dpframe.symbols import sqrt

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
COMPOSED = "certified composition of privacy losses"
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
    at = _exact(joint) if joint is not None and exact else _composed(problem, joint, values)
    if at is None:
        return None
    claimed = _claimed(problem, values)
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
        joint.rule if joint is not None and exact else COMPOSED,
    )


At = Callable[[Fraction], Interval]


def _exact(joint: JointCost) -> At:
    """Of one Gaussian release, between the bounds on its mu."""
    low, high = map(Fraction, joint.mu)
    return lambda epsilon: Interval(profile_delta_lower(epsilon, low), profile_delta(epsilon, high))


def _composed(problem: Problem, joint: JointCost | None, values: Values) -> At | None:
    """Of one loss a draw; not below what releases attain that read all rows."""
    parts, account = together(problem, joint, values), NumericAccountant()
    low = Fraction(0 if joint is None else joint.mu[0])
    if not parts:
        return None
    return lambda epsilon: Interval(
        profile_delta_lower(epsilon, low), account.delta(parts, epsilon).upper
    )


def _claimed(problem: Problem, values: Values) -> tuple[float, float] | None:
    amounts = amounts_at(problem, values)
    if amounts is None or "epsilon" not in problem.target.currency:
        return None
    return float(amounts[0]), float(amounts[1]) if len(amounts) == 2 else 0.0
