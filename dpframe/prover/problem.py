"""What is to be proved: a graph, a target, a unit of privacy, over the domains of all symbols."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import attrs

from dpframe.accountants import Accountant
from dpframe.errors import InvalidArgument
from dpframe.graph import DataNode, Graph, Known, Node, Procedure, Release, Setting
from dpframe.graph.graph import Class
from dpframe.graph.maps.weighted import Thinning
from dpframe.graph.release import symbols_of
from dpframe.identity import kind_of, own, own_state, strangers
from dpframe.privacy import Each, Guarantee, PersonalizedDP
from dpframe.symbols import Expression, Symbol
from dpframe.theory.book import answers_of

from .algebra import Field

Found = TypeVar("Found")


def _read(nodes: Sequence[Node]) -> Iterator[object]:
    """All that a proof about nodes reads: themselves, what procedures hold inside, and noise that a
    theorem of somebody else's makes.
    """
    yield from nodes
    for node in nodes:
        if isinstance(node, Procedure):
            yield from _read(node.within)
        elif isinstance(node, Release) and node.rule is not None and not own(type(node.rule)):
            yield node.mechanism


@attrs.frozen(slots=False, eq=False)
class Problem:
    """`graph` shall satisfy `target` in `setting`, for all values of the symbols."""

    graph: Graph
    target: Guarantee
    setting: Setting
    trust: tuple[type, ...] = ()
    accountant: Accountant | None = None
    """One of the user's own, that the total is derived with."""
    personal: PersonalizedDP | None = None
    """Where every record has a budget of its own; `target` is then that of one record, or what
    must be shown of a sample.
    """

    @classmethod
    def of(
        cls,
        graph: Graph,
        target: Guarantee,
        setting: Setting,
        trust: tuple[type, ...] = (),
        accountant: Accountant | None = None,
    ) -> Problem:
        """The problem of a target, personalised or not."""
        personal = target if isinstance(target, PersonalizedDP) else None
        shown = target if personal is None else personal.each
        return cls(graph, claim_of(graph, shown), setting, trust, accountant, personal)

    @cached_property
    def public(self) -> bool:
        """Whether every symbol is a public parameter."""
        return all(symbol.origin is None for symbol in self.symbols)

    @property
    def claimed(self) -> Guarantee:
        """The target as it was given."""
        return self.target if self.personal is None else self.personal

    @cached_property
    def foreign(self) -> tuple[type, ...]:
        """Classes that are not dpframe's own, whose word the proof would have to take."""
        inside = [one for node in self.graph.procedures for one in _read(node.within)]
        return strangers(self.parts) if self.made_of is None or strangers(inside) else ()

    @cached_property
    def made_of(self) -> tuple[object, ...] | None:
        """All that it is made of, laid flat, when it is first asked for; None where a class is not
        dpframe's own, or is trusted.
        """
        return None if self.trust else own_state(self.graph, self.given)

    @property
    def given(self) -> tuple[object, ...]:
        """What the graph is to satisfy, where, and on whose word."""
        return (self.target, self.personal, self.setting, self.trust, self.accountant)

    @property
    def trusted(self) -> tuple[str, ...]:
        """Those of them that `trust` names, as module:Class: what a proof takes on their word."""
        return tuple(place(kind) for kind in self.foreign if kind in self.trust)

    @property
    def parts(self) -> tuple[object, ...]:
        """All that a proof reads."""
        own_parts = (self.setting, self.target, self.personal, self.accountant)
        return (*_read(self.graph.nodes), *own_parts)

    @property
    def data(self) -> Iterator[DataNode]:
        """Every node of data, also those that procedures hold inside."""
        return (one for one in _read(self.graph.nodes) if isinstance(one, DataNode))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol of the target, the unit and the graph, by name."""
        own = () if self.personal is None else self.personal.formulas
        formulas = (*self.target.amounts, *own, self.rows)
        read = {symbols_of(node) for node in self.graph.distinct}
        every = frozenset().union(*(formula.symbols() for formula in formulas), *read)
        found = sorted(every, key=lambda symbol: symbol.name)
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
    def classes(self) -> tuple[Class, ...]:
        """One representative and the size of each class of releases that pose one obligation."""
        return self.graph.classes

    @cached_property
    def epsilons(self) -> frozenset[Expression]:
        """The shares of epsilon, which the plan proves to be positive."""
        given = dict.fromkeys(charged.share for charged in self.graph.charged)
        return frozenset(s.epsilon for s in given if s is not None and "epsilon" in s.currency)

    @cached_property
    def of_cells(self) -> bool:
        """Whether a node reads one cell of a public partition."""
        return any(answers_of(kind_of(cls)).one_cell for cls in self.graph.kinds.values())

    @cached_property
    def field(self) -> Field:
        """The exact algebra of these symbols."""
        return Field(self.symbols)

    @property
    def rows(self) -> Expression:
        """Rows per person."""
        return self.setting.unit.rows_per_person


def on_nodes(graph: Graph, find: Callable[[Sequence[Node]], Iterator[Found]]) -> list[Found]:
    """What is found at nodes, where it is found at the first of equal releases if at any."""
    return list(find(graph.nodes)) if any(True for _ in find(graph.distinct)) else []


def place(kind: type) -> str:
    """`module:Class`."""
    return f"{kind.__module__}:{kind.__qualname__}"


def trusted_classes(trust: object) -> tuple[type, ...]:
    """Classes whose word a proof may take. Raises InvalidArgument."""
    if not isinstance(trust, Collection) or not all(isinstance(one, type) for one in trust):
        way_out = "Each is named by itself: what derives from it is not meant."
        raise InvalidArgument("trust", "a list of classes, such as [MyNoise]", trust, way_out)
    return tuple(trust)


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
    return graph.of_kind(Thinning)
