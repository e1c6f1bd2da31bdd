"""The best split by a formula: in closed form where there is one, else by a proved search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpframe.errors import InvalidArgument
from dpframe.exact.interval import Interval
from dpframe.graph import Graph, Regression
from dpframe.numerics import arb_lower, arb_upper, to_float
from dpframe.prover.algebra import enclose
from dpframe.symbols import Expression, Number, add

from . import scan
from .criterion import FormulaCriterion
from .family import Family, filled
from .law import Law
from .split import Evaluate, Outcome, Point, as_point, equal_parts, short, splits_along


def by_symbols(family: Family, law: Law) -> Outcome:
    """The rule itself, as formulas: what it is worth is a formula too."""
    values = dict(zip(family.labels, law.weights, strict=True))
    regression = _with_weights(family, law.weights)
    return Outcome(
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
    criterion: FormulaCriterion,
    ends: Sequence[Interval],
    *,
    law: Law | None,
    declared: tuple[str, float] | None,
) -> Outcome:
    """The split at which the criterion is least, in numbers. Raises InvalidArgument."""
    formula = criterion.of(graph, family.symbols)
    if not formula.symbols():
        free = ", ".join(symbol.name for symbol in family.symbols)
        wanted = f"one that depends on {free}"
        raise InvalidArgument("criterion", wanted, criterion.sentence, "Choose another one.")

    limits = limits_of(graph)

    def worth(split: Mapping[str, Fraction]) -> float:
        point = as_point(family, split)
        return scan.at(formula, point) if scan.inside(limits, point) else float("inf")

    best, lower, optimal = (
        _searched(family, formula, ends, limits) if law is None else _ruled(family, law)
    )
    chosen = short(best, _inside(family, ends, worth), _goal(best, worth))
    value = worth(chosen)
    lines = splits_along(family, chosen, ends)
    return Outcome(
        regression=at(family, chosen),
        chosen={name: Number(one) for name, one in chosen.items()},
        value=value,
        lower=min(lower, value),
        exact=law is not None,
        law="" if law is None else law.sentence,
        least=None if law is None else law.least,
        optimal=optimal,
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


def limits_of(graph: Graph) -> list[Expression]:
    """Formulas that are positive where the named theorems hold that calibrate its noise."""
    ruled = [(one.rule, one.share) for one in graph.releases]
    found = [rule.limit(share) for rule, share in ruled if rule is not None and share is not None]
    return [limit[1] - limit[0] for limit in found if limit is not None]


def _goal(best: Mapping[str, float], worth: Evaluate) -> float:
    return worth({name: Fraction(value) for name, value in best.items()})


def _inside(family: Family, ends: Sequence[Interval], worth: Evaluate) -> Evaluate:
    """The criterion, infinite outside of the range."""

    def checked(split: Mapping[str, Fraction]) -> float:
        if family.labels:
            return worth(split) if all(one > 0 for one in split.values()) else float("inf")
        (symbol,), ((low, high),) = family.symbols, ends
        point = split[symbol.name]
        return worth(split) if low <= point <= high and point in symbol.domain else float("inf")

    return checked


Best = tuple[dict[str, float], float, dict[str, tuple[float, float]]]


def _searched(
    family: Family, formula: Expression, ends: Sequence[Interval], limits: Sequence[Expression]
) -> Best:
    """By the proved search: where, a lower bound, and between which ends every best point lies."""
    found = scan.least(formula, family.symbols, ends, limits)
    names = [symbol.name for symbol in family.symbols]
    if not family.labels:
        return (
            dict(zip(names, found.point, strict=True)),
            found.lower,
            dict(zip(names, found.region, strict=True)),
        )
    point = {name: Fraction(one) for name, one in zip(names, found.point, strict=True)}
    weights = family.weights(point)
    region = _shares_between(found.region, family.labels)
    return {name: float(one) for name, one in weights.items()}, found.lower, region


def _shares_between(
    region: Sequence[tuple[float, float]], labels: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Ends of each share, from ends of p_1, p_2, ..."""
    low, high, found = 1.0, 1.0, {}
    for label, (first, last) in zip(labels, region, strict=False):
        found[label] = (low * first, high * last)
        low, high = low * (1 - last), high * (1 - first)
    return {**found, labels[-1]: (low, high)}


def _ruled(family: Family, law: Law) -> Best:
    """By the closed form."""
    whole = add(*law.weights)
    balls = [enclose(one / whole, {}) for one in law.weights]
    region = {
        label: (to_float(arb_lower(ball), up=False), to_float(arb_upper(ball), up=True))
        for label, ball in zip(family.labels, balls, strict=True)
    }
    lower = to_float(arb_lower(enclose(law.least, {})), up=False)
    return {label: (low + high) / 2 for label, (low, high) in region.items()}, lower, region


def _against(
    family: Family,
    graph: Graph,
    ends: Sequence[Interval],
    worth: Evaluate,
    declared: tuple[str, float] | None,
) -> tuple[Point, ...]:
    found = [] if declared is None else [Point({}, declared[1], 0.0, declared[0])]
    equal = equal_parts(family, len(graph.releases), ends)
    if equal is not None:
        label, split = equal
        found.append(Point(split, worth(split), 0.0, label))
    return tuple(found)
