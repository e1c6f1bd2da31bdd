"""Nodes as they stand in a certificate: dpframe's own by their parameters, those of a class from
outside by what they state, which is then taken on trust.
"""

from __future__ import annotations

from fractions import Fraction

from dpframe.identity import kind_of
from dpframe.sensitivity import L1, L2, Norm
from dpframe.symbols import Expression, Number, Symbol, to_json
from dpframe.symbols.expression import Domain
from dpframe.theory.trusted import LABEL, MARGIN

from .columns import Column
from .maps.weighted import Weight
from .node import Node
from .objectives import Bounds, Objective
from .procedure import Procedure
from .rows import Rows
from .statistics import Statistic

ONE, SIZE = Number(Fraction(1)), Domain(Fraction(0), None, lower_closed=True)


def record(node: Node) -> dict[str, object]:
    """The kind and the parameters of a node of dpframe's own."""
    return {"kind": kind_of(type(node)), **node.record()}


def trusted(node: Node) -> dict[str, object]:
    """What a node of a class from outside states of itself, and its parameters."""
    said = _stated(node)
    if not said:
        return record(node)
    return {**said, "trusted": kind_of(type(node)), "parameters": node.record()}


def _stated(node: Node) -> dict[str, object]:
    if isinstance(node, Rows):
        bounds = {"norm": _bound(node.norm), "norm1": _bound(node.norm1), "step": _step(node)}
        kept = {"columns": to_json(node.columns), "unit_norm": node.unit_norm or None}
        return {"kind": "trusted_rows", **kept, **bounds}
    if isinstance(node, Column):
        return {"kind": "trusted_column", "limit": _bound(node.bound), "step": _step(node)}
    if isinstance(node, Statistic):
        shape = [to_json(size) for size in node.shape]
        moves = {"l1": _move(node, L1), "l2": _move(node, L2)}
        mirrored = {"symmetric": True} if node.symmetric else {}
        own = {"shape": shape, **moves, "step": _step(node), **mirrored}
        return {"kind": "trusted_statistic", **own}
    if isinstance(node, Procedure):
        amounts = dict(zip(node.share.currency, map(to_json, node.share.amounts), strict=True))
        return {"kind": "trusted_release", "share": amounts, "name": node.name}
    if isinstance(node, Objective):
        return {"kind": "trusted_loss", **_loss(node)}
    if isinstance(node, Weight):
        return {"kind": "trusted_weight", "factor": to_json(node.factor)}
    return {}


def _step(node: Node) -> object:
    """The step of its grid, where it states one."""
    return _bound(getattr(node, "step", None))


def _loss(loss: Objective) -> dict[str, object]:
    """Bounds on slope and curvature, of rows of norm 1: formulas of bounds on |x'theta| and |y|;
    `anywhere` is a bound on the slope for every theta.
    """
    margin, label = Symbol(MARGIN, SIZE), Symbol(LABEL, SIZE)
    return {
        "slope": _bound(loss.slope(Bounds(ONE, label, margin))),
        "anywhere": _bound(loss.slope(Bounds(ONE, label))),
        "curvature": _bound(loss.curvature(Bounds(ONE, label))),
    }


def _bound(value: Expression | None) -> object:
    return None if value is None else to_json(value)


def _move(statistic: Statistic, norm: Norm) -> object:
    found = statistic.one_row(norm, statistic.unit.relation)
    return None if found is None else to_json(found.value)
