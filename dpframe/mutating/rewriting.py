"""A graph with some of its nodes replaced; everything above them is built again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from dpframe.graph import Graph, Known, Node
from dpframe.graph.maps.grid import Grid, GridColumn
from dpframe.graph.rebuilding import rebuilt
from dpframe.privacy import Unit
from dpframe.symbols import Expression, Symbol

Replacement = Callable[[Any], Any]
"""From a node, built again on what was replaced below it, to what stands in its place."""


def rewritten(output: Any, changes: Mapping[Any, Replacement]) -> Any:
    """The output of a graph in which every node of `changes` is replaced, wherever it is read: by
    inputs, formulas, parts. Nodes that read none of them are kept as they are.
    """
    return Rewriting(changes).mapped(output)


@attrs.frozen
class Rewriting:
    """One walk over a graph, from what is read to what reads it."""

    changes: Mapping[Any, Replacement]
    done: dict[Node, Any] = attrs.field(factory=dict, init=False)

    def mapped(self, value: Any) -> Any:
        """A value of any field, on replaced nodes; the very value where it reads none."""
        if isinstance(value, Node):
            return self.node(value)
        if isinstance(value, Expression):
            return self.formula(value)
        if isinstance(value, tuple):
            parts = tuple(map(self.mapped, value))
            return value if all(a is b for a, b in zip(parts, value, strict=True)) else parts
        if isinstance(value, Graph):
            output = self.mapped(value.output)
            return value if output is value.output else Graph.of(output)
        return self.rebuilt(value) if attrs.has(type(value)) else value

    def node(self, node: Node) -> Any:
        """What stands for a node."""
        if node not in self.done:
            bare = self.without_grid(node)
            again = self.rebuilt(node) if bare is None else bare
            change = self.changes.get(node)
            found = again if change is None else self.settled(change(again))
            self.done[node] = found
            if isinstance(found, Known):
                self.done[found] = found  # formulas that speak of it already stay as they are
        return self.done[node]

    def settled(self, node: Any) -> Any:
        """What a change made, with formulas that speak of replaced nodes speaking of the new ones.

        Its inputs are as the change put them.
        """
        if not isinstance(node, Node):
            return node
        own = [field for field in attrs.fields(type(node)) if field.init]  # type: ignore[arg-type]
        found = {field.alias: getattr(node, field.name) for field in own}
        fixed = {name: self.mapped(part) for name, part in found.items() if not _reads(part)}
        fixed = {name: part for name, part in fixed.items() if part is not found[name]}
        return attrs.evolve(node, **fixed) if fixed else node  # type: ignore[misc]

    def without_grid(self, node: Node) -> Any:
        """What is under a grid, where that was replaced: statistics put a grid under it anew, where
        it is still bounded.
        """
        if type(node) not in (Grid, GridColumn):
            return None
        source = self.node(node.source)  # type: ignore[attr-defined]
        return None if source is node.source else source  # type: ignore[attr-defined]

    def rebuilt(self, value: Any) -> Any:
        """An attrs value with mapped fields; the very value where none changed."""
        return rebuilt(value, self.mapped)

    def formula(self, formula: Expression) -> Expression:
        """A formula whose symbols stand for what was replaced."""
        found = {one.name: self.symbol(one) for one in formula.symbols() if one.origin is not None}
        moved = {name: new for name, (old, new) in found.items() if new is not old}
        return formula.substitute(moved) if moved else formula

    def symbol(self, symbol: Symbol) -> tuple[Symbol, Expression]:
        """A symbol, and the formula that stands for it."""
        origin = symbol.origin
        again = self.node(origin) if isinstance(origin, Node) else origin
        if again is origin:
            return symbol, symbol
        if isinstance(again, Expression):
            return symbol, again
        if isinstance(again, Known):
            return symbol, again.symbol
        return symbol, attrs.evolve(symbol, origin=again)


def _reads(value: Any) -> bool:
    """Whether a value holds nodes themselves, not only formulas."""
    parts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(part, (Node, Graph)) for part in parts)


def in_unit(node: Any, unit: Unit) -> Any:
    """Declared data, as that of a table with another unit of privacy."""
    return InUnit({}, unit).mapped(node)


@attrs.frozen
class InUnit(Rewriting):
    """A walk that gives every table one unit of privacy."""

    unit: Unit

    def mapped(self, value: Any) -> Any:
        """The unit in place of any unit."""
        return self.unit if isinstance(value, Unit) else super().mapped(value)
