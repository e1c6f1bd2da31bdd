"""How two neighbours differ: which records may occur, and how far raw statistics move."""

from __future__ import annotations

from collections.abc import Iterator

from dpframe.graph import ColumnNode, Node, RowsNode
from dpframe.graph.facts import answers
from dpframe.graph.maps.bounds import ClipColumn, ClipNorm
from dpframe.graph.maps.scaled import Scaled, ScaledLabels
from dpframe.graph.rows import occurring
from dpframe.graph.statistics import AGGREGATES, RawAggregate, Statistic
from dpframe.sensitivity import L2
from dpframe.symbols import PUBLIC, ZERO
from dpframe.wording import Formula, Text, say


def varies(data: Node) -> bool:
    """Whether records near 0 and records far from 0 may occur, whatever the other records are."""
    records = occurring(data) if isinstance(data, (RowsNode, ColumnNode)) else None
    return records is not None and (records.any_finite or records.ball or records.box)


def occurs(table: RowsNode | ColumnNode) -> bool:
    """Whether a record may occur whose size is the bound, or is arbitrary."""
    records = occurring(table)
    return records.any_finite or records.ball or records.extreme


def tables(node: Node) -> Iterator[RowsNode | ColumnNode]:
    """The rows and labels that a statistic reads, before rounding onto a grid."""
    for one in node.inputs:
        if isinstance(one, Statistic) or answers(one).rounds:
            yield from tables(one)
        elif isinstance(one, (RowsNode, ColumnNode)):
            yield one


def unclipped(node: Node) -> Node:
    """The rows or labels before the clip to public bounds around 0."""
    while isinstance(node, ClipNorm) or (
        isinstance(node, ClipColumn) and node.lower + node.upper == ZERO
    ):
        if any(formula.scope is not PUBLIC for formula in node.formulas.values()):
            break
        node = node.source
    return node


def moves(statistic: Statistic) -> str:
    """How far the statistic differs between two neighbours, in words; a bound that no pair is
    known to attain is called a bound.
    """
    if isinstance(statistic, RawAggregate):
        what, before, after = AGGREGATES[statistic.name]
        return say("{}: {}; {}", what, before, after)
    sensitivity = statistic.sensitivity(L2)
    if statistic.kind == "count":
        return "a table of 1 row and its neighbour of 2 rows give n = 1 and n = 2"
    if sensitivity is None:
        return say("one row changes {}, by an amount that no rule bounds", Formula(statistic.title))
    norm = " in L2 norm" if statistic.shape else ""
    size = say("{}{}, with no noise in between", sensitivity.value, Text((norm,)))
    if sensitivity.attained and sensitivity.value != ZERO:
        return say("{} of some two neighbours differs by {}", Formula(statistic.title), size)
    return say("one unit may move {}, by at most {}", Formula(statistic.title), size)


def differs(node: Node) -> bool:
    """Whether two neighbours are known with different raw data; released unchanged, they refute
    every claim.
    """
    if isinstance(node, (RowsNode, ColumnNode)):
        return not node.unit.relation.replaced or varies(node)
    if isinstance(node, RawAggregate):
        return varies(node.data)
    if not isinstance(node, Statistic):
        return False
    moved = node.one_row(L2, node.unit.relation)
    if moved is not None:
        return moved.attained and moved.value != ZERO
    return node.unbounded and all(varies(undivided(one)) for one in tables(node))


def undivided(node: Node) -> Node:
    """The rows or labels before a division."""
    while isinstance(node, (Scaled, ScaledLabels)):
        node = node.source
    return node
