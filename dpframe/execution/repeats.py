"""Sums that were read already: residuals at coefficients of zero are labels, and what is clipped
alike has the same sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from dpframe.graph import Node
from dpframe.graph.maps.residual_labels import ResidualLabels
from dpframe.graph.node import DataNode
from dpframe.graph.statistics import BlockSum
from dpframe.symbols import Expression, Number

Released = Mapping[Node, Any]
Learned = Mapping[str, Expression]


def repeated(
    asked: Iterable[BlockSum],
    before: Iterable[Node],
    learned: Mapping[str, Fraction],
    released: Released,
) -> dict[BlockSum, Node]:
    """For sums of residuals at zero, which sum that is known has the same value to the last bit, if
    any: of equal maps of the same table, once `learned` numbers stand in their formulas.
    """
    zero = [one for one in asked if any(at_zero(node, released) for node in _below(one))]
    numbers: Learned = {name: Number(value) for name, value in learned.items()} if zero else {}
    same = {one: _first_like(one, before, numbers, released) for one in zero}
    return {one: other for one, other in same.items() if other is not None}


def _first_like(
    asked: BlockSum, before: Iterable[Node], learned: Learned, released: Released
) -> Node | None:
    wanted = plain(asked, learned, released)
    alike = (one for one in before if type(one) is type(asked))
    return next((one for one in alike if plain(one, learned, released) == wanted), None)


def at_zero(node: Node, released: Released) -> bool:
    """Whether a node is labels minus nothing."""
    if not isinstance(node, ResidualLabels):
        return False
    theta = released.get(node.theta)
    return isinstance(theta, np.ndarray) and theta.size > 0 and not np.any(theta)


def plain(node: Any, learned: Learned, released: Released) -> Any:
    """The node with learned numbers in its formulas and residuals at zero as labels."""
    if at_zero(node, released):
        return plain(node.source, learned, released)
    fields = [field for field in attrs.fields(type(node)) if field.init]
    found = {field.alias: getattr(node, field.name) for field in fields}
    fixed = {name: _plain(part, learned, released) for name, part in found.items()}
    fixed = {name: part for name, part in fixed.items() if part is not found[name]}
    return attrs.evolve(node, **fixed) if fixed else node


def _plain(part: Any, learned: Learned, released: Released) -> Any:
    if isinstance(part, DataNode):
        return plain(part, learned, released)
    return part.substitute(learned) if isinstance(part, Expression) else part


def _below(node: Node) -> Iterable[Node]:
    yield node
    for one in node.inputs:
        if isinstance(one, DataNode):
            yield from _below(one)
