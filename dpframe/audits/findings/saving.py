"""How a budget is split, the split that adds the least noise, and how much it saves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import attrs

from dpframe.errors import DPFrameError
from dpframe.graph import Graph, Release, RowsNode
from dpframe.numerics import to_float
from dpframe.prover.mixture import amplified, rho_of
from dpframe.prover.mixture import cost as own_cost
from dpframe.prover.problem import Problem
from dpframe.symbols import ONE, Expression, Number, add, power
from dpframe.wording import Code, Formula, Text, joined, say

from ..figures import figure, listed
from ..lines import lower_end
from ..sentence import in_order, values_text
from ..splits.criterion import NoiseCriterion
from ..splits.resplit import divided, law_of, released
from .accountants import remaining
from .example import Values, budget_at, number_at, upper_at

if TYPE_CHECKING:
    from ..report import Audit
    from .waste import Waste

Sizes = tuple[tuple[str, float | None, float | None], ...]
"""The name of each release, its noise as declared, and after a change."""
ADDED = "epsilon that each adds to the others"
MOST = 6  # releases that are named
UNSHARED = "No release is given a share of {}: it is not split, and all are judged together."
WORTH = 0.01  # relative: less noise saved is not worth a change
ALIKE = say(
    "All releases count alike: less noise in sum is not always less error in "
    "coefficients, which `dp.audits.ErrorCriterion` bounds."
)
CALL = 'dp.best_split(declaration, target=..., setting=..., criterion={}, over="shares")'


@attrs.frozen
class Portion:
    """`claimed`: the share of epsilon (rho, mu^2), as a part of the target's; above 1 where more is
    claimed than there is. `true`: what the release costs as a part of what all of them cost, each
    at its own worst pair, in `unit`; where draws are on samples, what it adds to the epsilon of the
    others. `without`: the epsilon of all releases but this one, an upper bound, at the delta of the
    page. None where there is no such number, and where private data reaches what is public.
    """

    name: str
    claimed: float | None
    true: float | None
    unit: str
    without: float | None = None


def portions(audit: Audit, values: Values) -> tuple[Portion, ...]:
    """One a charge, in order; none where neither share nor cost has a number."""
    charged = audit.report.problem.graph.charged
    releases = [one for one in charged if isinstance(one, Release)] if audit.bounded else []
    rest = remaining(audit.report.problem, values) if audit.bounded else None
    others = {} if rest is None else dict(zip(map(id, releases), rest.others, strict=True))
    unit = ADDED
    costs: dict[int, Fraction] = {}
    if not any(map(amplified, releases)):
        unit, costs = _costs(releases, values)
    elif rest is not None:
        costs = {key: Fraction(max(0.0, rest.whole - one)) for key, one in others.items()}
    whole = sum(costs.values())
    found = tuple(
        Portion(
            one.label,
            _claimed(audit, one, values),
            float(costs[id(one)] / whole) if whole and id(one) in costs else None,
            unit,
            others.get(id(one)),
        )
        for one in charged
    )
    any_share = any(one.claimed is not None or one.true is not None for one in found)
    return found if any_share else ()


def unsplit(audit: Audit) -> Text:
    """Why the budget is not split among several charges: no share is stated, or several are all of
    it; "" where it is.
    """
    charged, name = audit.report.problem.graph.charged, Formula(audit.target.currency[0])
    if len(charged) < 2:
        return say("")
    if all(one.share is None for one in charged):
        return say(UNSHARED, name)
    whole = [one.label for one in charged if one.share and one.share.weights[0] == ONE]
    each = "{} is not split: {} are each given all of it."
    return say(each, name, listed(whole)) if len(whole) > 1 else say("")


def _claimed(audit: Audit, one: object, values: Values) -> float | None:
    share, times = getattr(one, "share", None), getattr(one, "times", None)
    target = audit.target
    if share is None or times is None or share.currency[0] != target.currency[0]:
        return None
    return _float_at(times * share.amounts[0] / target.amounts[0], values)


def _costs(releases: list[Release], values: Values) -> tuple[str, dict[int, Fraction]]:
    """What each release costs alone, in the one unit in which all of them can be compared."""
    kinds = {one.gives for one in releases}
    currency = next(iter(kinds)).currency if len(kinds) == 1 else ("rho",)
    unit = currency[0] if len(currency) == 1 else ""
    found = {id(one): _cost(one, unit, values) for one in releases}
    if any(amount is None for amount in found.values()):
        return unit, {}
    return unit, {key: amount for key, amount in found.items() if amount is not None}


def _cost(release: Release, unit: str, values: Values) -> Fraction | None:
    try:
        own = rho_of(release) if unit == "rho" else own_cost(release).amounts[0]
    except DPFrameError:
        return None
    return upper_at(number_at(own * release.times, values), values)


@attrs.frozen
class Saving:
    """`before` and `after`: the expected squared noise, `criterion`, and at the best split, rounded
    up, at the numbers `at`, as text. `before` is that `declared` of what is proved, else that of
    the smallest factors of the noise that meet the claim, which is `scaled` where there are any.
    `releases`: name, and the std (of pure noise the scale) as declared and at that split; None
    where a number is missing. `call` finds the split and certifies it; "" of a description, whose
    file states the sizes.
    """

    before: float
    after: float
    scaled: float | None
    declared: str
    criterion: str
    noise: str
    releases: Sizes
    call: str
    at: str = ""

    @property
    def way(self) -> Text:
        """How to take this split."""
        if not self.call:
            return say("write these sizes into the file, in place of calibrations and shares")
        return say("{} finds this split and certifies it", Code(f"`{self.call}`"))

    @property
    def part(self) -> float:
        """The part of the squared noise that the best split saves."""
        return 1 - self.after / self.before

    @property
    def against_scaled(self) -> float:
        """The same against the noise that is enough in the proportions declared."""
        return 1 - self.after / (self.scaled or self.before)

    @property
    def percent(self) -> str:
        """The same in percent, rounded down."""
        return figure(100 * self.part, "down", 3)

    @property
    def says(self) -> str:
        """The criterion at both splits, in words."""
        before, after = figure(self.before), figure(self.after, "up")
        return say("{}: {} {}, {} at the best split", self.criterion, before, self.declared, after)

    @property
    def sizes(self) -> Text:
        """`std floor 12.70 -> 20.11; gram 12.70 -> 9.13`, as declared and at the best split."""
        return sizes_text(self.noise, self.releases)

    def record(self) -> dict[str, object]:
        """Every field as a JSON value."""
        return {**attrs.asdict(self), "releases": sizes_record(self.releases, "best")}


def sizes_record(releases: Sizes, then: str) -> list[dict[str, object]]:
    """The sizes as JSON values, the one after the change called `then`."""
    return [dict(zip(("name", "declared", then), one, strict=True)) for one in releases]


def size_name(names: Iterable[str]) -> str:
    """`std`, where the noise of every release has that size; else `size`."""
    different = {*names}
    return different.pop() if len(different) == 1 else "size"


def sizes_text(noise: str, releases: Sizes) -> Text:
    """`std floor 12.70 -> 20.11; gram 12.70 -> 9.13`, where both are numbers."""
    known = [one for one in dict.fromkeys(releases) if None not in one[1:] and one[1] != one[2]]
    said = [
        say("{} {} $->$ {}", name, figure(now), figure(then, "up"))
        for name, now, then in known[:MOST]
    ]
    more = [say("and {} more", len(known) - MOST)] if len(known) > MOST else []
    return say("{} {}", noise, joined("; ", (*said, *more))) if said else say("")


def saving(audit: Audit, values: Values, waste: Waste | None) -> Saving | None:
    """The best split of the budget among the releases, by dp.audits.NoiseCriterion, of what is
    proved or needs more noise alone. None where there is no closed form, as with noise of several
    kinds.
    """
    problem = audit.report.problem
    raised = waste is not None and waste.factor > 1 and audit.broken is not None
    if not (audit.report.proved or raised) or problem.personal is not None or len(audit.lines) < 2:
        return None
    try:
        found = _best(audit, {**_columns(problem), **values}, waste)
    except DPFrameError:
        return None
    return None if found is None or found.part <= WORTH else found


def _columns(problem: Problem) -> dict[str, Fraction]:
    """The number of columns where the setting or a codebook fixes it."""
    known = {one.columns for one in problem.data if isinstance(one, RowsNode)}
    sizes = [one.value for one in known if isinstance(one, Number)]
    return {"d": max(sizes)} if sizes else {}


def _best(audit: Audit, values: Values, waste: Waste | None) -> Saving | None:
    graph, proved = audit.report.problem.graph, audit.report.proved
    releases, budget = released(graph), budget_at(audit.target.budget, values)
    rows = {"n": int(values["n"])} if "n" in values else {}
    criterion = NoiseCriterion(d=int(values.get("d", 1)), **rows)
    law = law_of(graph, criterion, budget)
    if law is None:
        return None
    stated, scaled = _squares(criterion, graph, None), _squares(criterion, graph, waste)
    declared, enough, after = (_float_at(one, values) for one in (stated, scaled, law.least))
    before = declared if proved else enough
    if before is None or after is None:
        return None
    noise = divided(releases, law.weights, budget)
    given = [say("d={}", criterion.d), *(say("n={}", n) for n in rows.values())]
    return Saving(
        before=before,
        after=after,
        scaled=enough,
        declared="as declared" if proved else _raised(waste),
        criterion=f"{criterion.sentence} ({_entries(criterion, graph, releases)})",
        noise=size_name(one.noise.noise for one in releases),
        releases=tuple(
            (
                one.label,
                _float_at(one.mechanism.formula, values),
                _float_at(noise[one.label][0].formula, values),
            )
            for one in releases
        ),
        at=values_text(_read(criterion.formula(graph), criterion, values)),
        call=""
        if audit.described
        else CALL.format(f"dp.audits.NoiseCriterion({', '.join(given)})"),
    )


def _raised(waste: Waste | None) -> Text:
    """`with all noise × 1.533`."""
    return say("") if waste is None else say("with {} × {}", waste.noise, waste.amount)


def _squares(criterion: NoiseCriterion, graph: Graph, waste: Waste | None) -> Expression:
    """The criterion of the noise as declared, or with the factor that is enough."""
    squares = Fraction(1) if waste is None else Fraction(waste.variance)
    kept = () if waste is None else waste.kept
    changed = (
        criterion.cost(one, graph) * power(one.std, 2) * (1 if one.label in kept else squares)
        for one in graph.releases
    )
    return add(*changed).substitute(dict(criterion.sizes))


def _entries(criterion: NoiseCriterion, graph: Graph, releases: Sequence[Release]) -> str:
    """`entries: floor 1, gram 55, moment 10`: how often the variance of each release counts, which
    depends on whether the noise of a matrix is symmetric.
    """
    counts = {
        one.label: criterion.cost(one, graph).substitute(dict(criterion.sizes)) for one in releases
    }
    said = [f"{name} {_count(count)}" for name, count in list(counts.items())[:MOST]]
    more = [f"{len(counts) - MOST} more"] if len(counts) > MOST else []
    return f"entries: {', '.join([*said, *more])}"


def _count(formula: Expression) -> str:
    """A number, or the formula while the number of draws is a symbol."""
    known = _float_at(formula, {})
    return str(formula) if known is None else f"{known:.6g}"


def _read(formula: Expression, criterion: NoiseCriterion, values: Values) -> Values:
    """The numbers of the symbols that the criterion reads."""
    sizes = {name: lower_end(size) for name, size in criterion.sizes.items()}
    numbers = {**values, **{name: size for name, size in sizes.items() if size is not None}}
    names = sorted((symbol.name for symbol in formula.symbols()), key=in_order)
    return {name: numbers[name] for name in names if name in numbers}


def _float_at(formula: Expression, values: Values) -> float | None:
    """The formula at numbers, rounded up; None where a symbol has none, as released ones."""
    found = upper_at(formula, values)
    return None if found is None else to_float(found, up=True)
