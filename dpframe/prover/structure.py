"""Structure: bounds are positive; tables, classes and the target are what a certificate says;
released numbers are what their symbols state, and the point of a loop is read by that loop only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from dpframe.accountants import Accountant
from dpframe.graph import (
    ColumnNode,
    Iterate,
    Known,
    Node,
    Post,
    Procedure,
    Release,
    RowsNode,
    points_of,
)
from dpframe.graph.bound import good
from dpframe.graph.facts import facts_of
from dpframe.graph.maps.weighted import BudgetSource
from dpframe.graph.post import ancestors
from dpframe.graph.statistics import Count, Statistic
from dpframe.identity import Shadow, own
from dpframe.symbols import DATA, ONE, PUBLIC, RECORD, RELEASED, Symbol
from dpframe.theory.facts import PER_RECORD
from dpframe.wording import Formula, say

from .flow import flow, where
from .noise import individual
from .parallel import thinning
from .problem import (
    PROVED,
    REFUTED,
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

OF_RECORDS = "a map of records reads rows, labels, weights and released values only"


def obligations(problem: Problem) -> list[Obligation]:
    """Every structural obligation; the proved ones as one object a kind."""
    special = (*individual(problem), *thinning(problem))
    failing = [
        *_foreign(problem),
        *_tables(problem),
        *_target(problem),
        *flow(problem),
        *_known(problem),
        *_loops(problem),
        *(one for one in special if not one.proved),
        *_sources(problem),
        *on_nodes(problem.graph, partial(_parameters, problem)),
        *_nothing(problem),
    ]
    rule = "outputs and post-processing read releases and public values only; shapes are public"
    count = len(problem.graph.nodes)
    summary = Obligation("structure", "graph", rule, (), PROVED, count=count)
    return [*(failing or [summary]), *(one for one in special if one.proved)]


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
            witness, edit = Witness(says="a table of another setting"), Edit("table")
            yield opened(
                "structure", source.label, rule, facts, fix, witness, edit, verdict=UNPROVED
            )


def _nothing(problem: Problem) -> Iterator[Obligation]:
    if not problem.graph.charged:
        rule = "a certificate is about what is released, and nothing is"
        facts = tuple(node.label for node in problem.graph.outputs)
        fix = say("release a statistic: `dp.release(X.T @ X, dp.Gaussian.analytic, share)`.")
        yield opened("structure", "graph", rule, facts, fix)


def _known(problem: Problem) -> Iterator[Obligation]:
    """Released numbers are what their symbols state: released, in one range, bounded by a rule."""
    for symbol in problem.symbols:
        origin = symbol.origin
        if isinstance(origin, Known) and symbol != origin.symbol:
            yield _mistaken(symbol.name, "its symbol has the range that execution enforces")
        if isinstance(origin, Statistic) and origin.scope is PUBLIC and not _rows(symbol, origin):
            yield _mistaken(
                symbol.name, say("of constant statistics, formulas read n alone: `X.rows`")
            )
    for node in problem.graph.known:
        if not isinstance(node.value, (Release, Post, Known)):
            yield _mistaken(
                node.name, say("only a release or a `dp.post(...)` of releases is known")
            )
    for bound in problem.graph.bounds:
        if not good(bound):
            yield _mistaken(bound.name, "a bound is of one noisy number, drawn once, in its range")


def _rows(symbol: Symbol, origin: Statistic) -> bool:
    return type(origin) is Count and symbol == origin.rows.rows


def _mistaken(label: str, rule: str) -> Obligation:
    fix = say("`dp.known`, `dp.graph.lower_bound` and `dp.graph.upper_bound` make them.")
    return opened("structure", label, rule, (), fix)


def _loops(problem: Problem) -> Iterator[Obligation]:
    """The point of a loop is read by the query of that loop only."""
    graph = problem.graph
    iterates = graph.of_kind(Iterate)
    read = {node: points_of(node) if iterates else () for node in graph.nodes}
    steps: dict[Node, Node] = {loop.point: loop.step for loop in graph.loops}
    once = len(steps) == len(graph.loops)
    for charged in graph.charged:
        points = read[charged]
        if points and not (once and [steps.get(point) for point in points] == [charged]):
            rule = "a release reads the point of one loop, which makes this query and nothing else"
            facts = tuple(point.label for point in points)
            fix = say("`dp.loop(point, step, update)` moves the point; each point has one loop.")
            yield opened("structure", charged.label, rule, facts, fix)
    readers = [node for node in (*graph.posts, *graph.known) if read[node]]
    for node in (*readers, *(one for one in iterates if one in graph.outputs)):
        rule = say(
            "the point of a loop is read by its query alone; `dp.loop(...)` gives all points"
        )
        fix = say("read the loop instead of its point.")
        yield opened("structure", node.label, rule, (node.label,), fix)
    queries = {one.step for one in graph.loops if one.point in read[one.step]}
    steps_of = {one.step for one in graph.loops}
    for release in graph.releases:
        if release.sampled is not None and release in steps_of and release not in queries:
            rule = "a loop draws a sample of the rows for an answer about its point"
            facts = (say("sampled = {}", release.sampled),)
            fix = say("let its step read the point, or leave the loop out.")
            yield opened("structure", release.label, rule, facts, fix)
