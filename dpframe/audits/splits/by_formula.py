"""The best split by a formula: in closed form where there is one, else by a search.

The closed form is of weighted sums of squared noise. Gaussian noise: sum_i a_i/w_i J(w) is made
small, with a_i = cost_i times_i size_i^2; pure noise: sum_i a_i (sum w)^2/w_i^2. Both are
Lagrange's rule, and their least values are theorems. Proof page: splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.exact.interval import Interval
from dpframe.graph import Graph, Joint, Regression, Release
from dpframe.graph.joint import unit_std
from dpframe.numerics import arb_upper, to_float
from dpframe.numerics.boxes import Reals
from dpframe.privacy import GaussianDP, Share
from dpframe.prover.algebra import enclose, number, rational_ball
from dpframe.prover.enclose_each import enclose_each
from dpframe.prover.profile_rule import joint_of
from dpframe.symbols import Expression, Number, Symbol, add, multiply, power, sqrt
from dpframe.theory.gaussian import PARTS

from .criterion import Criterion, NoiseCriterion
from .resplit import Family, filled, moved
from .split import Choice, Evaluate, Point, as_point, equal_parts, short, splits_along

ONE, ZERO = Number(Fraction(1)), Number(Fraction(0))
THIRD = Fraction(1, 3)
FIRST, LATER, HALVINGS = 4096, 300, 50  # points of the first grid and of the later ones


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
    found = _law(graph.releases, graph, criterion, budget)
    if found is None:
        return None
    sizes = dict(criterion.sizes)
    weights = tuple(weight.substitute(sizes) for weight in found.weights)
    return ClosedForm(weights, found.least.substitute(sizes), found.sentence)


def _law(
    releases: Sequence[Release], graph: Graph, criterion: NoiseCriterion, budget: Share
) -> ClosedForm | None:
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
    found = _related(joint, roots) if joint.relation.replaced else _added(roots)
    if found is None:
        return None
    return attrs.evolve(found, least=found.least * power(rows * unit_std(budget), 2))


def _added(roots: Sequence[Expression]) -> ClosedForm:
    """J is the sum: w_i = sqrt(a_i), least (sum sqrt(a_i))^2, by Cauchy and Schwarz."""
    said = "squared mu in proportion to sqrt(cost) times sensitivity"
    return ClosedForm(tuple(roots), power(add(*roots), 2), said)


def _related(joint: Joint, roots: Sequence[Expression]) -> ClosedForm | None:
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
    return ClosedForm(weights, power(family + rest, 2), said)


def _balance(amount: Expression, moment: Expression) -> tuple[Expression, Expression]:
    """t = m/A at the best, and the square root of (1 + t)^2 (K^2 + M^2/t)."""
    square, other = power(amount, 2), power(moment, 2)
    ratio = (sqrt(power(other, 2) + 8 * square * other) - other) / (4 * square)
    return ratio, (1 + ratio) * sqrt(square + other / ratio)


def _linear(joint: Joint, roots: Sequence[Expression]) -> ClosedForm:
    """Without a moment J is a sum in which X'X counts twice."""
    counts = [2 if role == "gram" else 1 for role in joint.family]
    pairs = list(zip(roots, counts, strict=True))
    weights = tuple(root / sqrt(count) for root, count in pairs)
    said = "squared mu in proportion to sqrt(cost) times sensitivity"
    return ClosedForm(weights, power(add(*(root * sqrt(count) for root, count in pairs)), 2), said)


def _of(joint: Joint, roots: Sequence[Expression], role: str) -> list[Expression]:
    return [root for own, root in zip(joint.family, roots, strict=True) if own == role]


def _pure(
    releases: Sequence[Release], costs: Sequence[Expression], budget: Share
) -> ClosedForm | None:
    """a_i/e_i^2 with sum e_i = epsilon: e_i = a_i^(1/3), least (sum a_i^(1/3))^3/epsilon^2."""
    if budget.currency != ("epsilon",):
        return None
    roots = [
        power(cost * power(moved(one) * one.times * _unit(one), 2), THIRD)
        for one, cost in zip(releases, costs, strict=True)
    ]
    said = "epsilon in proportion to the cube root of cost times squared sensitivity"
    return ClosedForm(tuple(roots), power(add(*roots), 3) / power(budget.epsilon, 2), said)


def _unit(release: Release) -> Expression:
    """The std of one number at scale 1."""
    return release.noise(ONE).deviation_among(release.entries)  # type: ignore[call-arg]


def by_symbols(family: Family, law: ClosedForm) -> Choice:
    """The rule itself, as formulas: what it is worth is a formula too."""
    values = dict(zip(family.labels, law.weights, strict=True))
    regression = _with_weights(family, law.weights)
    return Choice(
        regression=regression,
        chosen=values,
        value=None,
        exact=True,
        law=law.sentence,
        least=law.least,
    )


def by_formula(
    family: Family,
    graph: Graph,
    criterion: Criterion,
    ends: Sequence[Interval],
    *,
    law: ClosedForm | None,
    declared: tuple[str, float] | None,
) -> Choice:
    """The split at which the criterion is least, in numbers. Raises InvalidArgument."""
    formula = criterion.of(graph, family.symbols)
    if not formula.symbols():
        free = ", ".join(symbol.name for symbol in family.symbols)
        wanted = f"one that depends on {free}"
        raise InvalidArgument("criterion", wanted, criterion.sentence, "Choose another one.")

    limits = limits_of(graph, set(family.symbols))

    def worth(split: Mapping[str, Fraction]) -> float:
        point = as_point(family, split)
        return value_at(formula, point) if _allowed(limits, point) else float("inf")

    best = _searched(family, formula, ends, limits) if law is None else _ruled(family, law)
    chosen = short(best, _inside(family, ends, worth), _goal(best, worth))
    value = worth(chosen)
    lines = splits_along(family, chosen, ends)
    return Choice(
        regression=at(family, chosen),
        chosen=family.whole(chosen),
        value=value,
        exact=law is not None,
        law="" if law is None else law.sentence,
        least=None if law is None else law.least,
        curve={
            name: tuple(Point(split, worth(split)) for split in line)
            for name, line in lines.items()
        },
        against=_against(family, graph, ends, worth, declared),
    )


def at(family: Family, chosen: Mapping[str, Fraction]) -> Regression:
    """The declaration at a split."""
    if not family.labels:
        return family.at(chosen)
    weights = tuple(Number(chosen[label]) for label in family.labels)
    return _with_weights(family, weights)


def _with_weights(family: Family, weights: Sequence[Expression]) -> Regression:
    from .resplit import Resplit

    of = family.regression.of  # type: ignore[attr-defined]
    return Resplit(of=filled(of, {}), weights=tuple(weights))  # type: ignore[call-arg]


def limits_of(graph: Graph, free: AbstractSet[Symbol] = frozenset()) -> list[Expression]:
    """Formulas that are positive where the named theorems hold that calibrate its noise, and where
    no share that depends on the `free` symbols is negative.
    """
    ruled = [(one.rule, one.share) for one in graph.releases]
    found = [rule.limit(share) for rule, share in ruled if rule is not None and share is not None]
    parts = [weight for _, share in ruled if share is not None for weight in share.weights]
    shares = [one for one in dict.fromkeys(parts) if one.symbols() & free]
    return [*shares, *(limit[1] - limit[0] for limit in found if limit is not None)]


def _goal(best: Mapping[str, float], worth: Evaluate) -> float:
    return worth({name: Fraction(value) for name, value in best.items()})


def _inside(family: Family, ends: Sequence[Interval], worth: Evaluate) -> Evaluate:
    """The criterion, infinite outside of the range."""

    def checked(split: Mapping[str, Fraction]) -> float:
        if family.labels:
            return worth(split) if all(one > 0 for one in split.values()) else float("inf")
        inside = all(
            low <= split[symbol.name] <= high and split[symbol.name] in symbol.domain
            for symbol, (low, high) in zip(family.symbols, ends, strict=True)
        )
        return worth(split) if inside else float("inf")

    return checked


def _searched(
    family: Family, formula: Expression, ends: Sequence[Interval], limits: Sequence[Expression]
) -> dict[str, float]:
    """The parameter, or the shares, at which the search finds the formula least."""
    found = least(formula, family.symbols, ends, limits)
    point = dict(zip((symbol.name for symbol in family.symbols), found, strict=True))
    if not family.labels:
        return point
    weights = family.weights({name: Fraction(one) for name, one in point.items()})
    return {name: float(one) for name, one in weights.items()}


def least(
    formula: Expression,
    symbols: Sequence[Symbol],
    within: Sequence[Interval],
    limits: Sequence[Expression] = (),
) -> tuple[float, ...]:
    """Where `formula` is least, for `symbols` between the ends `within`, where all `limits` are
    positive: the best point of a grid, then of grids around it of half the width. It may miss a
    minimum that is narrower than a cell of the first grid. Raises InvalidArgument where the formula
    is finite at no point of the first grid.
    """
    low, high = (np.array([to_float(pair[k], up=bool(k)) for pair in within]) for k in (0, 1))
    middle, width, best, count = (low + high) / 2, (high - low) / 2, np.inf, FIRST
    for _ in range(HALVINGS):
        many = max(3, round(count ** (1 / len(symbols))))
        cells = (2 * np.arange(many) + 1) / many - 1
        offsets = np.stack(np.meshgrid(*[cells] * len(symbols), indexing="ij"), -1)
        points = middle + width * offsets.reshape(-1, len(symbols))
        points = points[np.all((low < points) & (points < high), axis=1)]
        values = _values(formula, symbols, points, limits)
        place = int(np.argmin(values))
        if values[place] < best:
            best, middle = values[place], points[place]
        width, count = (2 * width / many, LATER) if count == FIRST else (width / 2, LATER)
        if not np.isfinite(best):
            wanted = "finite somewhere in the range, where the theorems of its noise hold"
            way_out = "Give another range by within=(lower, upper), or other numbers."
            raise InvalidArgument("criterion", wanted, "nowhere", way_out)
    return tuple(map(float, middle))


def _values(
    formula: Expression, symbols: Sequence[Symbol], points: Reals, limits: Sequence[Expression]
) -> Reals:
    """Upper bounds on the formula at points, infinite where it is undefined or beyond a limit."""
    columns = {one.name: (points[:, k], points[:, k]) for k, one in enumerate(symbols)}
    found = enclose_each(formula, columns)[1]
    for limit in limits:
        found = np.where(enclose_each(limit, columns)[0] > 0, found, np.inf)
    return found


def value_at(formula: Expression, values: Mapping[str, Fraction]) -> float:
    """The value at exact numbers, rounded up; infinite where it is undefined."""
    ball = enclose(formula, {name: rational_ball(value) for name, value in values.items()})
    return to_float(arb_upper(ball), up=True) if ball.is_finite() else float("inf")


def _allowed(limits: Sequence[Expression], point: Mapping[str, Fraction]) -> bool:
    """Whether all limits are certainly positive at a point."""
    balls = {name: rational_ball(value) for name, value in point.items()}
    return all(enclose(limit, balls) > 0 for limit in limits)


def _ruled(family: Family, law: ClosedForm) -> dict[str, float]:
    """The shares of the closed form."""
    whole = add(*law.weights)
    parts = [number(one / whole, {}, up=True) for one in law.weights]
    return dict(zip(family.labels, parts, strict=True))


def _against(
    family: Family,
    graph: Graph,
    ends: Sequence[Interval],
    worth: Evaluate,
    declared: tuple[str, float] | None,
) -> tuple[Point, ...]:
    found = [] if declared is None else [Point({}, declared[1], declared[0])]
    equal = equal_parts(family, len(graph.releases), ends)
    if equal is not None:
        label, split = equal
        found.append(Point(split, worth(split), label))
    return tuple(found)
