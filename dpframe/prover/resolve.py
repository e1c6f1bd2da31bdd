"""Parts of formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpframe.symbols import Call, Expression


def outermost(formula: Expression) -> list[Expression]:
    """Every function call that is not inside another, each once."""
    if isinstance(formula, Call):
        return [formula]
    inner = (one for part in formula.parts for one in outermost(part))
    return list(dict.fromkeys(inner))


def atoms(formula: Expression) -> frozenset[Call]:
    """Every function call in the formula."""
    inner: frozenset[Call] = frozenset().union(*(atoms(part) for part in formula.parts))
    return inner | {formula} if isinstance(formula, Call) else inner


def substituted(formula: Expression, replaced: Mapping[Any, Expression]) -> Expression:
    """The formula with other formulas in place of some."""
    if formula in replaced:
        return replaced[formula]
    if not formula.parts:
        return formula
    return formula.rebuild(tuple(substituted(part, replaced) for part in formula.parts))
