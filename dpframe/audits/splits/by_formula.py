"""The best split in closed form, of weighted sums of squared noise.

Gaussian noise: sum_i a_i/w_i J(w) is least, with a_i = cost_i times_i size_i^2; pure noise:
sum_i a_i (sum w)^2/w_i^2. Both are Lagrange's rule, and their least values are theorems. Proof
page: splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import attrs

from dpframe.graph import Graph, Joint, Release
from dpframe.graph.joint import unit_std
from dpframe.numerics import arb_upper, to_float
from dpframe.privacy import GaussianDP, Share
from dpframe.prover.algebra import enclose, rational_ball
from dpframe.prover.mixture import joint_of
from dpframe.symbols import Expression, Number, add, multiply, power, sqrt
from dpframe.theory.gaussian import PARTS

from .criterion import NoiseCriterion
from .resplit import moved

ONE, ZERO = Number(Fraction(1)), Number(Fraction(0))
THIRD = Fraction(1, 3)


@attrs.frozen
class ClosedForm:
    """The best `weights`, up to a common factor, and the `least` value of the criterion; `sentence`
    says the rule.
    """

    weights: tuple[Expression, ...]
    least: Expression
    sentence: str


def law_of(graph: Graph, criterion: NoiseCriterion, budget: Share) -> ClosedForm | None:
    """The rule for all shares of a graph, or None where there is none in closed form."""
    sizes = dict(criterion.sizes)
    costs = [criterion.cost(one, graph).substitute(sizes) for one in graph.releases]
    if any(cost == ZERO for cost in costs):
        return None
    gaussian = {release.gives for release in graph.releases} == {GaussianDP}
    rule = (_gaussian if gaussian else _pure)(graph.releases, costs, budget)
    if rule is None:
        return None
    weights = tuple(weight.substitute(sizes) for weight in rule.weights)
    return ClosedForm(weights, rule.least.substitute(sizes), rule.sentence)


def _gaussian(
    releases: Sequence[Release], costs: Sequence[Expression], budget: Share
) -> ClosedForm | None:
    joint, rows = joint_of(releases), releases[0].statistic.unit.rows_per_person
    roots = [
        sqrt(cost * one.times) * size
        for cost, one, size in zip(costs, releases, joint.sizes, strict=True)
    ]
    related = joint.relation.replaced and joint.together
    found = _related(joint, roots) if related else _added(roots, [1] * len(roots))
    if found is None:
        return None
    return attrs.evolve(found, least=found.least * power(rows * unit_std(budget), 2))


def _added(roots: Sequence[Expression], counts: Sequence[int]) -> ClosedForm:
    """J is the sum, in which release i counts n_i times: w_i = sqrt(a_i/n_i), least
    (sum sqrt(n_i a_i))^2, by Cauchy and Schwarz.
    """
    pairs = list(zip(roots, map(sqrt, counts), strict=True))
    weights = tuple(root / count for root, count in pairs)
    said = "squared mu in proportion to sqrt(cost) times sensitivity"
    return ClosedForm(weights, power(add(*(root * count for root, count in pairs)), 2), said)


def _related(joint: Joint, roots: Sequence[Expression]) -> ClosedForm | None:
    """Under replace-one J is (A + m)^2/A + rest, A = 2 gram + floor, m = moment."""
    pairs = list(zip(joint.family, roots, strict=True))
    by = {role: [root for own, root in pairs if own == role] for role in PARTS}
    amount = add(ZERO, *(sqrt(2) * one for one in by["gram"]), *by["floor"])
    moment, rest = add(ZERO, *by["moment"]), add(ZERO, *by["rest"])
    if moment == ZERO:
        return _added(roots, [2 if role == "gram" else 1 for role in joint.family])
    if by["squares"]:
        return None
    ratio, family = (ONE, 2 * moment) if amount == ZERO else _balance(amount, moment)
    first = family / power(1 + ratio, 2)  # A, up to the factor of the rest
    parts = {
        "gram": first / (sqrt(2) * amount) if amount != ZERO else ONE,
        "floor": first / amount if amount != ZERO else ONE,
        "moment": ratio * first / moment,
        "rest": ONE,
    }
    weights = tuple(multiply(parts[role], root) for role, root in pairs)
    said = "squared mu by the worst pair of neighbours of all releases together (docs/splits.md)"
    return ClosedForm(weights, power(family + rest, 2), said)


def _balance(amount: Expression, moment: Expression) -> tuple[Expression, Expression]:
    """t = m/A at the best, and the square root of (1 + t)^2 (K^2 + M^2/t)."""
    square, other = power(amount, 2), power(moment, 2)
    ratio = (sqrt(power(other, 2) + 8 * square * other) - other) / (4 * square)
    return ratio, (1 + ratio) * sqrt(square + other / ratio)


def _pure(
    releases: Sequence[Release], costs: Sequence[Expression], budget: Share
) -> ClosedForm | None:
    """a_i/e_i^2 with sum e_i = epsilon: e_i = a_i^(1/3), least (sum a_i^(1/3))^3/epsilon^2."""
    if budget.currency != ("epsilon",):
        return None
    units = [one.noise(ONE).deviation_among(one.entries) for one in releases]  # type: ignore[call-arg]
    roots = [
        power(cost * power(moved(one) * one.times * unit, 2), THIRD)
        for one, cost, unit in zip(releases, costs, units, strict=True)
    ]
    said = "epsilon in proportion to the cube root of cost times squared sensitivity"
    return ClosedForm(tuple(roots), power(add(*roots), 3) / power(budget.epsilon, 2), said)


def value_at(formula: Expression, values: Mapping[str, Fraction]) -> float:
    """The value at exact numbers, rounded up; infinite where it is undefined."""
    ball = enclose(formula, {name: rational_ball(value) for name, value in values.items()})
    return to_float(arb_upper(ball), up=True) if ball.is_finite() else float("inf")
