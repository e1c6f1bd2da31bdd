"""What releases cost together at numbers: all Gaussian noise as one release of the stacked vector,
and pure noise as a sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
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
from dpframe.privacy import ApproxDP, GaussianDP, PureDP
from dpframe.prover.algebra import enclose, rational_ball
from dpframe.prover.judge import root
from dpframe.prover.mixture import Mixture, amplified
from dpframe.prover.parallel import moving
from dpframe.prover.problem import Problem, joint_moves
from dpframe.prover.rounding import fits, hidden_onto_whole, of_all
from dpframe.prover.total import reached_moves
from dpframe.symbols import ZERO, Expression, Number

Values = Mapping[str, Fraction]
Ends = tuple[float, float]
SHARP = 1e-9  # relative: so near to each other, two ends are one number


# ---------------------------------------------------------------------------- Formulas at numbers
def ball_at(formula: Expression, values: Values) -> Any:
    """A ball around a formula at numbers; None where a number is missing or it is not finite."""
    if any(symbol.name not in values for symbol in formula.symbols()):
        return None
    ball = enclose(formula, {name: rational_ball(value) for name, value in values.items()})
    return ball if ball.is_finite() else None


def _up(value: Fraction) -> float:
    return to_float(value, up=True)


# --------------------------------------------------------------- All Gaussian noise as one release
@attrs.frozen(kw_only=True)
class JointCost:
    """mu of all releases for one pair of neighbours, and the exact profile at the target.

    Each quantity is a pair, a lower and an upper bound. They agree to many digits where one pair of
    neighbours attains every move at once. `epsilon` and `delta` are None where the target has none.
    Where samples of Gaussian noise are counted (`sampled`), it is in both of them, and not in mu;
    lower bounds on epsilon and delta count what rounding onto whole numbers hides (`hidden`).
    """

    rule: str
    mu: Ends
    epsilon: Ends | None = None
    delta: Ends | None = None
    sampled: bool = False
    hidden: Fraction = Fraction(0)

    @property
    def sharp(self) -> bool:
        """Some pair of neighbours is known to cost what the upper bounds say."""
        return not (self.sampled or self.hidden) and self.mu[0] >= self.mu[1] * (1 - SHARP)

    def least_epsilon(self, delta: Fraction) -> float:
        """A lower bound on epsilon at a delta."""
        return _least_epsilon(delta, Fraction(self.mu[0]), self.hidden)

    def least_delta(self, epsilon: Fraction) -> float:
        """A lower bound on delta at an epsilon."""
        return profile_delta_lower(epsilon + self.hidden, Fraction(self.mu[0]))

    def record(self) -> dict[str, object]:
        """Every bound."""
        pairs = {"mu": self.mu, "epsilon": self.epsilon, "delta": self.delta}
        return {"rule": self.rule, **{name: pair and list(pair) for name, pair in pairs.items()}}


def joint_cost(problem: Problem, values: Values) -> JointCost | None:
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
    lost = ball_at(of_all(hidden_onto_whole, classes(releases)), values)
    hidden = Fraction(0) if lost is None else arb_upper(lost)
    mu = mu if lost is not None else (Fraction(0), mu[1])
    sides = {name: _profile(problem, name, mu, hidden, values) for name in ("epsilon", "delta")}
    sampled = any(map(amplified, releases))
    if sampled and isinstance(problem.target, ApproxDP):
        sides, rule = _composed(problem, sides), f"{rule}; samples by certified composition"
    elif sampled:
        rule = f"{rule}; samples are not counted"
    ends = to_float(mu[0], up=False), _up(mu[1])
    return JointCost(rule=rule, mu=ends, **sides, sampled=sampled, hidden=hidden)


def _of_one(
    problem: Problem, grouped: Sequence[Class], values: Values
) -> tuple[str, Fraction, Fraction] | None:
    """The rule, and bounds on mu, of what one change of the table may move together."""
    joint = Joint.of([release.statistic for release, _ in grouped], problem.setting.relation)
    if joint is None:
        return None
    moves = joint_moves(problem.rows, joint, grouped)
    known = [
        move if _noise_attained(release) and _fits(release, frozenset(values.items())) else ZERO
        for move, (release, _) in zip(moves, grouped, strict=True)
    ]
    reached, total = reached_moves(joint, known, grouped), joint.total(moves)
    lower, upper = _mu(reached, values), _mu(total, values)
    return (
        None if lower is None or upper is None else (joint.rule, arb_lower(lower), arb_upper(upper))
    )


def _composed(problem: Problem, sides: Mapping[str, Ends | None]) -> dict[str, Ends | None]:
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


@lru_cache(maxsize=256)
def _fits(release: Release, values: frozenset[tuple[str, Fraction]]) -> bool:
    """As `fits`, once for all parts of a document: it walks through every path of the graph."""
    return fits(release, dict(values))


def _noise_attained(release: Release) -> bool:
    """Whether the pairs that move its statistic furthest cost most."""
    return noise_of(release.noise) is not None and release.noise.attained


def _mu(square: Expression, values: Values) -> Any:
    ball = ball_at(square, values)
    enclosed = None if ball is None else root(ball)
    return enclosed if enclosed is not None and enclosed.is_finite() else None


def _profile(
    problem: Problem,
    name: str,
    mu: tuple[Fraction, Fraction],
    hidden: Fraction,
    values: Values,
) -> Ends | None:
    """Bounds on the exact `name` at the target's other number."""
    if not isinstance(problem.target, ApproxDP):
        return None
    given = ball_at(problem.target.delta if name == "epsilon" else problem.target.epsilon, values)
    if given is None:
        return None
    low, high = arb_lower(given), arb_upper(given)
    least = max(mu[0], Fraction(0))
    if name == "epsilon":
        known = 0 < low and high < 1
        return (_least_epsilon(high, least, hidden), profile_epsilon(low, mu[1])) if known else None
    return (
        (profile_delta_lower(high + hidden, least), profile_delta(low, mu[1])) if low >= 0 else None
    )


def _least_epsilon(delta: Fraction, mu: Fraction, hidden: Fraction) -> float:
    """A lower bound on the epsilon of Gaussian noise of this mu, where rounding hides as much."""
    known = Fraction(profile_epsilon_lower(delta, mu)) if mu > 0 else Fraction(0)
    return to_float(max(known - hidden, Fraction(0)), up=False)


# ------------------------------------------------------------------------------- One pure release
def attained_epsilon(problem: Problem, values: Values) -> float:
    """What some pair of neighbours costs by all draws of the only release, where its noise is pure
    and it attains its sensitivity; else 0.
    """
    releases = problem.graph.releases
    if not problem.graph.additive or [one.gives for one in releases] != [PureDP]:
        return 0.0
    release = releases[0]
    found = release.statistic.one_row(release.noise.norm, release.statistic.unit.relation)
    moved = release.moved
    if found is None or moved is None or not (found.attained and release.reached):
        return 0.0
    ball = ball_at(release.guarantee(moved.value).amounts[0] * release.times, values)
    return 0.0 if ball is None else to_float(arb_lower(ball), up=False)
