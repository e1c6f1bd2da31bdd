"""best_split: the split of a budget that makes a public criterion small, in closed form or by a
search, certified anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from textwrap import shorten
from typing import Any

import attrs
import numpy as np

from dpframe.accountants import Accountant
from dpframe.errors import InvalidArgument, Plain, Uncertified, check_kind
from dpframe.exact.interval import Interval
from dpframe.graph import Graph, Regression, Setting
from dpframe.numerics import to_float
from dpframe.numerics.boxes import Reals
from dpframe.privacy import Guarantee, PersonalizedDP, Share
from dpframe.prover import Certificate
from dpframe.prover.algebra import enclose, number, rational_ball
from dpframe.prover.certify import certify
from dpframe.sources.progress import Progress
from dpframe.symbols import Expression, Number, Symbol, add
from dpframe.symbols.enclose_each import enclose_each

from .criterion import Criterion, NoiseCriterion
from .family import Family, Numbers
from .resplit import Resplit, law_of, value_at
from .split import Choice, Point, Split, parts_of

FIRST, LATER, HALVINGS = 4096, 300, 50  # points of the first grid and of the later ones
COST = 1 + 1e-6  # of having few digits


def best_split(
    regression: Regression,
    *,
    target: Guarantee,
    setting: Setting,
    criterion: Criterion | None = None,
    over: str | None = None,
    within: Sequence[object] | None = None,
    accountant: str | Accountant = "auto",
    trust: Sequence[type] = (),
) -> Split:
    """The split of the budget of `regression` that makes `criterion`, a public number, small; the
    declaration with that split is certified, and nothing else is returned.

    `over` names a symbolic field, such as "gamma"; "shares" makes every share free, whatever the
    declaration divides (dp.audits.Resplit). Left out: the one symbolic field, or every share where
    there is none. `within` is a pair of numbers between which the field is looked for; its range,
    left out. `criterion` is
    dp.audits.NoiseCriterion, the expected squared noise of what is released, or
    dp.audits.ErrorCriterion, a bound on the error of the coefficients. Numbers are chosen with as
    few digits as cost at most a part in a million of the criterion. For dp.audits.NoiseCriterion
    over all shares the rule is in closed form; under add/remove it is certified for symbolic
    bounds, epsilon and delta too. Else the split is found by a search over grids, and that no other
    is better is not proved. `accountant` and `trust` are as for dp.certify.

    Raises Uncertified where the best split is not proved; InvalidArgument for criteria that are not
    public, and for declarations that draw otherwise than by added noise.
    """
    criterion = _checked(target, setting, criterion)
    family = Family.of(regression, setting, target.budget, over)
    ends = family.ends(within)
    with Progress(None, "looking for the best split"):
        choice = _chosen(family, regression, criterion, ends, budget=target.budget, setting=setting)
        given = {"target": target, "setting": setting, "accountant": accountant, "trust": trust}
        certificate = _certified(choice, given)
    shares, currency = parts_of(certificate)
    return Split(
        **attrs.asdict(choice, recurse=False),
        certificate=certificate,
        criterion=criterion,
        over=family.over,
        shares=shares,
        currency=currency,
    )


def _checked(target: Any, setting: Any, criterion: Any) -> Criterion:
    """The criterion. Raises InvalidArgument."""
    check_kind("target", target, Guarantee)
    check_kind("setting", setting, Setting)
    if isinstance(target, PersonalizedDP):
        way_out = (
            "Noise follows from all budgets: dp.audits.budget_report says what each record pays."
        )
        raise InvalidArgument("target", "one budget for all", Plain(target), way_out)
    if not isinstance(criterion, Criterion):
        way_out = "It is public: never the error on data that is to be protected."
        wanted = "dp.audits.NoiseCriterion(...) or dp.audits.ErrorCriterion(...)"
        given = Plain("none") if criterion is None else type(criterion)
        raise InvalidArgument("criterion", wanted, given, way_out)
    columns, d = setting.nodes()[0].columns, criterion.sizes.get("d")
    if isinstance(columns, Number) and d is not None and d != columns:
        wanted = f"{columns}, the columns of a row by the codebook of the setting"
        raise InvalidArgument("d of the criterion", wanted, Plain(str(d)), "An intercept counts.")
    return criterion


def _chosen(
    family: Family,
    regression: Regression,
    criterion: Criterion,
    ends: Sequence[Interval],
    *,
    budget: Share,
    setting: Setting,
) -> Choice:
    """The split at which the criterion is least: a formula where the closed form has symbols, else
    in numbers. Raises InvalidArgument.
    """
    graph = Graph.of(family.regression.graph(setting, budget).output)
    known = family.shares and isinstance(criterion, NoiseCriterion)
    law = law_of(graph, criterion, budget) if known else None  # type: ignore[arg-type]
    if law is not None and law.least.symbols():
        return Choice(
            regression=attrs.evolve(family.regression, weights=law.weights),  # type: ignore[misc]
            chosen=dict(zip(family.free, law.weights, strict=True)),
            value=None,
            law=law.sentence,
            least=law.least,
        )
    formula = criterion.of(graph, family.symbols)
    if not formula.symbols():
        wanted = f"one that depends on {', '.join(symbol.name for symbol in family.symbols)}"
        raise InvalidArgument("criterion", wanted, criterion.sentence, "Choose another one.")
    limits = _limits(graph, family)

    def worth(split: Numbers) -> float:
        point = family.point(split)
        balls = {name: rational_ball(value) for name, value in point.items()}
        allowed = all(enclose(limit, balls) > 0 for limit in limits)
        return value_at(formula, point) if allowed else float("inf")

    if law is not None:
        whole = add(*law.weights)
        place = [number(one / whole, {}, up=True) for one in law.weights]
    elif family.shares:
        *free, last = family.symbols
        left = 1 - add(*free)
        place = [*least(formula.substitute({last.name: left}), free, ends[:-1], [left])]
        place.append(1 - sum(place))
    else:
        place = [*least(formula, family.symbols, ends, limits)]
    best = dict(zip(family.free, map(Fraction, place), strict=True))
    inside = partial(family.inside, ends=ends)
    chosen = _short(best, lambda one: worth(one) if inside(one) else np.inf, worth(best))
    against = [*_declared(regression, criterion, setting, budget)] if family.shares else []
    label, equal = family.equal(len(graph.releases))
    if len(graph.releases) > 1 and inside(equal):
        against.append(Point(equal, worth(equal), label))
    return Choice(
        regression=family.at(chosen),
        chosen={name: Number(value) for name, value in chosen.items()},
        value=worth(chosen),
        law="" if law is None else law.sentence,
        least=None if law is None else law.least,
        against=tuple(against),
    )


def _declared(
    regression: Regression, criterion: Criterion, setting: Setting, budget: Share
) -> Iterator[Point]:
    """The criterion of the declaration as it stands, where that is a number."""
    with suppress(InvalidArgument):
        formula = criterion.of(Graph.of(regression.graph(setting, budget).output))
        yield Point({}, value_at(formula, {}), f"{regression} as declared")


def _limits(graph: Graph, family: Family) -> list[Expression]:
    """Formulas that are positive where no share is negative that depends on what is free, and where
    the named theorems hold that calibrate its noise.
    """
    free = set(family.symbols)
    limits: dict[Expression, None] = {}
    for one in graph.releases:
        if one.share is not None:
            limits |= dict.fromkeys(part for part in one.share.weights if part.symbols() & free)
            limit = None if one.rule is None else one.rule.limit(one.share)
            limits |= {} if limit is None else {limit[1] - limit[0]: None}
    return list(limits)


def least(
    formula: Expression,
    symbols: Sequence[Symbol],
    within: Sequence[Interval],
    limits: Sequence[Expression] = (),
) -> tuple[float, ...]:
    """The point where `formula` is least, for `symbols` between the ends `within`, where all
    `limits` are positive: the best point of a grid, then of grids around it of half the width. It
    may miss a minimum that is narrower than a cell of the first grid. Raises InvalidArgument where
    the formula is finite at no point of the first grid.
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
            raise InvalidArgument("criterion", wanted, Plain("nowhere"), way_out)
    return tuple(map(float, middle))


def _values(
    formula: Expression, symbols: Sequence[Symbol], points: Reals, limits: Sequence[Expression]
) -> Reals:
    """Upper bounds on the formula at points, infinite where it is undefined or beyond a limit."""
    columns = {one.name: (points[:, k], points[:, k]) for k, one in enumerate(symbols)}
    values = enclose_each(formula, columns)[1]
    for limit in limits:
        values = np.where(enclose_each(limit, columns)[0] > 0, values, np.inf)
    return values


def _short(best: Numbers, worth: Callable[[Numbers], float], goal: float) -> dict[str, Fraction]:
    """The split with as few digits as keep the criterion within a part in a million of `goal`."""
    for digits in range(1, 16):
        split = {name: Fraction(f"{float(value):.{digits}g}") for name, value in best.items()}
        if worth(split) <= goal * COST:
            return split
    return dict(best)


def _certified(choice: Choice, given: Mapping[str, Any]) -> Certificate:
    try:
        return certify(choice.regression, **given)
    except Uncertified as error:
        said = ", ".join(f"{name} = {one}" for name, one in choice.chosen.items())
        shares = isinstance(choice.regression, Resplit)
        way_out = (
            "give numbers for what is symbolic" if shares else "look elsewhere by within=(...)"
        )
        text = f"the best split, {shorten(said, 200)}, is not proved; {way_out}.\n{error}"
        raise Uncertified(error.report, text) from None
