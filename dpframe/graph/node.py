"""What every node of a graph has: a kind, inputs, its own parameters, and a name a person would
give it.

Formulas that a node reads besides its inputs, what each may depend on and must be.
"""

from __future__ import annotations

import math
import numbers
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, NoReturn

import attrs

from dpframe.errors import SHORT, InvalidArgument, Plain, TouchesData
from dpframe.operators import Operation, Symbolic
from dpframe.privacy import Share, Unit
from dpframe.symbols import (
    DATA,
    PUBLIC,
    RECORD,
    RELEASED,
    Expression,
    Number,
    Scope,
    Symbol,
    exact,
    to_json,
)

READS = "reads"


@attrs.frozen
class Reading:
    """A formula that a node reads. It may depend on numbers of the scopes `may` only: on public
    ones, where nothing more is said. `positive`: it must be so for every parameter value.
    """

    formula: Expression
    may: Scope = PUBLIC
    positive: bool = False


@attrs.frozen
class Reads:
    """What is said of a field that holds a formula: its name in messages, that of the field where
    it is "", and as in `Reading`.
    """

    name: str
    may: Scope
    positive: bool

    def called(self, field: str) -> Reads:
        """With the name of the field where it has none."""
        return self if self.name else attrs.evolve(self, name=field)


def reads(name: str = "", *, may: Scope = RELEASED, positive: bool = False) -> dict[Any, Any]:
    """The metadata of an attrs field that holds a formula, perhaps None, which its node reads."""
    return {READS: Reads(name, may, positive)}


def share_readings(share: Share, may: Scope = PUBLIC) -> dict[str, Reading]:
    """The weights and wholes of a share, by name. Budgets are divided before anything is released;
    `may` is RECORD where what each record pays follows from its own.
    """
    found = {
        f"share of {name}": Reading(weight, may)
        for name, weight in zip(share.currency, share.weights, strict=True)
    }
    return found | {
        f"budget of {name}": Reading(whole, may)
        for name, whole in zip(share.currency, share.wholes, strict=True)
    }


def positive(value: object, name: str = "norm") -> Expression:
    """An exact formula; a number must be positive, and a public parameter's range. The verifier
    judges everything else. Raises InvalidArgument.
    """
    bound = exact(value, name)
    wrong = isinstance(bound, Number) and bound.value <= 0
    if wrong or (isinstance(bound, Symbol) and bound.origin is None and not bound.domain.positive):
        way_out = "A bound is a public number, or dp.parameter(name) with a positive range."
        raise InvalidArgument(name, "positive", str(bound), way_out)
    return bound


def check_ends(name: str, lower: Fraction, upper: Fraction) -> None:
    """Refuse bounds between which no double is finite and positive. Raises InvalidArgument."""
    if lower >= upper or not 0 < to_float(upper) - to_float(lower) < math.inf:
        found = Plain(f"{lower} and {upper}")
        title = name if len(name) <= SHORT else "a column"
        raise InvalidArgument(f"bounds of {title}", "increasing", found, "Give lower < upper.")


def to_float(value: Fraction) -> float:
    """The nearest double, infinite beyond all."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def check_interval(lower: Expression, upper: Expression) -> None:
    """Refuse ends that are not increasing numbers, or not -Y and Y for a positive parameter Y."""
    if isinstance(lower, Number) and isinstance(upper, Number):
        check_ends("y", lower.value, upper.value)
        return
    known = isinstance(upper, Symbol) and (upper.domain.positive or upper.origin is not None)
    if lower != -upper or not known:
        wanted = "two numbers, or bound=Y with a positive public parameter Y"
        raise InvalidArgument("bounds of y", wanted, Plain(f"{lower} and {upper}"), "")


READ = "read by a formula or a statistic"


MADE: ContextVar[list[Node] | None] = ContextVar("MADE", default=None)


@contextmanager
def noting() -> Iterator[list[Node]]:
    """What is released meanwhile."""
    made: list[Node] = []
    token = MADE.set(made)
    try:
        yield made
    finally:
        MADE.reset(token)


def noted(node: Node) -> None:
    """A declaration that is being read releases this."""
    made = MADE.get()
    if made is not None:
        made.append(node)


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
    def title(self) -> str:
        """The label, or more where refusals and audits say more."""
        return self.label

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


def titled(text: str) -> Any:
    """A `label` that is written as `text`, where `{0.bound}` is the attribute of that name."""

    def label(node: Node) -> str:
        return text.format(node)

    return property(label)


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
    if isinstance(value, (tuple, list)):
        return [written(part) for part in value]
    if isinstance(value, dict):
        return {name: written(part) for name, part in value.items()}
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
    steps = [node.title]
    while node.inputs:
        node = node.inputs[0]
        steps += [] if node.implied else [node.title]
    return " -> ".join(reversed(list(dict.fromkeys(steps))))
