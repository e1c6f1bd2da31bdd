"""The best shares in closed form, where the criterion is a weighted sum of squared noise.

Gaussian noise: sum_i a_i/w_i J(w) is made small, with a_i = cost_i times_i size_i^2; pure noise:
sum_i a_i (sum w)^2/w_i^2. Both are Lagrange's rule, and their least values are theorems. Proof
page: splits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import attrs

from dpframe.graph import Graph, Joint, Release
from dpframe.graph.joint import unit_std
from dpframe.privacy import REPLACE_ONE, GaussianDP, Share
from dpframe.symbols import Expression, Number, add, multiply, power, sqrt
from dpframe.theory.gaussian import PARTS

from .criterion import NoiseCriterion
from .resplit import joint_of, moved

ONE, ZERO = Number(Fraction(1)), Number(Fraction(0))
THIRD = Fraction(1, 3)


@attrs.frozen
class Law:
    """The best `weights`, up to a common factor, and the `least` value of the criterion; `sentence`
    says the rule.
    """

    weights: tuple[Expression, ...]
    least: Expression
    sentence: str


def law_of(graph: Graph, criterion: NoiseCriterion, budget: Share) -> Law | None:
    """The rule for all shares of a graph, or None where there is none in closed form."""
    found = _law(graph.releases, graph, criterion, budget)
    if found is None:
        return None
    sizes = dict(criterion.sizes)
    weights = tuple(weight.substitute(sizes) for weight in found.weights)
    return Law(weights, found.least.substitute(sizes), found.sentence)


def _law(
    releases: Sequence[Release], graph: Graph, criterion: NoiseCriterion, budget: Share
) -> Law | None:
    costs = [criterion.cost(one, graph).substitute(dict(criterion.sizes)) for one in releases]
    if any(cost == ZERO for cost in costs):
        return None
    if {release.gives for release in releases} != {GaussianDP}:
        return _pure(releases, costs, budget)
    joint, rows = joint_of(releases), releases[0].statistic.unit.rows_per_person
    roots = [
        sqrt(cost * one.times) * size
        for cost, one, size in zip(costs, releases, joint.sizes, strict=True)
    ]
    found = _related(joint, roots) if joint.relation is REPLACE_ONE else _added(roots)
    if found is None:
        return None
    return attrs.evolve(found, least=found.least * power(rows * unit_std(budget), 2))


def _added(roots: Sequence[Expression]) -> Law:
    """J is the sum: w_i = sqrt(a_i), least (sum sqrt(a_i))^2, by Cauchy and Schwarz."""
    said = "squared mu in proportion to sqrt(cost) times sensitivity"
    return Law(tuple(roots), power(add(*roots), 2), said)


def _related(joint: Joint, roots: Sequence[Expression]) -> Law | None:
    """Under replace-one J is (A + m)^2/A + rest, A = 2 gram + floor, m = moment."""
    if not joint.together:
        return _added(roots)
    by = {role: _of(joint, roots, role) for role in PARTS}
    amount = add(ZERO, *(sqrt(2) * one for one in by["gram"]), *by["floor"])
    moment, rest = add(ZERO, *by["moment"]), add(ZERO, *by["rest"])
    if moment == ZERO:
        return _linear(joint, roots)
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
    weights = tuple(
        multiply(parts[role], root) for role, root in zip(joint.family, roots, strict=True)
    )
    said = "squared mu by the worst pair of neighbours of all releases together (docs/splits.md)"
    return Law(weights, power(family + rest, 2), said)


def _balance(amount: Expression, moment: Expression) -> tuple[Expression, Expression]:
    """t = m/A at the best, and the square root of (1 + t)^2 (K^2 + M^2/t)."""
    square, other = power(amount, 2), power(moment, 2)
    ratio = (sqrt(power(other, 2) + 8 * square * other) - other) / (4 * square)
    return ratio, (1 + ratio) * sqrt(square + other / ratio)


def _linear(joint: Joint, roots: Sequence[Expression]) -> Law:
    """Without a moment J is a sum in which X'X counts twice."""
    counts = [2 if role == "gram" else 1 for role in joint.family]
    pairs = list(zip(roots, counts, strict=True))
    weights = tuple(root / sqrt(count) for root, count in pairs)
    said = "squared mu in proportion to sqrt(cost) times sensitivity"
    return Law(weights, power(add(*(root * sqrt(count) for root, count in pairs)), 2), said)


def _of(joint: Joint, roots: Sequence[Expression], role: str) -> list[Expression]:
    return [root for own, root in zip(joint.family, roots, strict=True) if own == role]


def _pure(releases: Sequence[Release], costs: Sequence[Expression], budget: Share) -> Law | None:
    """a_i/e_i^2 with sum e_i = epsilon: e_i = a_i^(1/3), least (sum a_i^(1/3))^3/epsilon^2."""
    if budget.currency != ("epsilon",):
        return None
    roots = [
        power(cost * power(moved(one) * one.times * _unit(one), 2), THIRD)
        for one, cost in zip(releases, costs, strict=True)
    ]
    said = "epsilon in proportion to the cube root of cost times squared sensitivity"
    return Law(tuple(roots), power(add(*roots), 3) / power(budget.epsilon, 2), said)


def _unit(release: Release) -> Expression:
    """The std of one number at scale 1."""
    return release.noise(ONE).deviation_among(release.entries)  # type: ignore[call-arg]
