"""Formulas with their maxima decided, where exact algebra can tell which argument is larger."""

from __future__ import annotations

from collections.abc import Mapping

from dpframe.symbols import Call, Expression, Power

from .algebra import Field
from .sign import nonnegative


def resolve(
    formula: Expression, field: Field, replaced: Mapping[Expression, Expression]
) -> Expression:
    """`formula` with subformulas replaced, and each max of two arguments decided where one is
    larger on the whole domain.
    """
    return _resolve(formula, field, dict(replaced))


def _resolve(formula: Expression, field: Field, known: dict[Expression, Expression]) -> Expression:
    if formula in known:
        return known[formula]
    if not formula.parts:
        return formula
    parts = tuple(_resolve(part, field, known) for part in formula.parts)
    known[formula] = (
        _larger(parts, field)
        if isinstance(formula, Call) and formula.name == "max"
        else formula.rebuild(parts)
    )
    return known[formula]


def _larger(parts: tuple[Expression, ...], field: Field) -> Expression:
    kept = list(dict.fromkeys(parts))
    for part in parts:
        others = [other for other in kept if other != part]
        if part in kept and any(nonnegative(other - part, field).proved for other in others):
            kept.remove(part)
    return kept[0] if len(kept) == 1 else Call("max", tuple(kept))


def outermost(formula: Expression, *, roots: bool = False) -> list[Expression]:
    """Every function call, and every root where `roots`, that is not inside another, each once."""
    root = roots and isinstance(formula, Power) and formula.exponent.denominator > 1
    if isinstance(formula, Call) or root:
        return [formula]
    inner = (one for part in formula.parts for one in outermost(part, roots=roots))
    return list(dict.fromkeys(inner))


def atoms(formula: Expression) -> frozenset[Call]:
    """Every function call in the formula."""
    inner: frozenset[Call] = frozenset().union(*(atoms(part) for part in formula.parts))
    return inner | {formula} if isinstance(formula, Call) else inner
