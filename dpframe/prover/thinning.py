"""Samples in which each record has a coin of its own: what must hold around the claim about the
sample. Proof page: proofs/thinning.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpframe.graph import DataNode, Node
from dpframe.graph.maps.base import MappedColumn, MappedRows
from dpframe.graph.maps.thinned import Sampled, Thinning
from dpframe.graph.maps.weighted import BudgetSource
from dpframe.graph.statistics import Statistic
from dpframe.privacy import ADD_REMOVE, PersonalizedDP
from dpframe.symbols import Number

from .obligation import PROVED, REFUTED, UNPROVED, Obligation, Witness
from .problem import Problem, thinnings

ONE = Number(Fraction(1))
RULE = (
    "a record that is kept with probability min(1, (e^epsilon - 1)/(e^t - 1)) pays at most its "
    "own epsilon for what costs t on the sample [JorgensenYC15, Thm 1] (proofs/thinning)"
)


def thinning(problem: Problem) -> list[Obligation]:
    """Every obligation of samples; the proved ones as one object."""
    found = thinnings(problem.graph)
    if not found:
        return []
    failing = [*_one(found), *_relation(problem), *_of_target(problem, found[0])]
    failing += _all_read(problem)
    failing += _sampled_twice(problem)
    facts = tuple(f"t = {one.threshold}" for one in found)
    return failing or [Obligation("sample", "every record", RULE, facts, PROVED)]


def _open(label: str, rule: str, fact: str, fix: str, says: str = "") -> Obligation:
    verdict, witness = (REFUTED, Witness(says=says)) if says else (UNPROVED, None)
    return Obligation("sample", label, rule, (fact,), verdict, witness, fix)


def _one(found: tuple[Thinning, ...]) -> Iterator[Obligation]:
    if len(found) > 1:
        fact = f"{len(found)} samples"
        yield _open("samples", "one declaration reads one sample", fact, "draw one, and share it.")


def _relation(problem: Problem) -> Iterator[Obligation]:
    if problem.setting.relation is not ADD_REMOVE:
        rule = "sampling hides whether a record is there: the theorem is one of add/remove"
        fix = "use dp.ADD_REMOVE, or weigh the records: X.weighted(w)."
        yield _open("sample", rule, str(problem.setting.relation), fix)


def _of_target(problem: Problem, coins: Thinning) -> Iterator[Obligation]:
    """The coins fall by the target's own epsilon, and delta is the target's."""
    personal, fix = problem.personal, "take dp.graph.thinned(X, y, budget, threshold) as it is."
    if not isinstance(personal, PersonalizedDP):
        rule = "a sample by each record's budget needs a target that has them"
        yield _open("sample", rule, str(problem.target), "certify for dp.PersonalizedDP(...).")
        return
    each, base = personal.each, coins.base
    wanted = each.amounts == (coins.epsilon, *base.amounts[1:])
    if type(each) is not type(base) or not wanted:
        rule = "the coins fall by the budgets of the target"
        yield _open("sample", rule, f"{coins.epsilon}, target {each}", fix)


def _sampled_twice(problem: Problem) -> Iterator[Obligation]:
    for release in problem.graph.releases:
        if release.sampled is not None:
            rule = "a sample is not sampled again"
            fix = "leave `sampled` out, or read the whole table."
            yield _open(release.label, rule, f"sampled = {release.sampled}", fix)


def _all_read(problem: Problem) -> Iterator[Obligation]:
    """Statistics read the sample, and nothing else of the table."""
    for node in (*problem.graph.statistics, *problem.graph.procedures):
        for read in node.inputs:
            data = isinstance(read, DataNode) and not isinstance(read, (Statistic, BudgetSource))
            if data and not _sampled(read):
                rule = "everything that is released reads the sample, and nothing else of the table"
                fact = f"{node.label} reads {read.label}"
                yield _open(node.label, rule, fact, "use the rows that dp.graph.thinned returns.")


def _sampled(node: Node) -> bool:
    """Whether a map reads kept records only."""
    if isinstance(node, Sampled):
        return True
    if not isinstance(node, (MappedRows, MappedColumn)):
        return False
    data = [one for one in node.inputs if isinstance(one, DataNode)]
    return all(_sampled(one) for one in data if not isinstance(one, BudgetSource)) and bool(data)
