"""The table of rules: does a procedure earn its share?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dpframe.graph import Procedure

from ..edit import Edit
from ..judge import Earned
from ..obligation import PROVED, UNPROVED, Obligation, Witness
from ..problem import Problem

Rule = Callable[[Problem, Any], Sequence[Obligation]]
RULES: dict[type[Procedure], Rule] = {}


def entered(kind: type[Procedure]) -> Callable[[Rule], Rule]:
    """Enter the rule of a kind of procedure: it lists every obligation of the theorem."""

    def enter(rule: Rule) -> Rule:
        RULES[kind] = rule
        return rule

    return enter


def earned(problem: Problem, procedure: Procedure) -> Sequence[Earned]:
    """What the theorem of a procedure needs. A trusted kind of the user's own is believed."""
    rule = RULES.get(type(procedure))
    if rule is None:
        word = f"{type(procedure).__qualname__} earns its share on its word"
        return [Earned(Obligation("share", procedure.label, word, (), PROVED))]
    return [Earned(obligation) for obligation in rule(problem, procedure)]


def needed(  # noqa: PLR0917 - a line of a proof, in the order in which it is read
    procedure: Procedure,
    holds: object,
    rule: str,
    fact: str,
    way_out: str,
    says: str = "",
    *,
    edit: Edit | None = None,
) -> Obligation:
    """One hypothesis of a theorem: proved, or open with a way out."""
    if holds:
        return Obligation("theorem", procedure.label, rule, (fact,), PROVED)
    witness = Witness(says=says) if says else None
    return Obligation(
        "theorem", procedure.label, rule, (fact,), UNPROVED, witness, way_out, edit=edit
    )
