"""Which rows and labels may occur in a table. Refutations use it; proofs do not. One entry per kind
of map; of a map from outside, nothing is known to occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from dpframe.identity import own
from dpframe.symbols import ONE, RELEASED, ZERO, Number, Symbol

from .facts import stated

if TYPE_CHECKING:
    from .node import Node
    from .rows import RowsOrLabels


@attrs.frozen
class Occurring:
    """Which rows, or labels, may occur whatever the other records are: all finite ones, the whole
    ball, the whole box, one whose norm attains the bound.
    """

    any_finite: bool = False
    ball: bool = False
    box: bool = False
    extreme: bool = False


UNKNOWN, ANY_FINITE, EXTREME = Occurring(), Occurring(any_finite=True), Occurring(extreme=True)


MAPS: dict[str, Occurring | Callable[[Any], Occurring]] = {}
Entered = TypeVar("Entered")


def entry(table: dict[str, Any], *kinds: str) -> Callable[[Entered], Entered]:
    """Register an entry, a function or a constant, for kinds of nodes in a table."""

    def enter(value: Entered) -> Entered:
        table.update(dict.fromkeys(kinds, value))
        return value

    return enter


entry(MAPS, "rows", "column")(ANY_FINITE)
entry(MAPS, "encode", "normalize")(EXTREME)
entry(MAPS, "capped")(UNKNOWN)


def entry_of(table: dict[str, Any], node: Node) -> Any:
    """The entry for a node's kind, if the rule book knows it; none is inherited from outside."""
    if not own(type(node)):
        return None
    return None if stated(node) is None else table.get(vars(type(node)).get("kind", ""))


@lru_cache(maxsize=4096)
def occurring(node: RowsOrLabels) -> Occurring:
    """Which rows or labels occur."""
    own = entry_of(MAPS, node)
    known: Occurring = own(node) if callable(own) else own or UNKNOWN
    return known


@entry(MAPS, "clip_norm")
def _clip_norm(node: Any) -> Occurring:
    """Points of the sphere are projections of points outside it."""
    source, ball = node.source, occurring(node.source).any_finite
    room = None if source.norm is None else source.norm**2 - node.norm**2
    outside = isinstance(room, Number) and room.value >= 0
    return Occurring(ball=ball, extreme=ball or (source.extreme and outside))


@entry(MAPS, "box")
def _box(node: Any) -> Occurring:
    """Corners are clipped values of points outside the box."""
    any_finite = occurring(node.source).any_finite
    return Occurring(box=any_finite, extreme=any_finite)


@entry(MAPS, "intercept")
def _intercept(node: Any) -> Occurring:
    return Occurring(extreme=node.source.extreme)


@entry(MAPS, "scale")
def _scale(node: Any) -> Occurring:
    """Division by a private number: nothing is known to occur."""
    source, ball, box = node.source, node.norm is not None, node.entry is not None
    extreme = ball and source.extreme
    return Occurring(ball=ball and source.ball, box=box and source.box, extreme=extreme)


@entry(MAPS, "scaled_columns")
def _scaled_columns(node: Any) -> Occurring:
    alike = len(set(node.by)) == 1 and not any(node.minus)
    return Occurring(ball=alike and node.source.ball, extreme=alike and node.source.extreme)


@entry(MAPS, "weighted_rows", "weighted_column")
def _weighted(node: Any) -> Occurring:
    """The record's own ball, for weighted records."""
    source = node.source
    return Occurring(ball=source.ball, extreme=getattr(source, "extreme", False))


FINE = 16  # bits of a grid


@entry(MAPS, "grid", "weighted_grid")
def _on_grid(node: Any) -> Occurring:
    """Up to 2^-FINE of the bound; on a coarser grid only rows along an axis, which are exact where
    the grid subsumes the clip to the bound.
    """
    source, fine = node.source, node.bits >= FINE
    exact = source.ball and getattr(node, "reads", source) is not source
    return Occurring(ball=fine and source.ball, extreme=source.extreme and (fine or exact))


@entry(MAPS, "box_grid")
def _box_grid(node: Any) -> Occurring:
    return Occurring(box=node.source.box, extreme=node.source.extreme)


@entry(MAPS, "clip_column")
def _clip_column(node: Any) -> Occurring:
    symmetric = node.lower + node.upper == Number(Fraction(0))
    return Occurring(ball=symmetric and _filled(node))


@entry(MAPS, "unit_interval")
def _unit_interval(node: Any) -> Occurring:
    return Occurring(ball=_filled(node))


def _filled(node: Any) -> bool:
    """Whether labels may occur everywhere in the interval to which they are clipped."""
    source, ends = node.source, (node.lower, node.upper)
    if occurring(source).any_finite:
        return True
    within = _within(source)
    return within is not None and all(
        isinstance(end, Number) and abs(end.value) <= within for end in ends
    )


def _within(column: Any) -> Fraction | None:
    """The largest c for which labels may occur everywhere in [-c, c], as a number. Also if a
    released number from a public range is subtracted: one pair of labels serves for all its values.
    """
    bound = column.bound
    shifted = entry_of(MAPS, column) is _scaled_labels
    if shifted and column.by == ONE and isinstance(column.minus, Symbol):
        below, span = _within(column.source), column.minus.domain
        if below is None or span.lower is None or span.upper is None:
            return None
        return below - max(abs(span.lower), abs(span.upper))
    return bound.value if isinstance(bound, Number) and occurring(column).ball else None


@entry(MAPS, "grid_column", "weighted_grid_column")
def _labels_on_grid(node: Any) -> Occurring:
    """Up to 2^-FINE of the bound; the bound itself where the grid subsumes the clip to it."""
    exact = getattr(node, "reads", node.source) is not node.source
    return Occurring(ball=(exact or node.bits >= FINE) and node.source.ball)


@entry(MAPS, "scaled_labels")
def _scaled_labels(node: Any) -> Occurring:
    public = node.bound is not None and RELEASED not in node.by.scope
    return Occurring(ball=public and node.source.ball)


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


def zero_occurs(column: Any) -> bool:
    """Whether some double is mapped to exactly 0: it is, for intervals centred at 0."""
    ends = ((getattr(one, "lower", ZERO), getattr(one, "upper", ZERO)) for one in _maps(column))
    return all(lower + upper == ZERO for lower, upper in ends)


def rounded(column: Any) -> bool:
    """Whether labels are rounded onto a grid, which bins may be narrower than."""
    return any("grid" in one.kind for one in _maps(column))
