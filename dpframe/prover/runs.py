"""Random stopping: every graph that may be run is private, its score included. (proofs/tuning)"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from dpframe.graph import Graph
from dpframe.graph.procedures.random_stopping import RandomStopping

from .edit import SHARES, Edit
from .obligation import PROVED, REFUTED, UNPROVED, Obligation, Witness
from .problem import Problem

SOURCE = "[LiuT19; PapernotS22, Cor 3]"


def private_runs(problem: Problem, best: RandomStopping) -> Sequence[Obligation]:
    """Each graph, fit and score together, is epsilon_0-DP, where 3 epsilon_0 is the share."""
    found = [_private(problem, best, graph) for graph in best.graphs]
    opened = [one for one in found if one.verdict is not PROVED]
    return opened or [found[0]]


def _within(best: RandomStopping, edit: Edit) -> Edit:
    """An edit of a graph in it: of shares, those of the graphs in it."""
    return attrs.evolve(edit, node=best) if edit.what == SHARES else edit


def _private(problem: Problem, best: RandomStopping, graph: Graph) -> Obligation:
    from .report import verify  # which asks for this rule

    inner = Problem(graph, best.each, problem.setting, problem.trust)
    report = verify(inner)
    rule = f"each run and its score are {best.each} {SOURCE}"
    fact = f"{len(best.graphs)} candidates, share {best.share}"
    carved = report.chosen is not None and bool(report.chosen.constraints)
    if report.proved and not carved:
        return Obligation("theorem", best.label, rule, (fact,), PROVED)
    opened = report.open_obligations
    refuted = [o for o in opened if o.verdict is REFUTED and o.kind in ("structure", "sensitivity")]
    facts = (fact, *(f"{one.node}: {one.rule}" for one in opened[:4]))
    witness = Witness(says=str(refuted[0].witness)) if refuted else None
    verdict = UNPROVED if witness is None else REFUTED
    fix = "tune a pure declaration, such as dp.FunctionalRidge, with a score that pays its share."
    edits = (one.edit for one in opened if one.edit is not None)
    edit = next(
        (_within(best, one) for one in edits if one.node is not None or one.what == SHARES), None
    )
    return Obligation("theorem", best.label, rule, facts, verdict, witness, fix, edit=edit)
