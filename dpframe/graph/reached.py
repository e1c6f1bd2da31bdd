"""Which sensitivity bounds are attained by some pair of neighbours. Refutations and audits use it;
proofs do not. Each statistic answers for itself (`Statistic.attains`); of a class from outside, and
where the rule book derives nothing, nothing is known to be attained.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.privacy import Relation
from dpframe.sensitivity import L1, RANGE, Norm
from dpframe.symbols import ONE, ZERO

from .facts import answered

if TYPE_CHECKING:
    from .rows import ColumnNode, RowsNode
    from .statistics import Statistic

Reached = tuple[str, bool]
AT_MOST_L1: Reached = ("|a - b| <= |a| + |b|: at most L1", False)


@attrs.frozen
class Metrics:
    """The norm of a sensitivity, and the neighbouring relation."""

    norm: Norm
    relation: Relation

    @property
    def replaced(self) -> bool:
        """Whether neighbours have equally many rows."""
        return self.relation.replaced


def reached(statistic: Statistic, norm: Norm, relation: Relation) -> Reached:
    """The rule that bounds the sensitivity of a statistic, and whether some pair of neighbours is
    known to attain the bound. Under add/remove the pair is always one row of norm B with |y| = Y,
    so one pair attains all attained bounds simultaneously.
    """
    ranged, at = norm is RANGE, Metrics(norm, relation)
    if not answered(statistic):
        return AT_MOST_L1 if ranged else ("", False)
    rule, attained = (statistic.attains_range if ranged else statistic.attains)(at)
    return rule, attained and relation.all_pairs


def exchanged(statistic: Statistic) -> ColumnNode | None:
    """The labels for which replacing Y by -Y attains the bounds of a statistic, or None."""
    return statistic.exchanged if answered(statistic) else None


def moves_evenly(statistic: Any) -> bool:
    """Whether one added record attains every attained L1 and L2 bound of the statistic, and moves
    all entries alike: a row of a ball with equal entries, and |y| = Y.
    """
    return answered(statistic) and bool(getattr(statistic, "even", False))


def pair_needs(what: str, node: Any) -> bool:
    """Whether a statistic, or one that it is computed from, moves furthest beside "many_rows"; or,
    if it is "angled", by two rows that are not parallel.
    """
    own = answered(node) and getattr(node, what, False)
    return own or any(pair_needs(what, one) for one in node.inputs)


# ------------------------------------------------------------------------- Records that may occur
def corners(rows: RowsNode) -> bool:
    """Whether rows may occur whose 1-norm attains its bound; for a box, a row of largest 2-norm."""
    return rows.ball if rows.entry is None else rows.extreme


def filled(rows: RowsNode) -> bool:
    """Whether all rows of the ball may occur; of the box, where entries are bounded."""
    return rows.ball if rows.entry is None else rows.box


def opposite(rows: RowsNode, at: Metrics) -> bool:
    """Whether a row x may occur that moves a sum of rows furthest, with -x to replace it."""
    if at.replaced:
        return filled(rows)
    return corners(rows) if at.norm is L1 else rows.extreme


def every_entry(rows: RowsNode) -> bool:
    """Whether rows may occur whose entries differ as much as their bound allows, beside any other
    row.
    """
    return rows.columns != ONE and filled(rows)


def corner(rows: RowsNode, column: ColumnNode, at: Metrics, *, constant: bool) -> bool:
    """Whether a record may occur with all entries and |y| at their bounds (a row of a box with the
    largest 2-norm is a corner); and, under replace-one, any record inside the box as its neighbour,
    where y^2, if it is counted, changes.
    """
    if not at.replaced:
        return column.ball and corners(rows)
    return column.ball and rows.box and (not constant or every_size(column))


def _maps(column: Any) -> Iterator[Any]:
    """The maps that make labels of those of the table, the last one first."""
    while hasattr(column, "source"):
        yield column
        column = column.source


def of_classes(column: Any) -> bool:
    """Whether labels may be codes of two classes: a graph does not record how its labels were
    declared.
    """
    ends = ((getattr(one, "lower", None), getattr(one, "upper", None)) for one in _maps(column))
    return (ZERO, ONE) in ends


def every_size(column: ColumnNode) -> bool:
    """Whether every label within the bound, and labels of size 0, may occur. Labels of two classes,
    read as 0 and 1 and mapped to -1 and 1, are never 0.
    """
    return column.ball and not of_classes(column)


def zero_occurs(column: Any) -> bool:
    """Whether some double is mapped to exactly 0: it is, for intervals centred at 0."""
    ends = ((getattr(one, "lower", ZERO), getattr(one, "upper", ZERO)) for one in _maps(column))
    return all(lower + upper == ZERO for lower, upper in ends)


def rounded(column: Any) -> bool:
    """Whether labels are rounded onto a grid, which bins may be narrower than."""
    return any("grid" in one.kind for one in _maps(column))
