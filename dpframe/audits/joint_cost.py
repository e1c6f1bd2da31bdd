"""What all releases cost together, as one Gaussian release of the stacked vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.accountants import NumericAccountant
from dpframe.errors import InvalidArgument
from dpframe.graph import Joint, Release
from dpframe.graph.facts import noise_of
from dpframe.graph.graph import Class, classes
from dpframe.numerics import (
    arb_lower,
    arb_upper,
    profile_delta,
    profile_delta_lower,
    profile_epsilon,
    profile_epsilon_lower,
    to_float,
)
from dpframe.privacy import ApproxDP, GaussianDP
from dpframe.prover.algebra import enclose, rational_ball
from dpframe.prover.mixture import Mixture, amplified
from dpframe.prover.parallel import moving
from dpframe.prover.problem import Problem, joint_moves
from dpframe.prover.profile_rule import root
from dpframe.prover.total import reached_moves
from dpframe.symbols import Expression, Number

Ball = Any
Bounds = tuple[float, float] | None
ZERO = Number(Fraction(0))


@attrs.frozen(kw_only=True)
class JointCost:
    """mu of all releases for one pair of neighbours, and the exact profile at the target.

    Each quantity is a pair, a lower and an upper bound. They agree to many digits where one pair of
    neighbours attains every move at once. `epsilon` and `delta` are None where the target has none.
    Where samples of Gaussian noise are counted (`sampled`), it is in both of them, and not in mu.
    """

    rule: str
    mu: tuple[float, float]
    epsilon: tuple[float, float] | None = None
    delta: tuple[float, float] | None = None
    sampled: bool = False

    def record(self) -> dict[str, object]:
        """Every bound."""
        pairs = {"mu": self.mu, "epsilon": self.epsilon, "delta": self.delta}
        return {"rule": self.rule, **{name: pair and list(pair) for name, pair in pairs.items()}}


def joint_cost(problem: Problem, values: Mapping[str, Fraction]) -> JointCost | None:
    """The cost at `values` of the symbols; None where a release is not Gaussian or a number fails.

    [DongRS22, Cor 3.3] [BalleW18, Thm 8]
    """
    releases = problem.graph.releases
    if not releases or any(release.gives is not GaussianDP for release in releases):
        return None
    if not problem.graph.additive:
        return None
    found = [_of_one(problem, some, values) for some in moving(problem, classes(releases))]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    rule, mu = known[0][0], (max(one[1] for one in known), max(one[2] for one in known))
    sides = {name: _profile(problem, name, mu, values) for name in ("epsilon", "delta")}
    sampled = any(map(amplified, releases))
    if sampled and isinstance(problem.target, ApproxDP):
        sides, rule = _composed(problem, sides), f"{rule}; samples by certified composition"
    elif sampled:
        rule = f"{rule}; samples are not counted"
    ends = to_float(mu[0], up=False), to_float(mu[1], up=True)
    return JointCost(rule=rule, mu=ends, **sides, sampled=sampled)


def _of_one(
    problem: Problem, grouped: Sequence[Class], values: Mapping[str, Fraction]
) -> tuple[str, Fraction, Fraction] | None:
    """The rule, and bounds on mu, of what one change of the table may move together."""
    joint = Joint.of([release.statistic for release, _ in grouped], problem.setting.relation)
    if joint is None:
        return None
    moves = joint_moves(problem.rows, joint, grouped)
    known = [
        move if _attained(release) else ZERO
        for move, (release, _) in zip(moves, grouped, strict=True)
    ]
    reached, total = reached_moves(joint, known, grouped), joint.total(moves)
    lower, upper = _mu(reached, values), _mu(total, values)
    return (
        None if lower is None or upper is None else (joint.rule, arb_lower(lower), arb_upper(upper))
    )


def _composed(problem: Problem, sides: Mapping[str, Bounds]) -> dict[str, Bounds]:
    """The bounds with what samples hide; None where that is not known at these numbers."""
    epsilon, delta = problem.target.amounts
    if not (isinstance(epsilon, Number) and isinstance(delta, Number)):
        return {"epsilon": None, "delta": None}
    try:
        parts = Mixture.of(problem.graph.releases).parts()
    except InvalidArgument:  # a number of draws, or a cost, that is a formula
        return {"epsilon": None, "delta": None}
    account = NumericAccountant()
    most = {
        "epsilon": account.epsilon(parts, delta.value),
        "delta": account.delta(parts, epsilon.value),
    }
    lower = {name: 0.0 if side is None else side[0] for name, side in sides.items()}
    return {name: (lower[name], found.upper) for name, found in most.items()}


def _attained(release: Release) -> bool:
    """Whether the pairs that move its statistic furthest cost most."""
    noise = noise_of(release.noise)
    return noise is not None and noise.attained


def _mu(square: Expression, values: Mapping[str, Fraction]) -> Ball | None:
    ball = _at(square, values)
    if ball is None or not ball.is_finite():
        return None
    enclosed = root(ball)
    return enclosed if enclosed.is_finite() else None


def _at(formula: Expression, values: Mapping[str, Fraction]) -> Ball | None:
    if any(symbol.name not in values for symbol in formula.symbols()):
        return None
    return enclose(formula, {name: rational_ball(value) for name, value in values.items()})


def _profile(
    problem: Problem, name: str, mu: tuple[Fraction, Fraction], values: Mapping[str, Fraction]
) -> tuple[float, float] | None:
    """Bounds on the exact `name` at the target's other number."""
    if not isinstance(problem.target, ApproxDP):
        return None
    given = _at(problem.target.delta if name == "epsilon" else problem.target.epsilon, values)
    if given is None or not given.is_finite():
        return None
    low, high = arb_lower(given), arb_upper(given)
    least = max(mu[0], Fraction(0))
    if name == "epsilon":
        known = 0 < low and high < 1
        return (profile_epsilon_lower(high, least), profile_epsilon(low, mu[1])) if known else None
    return (profile_delta_lower(high, least), profile_delta(low, mu[1])) if low >= 0 else None
