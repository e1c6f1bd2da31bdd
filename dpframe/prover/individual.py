"""Budgets of each record: what a declaration may read of them, and why one number of noise serves
everybody.

A size of noise that reads a record's own budget is, when it is executed, the largest over all
budgets. So every record meets at least the noise that its own budget asks for, and more noise never
costs more: what is proved with the record's own numbers in the place of the largest holds for every
record. Proof page: proofs/personalized.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from dpframe.graph import Node, OfBudgets, Procedure
from dpframe.graph.facts import answers
from dpframe.graph.loop import ancestors
from dpframe.graph.maps.weighted import Weighing, WeightedOnGrid
from dpframe.graph.procedures import TiltedMinimum
from dpframe.graph.release import symbols_of
from dpframe.graph.statistics import Statistic
from dpframe.privacy import Each
from dpframe.privacy.personal import own_symbols_of
from dpframe.symbols import RECORD, Number

from .obligation import PROVED, REFUTED, UNPROVED, Obligation, Witness
from .problem import Problem, on_nodes

RULE = (
    "noise is the largest that any record's budget asks for, and more noise never costs more "
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
    facts = tuple(f"{symbol.name} {symbol.domain}" for symbol in own)
    return [Obligation("personal", "every record", RULE, facts, PROVED)]


def _without_target(problem: Problem) -> Iterator[Obligation]:
    of_all = problem.graph.of_kind(OfBudgets)
    if problem.personal is None and (of_all or not problem.public):
        yield from on_nodes(problem.graph, partial(_of_records, str(problem.target)))


def _of_records(target: str, nodes: Sequence[Node]) -> Iterator[Obligation]:
    for node in nodes:
        own = any(RECORD in symbol.scope for symbol in symbols_of(node))
        if own or isinstance(node, OfBudgets):
            rule = "what reads each record's budget needs a target that has them"
            fix = "certify for dp.PersonalizedDP(dp.each('epsilon')), or another of its kind."
            yield Obligation("personal", node.label, rule, (target,), UNPROVED, repair=fix)


def _symbols(problem: Problem) -> Iterator[Obligation]:
    """A record's own numbers are those of the target; numbers of all budgets are what they say."""
    own = () if problem.personal is None else own_symbols_of(problem.personal.each)
    for symbol in problem.symbols:
        origin = symbol.origin
        forged = isinstance(origin, OfBudgets) and symbol != origin.symbol
        strange = isinstance(origin, Each) and problem.personal is not None and symbol not in own
        if forged or strange:
            rule = "records read the numbers of the target, and numbers of all budgets as they are"
            facts, fix = (symbol.name,), "read budget.epsilon and its like, and X.total(...)."
            yield Obligation("personal", symbol.name, rule, facts, UNPROVED, repair=fix)


def _public(problem: Problem) -> Iterator[Obligation]:
    if problem.personal is None or problem.personal.public:
        return
    rule = "budgets must be public: weights and noise follow from them, and are published"
    facts = (f"{problem.personal}; declared with public=False",)
    says = (
        "budget vectors (1/10, 1, ..., 1) and (1, 1, ..., 1): a record's private attribute, or "
        "its budget, changes everybody's weight and the noise, by an amount that nothing hides"
    )
    fix = (
        "let people choose budgets without regard to their data, publish them and say so "
        "(public=True); or give everybody the smallest: dp.PureDP(...)."
    )
    yield Obligation("personal", "budgets", rule, facts, REFUTED, Witness(says=says), fix)


def _one_row(problem: Problem) -> Iterator[Obligation]:
    if problem.rows == ONE:
        return
    rule = "personalised budgets belong to people with one row each"
    facts = (f"rows_per_person = {problem.rows}",)
    fix = "give each person one row, or divide a person's budget among that person's rows."
    yield Obligation("personal", "budgets", rule, facts, UNPROVED, repair=fix)


def _only_noise(problem: Problem) -> Iterator[Obligation]:
    """The rule is about noise: not about procedures, bounds that may fail, or noise of others."""
    graph = problem.graph
    others: list[Node] = [one for one in graph.procedures if not isinstance(one, TiltedMinimum)]
    others += graph.bounds
    foreign = problem.foreign
    others += [one for one in graph.releases if {one.noise, type(one.rule)} & {*foreign}]
    for node in others:
        what = "a procedure" if isinstance(node, Procedure) else "noise that is not dpframe's own"
        rule = "personalised budgets are spent on noise of which more never costs more"
        fix = "release statistics with noise: dp.release(...)."
        yield Obligation("personal", node.label, rule, (what,), UNPROVED, repair=fix)


def _last(problem: Problem) -> Iterator[Obligation]:
    """Weighed rows and labels are read by sums whose rules hold record by record."""
    for node in problem.graph.nodes:
        reads = ancestors(node) if isinstance(node, Statistic) else node.inputs
        weighed = any(isinstance(one, (Weighing, WeightedOnGrid)) for one in reads)
        if weighed and not answers(node).record_by_record:
            rule = "rows and labels are weighed last, and summed: X'X, X'y, y'y, sums of rows"
            what = "a statistic" if isinstance(node, Statistic) else "a map"
            fact = f"{node.label}, {what}, reads weighed records"
            fix = "clip and scale first, then X.weighted(w); other statistics are not shown yet."
            yield Obligation("personal", node.label, rule, (fact,), UNPROVED, repair=fix)
