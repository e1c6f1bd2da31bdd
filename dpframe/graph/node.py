"""What every node of a graph has: a kind, inputs, its own parameters, and a name a person would
give it.
"""

from __future__ import annotations

import numbers
from abc import abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, NoReturn

from dpframe.errors import InvalidArgument, TouchesData
from dpframe.operators import Operation, Symbolic
from dpframe.privacy import Unit
from dpframe.symbols import DATA, RECORD, Expression, Scope, exact, to_json

from .reading import READS, Reading

READ = "read by a formula or a statistic"


class Node(Symbolic):
    """Abstract: one node of a declaration, which has no value while it is declared. (No ABC: its
    instance checks would dominate verification.)
    """

    __slots__ = ()
    __abstractmethods__: ClassVar[frozenset[str]]
    kind: ClassVar[str]
    spoken: ClassVar[str] = "released"
    """Which sentences of `ways_out` it answers operators and unknown names by."""
    implied: ClassVar[bool] = False
    """Whether dpframe put it there: no person wrote it."""
    scope: ClassVar[Scope] = DATA
    """What its value depends on: on the data, the strictest, where it does not say less."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A class that leaves an abstract method out makes no nodes."""
        super().__init_subclass__(**kwargs)
        names = {*vars(cls), *getattr(cls, "__abstractmethods__", ())}
        left_out = (name for name in names if _is_abstract(getattr(cls, name, None)))
        cls.__abstractmethods__ = frozenset(left_out)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes this one reads: the fields that are nodes, or tuples of nodes, in order."""
        found: list[Node] = []
        for part in held(self).values():
            if isinstance(part, Node):
                found.append(part)
            elif isinstance(part, tuple):
                found += [one for one in part if isinstance(one, Node)]
        return tuple(found)

    @property
    @abstractmethod
    def label(self) -> str:
        """How a person would write it."""

    @property
    def readings(self) -> dict[str, Reading]:
        """The formulas it reads besides its inputs, by name, and what each may depend on: the
        fields that `reads` marks.
        """
        cls: type = type(self)
        marked = ((reads, getattr(self, name)) for name, reads in _reads(cls))
        return {
            reads.name: Reading(formula, reads.may, reads.positive)
            for reads, formula in marked
            if formula is not None
        }

    @property
    def derived(self) -> dict[str, Reading]:
        """What it computes of formulas of other nodes, and what that may depend on."""
        return {}

    @property
    def formulas(self) -> dict[str, Expression]:
        """The formulas it reads besides its inputs, by name. One that `readings` does not name may
        read public numbers only.
        """
        return {name: reading.formula for name, reading in self.readings.items()}

    @property
    def positive(self) -> tuple[str, ...]:
        """Names of the formulas that must be positive for every parameter value."""
        return tuple(name for name, reading in self.readings.items() if reading.positive)

    @property
    def assumption(self) -> str:
        """What a proof would take on this node's word, in one sentence that names it; "" where
        everything is derived. Certificates and audits list it.
        """
        return ""

    def refuse(self, operation: Operation) -> NoReturn:
        """Raises TouchesData."""
        from .ways_out import refusal

        raise TouchesData(refusal(self, operation))

    def unknown(self, name: str) -> str:
        """What to write instead, or what was meant."""
        from .ways_out import missing

        return missing(self, name)

    def __expression__(self) -> Expression:
        return self.refuse(Operation(READ, "{}", (self,)))

    def record(self) -> dict[str, object]:
        """Its own parameters as JSON values: formulas, numbers and names; never data. By default
        every field that is no node.
        """
        return {name: written(value) for name, value in held(self).items() if not _of_nodes(value)}


def _is_abstract(part: object) -> bool:
    return bool(getattr(part, "__isabstractmethod__", False))


def held(node: Node) -> dict[str, object]:
    """The fields of a node; where its class is none of attrs, all that it holds."""
    cls: type = type(node)
    names = fields_of(cls) if hasattr(cls, "__attrs_attrs__") else vars(node)
    return {name: getattr(node, name) for name in names}


@lru_cache(maxsize=1024)
def fields_of(cls: type) -> tuple[str, ...]:
    """The names of the fields of an attrs class."""
    return tuple(field.name for field in getattr(cls, "__attrs_attrs__", ()))


@lru_cache(maxsize=1024)
def _reads(cls: type) -> tuple[tuple[str, Any], ...]:
    """The fields of an attrs class that hold formulas which it reads, and what was said of them."""
    fields = [one for one in getattr(cls, "__attrs_attrs__", ()) if READS in one.metadata]
    return tuple((one.name, one.metadata[READS].called(one.name)) for one in fields)


def _of_nodes(value: object) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return bool(parts) and all(isinstance(part, Node) for part in parts)


def written(value: Any) -> object:
    """A parameter as JSON values. Raises InvalidArgument."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, tuple):
        return [written(part) for part in value]
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Expression):
        return to_json(value)
    if not hasattr(value, "record"):
        way_out = "A node with another one says in `record` how it is written."
        raise InvalidArgument("parameter", "a formula, an exact number or a name", value, way_out)
    own: object = value.record()
    return own


class DataNode(Node):
    """Abstract: a node that holds data until it is released. It meets neither numpy nor Python's
    control flow.
    """

    __slots__ = ()
    spoken: ClassVar[str] = "data"

    @property
    def unit(self) -> Unit:
        """The unit of privacy of the table that it reads: that of its first input."""
        return next(one.unit for one in self.inputs if isinstance(one, DataNode))


def one_number(node: DataNode, given: object, done: str, operator: str) -> Expression:
    """A number or formula that all records have in common, for an operator of rows or labels.
    Raises TouchesData for anything else, InvalidArgument for what is no number.
    """
    if isinstance(given, (Expression, numbers.Number, str)):
        formula = exact(given)
        if RECORD not in formula.scope:
            return formula
    return node.refuse(Operation(done, f"{{}} {operator} {{}}", (node, given)))


def path(node: Node) -> str:
    """The way from the source to `node`: `X -> clip to norm 1 -> X'X`."""
    steps = [node.label]
    while node.inputs:
        node = node.inputs[0]
        steps += [] if node.implied else [node.label]
    return " -> ".join(reversed(list(dict.fromkeys(steps))))
