"""best_split: the split of a budget that makes a public criterion small, certified anew."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten
from typing import Any

import attrs

from dpframe.accountants import Accountant
from dpframe.errors import InvalidArgument, Plain, Uncertified, check_kind
from dpframe.exact.interval import Interval
from dpframe.graph import Graph, Regression, Setting
from dpframe.privacy import Guarantee, PersonalizedDP, Share
from dpframe.prover import Certificate
from dpframe.prover.certify import certify
from dpframe.sources.progress import Progress
from dpframe.symbols import Number

from .by_formula import by_formula, by_symbols, law_of, value_at
from .criterion import Criterion, NoiseCriterion
from .resplit import Family, Resplit
from .split import Choice, Split, parts_of


def best_split(
    regression: Regression,
    *,
    target: Guarantee,
    setting: Setting,
    criterion: Criterion | None = None,
    over: str | Sequence[str] | None = None,
    within: Sequence[object] | None = None,
    accountant: str | Accountant = "auto",
    trust: Sequence[type] = (),
) -> Split:
    """The split of the budget of `regression` that makes `criterion`, a public number, small; the
    declaration with that split is certified, and nothing else is returned.

    `over` names a symbolic field, such as "gamma", or several, such as ("a", "b"); of fields that
    are the shares themselves, the last is 1 less the others. "shares" makes every share free,
    whatever the declaration divides (dp.audits.Resplit). Left out: the one symbolic field, or all
    of them where shares are made of them; without any, every share. `within` is a pair of numbers
    between which one field is looked for; its range, left out. `criterion` is
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
        budget = target.budget
        outcome = _outcome(family, regression, criterion, ends, budget=budget, setting=setting)
        certificate = _certified(outcome, target, setting, accountant, trust)
    shares, currency = parts_of(certificate)
    return Split(
        certificate=certificate,
        criterion=criterion,
        over="shares" if family.labels else ", ".join([*family.names]),
        shares=shares,
        currency=currency,
        **{field.name: getattr(outcome, field.name) for field in attrs.fields(Choice)},
    )


def _checked(target: Any, setting: Any, criterion: Any) -> Criterion:
    """The criterion. Raises InvalidArgument."""
    check_kind("target", target, Guarantee)
    check_kind("setting", setting, Setting)
    if isinstance(target, PersonalizedDP):
        way_out = (
            "Noise follows from all budgets: dp.audits.budget_report says what each record pays."
        )
        raise InvalidArgument("target", "one budget for all", str(target), way_out)
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


def _outcome(
    family: Family,
    regression: Regression,
    criterion: Criterion,
    ends: Sequence[Interval],
    *,
    budget: Share,
    setting: Setting,
) -> Choice:
    graph = Graph.of(family.regression.graph(setting, budget).output)
    known = bool(family.labels) and isinstance(criterion, NoiseCriterion)
    law = law_of(graph, criterion, budget) if known else None  # type: ignore[arg-type]
    if law is not None and law.least.symbols():
        return by_symbols(family, law)
    declared = _declared(regression, criterion, setting, budget) if family.labels else None
    return by_formula(family, graph, criterion, ends, law=law, declared=declared)


def _declared(
    regression: Regression, criterion: Criterion, setting: Setting, budget: Share
) -> tuple[str, float] | None:
    """The criterion of the declaration as it stands; None where that is not a number."""
    try:
        formula = criterion.of(Graph.of(regression.graph(setting, budget).output))
    except InvalidArgument:
        return None
    return f"{regression} as declared", value_at(formula, {})


def _certified(
    outcome: Choice,
    target: Guarantee,
    setting: Setting,
    accountant: str | Accountant,
    trust: Sequence[type],
) -> Certificate:
    try:
        return certify(
            outcome.regression, target=target, setting=setting, accountant=accountant, trust=trust
        )
    except Uncertified as error:
        said = ", ".join(f"{name} = {one}" for name, one in outcome.chosen.items())
        shares = isinstance(outcome.regression, Resplit)
        way_out = (
            "give numbers for what is symbolic" if shares else "look elsewhere by within=(...)"
        )
        text = f"the best split, {shorten(said, 200)}, is not proved; {way_out}.\n{error}"
        raise Uncertified(error.report, text) from None
