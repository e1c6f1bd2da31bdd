"""Rebuild graphs with some nodes replaced. Every node that reads a replaced one (as input, in a
formula or as a part) is rebuilt; all others remain the same objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.mechanisms import AdditiveNoise
from dpframe.privacy import PureDP, Share
from dpframe.symbols import Expression, Number, Symbol

from .graph import Graph, Regression, declared
from .known import Known
from .maps.grid import Grid, GridColumn
from .node import Node, noting
from .post import Loop, Post
from .release import Release
from .rows import ColumnNode, ColumnSource, RowsNode, RowSource

Replacement = Callable[[Any], Any]
"""From a node, built again on what was replaced below it, to what stands in its place."""

SAME = object()
"""Stands for a node that is kept: also for one that is equal to it, and another object."""


def rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """An attrs value with `change` applied to every field; the same object if nothing changes."""
    changed = {}
    for alias, name in _fields(value.__class__):
        part = getattr(value, name)
        new = change(part)
        if new is not part:
            changed[alias] = new
    return attrs.evolve(value, **changed) if changed else value


@lru_cache(maxsize=1024)
def _fields(kind: type) -> tuple[tuple[str, str], ...]:
    """The constructor argument and attribute names of the fields of an attrs class."""
    own = attrs.fields(kind) if attrs.has(kind) else ()
    return tuple((field.alias or field.name, field.name) for field in own if field.init)


def rewritten(output: Any, changes: Mapping[Any, Replacement]) -> Any:
    """The output of a graph in which every node of `changes` is replaced wherever it is read."""
    return Rewriting(changes).output(output)


@attrs.frozen
class Rewriting:
    """One traversal of a graph, from inputs to outputs."""

    changes: Mapping[Any, Replacement]
    done: dict[Any, Any] = attrs.field(factory=dict, init=False)
    waiting: set[Node] = attrs.field(factory=set, init=False)

    def output(self, output: Any) -> Any:
        """The replacement of a node, or of a tuple of nodes; graphs may be arbitrarily deep."""
        for node in Graph.of(output).nodes:
            self.node(node)
        return self.mapped(output)

    def mapped(self, value: Any) -> Any:
        """The value of a field with replaced nodes; the same object if it reads none."""
        if isinstance(value, Node):
            return self.node(value)
        if isinstance(value, Expression):
            return self.formula(value)
        if isinstance(value, tuple):
            parts = tuple(map(self.mapped, value))
            return value if all(a is b for a, b in zip(parts, value, strict=True)) else parts
        if isinstance(value, Graph):
            output = self.output(value.output)
            return value if output is value.output else Graph.of(output)
        return self.rebuilt(value) if _fields(value.__class__) else value

    def node(self, node: Node) -> Any:
        """The replacement of a node. Raises InvalidArgument if it would read itself."""
        if node not in self.done:
            if node in self.waiting:
                way_out = "Its noise may read what was released before it, nothing later."
                raise InvalidArgument("replaced node", "free of itself", node.label, way_out)
            self.waiting.add(node)
            again = self.again(node)
            change = self.changes.get(node)
            replacement = again if change is None else self.settled(change(again))
            self.done[node] = SAME if replacement is node else replacement
            if isinstance(replacement, (Known, Release)):
                self.done[replacement] = SAME  # formulas that speak of it already stay as they are
        replacement = self.done[node]
        return node if replacement is SAME else replacement

    def settled(self, node: Any) -> Any:
        """The result of a change, with formulas that refer to replaced nodes updated. Its inputs
        are left as the change set them.
        """
        if not isinstance(node, Node):
            return node
        return rebuilt(node, lambda part: part if _reads(part) else self.mapped(part))

    def again(self, node: Node) -> Any:
        """A node rebuilt on replaced inputs; a grid is chosen anew for its new rows or labels, none
        if they are unbounded.
        """
        if type(node) not in (Grid, GridColumn):
            return self.rebuilt(node)
        source = self.node(node.source)  # type: ignore[attr-defined]
        if source is node.source:  # type: ignore[attr-defined]
            return node
        bound = source.norm if isinstance(source, RowsNode) else source.bound
        return source if bound is None else source.on_grid(node.bits)  # type: ignore[attr-defined]

    def rebuilt(self, value: Any) -> Any:
        """An attrs value with mapped fields; the same object if nothing changes."""
        return rebuilt(value, self.mapped)

    def formula(
        self, formula: Expression, stands: Callable[[Symbol], Expression] | None = None
    ) -> Expression:
        """A formula with the symbols of replaced nodes substituted; `stands` maps symbols to
        formulas.
        """
        own = [one for one in formula.symbols() if one.origin is not None]
        replaced = {one: (stands or self.symbol)(one) for one in own}
        moved = {old.name: new for old, new in replaced.items() if new is not old}
        return formula.substitute(moved) if moved else formula

    def symbol(self, symbol: Symbol) -> Expression:
        """The formula that replaces a symbol."""
        origin = symbol.origin
        again = self.node(origin) if isinstance(origin, Node) else origin
        if isinstance(again, Release):
            return again.std
        if again is origin:
            return symbol
        if isinstance(again, Expression):
            return again
        return again.symbol if isinstance(again, Known) else attrs.evolve(symbol, origin=again)


def _reads(value: Any) -> bool:
    """Whether a value contains nodes, not only formulas."""
    parts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(part, (Node, Graph)) for part in parts)


# --------------------------- A declaration with other noise: declared once, measured, and rewritten
Rule = Callable[[Release], Release]


def recalibrated(
    of: Regression, X: RowsNode, y: ColumnNode | None, budget: Share, rule: Callable[[Graph], Rule]
) -> Any:
    """The output of a declaration in which `rule` changes every release; the rule is chosen from
    the declared graph. Post-processing that reads the std of a release gets the new one; all other
    formulas keep the declared one. Raises InvalidArgument.
    """
    given = Graph.of(tuple(one for one in (X, y) if one is not None))
    kinds = (RowSource, ColumnSource)
    plain = [one for one in given.sources if isinstance(one, kinds) and not one.draft]
    drafted_X, drafted_y = Rewriting(dict.fromkeys(plain, _draft)).mapped((X, y))
    tables = {_draft(one): lambda _, one=one: one for one in plain}
    drafted = declared(of, drafted_X, drafted_y, budget)
    with noting():  # procedures are made again, twice
        graph = Graph.of(Drafts(tables).output(drafted.output))
        return rewritten(graph.output, dict.fromkeys(graph.releases, rule(graph)))


def _draft(source: RowSource | ColumnSource) -> Any:
    return attrs.evolve(source, draft=True)


@attrs.frozen
class Drafts(Rewriting):
    """A traversal from drafts of tables to tables. Formulas get the std of a release as declared;
    function arguments keep its symbol.
    """

    def rebuilt(self, value: Any) -> Any:
        """An attrs value with mapped fields."""
        return rebuilt(value, self.with_stds if isinstance(value, (Post, Loop)) else self.mapped)

    def with_stds(self, value: Any) -> Any:
        """An argument of a function, with replaced nodes."""
        if isinstance(value, tuple):
            return tuple(map(self.with_stds, value))
        if isinstance(value, Expression):
            return self.formula(value, self.reference)
        return self.mapped(value)

    def reference(self, symbol: Symbol) -> Expression:
        """The replacement of a symbol in a function argument."""
        if isinstance(symbol.origin, Release):
            return self.node(symbol.origin).std_symbol  # type: ignore[no-any-return]
        return self.symbol(symbol)

    def symbol(self, symbol: Symbol) -> Expression:
        """The replacement of a symbol elsewhere."""
        if isinstance(symbol.origin, Release):
            return self.node(symbol.origin).deviation  # type: ignore[no-any-return]
        return super().symbol(symbol)


@attrs.frozen
class Scaling:
    """Multiply all noise by `factor`, and drop shares, which the new noise no longer matches. Under
    a pure budget each release then spends its guarantee divided by the factor: its share of `pure`.
    """

    factor: Expression
    pure: Share | None = None

    def release(self, declared: Release) -> Release:
        """A release with its stated or calibrated noise scaled. Raises InvalidArgument."""
        noise = _multiplied(declared.mechanism, self.factor)
        return attrs.evolve(declared, stated=noise, share=self._share(declared))

    def _share(self, declared: Release) -> Share | None:
        moved = declared.moved
        if self.pure is None or moved is None or moved.value == Number(Fraction(0)):
            return None
        guarantee = declared.guarantee(moved.value)
        if not isinstance(guarantee, PureDP) or declared.sampled is not None:
            return None
        return self.pure.split(guarantee.epsilon / (self.factor * self.pure.epsilon))[0]


def _multiplied(noise: AdditiveNoise, factor: Expression) -> AdditiveNoise:
    try:
        return noise.scaled(factor)
    except TypeError:
        way_out = "Noise of your own with several fields says how in `scaled`."
        raise InvalidArgument("mechanism", "noise that can be scaled", noise, way_out) from None
