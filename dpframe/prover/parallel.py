"""Parallel composition over public partitions: one change of the table changes few cells of each.

A release that reads one cell, and nothing else of the table, has the same distribution if that cell
does not change. So neighbours differ only in the releases of the changed cells, and in those that
read more than one cell. Proof page: proofs/partition.

Also samples with an inclusion probability for each record, and what must hold around the claim
about the sample. Proof page: proofs/thinning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, product
from math import comb, prod
from typing import TypeVar

from dpframe.graph import DataNode, Node, Partition, Procedure, Release, points_of
from dpframe.graph.facts import answers
from dpframe.graph.maps.base import MappedColumn, MappedRows
from dpframe.graph.maps.weighted import BudgetSource, Sampled, Thinning
from dpframe.graph.statistics import Statistic
from dpframe.privacy import ADD_REMOVE, PersonalizedDP
from dpframe.symbols import DATA, RECORD, Number
from dpframe.wording import Cited, Formula, say

from .problem import PROVED, Obligation, Problem, Witness, opened, thinnings

RULE = say(
    "a record that is kept with probability min(1, (e^$epsilon$ - 1)/(e^t - 1)) pays at most its "
    "own $epsilon$ for what costs t on the sample {} (proofs/thinning)",
    Cited("[JorgensenYC15, Thm 1]"),
)


def thinning(problem: Problem) -> list[Obligation]:
    """Every obligation of samples; the proved ones as one object."""
    samples = thinnings(problem.graph)
    if not samples:
        return []
    failing = [*_one_sample(problem, samples), *_all_read(problem)]
    facts = tuple(say("t = {}", one.threshold) for one in samples)
    return failing or [Obligation("sample", "every record", RULE, facts, PROVED)]


def _open(label: str, rule: str, fact: str, fix: str, says: str = "") -> Obligation:
    return opened("sample", label, rule, (fact,), fix, Witness(says=says) if says else None)


def _one_sample(problem: Problem, samples: tuple[Thinning, ...]) -> Iterator[Obligation]:
    """One sample, under add/remove, of records by the epsilon of the target, with its delta."""
    if len(samples) > 1:
        fact = say("{} samples", len(samples))
        yield _open("samples", "one declaration reads one sample", fact, "draw one, and share it.")
    if problem.setting.relation is not ADD_REMOVE:
        rule = "sampling hides whether a record is there: the theorem is one of add/remove"
        fix = say("use `dp.ADD_REMOVE`, or weigh the records: `X.weighted(w)`.")
        yield _open("sample", rule, str(problem.setting.relation), fix)
    sample, personal = samples[0], problem.personal
    fix = say("take `dp.graph.thinned(X, y, budget, threshold)` as it is.")
    if not isinstance(personal, PersonalizedDP):
        rule = "a sample by each record's budget needs a target that has them"
        yield _open(
            "sample", rule, str(problem.target), say("certify for `dp.PersonalizedDP(...)`.")
        )
        return
    each, base = personal.each, sample.base
    wanted = each.amounts == (sample.epsilon, *base.amounts[1:])
    if type(each) is not type(base) or not wanted:
        rule = "records are sampled by the budgets of the target"
        yield _open("sample", rule, say("{}, target {}", sample.epsilon, each), fix)


def _all_read(problem: Problem) -> Iterator[Obligation]:
    """Statistics read the sample once, and nothing else of the table."""
    for node in (*problem.graph.statistics, *problem.graph.procedures):
        for read in node.inputs:
            data = isinstance(read, DataNode) and not isinstance(read, (Statistic, BudgetSource))
            if data and not _sampled(read):
                rule = "everything that is released reads the sample, and nothing else of the table"
                fact = say("{} reads {}", Formula(node.label), read.label)
                fix = say("use the rows that `dp.graph.thinned` returns.")
                yield _open(node.label, rule, fact, fix)
    for release in problem.graph.releases:
        if release.sampled is not None:
            rule = "a sample is not sampled again"
            fix = say("leave ``sampled`` out, or read the whole table.")
            yield _open(release.label, rule, say("sampled = {}", release.sampled), fix)


def _sampled(node: Node) -> bool:
    """Whether a map reads sampled records only."""
    if isinstance(node, Sampled):
        return True
    if not isinstance(node, (MappedRows, MappedColumn)):
        return False
    data = [one for one in node.inputs if isinstance(one, DataNode)]
    return all(_sampled(one) for one in data if not isinstance(one, BudgetSource)) and bool(data)


CITED = "at most {} of each public partition change {} (proofs/partition)"
SOURCE = Cited("[McSherry09, Thm 4]")
MOST = 256  # choices of cells that are looked at
Place = tuple[Partition, int]
Charge = TypeVar("Charge", bound="tuple[Release | Procedure, object]")


@lru_cache(maxsize=4096)
def cell_of(node: Node) -> Place | None:
    """The cell of a fixed partition that determines the value of a statistic, to which other
    records add nothing; None if there is none.
    """
    if answers(node).one_cell:
        return (node.partition, node.cell) if fixed(node) else None  # type: ignore[attr-defined]
    if not answers(node).keeps_zeros(node.record()):
        return None
    if any(DATA in one.scope for one in node.formulas.values()):
        return None
    cells = {cell_of(child) for child in node.inputs if isinstance(child, DataNode)}
    return cells.pop() if len(cells) == 1 else None


def fixed(node: Node) -> bool:
    """Whether a node and its inputs are independent of released numbers."""
    here = not points_of(node) and all(one.scope in RECORD for one in node.formulas.values())
    return here and all(isinstance(child, DataNode) and fixed(child) for child in node.inputs)


def changed(problem: Problem) -> int | None:
    """How many cells of a partition one change of the table may change: the number of rows per
    person, twice that under replace-one. None if that is unknown, or bounds may fail.
    """
    if not isinstance(problem.rows, Number) or problem.graph.bounds:
        return None
    return int(problem.rows.value) * (1 if problem.setting.relation is ADD_REMOVE else 2)


def moving(problem: Problem, charges: Sequence[Charge]) -> list[list[Charge]]:
    """Lists of charges, one of which contains everything that one change of the table affects, or
    an equal cost; a single list of all charges if no release reads cells.
    """
    most = changed(problem)
    if most is None or not problem.of_cells:
        return [list(charges)]
    groups = _by_partition(charges)
    options = [_options(cells, most) for cells in groups.values()]
    if prod(map(len, options)) > MOST:
        return [list(charges)]
    inside = {id(one) for cells in groups.values() for cell in cells.values() for one in cell}
    choices = []
    for chosen in product(*options):
        changing = {id(one) for cells in chosen for one in cells}
        choices.append([one for one in charges if id(one) not in inside or id(one) in changing])
    return choices


def coarse(problem: Problem, charges: Sequence[Charge]) -> bool:
    """Whether a release of cells may be charged for more than one change of the table affects: then
    a sum that is too large refutes nothing.
    """
    most = changed(problem)
    read = [one for one in charges if any(answers(node).one_cell for node in _below(one[0]))]
    many = any(len(cells) > (most or 0) for cells in _by_partition(charges).values())
    given_up = many and [len(some) for some in moving(problem, charges)] == [len(charges)]
    return bool(read) and (given_up or not all(_place(one[0]) for one in read))


def _below(node: Node) -> list[Node]:
    """Itself and the data that it reads."""
    data = [child for child in node.inputs if isinstance(child, DataNode)]
    return [node, *(one for child in data for one in _below(child))]


def about(problem: Problem, choices: Iterable[Iterable[Charge]]) -> tuple[str, ...]:
    """The note of a report on the choice of cells."""
    most = changed(problem)
    if most is None or not problem.of_cells:
        return ()
    if not any(_place(one[0]) for some in choices for one in some):
        return ()
    return (say(CITED, "one cell" if most == 1 else f"{most} cells", SOURCE),)


def _by_partition(charges: Iterable[Charge]) -> dict[Partition, dict[int, list[Charge]]]:
    groups: dict[Partition, dict[int, list[Charge]]] = {}
    for one in charges:
        place = _place(one[0])
        if place is not None:
            groups.setdefault(place[0], {}).setdefault(place[1], []).append(one)
    return groups


def _place(charged: Release | Procedure) -> Place | None:
    """Drawing the sample reads the whole table."""
    if not isinstance(charged, Release) or getattr(charged, "sampled", None) is not None:
        return None
    return cell_of(charged.statistic)


def _options(cells: dict[int, list[Charge]], most: int) -> list[list[Charge]]:
    """The choices of `most` cells of a partition that may change; cells with equal charges are
    represented by one.
    """
    number, alike = _numbered(), dict[tuple[str, ...], list[list[Charge]]]()
    for cell in cells.values():
        key = tuple(sorted(_signature(charge, number) for charge in cell))
        alike.setdefault(key, []).append(cell)
    kinds = [(key, cell) for key, same in alike.items() for cell in same[:most]]
    if len(cells) <= most or comb(len(kinds), most) > MOST:
        return [[one for cell in cells.values() for one in cell]]
    choices = {}
    for chosen in combinations(kinds, most):
        choices[tuple(key for key, _ in chosen)] = [one for _, cell in chosen for one in cell]
    return list(choices.values())


def _signature(charge: Charge, number: Callable[[Node], int]) -> str:
    """A charge without the number of its cell and its name."""
    release, rest = charge
    own = {**release.record(), "name": "", "rest": str(rest)}
    return repr((own, number(release.inputs[0])))


def _numbered() -> Callable[[Node], int]:
    """One number for all nodes with the same requirements on a cell; released nodes are
    distinguished by identity.
    """
    numbers: dict[object, int] = {}

    @cache
    def number(node: Node) -> int:
        own: object = node
        if isinstance(node, DataNode):
            record = {**node.record(), "cell": None, "kind": node.kind}
            own = repr((record, [number(child) for child in node.inputs]))
        return numbers.setdefault(own, len(numbers))

    return number
