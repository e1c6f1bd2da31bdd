"""A declaration with other noise: declared once, measured, and rewritten."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.mechanisms import AdditiveNoise
from dpframe.privacy import PureDP, Share
from dpframe.symbols import Expression, Number, Symbol

from .columns import Column, ColumnSource
from .graph import Graph, Regression, declared
from .loop import Loop
from .node import noting
from .post import Post
from .release import Release
from .rewriting import Rewriting, rebuilt, rewritten
from .rows import Rows, RowSource

Rule = Callable[[Release], Release]


def recalibrated(
    of: Regression, X: Rows, y: Column | None, budget: Share, rule: Callable[[Graph], Rule]
) -> Any:
    """The output of a declaration in which every release is what a rule makes of it; the rule is
    chosen by the graph as it is declared. Post-processing that reads the std of a release is given
    the new one, everything else the one that was declared. Raises InvalidArgument.
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
    """A walk from drafts of tables to tables. Formulas have the std of a release as it is declared;
    arguments of functions keep the symbol of it.
    """

    def rebuilt(self, value: Any) -> Any:
        """An attrs value with mapped fields."""
        return rebuilt(value, self.with_stds if isinstance(value, (Post, Loop)) else self.mapped)

    def with_stds(self, value: Any) -> Any:
        """An argument of a function, on replaced nodes."""
        if isinstance(value, tuple):
            return tuple(map(self.with_stds, value))
        if isinstance(value, Expression):
            return self.formula(value, self.reference)
        return self.mapped(value)

    def reference(self, symbol: Symbol) -> Expression:
        """What stands for a symbol in an argument of a function."""
        if isinstance(symbol.origin, Release):
            return self.node(symbol.origin).std_symbol  # type: ignore[no-any-return]
        return self.symbol(symbol)

    def symbol(self, symbol: Symbol) -> Expression:
        """What stands for a symbol elsewhere."""
        if isinstance(symbol.origin, Release):
            return self.node(symbol.origin).deviation  # type: ignore[no-any-return]
        return super().symbol(symbol)


@attrs.frozen
class Scaling:
    """All noise `factor` times as large; shares, which other noise no longer earns, are dropped.
    Under a pure budget each release then spends its guarantee divided by the factor: its share of
    `pure`.
    """

    factor: Expression
    pure: Share | None = None

    def release(self, declared: Release) -> Release:
        """A release with the noise that it states or that its theorem prescribes, scaled. Raises
        InvalidArgument.
        """
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
