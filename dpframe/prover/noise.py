"""Sensitivity and noise: each release has a derived sensitivity, and noise that is defined.

A noise size that depends on a record's own budget is, at execution, the largest over all budgets.
Every record thus gets at least the noise that its own budget requires, and more noise never costs
more; so a proof with the record's own numbers holds for every record. Proof page:
proofs/personalized.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from dpframe.graph import Node, OfBudgets, Procedure, Release, RowsNode, path, procedures
from dpframe.graph.facts import answers, unmet
from dpframe.graph.maps.weighted import Weighing, WeightedOnGrid
from dpframe.graph.post import ancestors
from dpframe.graph.release import symbols_of
from dpframe.graph.rows import ColumnNode, occurring
from dpframe.graph.statistics import RawAggregate, Statistic
from dpframe.graph.statistics.base import variable
from dpframe.identity import own
from dpframe.mechanisms import AdditiveNoise, Gaussian
from dpframe.privacy import Each, PureDP
from dpframe.privacy.personal import own_symbols_of
from dpframe.sensitivity import Sensitivity
from dpframe.symbols import ONE, RECORD, ZERO
from dpframe.wording import Formula, Text, say

from .neighbours import moves, occurs, tables
from .problem import (
    ON_TRUST,
    PROVED,
    UNPROVED,
    Edit,
    Obligation,
    Problem,
    Witness,
    on_nodes,
    opened,
)

RULE = (
    "noise is the largest that any record's budget needs, and more noise never costs more "
    "(proofs/personalized)"
)
POSITIVE = "the noise must be defined and positive for every parameter value"


def individual(problem: Problem) -> list[Obligation]:
    """Every obligation of personalised budgets; the proved ones as one object."""
    if problem.personal is None:
        without = on_nodes(problem.graph, partial(_of_records, str(problem.target)))
        return [*without, *_symbols(problem)]
    failing = [*_symbols(problem), *_public(problem), *_one_row(problem)]
    failing += [*_only_noise(problem), *_last(problem)]
    if failing:
        return failing
    own = own_symbols_of(problem.personal.each)
    facts = tuple(say("{} {}", Formula(symbol.name), symbol.domain) for symbol in own)
    return [Obligation("personal", "every record", RULE, facts, PROVED)]


def _of_records(target: str, nodes: Sequence[Node]) -> Iterator[Obligation]:
    for node in nodes:
        own = any(RECORD in symbol.scope for symbol in symbols_of(node))
        if own or isinstance(node, OfBudgets):
            rule = "formulas of each record's budget need a personalised target"
            fix = say(
                "certify for `dp.PersonalizedDP(dp.each('epsilon'))`, or another of its kind."
            )
            yield opened("personal", node.label, rule, (target,), fix)


def _symbols(problem: Problem) -> Iterator[Obligation]:
    """A record's own numbers are those of the target; aggregates of all budgets are what they
    state.
    """
    own = () if problem.personal is None else own_symbols_of(problem.personal.each)
    for symbol in problem.symbols:
        origin = symbol.origin
        forged = isinstance(origin, OfBudgets) and symbol != origin.symbol
        strange = isinstance(origin, Each) and problem.personal is not None and symbol not in own
        if forged or strange:
            rule = "records read the numbers of the target, and numbers of all budgets as they are"
            facts, fix = (
                (symbol.name,),
                say("read budget.epsilon and its like, and `X.total(...)`."),
            )
            yield opened("personal", symbol.name, rule, facts, fix)


def _public(problem: Problem) -> Iterator[Obligation]:
    if problem.personal is None or problem.personal.public:
        return
    rule = "budgets must be public: weights and noise follow from them, and are published"
    facts = (say("{}; declared with public=False", problem.personal),)
    says = (
        "budget vectors (1/10, 1, ..., 1) and (1, 1, ..., 1): a record's private attribute, or its "
        "budget, changes the weight of every record and the noise, by an amount that nothing hides"
    )
    fix = say(
        "let people choose budgets without regard to their data, publish them and say"
        " so (public=True); or give every record the smallest: `dp.PureDP(...)`."
    )
    graph = problem.graph
    read = [*(symbols_of(node) for node in graph.nodes if not isinstance(node, Release))]
    read += [one.mechanism.formula.symbols() for one in graph.releases]
    published = graph.of_kind(OfBudgets) or any(RECORD in s.scope for some in read for s in some)
    yield opened("personal", "budgets", rule, facts, fix, Witness(says=says) if published else None)


def _one_row(problem: Problem) -> Iterator[Obligation]:
    if problem.rows == ONE:
        return
    rule = "personalised budgets belong to people with one row each"
    facts = (say("rows_per_person = {}", problem.rows),)
    fix = (
        "give each person one row, such as the mean or the last of a patient's visits, or divide a "
        "person's budget among that person's rows."
    )
    yield opened("personal", "budgets", rule, facts, fix)


def _only_noise(problem: Problem) -> Iterator[Obligation]:
    """The rule covers noise only: not procedures, bounds that may fail, or noise from outside."""
    graph = problem.graph
    others: list[Node] = [
        one for one in graph.procedures if not isinstance(one, procedures.TiltedMinimum)
    ]
    others += graph.bounds
    foreign = problem.foreign
    others += [one for one in graph.releases if {one.noise, type(one.rule)} & {*foreign}]
    for node in others:
        what = "a procedure" if isinstance(node, Procedure) else "noise that is not dpframe's own"
        rule = "personalised budgets are spent on noise of which more never costs more"
        fix = say("release statistics with noise: `dp.release(...)`.")
        yield opened("personal", node.label, rule, (what,), fix)


def _last(problem: Problem) -> Iterator[Obligation]:
    """Weighted rows and labels are read by sums whose rules hold record by record."""
    for node in problem.graph.nodes:
        reads = ancestors(node) if isinstance(node, Statistic) else node.inputs
        weighed = any(isinstance(one, (Weighing, WeightedOnGrid)) for one in reads)
        if weighed and not answers(node).record_by_record:
            rule = say(
                "rows and labels are weighed last, and summed: `X.T @ X`, `X.T @ y`, `y @ y`, sums"
            )
            what = "a statistic" if isinstance(node, Statistic) else "a map"
            fact = say("{}, {}, reads weighed records", Formula(node.label), what)
            fix = say(
                "clip and scale first, then `X.weighted(w)`; other statistics are not shown yet."
            )
            yield opened("personal", node.label, rule, (fact,), fix)


def noise(problem: Problem, *, planned: bool) -> list[Obligation]:
    """Every release has a derived sensitivity and noise of positive size; calibrated noise is
    positive if its share is (`planned`).
    """
    judged = partial(_noise, problem, planned=planned)
    failing = any(map(judged, _alike(problem, planned=planned)))
    each = (judged(release) for release, _ in problem.classes if failing)
    failing_ones = [obligation for obligation in each if obligation is not None]
    rule = say(
        "each sensitivity is derived for {}, in the norm of its mechanism", problem.setting.unit
    )
    facts, count = _sensitivities(problem), len(problem.graph.releases)
    return failing_ones or [Obligation("sensitivity", "releases", rule, facts, PROVED, count=count)]


def _alike(problem: Problem, *, planned: bool) -> Iterable[Release]:
    """One release per statistic and mechanism: the size of calibrated noise does not matter."""
    representatives: dict[object, Release] = {}
    for one, _ in problem.classes:
        share = None if planned or isinstance(one.stated, AdditiveNoise) else one.share
        representatives.setdefault((one.statistic, one.stated, share), one)
    return representatives.values()


def _sensitivities(problem: Problem) -> tuple[str, ...]:
    queries: dict[object, Release] = {}
    for release, _ in problem.classes:
        queries.setdefault((release.statistic, release.noise.norm), release)
    moves = [(one, one.moved) for one in list(queries.values())[:8]]
    return tuple(_sensitivity(one, m) for one, m in moves if m is not None)


def _sensitivity(release: Release, moved: Sensitivity) -> Text:
    """`gram, X'X: B^2 (L2; |xx'| = |x|^2 <= B^2)`: the name tells equal statistics apart."""
    statistic = release.statistic
    stated = any(one.assumption or not own(type(one)) for one in (statistic, *ancestors(statistic)))
    label, rule = Formula(statistic.label), Formula(moved.rule)
    mark = ON_TRUST * stated
    name = "" if release.label == label else f"{release.label}, "
    return say("{}{}: {} ({}; {}){}", name, label, moved.value, moved.norm, rule, mark)


def _noise(problem: Problem, release: Release, *, planned: bool) -> Obligation | None:
    moved = release.moved
    if moved is None:
        return _unbounded(release)
    if release.noise.integer and release.statistic.step != ONE:
        rule = "noise in whole numbers hides statistics in whole numbers only"
        fact = say("{} is not known to be one", Formula(release.statistic.label))
        fix = say("use `dp.Gaussian` or `dp.Laplace`.")
        return opened("noise", release.label, rule, (fact,), fix)
    if moved.value == ZERO and (release.rule is not None or release.gives is PureDP):
        return _constant(release)
    calibrated = release.rule is not None and planned
    size = moved.value if calibrated else release.mechanism.formula
    if problem.field.shown(size, strict=True):
        return None
    fact = say("{} = {}", "sensitivity" if calibrated else release.noise.noise, size)
    repair = say("declare open ranges that exclude zero, and $delta$ below 1; or calibrate it.")
    edit = Edit("all noise" if release.share is None else "noise", release, Gaussian.analytic)
    return opened("noise", release.label, POSITIVE, (fact,), repair, edit=edit)


def _constant(release: Release) -> Obligation:
    rule = (
        "pure noise, and noise that a theorem sizes, needs a sensitivity above 0, and this one is 0"
    )
    label = release.statistic.label
    fact = say("{} is constant over neighbours ({})", label, release.statistic.unit)
    fix = say(
        "{} is public here: use it without a release, or state the std of Gaussian noise.", label
    )
    return opened("noise", release.label, rule, (fact,), fix)


def _unbounded(release: Release) -> Obligation:
    """A release without a bound on its sensitivity: refuted if it is known to be unbounded,
    otherwise unproved.
    """
    if untested := release.statistic.untested:
        rule = say(
            "its {} sensitivity is stated under a condition that nothing tests", release.noise.norm
        )
        facts = (say("{} has no bound without it", release.label),)
        fix = "test the condition by a release that fails with a stated probability, and name that "
        fix += say("release in ``given``; or leave ``given`` out where it holds for every table.")
        return opened("sensitivity", release.label, say("{}: {}", rule, untested), facts, fix)
    read = list(ancestors(release))
    foreign = [type(node).__name__ for node in read if not own(type(node))]
    norm, way = release.noise.norm, path(release.statistic, _loose(release))
    rule = say("its {} sensitivity must be bounded, and no rule bounds {}", norm, way)
    grows = None if foreign else _growth(release)
    if grows is not None:
        facts, fix = (say("{} is unbounded", Formula(release.statistic.title)),), _clipped(release)
        edit = Edit("clip", release.statistic)
        return opened("sensitivity", release.label, rule, facts, fix, Witness(says=grows), edit)
    facts = (say("{} has no bound that a rule derives", Formula(release.statistic.title)),)
    statistics = (o for o in read if isinstance(o, Statistic) and not isinstance(o, RawAggregate))
    wrong = [
        say("{}: {}", one.label, why) for one in statistics for why in unmet(one, one.unit.relation)
    ]
    if wrong and not foreign:
        violated, fix = tuple(wrong[:2]), "declare it so that this holds."
        return Obligation("sensitivity", release.label, rule, violated, UNPROVED, repair=fix)
    if foreign:
        fix = say(
            "let {}.one_row answer for this norm and relation, or use another noise; ", foreign[0]
        )
        fix += "a matrix whose eigenvalues are released states symmetric = True."
        return opened("sensitivity", release.label, rule, facts, fix)
    moved = next((moves(node) for node in read if isinstance(node, RawAggregate)), "")
    witness = Witness(says=moved) if moved else None
    fix, edit = _clipped(release), Edit("clip", release.statistic)
    return opened("sensitivity", release.label, rule, facts, fix, witness, edit, verdict=UNPROVED)


def _clipped(release: Release) -> str:
    """The clip that bounds the statistic."""
    if "residuals" in map(variable, tables(release.statistic)):
        return say(
            "clip the residuals to public bounds before they are summed: `y.residuals(X, "
            'theta).clip("-1/2", "1/2")`.'
        )
    loose = _loose(release)
    if isinstance(loose, ColumnNode) and isinstance(getattr(loose, "source", None), ColumnNode):
        return (
            "clip the labels again after what changes them last, as in `(y - centre).clip(-1, 1)`."
        )
    return "clip rows and labels to public bounds; put no aggregate of the data into a row map."


def _loose(release: Release) -> RowsNode | ColumnNode | None:
    """The only rows or labels that the statistic reads without a bound, if some are bounded."""
    read = list(tables(release.statistic))
    loose = [one for one in read if not _bounded(one)]
    return loose[0] if len(loose) == 1 < len(read) else None


def _bounded(table: RowsNode | ColumnNode) -> bool:
    bounds = (table.bound,) if isinstance(table, ColumnNode) else (table.norm, table.entry)
    return any(one is not None for one in bounds)


def _growth(release: Release) -> str | None:
    """Why a statistic is unbounded; None if that is not known."""
    statistic = release.statistic
    if any(isinstance(node, RawAggregate) for node in ancestors(release)):
        return None
    added = not statistic.unit.relation.replaced
    if statistic.kind == "identity" and added:
        return "one record more is one row more: how many there are shows whether it is there"
    read = list(tables(statistic))
    unclipped = any(occurring(table).any_finite for table in read) and all(map(occurs, read))
    single = release.noise.selects and release.entries == ONE  # one candidate is always released
    if not statistic.unbounded or not unclipped or single:
        return None
    label = statistic.label
    return say("one row of norm M moves {} by an amount that grows with M without bound", label)
