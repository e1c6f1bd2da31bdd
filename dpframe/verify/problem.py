"""What is to be proved: a graph, a target, a unit of privacy, over the domains of all symbols."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph, Setting
from dpframe.graph.node import own
from dpframe.guarantees import Guarantee
from dpframe.symbols import Expression, Symbol

from .algebra import Field


@attrs.frozen(slots=False, eq=False)
class Problem:
    """`graph` shall satisfy `target` in `setting`, for all values of the symbols."""

    graph: Graph
    target: Guarantee
    setting: Setting
    trust: tuple[type, ...] = ()

    @cached_property
    def foreign(self) -> tuple[type, ...]:
        """Classes that are not dpframe's own, whose word the proof would have to take."""
        used: list[type] = [type(node) for node in self.graph.nodes]
        used += [type(release.stated) for release in self.graph.releases]
        theirs = [r for r in self.graph.releases if r.rule is not None and not own(type(r.rule))]
        used += [type(release.mechanism) for release in theirs]
        used += [type(release.share) for release in self.graph.releases if release.share]
        used += [type(part) for part in (self.setting, self.setting.X, self.setting.y) if part]
        used += [type(part) for part in self.setting.X.columns or ()]
        return tuple(kind for kind in dict.fromkeys(used) if not own(kind))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol of the target, the unit and the graph, by name."""
        formulas = [
            *self.target.amounts,
            self.rows,
            *(f for node in self.graph.nodes for f in node.formulas.values()),
        ]
        found = sorted(
            set().union(*(formula.symbols() for formula in formulas)),
            key=lambda symbol: symbol.name,
        )
        for symbol in found:
            if symbol.origin is None and not symbol.name.isidentifier():
                way_out = "dp.parameter makes parameters."
                raise InvalidArgument("parameter", "with a Python name", symbol.name, way_out)
        for one, other in pairwise(found):
            if one.name == other.name:
                ranges = f"{one.domain}{_reading(one)} and {other.domain}{_reading(other)}"
                raise InvalidArgument(
                    f"parameter {one.name}",
                    "one parameter with one range",
                    ranges,
                    "Use another name, or the same range everywhere.",
                )
        return tuple(found)

    @cached_property
    def field(self) -> Field:
        """The exact algebra of these symbols."""
        return Field(self.symbols)

    @property
    def rows(self) -> Expression:
        """Rows per person."""
        return self.setting.unit.rows_per_person


def _reading(symbol: Symbol) -> str:
    return "" if symbol.origin is None else " (read from the data)"
