"""Structure: a certificate is about the tables, classes and numbers that it says; each release has
a derived sensitivity, and noise that is defined. Who reads what is `flow`.

A noise size that depends on a record's own budget is, at execution, the largest over all budgets.
Every record thus gets at least the noise that its own budget requires, and more noise never costs
more; so a proof with the record's own numbers holds for every record. Proof page:
proofs/personalized.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from dpframe.accountants import Accountant
from dpframe.graph import (
    ColumnNode,
    Node,
    OfBudgets,
    Procedure,
    Release,
    RowsNode,
    path,
    procedures,
)
from dpframe.graph.facts import answers, facts_of, unmet
from dpframe.graph.loop import ancestors
from dpframe.graph.maps.weighted import BudgetSource, Weighing, WeightedOnGrid
from dpframe.graph.reached import occurring
from dpframe.graph.release import symbols_of
from dpframe.graph.statistics import RawAggregate, Statistic
from dpframe.graph.statistics.base import variable
from dpframe.identity import Shadow, own
from dpframe.mechanisms import AdditiveNoise, Gaussian
from dpframe.privacy import Each, PureDP
from dpframe.privacy.personal import own_symbols_of
from dpframe.sensitivity import Sensitivity
from dpframe.symbols import DATA, ONE, RECORD, RELEASED, ZERO
from dpframe.theory.trusted import PER_RECORD
from dpframe.wording import Formula, Text, say

from .flow import adaptive, flow, moves, occurs, tables, where
from .parallel import thinning
from .problem import (
    ALL_NOISE,
    CLIP,
    NOISE,
    ON_TRUST,
    PROVED,
    REFUTED,
    TABLE,
    UNPROVED,
    Edit,
    Obligation,
    Problem,
    Witness,
    on_nodes,
    opened,
    place,
)
from .sign import positive

RULE = (
    "noise is the largest that any record's budget needs, and more noise never costs more "
    "(proofs/personalized)"
)


def individual(problem: Problem) -> list[Obligation]:
    """Every obligation of personalised budgets; the proved ones as one object."""
    failing = [*_without_target(problem), *_symbols(problem)]
    if problem.personal is None:
        return failing
    failing += [*_public(problem), *_one_row(problem), *_only_noise(problem), *_last(problem)]
    if failing:
        return failing
    own = own_symbols_of(problem.personal.each)
    facts = tuple(say("{} {}", Formula(symbol.name), symbol.domain) for symbol in own)
    return [Obligation("personal", "every record", RULE, facts, PROVED)]


def _without_target(problem: Problem) -> Iterator[Obligation]:
    of_all = problem.graph.of_kind(OfBudgets)
    if problem.personal is not None:
        return
    if of_all or any(RECORD in symbol.scope for symbol in problem.symbols):
        yield from on_nodes(problem.graph, partial(_of_records, str(problem.target)))


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
        "budget vectors (1/10, 1, ..., 1) and (1, 1, ..., 1): a record's private attribute, or "
        "its budget, changes everybody's weight and the noise, by an amount that nothing hides"
    )
    fix = say(
        "let people choose budgets without regard to their data, publish them and say"
        " so (public=True); or give every record the smallest: `dp.PureDP(...)`."
    )
    yield opened("personal", "budgets", rule, facts, fix, Witness(says=says))


def _one_row(problem: Problem) -> Iterator[Obligation]:
    if problem.rows == ONE:
        return
    rule = "personalised budgets belong to people with one row each"
    facts = (say("rows_per_person = {}", problem.rows),)
    fix = "give each person one row, or divide a person's budget among that person's rows."
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
    queries = dict.fromkeys((r.statistic, r.noise.norm) for r, _ in problem.classes)
    moves = [(statistic, statistic.sensitivity(norm)) for statistic, norm in list(queries)[:8]]
    return tuple(_sensitivity(s, m) for s, m in moves if m is not None)


def _sensitivity(statistic: Statistic, moved: Sensitivity) -> Text:
    """`X'X: B^2 (L2; |xx'| = |x|^2 <= B^2)`."""
    stated = any(one.assumption or not own(type(one)) for one in (statistic, *ancestors(statistic)))
    label, rule = Formula(statistic.label), Formula(moved.rule)
    mark = ON_TRUST * stated
    return say("{}: {} ({}; {}){}", label, moved.value, moved.norm, rule, mark)


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
    rule = "the noise must be defined and positive for every parameter value"
    fact = say("{} = {}", "sensitivity" if calibrated else release.noise.noise, size)
    repair = say("declare open ranges that exclude zero, and $delta$ below 1; or calibrate it.")
    edit = Edit(ALL_NOISE if release.share is None else NOISE, release, Gaussian.analytic)
    return opened("noise", release.label, rule, (fact,), repair, edit=edit)


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
    rule = say(
        "its {} sensitivity must be bounded, and no rule bounds {}",
        release.noise.norm,
        path(release.statistic),
    )
    grows = None if foreign else _growth(release)
    if grows is not None:
        facts, fix = (say("{} is unbounded", Formula(release.statistic.title)),), _clipped(release)
        edit = Edit(CLIP, release.statistic)
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
    edit = Edit(CLIP, release.statistic)
    return opened(
        "sensitivity",
        release.label,
        rule,
        facts,
        _clipped(release),
        witness,
        edit,
        verdict=UNPROVED,
    )


def _clipped(release: Release) -> str:
    """The clip that bounds the statistic."""
    if "residuals" in map(variable, tables(release.statistic)):
        return say(
            "clip the residuals to public bounds before they are summed: `y.residuals(X, "
            'theta).clip("-1/2", "1/2")`.'
        )
    return "clip rows and labels to public bounds; put no aggregate of the data into a row map."


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


OF_RECORDS = "a map of records reads rows, labels, weights and released values only"


def obligations(problem: Problem) -> list[Obligation]:
    """Every structural obligation; the proved ones as one object a kind."""
    special = (*individual(problem), *thinning(problem))
    failing = [
        *_foreign(problem),
        *_tables(problem),
        *_target(problem),
        *flow(problem),
        *adaptive(problem),
        *(one for one in special if one.verdict is not PROVED),
        *_sources(problem),
        *on_nodes(problem.graph, partial(_parameters, problem)),
        *_nothing(problem),
    ]
    count = len(problem.graph.nodes)
    summary = Obligation(
        "structure",
        "graph",
        "outputs and post-processing read releases and public values only; shapes are public",
        (),
        PROVED,
        count=count,
    )
    return [*(failing or [summary]), *(one for one in special if one.verdict is PROVED)]


def _parameters(problem: Problem, nodes: Sequence[Node]) -> Iterator[Obligation]:
    """Formulas that must be positive for all parameter values."""
    pairs = ((node, name, node.formulas[name]) for node in nodes for name in node.positive)
    for node, name, formula in pairs:
        if problem.field.shown(formula, strict=True):
            continue
        decision = positive(formula, problem.field)
        witness = decision.counterexample(say("{} is not positive there", Formula(name)), formula)
        rule = say("{} must be positive for every parameter value", Formula(name))
        repair = "declare the parameter on a range where it is positive."
        attained = not any(one in formula.scope for one in (RELEASED, DATA))  # as far as is known
        verdict = REFUTED if witness is not None and attained else UNPROVED
        facts, label = (say("{} = {}", Formula(name), formula),), where(problem, node)
        yield opened("domain", label, rule, facts, repair, witness, verdict=verdict)


def _target(problem: Problem) -> Iterator[Obligation]:
    target = problem.target
    amounts = {name: getattr(target, name) for name in target.parameters}
    for name, amount in amounts.items():
        decisions = [positive(amount, problem.field)]
        if name == "delta":
            decisions.append(positive(1 - amount, problem.field))
        if all(one.proved for one in decisions) and problem.field.shown(amount, strict=True):
            continue
        rule = say(
            "the target must be meaningful for every parameter value: amounts positive, "
            "$delta$ below 1"
        )
        repair = say(
            "declare its parameters on open ranges: $epsilon$ in (0, inf), $delta$ in (0, 1)."
        )
        says = say("no guarantee has this {}", Formula(name))
        tried = (one.counterexample(says, amount) for one in decisions)
        witness = next((one for one in tried if one is not None), None)
        kind = "structure" if witness is None else "domain"  # no guarantee has such an amount
        fact = say("{} = {}", Formula(name), amount)
        yield opened(kind, "target", rule, (fact,), repair, witness)


def _foreign(problem: Problem) -> Iterator[Obligation]:
    for kind in problem.foreign:
        if kind not in problem.trust:
            name = place(kind)
            rule = "a class of your own must be named in trust="
            yield opened("trust", name, rule, (_said(kind, name),), _fix(kind))
        elif issubclass(kind, Procedure) and problem.rows != ONE:
            rule = "what a procedure of your own states is for one row a person"
            fact, repair = say("rows_per_person = {}", problem.rows), "give each person one row."
            yield opened("trust", kind.__qualname__, rule, (fact,), repair)


def _tables(problem: Problem) -> Iterator[Obligation]:
    """What a class from outside reads is of the table of this setting; a map of records reads
    records.
    """
    for node in problem.data if problem.foreign else ():
        if own(type(node)):
            continue
        if node.unit != problem.setting.unit:
            rule = (
                "what is read is of the table of this setting, whose unit says who are neighbours"
            )
            facts = (
                say("{} for {}", Formula(node.label), node.unit),
                say("the setting for {}", problem.setting.unit),
            )
            fix = say(
                "leave ``unit`` out of {}: it is that of its first input.", type(node).__qualname__
            )
            yield opened("structure", node.label, rule, facts, fix)
        others = [one for one in node.inputs if not _of_record(one)]
        if isinstance(node, (RowsNode, ColumnNode)) and others:
            read = tuple(one.label for one in others)
            fix = say("release the statistic, and read the release: `dp.release(...)`.")
            yield opened("structure", node.label, OF_RECORDS, read, fix)


def _of_record(node: Node) -> bool:
    """Whether a node is about records, or public."""
    return isinstance(facts_of(node), PER_RECORD) or node.scope in RELEASED | RECORD


def _said(kind: type, name: str) -> str:
    if kind is Shadow:
        return "an attribute that was set on a value of the graph hides what its class says"
    if name.startswith("dpframe."):
        return say("{} is not the class that dpframe's files have under that name", Formula(name))
    if issubclass(kind, (str, int, float, Fraction)):
        return say("a {} compares and computes as it likes", kind.__name__)
    if issubclass(kind, Accountant):
        return say("{} states what releases cost together", Formula(name))
    return say("{} states its own sensitivity, noise or theorem", Formula(name))


def _fix(kind: type) -> str:
    if kind is Shadow or kind.__module__.startswith("dpframe."):
        return "build it from dpframe's own classes; after an update, start Python anew."
    if issubclass(kind, (str, int, float, Fraction)):
        return "give plain text and numbers of Python."
    option = say("trust=[{}] (on the command line: --trust {})", kind.__name__, place(kind))
    return say("pass {}; the certificate then lists it among its assumptions.", option)


def _sources(problem: Problem) -> Iterator[Obligation]:
    tables = [node for node in problem.setting.nodes() if node is not None]
    declared = set(tables).union(*map(ancestors, tables))
    for source in problem.graph.sources:
        if source not in declared and source != BudgetSource(problem.setting.unit):
            rule = "every statistic reads the X and y of this setting"
            facts = (say("{} for {}", Formula(source.label), source.unit),)
            fix = "use the X and y that declare is given."
            witness, edit = Witness(says="a table of another setting"), Edit(TABLE)
            yield opened(
                "structure", source.label, rule, facts, fix, witness, edit, verdict=UNPROVED
            )


def _nothing(problem: Problem) -> Iterator[Obligation]:
    if not problem.graph.charged:
        rule = "a certificate is about what is released, and nothing is"
        facts = tuple(node.label for node in problem.graph.outputs)
        fix = say("release a statistic: `dp.release(X.T @ X, dp.Gaussian.analytic, share)`.")
        yield opened("structure", "graph", rule, facts, fix)
