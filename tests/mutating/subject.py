"""What operators edit: a declaration on a table, for a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import attrs

from dpframe.graph import Graph, Node, Procedure, Regression, Release
from dpframe.graph.rewriting import Replacement, Rewriting, rewritten
from dpframe.graph.rows import ColumnNode, RowsNode
from dpframe.mechanisms import AdditiveNoise
from dpframe.privacy import ADD_REMOVE, Relation, Share, Unit


@attrs.frozen(slots=False, eq=False)
class Subject:
    """A declaration `of` what is edited, its table and its budget; its graph is built once."""

    of: Regression
    X: RowsNode
    y: ColumnNode | None
    budget: Share

    @cached_property
    def graph(self) -> Graph:
        """The graph as it is declared."""
        return self.declared(self.X, self.y, self.budget)

    def declared(self, X: RowsNode, y: ColumnNode | None, budget: Share) -> Graph:
        """The graph as it is declared on another table, or for another budget."""
        return Graph.of(self.of.declare(X, y, budget))  # type: ignore[arg-type]

    @property
    def relation(self) -> Relation:
        """Who is a neighbour."""
        return self.X.unit.relation

    @property
    def added(self) -> bool:
        """Whether a neighbour has one record more or less: then n is private."""
        return self.relation is ADD_REMOVE

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """Every release, also those of graphs inside of procedures."""
        inner = [graph for one in self.graph.procedures for graph in inside(one)]
        return (*self.graph.releases, *(one for graph in inner for one in graph.releases))

    @property
    def charged(self) -> tuple[Release | Procedure, ...]:
        """Everything that claims a share."""
        return tuple(one for one in self.graph.charged if one.share is not None)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every node, also those of graphs inside of procedures."""
        inner = [graph for one in self.graph.procedures for graph in inside(one)]
        return tuple(dict.fromkeys([*self.graph.nodes, *(n for g in inner for n in g.nodes)]))

    def replaced(self, changes: Mapping[Any, Replacement]) -> Any:
        """The output with nodes replaced."""
        return rewritten(self.graph.output, changes)

    def frozen(self, changes: Mapping[Any, Replacement]) -> Any:
        """The output with nodes replaced and all noise left at the size that it has now."""
        return self.replaced({**{one: keep(one.mechanism) for one in self.releases}, **changes})

    def beside(self, *nodes: Node) -> tuple[Node, ...]:
        """The outputs, and nodes beside them."""
        return (*self.graph.outputs, *nodes)


@attrs.frozen
class Change:
    """One edit: where, and the output that it makes, built when it is asked for."""

    place: str
    output: Callable[[], Any]


Changes = Callable[[Subject], Iterator[Change]]


@attrs.frozen
class Operator:
    """A kind of edit: `changes` lists those that it makes of a declaration.

    `breaks` says whether it is meant to break the claim, or must leave it as it is. `never`: no
    edit of its can be private, so that acceptance is an error whoever confirms it.
    """

    name: str
    says: str
    changes: Changes
    breaks: bool = True
    never: bool = False


def keep(noise: AdditiveNoise) -> Replacement:
    """A release with stated noise."""
    return lambda release: attrs.evolve(release, stated=noise)


def inside(procedure: Procedure) -> tuple[Graph, ...]:
    """The graphs that are parts of a procedure."""
    found: tuple[Graph, ...] = getattr(procedure, "graphs", ())
    return found


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
