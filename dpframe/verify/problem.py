"""What is to be proved: a graph, a target, a unit of privacy, over the domains of all symbols."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import attrs

from dpframe.errors import InvalidArgument
from dpframe.graph import Graph, Known, Node, Procedure, Release, Setting
from dpframe.graph.maps.thinned import Thinning
from dpframe.graph.node import own
from dpframe.graph.partition import parts_of
from dpframe.guarantees import Each, Guarantee, PersonalizedDP
from dpframe.symbols import Expression, Symbol

from .algebra import Field


def _classes(nodes: Sequence[Node]) -> list[type]:
    """The classes of nodes and of their parts, of noise, theorems and shares."""
    used: list[type] = [type(node) for node in nodes]
    used += [type(part) for node in nodes for part in parts_of(node)]
    releases = [node for node in nodes if isinstance(node, Release)]
    used += [type(release.stated) for release in releases]
    theirs = [r for r in releases if r.rule is not None and not own(type(r.rule))]
    used += [type(release.mechanism) for release in theirs]
    procedures = [node for node in nodes if isinstance(node, Procedure)]
    used += [type(one.share) for one in releases if one.share]
    used += [type(one.share) for one in procedures]
    return used + [kind for one in procedures for kind in _classes(one.within)]


@attrs.frozen(slots=False, eq=False)
class Problem:
    """`graph` shall satisfy `target` in `setting`, for all values of the symbols."""

    graph: Graph
    target: Guarantee
    setting: Setting
    trust: tuple[type, ...] = ()
    personal: PersonalizedDP | None = None
    """Where every record has a budget of its own; `target` is then that of one record, or what
    must be shown of a sample.
    """

    @classmethod
    def of(
        cls, graph: Graph, target: Guarantee, setting: Setting, trust: tuple[type, ...] = ()
    ) -> Problem:
        """The problem of a target, personalised or not."""
        personal = target if isinstance(target, PersonalizedDP) else None
        shown = target if personal is None else personal.each
        return cls(graph, claim_of(graph, shown), setting, trust, personal)

    @property
    def claimed(self) -> Guarantee:
        """The target as it was given."""
        return self.target if self.personal is None else self.personal

    @cached_property
    def foreign(self) -> tuple[type, ...]:
        """Classes that are not dpframe's own, whose word the proof would have to take."""
        used = _classes(self.graph.nodes)
        used += [type(part) for part in (self.setting, self.setting.X, self.setting.y) if part]
        used += [type(part) for part in self.setting.X.columns or ()]
        return tuple(kind for kind in dict.fromkeys(used) if not own(kind))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol of the target, the unit and the graph, by name."""
        formulas = [
            *self.target.amounts,
            *(() if self.personal is None else self.personal.formulas),
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
    if isinstance(symbol.origin, Known):
        return " (released)"
    if isinstance(symbol.origin, Each):
        return " (of each record)"
    return "" if symbol.origin is None else " (read from the data)"


def claim_of(graph: Graph, target: Guarantee) -> Guarantee:
    """What must be shown of all releases: of a sample, its threshold; of the table, the target."""
    found = thinnings(graph)
    return found[0].base if len(found) == 1 else target


def thinnings(graph: Graph) -> tuple[Thinning, ...]:
    """The samples of a graph, in which each record has a coin of its own."""
    return tuple(node for node in graph.nodes if isinstance(node, Thinning))
