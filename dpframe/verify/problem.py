"""What is to be proved: a graph, a target, a unit of privacy, over the domains of all symbols."""

from __future__ import annotations

from functools import cached_property

import attrs

from dpframe.graph import Graph, Setting
from dpframe.graph.columns import ClipColumn
from dpframe.graph.rows import RowMap
from dpframe.graph.statistics import Linear
from dpframe.guarantees import Guarantee
from dpframe.symbols import Expression, Symbol

from .algebra import Field


@attrs.frozen(slots=False, eq=False)
class Problem:
    """`graph` shall satisfy `target` in `setting`, for all values of the symbols in their domains."""

    graph: Graph
    target: Guarantee
    setting: Setting

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol of the target, the unit and the graph, by name."""
        found = set().union(*(formula.symbols() for formula in (*self.target.amounts, self.setting.unit.rows_per_person)))
        found = found.union(*(formula.symbols() for release in self.graph.releases for formula in release.formulas.values()))
        for node in self.graph.nodes:
            found = found.union(*(formula.symbols() for formula in _bounds(node)))
        return tuple(sorted(found, key=lambda symbol: (symbol.name, str(symbol.domain))))

    @cached_property
    def field(self) -> Field:
        """The exact algebra of these symbols."""
        return Field(self.symbols)

    @property
    def rows(self) -> Expression:
        """Rows per person."""
        return self.setting.unit.rows_per_person


def _bounds(node: object) -> list[Expression]:
    """The public formulas of row maps, label maps and linear combinations."""
    if isinstance(node, Linear):
        return list(node.coefficients)
    if isinstance(node, ClipColumn):
        return [node.lower, node.upper]
    if isinstance(node, RowMap):
        return [value for value in (getattr(node, name, None) for name in ("norm", "value", "by", "columns")) if isinstance(value, Expression)]
    return []
