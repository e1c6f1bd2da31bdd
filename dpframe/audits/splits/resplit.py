"""Another declaration with its budget divided anew: every noise level is free; and the best split
in closed form, of weighted sums of squared noise.

Gaussian noise: sum_i a_i/w_i J(w) is least, with a_i = cost_i times_i size_i^2; pure noise:
sum_i a_i (sum w)^2/w_i^2. Both are Lagrange's rule, and their least values are theorems. Proof
page: splits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, listed_words, of_kind
from dpframe.graph import ColumnNode, Graph, Joint, Regression, Release, RowsNode
from dpframe.graph.joint import unit_std
from dpframe.graph.rewriting import Rule, recalibrated
from dpframe.mechanisms.base import PureNoise, StdNoise
from dpframe.numerics import arb_upper, to_float
from dpframe.privacy import GaussianDP, PureDP, Share
from dpframe.prover import Jointly
from dpframe.prover.algebra import enclose, rational_ball
from dpframe.prover.mixture import joint_of, moved_by
from dpframe.symbols import Expression, Number, add, exact, multiply, power, sqrt
from dpframe.theory.gaussian import PARTS

from ..figures import formula
from .criterion import NoiseCriterion

EXAMPLE = "Such as dp.audits.Resplit(of=dp.SSP(), weights=(2, 1))."


def _weights(value: Any) -> tuple[Expression, ...]:
    found = tuple(value) if isinstance(value, (list, tuple)) else ()
    weights = tuple(exact(weight, "weight") for weight in found)
    wrong = [one for one in weights if isinstance(one, Number) and one.value <= 0]
    if not weights or wrong:
        wanted = "positive numbers or formulas, one for each release in order"
        raise InvalidArgument("weights", wanted, value, "Such as weights=(2, 1).")
    return weights


class Resplit(Regression):
    """Another declaration, whose releases spend the whole budget together in the proportions
    `weights`: of squared mu where all noise is Gaussian [DongRS22, Cor 3.3], of epsilon where it is
    pure [DworkR14, Thm B.1].

    `weights` are positive numbers or formulas, one for each release in the order in which the
    declaration makes them; a weight is that of all draws of its release. What the declaration says
    of shares and noise is dropped; its statistics, its kinds of noise and its post-processing stay.
    Release i is Gaussian of std rows size_i sqrt(times_i J/w_i) unit, where J is the joint total of
    the weights and unit the least std that the budget affords at sensitivity 1; or has pure noise
    of w_i/sum(w) of epsilon. A rule about noise of several kinds there is none: InvalidArgument.
    """

    title: ClassVar[str] = "budget divided anew"
    of: Regression = attrs.field(validator=of_kind(Regression, "a declaration", EXAMPLE))
    weights: tuple[Expression, ...] = attrs.field(converter=_weights)

    def __str__(self) -> str:
        """`SSP(ridge=1), noise divided 2 : 1`."""
        return f"{self.of}, noise divided {' : '.join(map(formula, self.weights))}"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The declaration with the noise of each release replaced."""

        def replaced(graph: Graph) -> Rule:
            releases = released(graph)
            if len(releases) != len(self.weights):
                wanted = f"{len(releases)} numbers, for {', '.join(one.label for one in releases)}"
                raise InvalidArgument("weights", wanted, listed_words(self.weights))
            noise = divided(releases, self.weights, budget)
            return lambda one: attrs.evolve(
                one, stated=noise[one.label][0], share=noise[one.label][1]
            )

        return recalibrated(inner(self.of), X, y, budget, replaced)


def inner(regression: Regression) -> Regression:
    """The declaration whose noise is to be replaced: without what only scales or divides noise."""
    return inner(regression.of) if isinstance(regression, (Jointly, Resplit)) else regression


def released(graph: Graph) -> tuple[Release, ...]:
    """The releases of a graph that only adds noise, distinguished by their names. Raises
    InvalidArgument.
    """
    if not graph.additive or not graph.releases:
        named = ", ".join(one.label for one in (*graph.procedures, *graph.bounds)) or "no release"
        way_out = "Procedures, and bounds that may fail, are calibrated by their own shares."
        raise InvalidArgument("declaration", "one that only adds noise", named, way_out)
    labels = [release.label for release in graph.releases]
    if len(set(labels)) < len(labels):
        way_out = "Give each its own: dp.release(..., name='gram')."
        raise InvalidArgument("releases", "of different names", ", ".join(labels), way_out)
    sampled = [release.label for release in graph.releases if release.sampled is not None]
    if sampled:
        way_out = "dp.regressions.Jointly scales them by the numeric accountant."
        raise InvalidArgument("releases", "ones that read all rows", ", ".join(sampled), way_out)
    return graph.releases


def divided(
    releases: Sequence[Release], weights: Sequence[Expression], budget: Share
) -> dict[str, tuple[Any, Share | None]]:
    """The mechanism and the share of each release, by its name. Raises InvalidArgument."""
    kinds = {release.gives for release in releases}
    if kinds == {GaussianDP} and all(issubclass(one.noise, StdNoise) for one in releases):
        rule: Callable[..., list[tuple[Any, Share | None]]] = _gaussian_noise
    elif kinds == {PureDP} and all(issubclass(one.noise, PureNoise) for one in releases):
        rule = _pure_noise
    else:
        names = ", ".join(sorted({release.noise.kind for release in releases}))
        way_out = "Divide its budget by shares of your own, with a parameter for what is chosen."
        raise InvalidArgument("noise", "all Gaussian, or all pure", names, way_out)
    noise = rule(releases, weights, budget)
    return {release.label: one for release, one in zip(releases, noise, strict=True)}


def _gaussian_noise(
    releases: Sequence[Release], weights: Sequence[Expression], budget: Share
) -> list[tuple[Any, Share | None]]:
    joint, unit = joint_of(releases), releases[0].statistic.unit
    spread = sqrt(joint.total(weights)) * unit_std(budget) * unit.rows_per_person
    rows = zip(releases, joint.sizes, weights, strict=True)
    return [
        (one.noise(spread * size * sqrt(one.times) / sqrt(weight)), None)  # type: ignore[call-arg]
        for one, size, weight in rows
    ]


def _pure_noise(
    releases: Sequence[Release], weights: Sequence[Expression], budget: Share
) -> list[tuple[Any, Share | None]]:
    if budget.currency != ("epsilon",):
        way_out = "Certify it for dp.PureDP(epsilon)."
        got = listed_words(budget.currency)
        raise InvalidArgument("budget", "pure, as the noise is", got, way_out)
    whole = add(*weights)
    shares = budget.split(*(weight / whole for weight in weights))
    return [
        (one.noise(moved_by(one) * one.times / share.epsilon), share.split(1 / one.times)[0])  # type: ignore[call-arg]
        for one, share in zip(releases, shares, strict=True)
    ]


# -------------------------------------------------------------------- The best split in closed form
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
    rule = (_least_gaussian if gaussian else _least_pure)(graph.releases, costs, budget)
    if rule is None:
        return None
    weights = tuple(weight.substitute(sizes) for weight in rule.weights)
    return ClosedForm(weights, rule.least.substitute(sizes), rule.sentence)


def _least_gaussian(
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


def _least_pure(
    releases: Sequence[Release], costs: Sequence[Expression], budget: Share
) -> ClosedForm | None:
    """a_i/e_i^2 with sum e_i = epsilon: e_i = a_i^(1/3), least (sum a_i^(1/3))^3/epsilon^2."""
    if budget.currency != ("epsilon",):
        return None
    units = [one.noise(ONE).deviation_among(one.entries) for one in releases]  # type: ignore[call-arg]
    roots = [
        power(cost * power(moved_by(one) * one.times * unit, 2), THIRD)
        for one, cost, unit in zip(releases, costs, units, strict=True)
    ]
    said = "epsilon in proportion to the cube root of cost times squared sensitivity"
    return ClosedForm(tuple(roots), power(add(*roots), 3) / power(budget.epsilon, 2), said)


def value_at(formula: Expression, values: Mapping[str, Fraction]) -> float:
    """The value at exact numbers, rounded up; infinite where it is undefined."""
    ball = enclose(formula, {name: rational_ball(value) for name, value in values.items()})
    return to_float(arb_upper(ball), up=True) if ball.is_finite() else float("inf")
