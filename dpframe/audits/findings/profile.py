"""The privacy profile of all releases together: delta as a function of epsilon."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import attrs

from dpframe.accountants import NumericAccountant
from dpframe.errors import DPFrameError
from dpframe.numerics import Interval, profile_delta, profile_delta_lower
from dpframe.prover.problem import Problem
from dpframe.prover.profile_rule import amplified

from ..joint_cost import JointCost, joint_cost
from .example import Values, amounts_at
from .parts import together

POINTS = 49
FEW = 17  # where each costs a composition
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
    top, last = REACH * max(known, default=Fraction(1)), (POINTS if exact else FEW) - 1
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
