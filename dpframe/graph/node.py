"""The base class of nodes: kind, inputs, parameters, a readable label; and the formulas that a node
reads, with the scope and sign that each must have.
"""

from __future__ import annotations

import math
import numbers
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import attrs

from dpframe.errors import SHORT, AttrsClass, InvalidArgument, Plain, TouchesData
from dpframe.identity import kind_of
from dpframe.operators import Operation, Symbolic
from dpframe.privacy import Guarantee, Share, Unit
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
from dpframe.theory.book import KINDS
from dpframe.wording import Formula

READS = "reads"

if TYPE_CHECKING:
    import numpy  # noqa: ICN001 - so that np is a name that others import
    from numpy.typing import NDArray

    Array = NDArray[Any]
    np = numpy
else:
    Array = Any

    class Numpy:
        """Attributes of numpy, each looked up once."""

        def __getattr__(self, name: str) -> Any:
            attribute = getattr(import_module("numpy"), name)
            setattr(self, name, attribute)
            return attribute

    np = Numpy()

Numbers = Callable[[Expression], float]
"""The value of a public formula, rounded towards zero."""
Values = Mapping[Any, Array]
"""Arrays by the nodes whose values they are."""


@attrs.frozen
class Reading:
    """A formula that a node reads. It may depend on numbers of the scopes `may` only (public ones
    by default). `positive`: it must be positive for all parameter values.
    """

    formula: Expression
    may: Scope = PUBLIC
    positive: bool = False


def reads(name: str = "", *, may: Scope = RELEASED, positive: bool = False) -> dict[Any, Any]:
    """Metadata for an attrs field whose formula, or None, the node reads: its name in messages (the
    field's if ""), and the requirements of `Reading`.
    """
    return {READS: (name, may, positive)}


def amounts_of(spent: Share | Guarantee) -> dict[str, Expression]:
    """The amounts of a share, or of a guarantee, by currency."""
    return dict(zip(spent.currency, spent.amounts, strict=True))


def share_readings(share: Share, may: Scope = PUBLIC) -> dict[str, Reading]:
    """The weights and wholes of a share, by name. Budgets are divided before anything is released;
    `may` is RECORD if what a record spends follows from its own budget.
    """
    parts = {"share": share.weights, "budget": share.wholes}
    return {
        f"{part} of {name}": Reading(formula, may)
        for part, formulas in parts.items()
        for name, formula in zip(share.currency, formulas, strict=True)
    }


def positive(value: object, name: str = "norm") -> Expression:
    """An exact formula. A number must be positive, and a public parameter must have a positive
    range; the verifier judges everything else. Raises InvalidArgument.
    """
    bound = exact(value, name)
    wrong = isinstance(bound, Number) and bound.value <= 0
    if wrong or (isinstance(bound, Symbol) and bound.origin is None and not bound.domain.positive):
        way_out = "A bound is a public number, or dp.parameter(name) with a positive range."
        raise InvalidArgument(name, "positive", Plain(bound), way_out)
    return bound


def check_ends(name: str, lower: Fraction, upper: Fraction) -> None:
    """Refuse bounds whose difference is not a finite positive double. Raises InvalidArgument."""
    if lower >= upper or not 0 < to_float(upper) - to_float(lower) < math.inf:
        ends = Plain(f"{lower} and {upper}")
        title = name if len(name) <= SHORT else "a column"
        raise InvalidArgument(f"bounds of {title}", "increasing", ends, "Give lower < upper.")


def to_float(value: Fraction) -> float:
    """The nearest double, infinite beyond the largest."""
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
    """Collect the releases made inside the block."""
    made: list[Node] = []
    token = MADE.set(made)
    try:
        yield made
    finally:
        MADE.reset(token)


def noted(node: Node) -> None:
    """Add a release to those collected."""
    made = MADE.get()
    if made is not None:
        made.append(node)


class Node(AttrsClass, Symbolic):
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
        """The nodes that it reads: the fields that are nodes, or tuples of nodes, in order."""
        parts = (part if isinstance(part, tuple) else (part,) for part in held(self).values())
        return tuple(one for part in parts for one in part if isinstance(one, Node))

    @property
    @abstractmethod
    def label(self) -> str:
        """The node in the notation of declarations."""

    @property
    def title(self) -> str:
        """The label, or more where refusals and audits say more."""
        return self.label

    @property
    def readings(self) -> dict[str, Reading]:
        """The formulas that it reads besides its inputs, by name, with their requirements: the
        fields marked by `reads`.
        """
        cls: type = type(self)
        marked = [(called, getattr(self, name), more) for name, called, *more in _reads(cls)]
        return {name: Reading(one, *more) for name, one, more in marked if one is not None}

    @property
    def derived(self) -> dict[str, Reading]:
        """Formulas derived from those of other nodes, with their requirements."""
        return {}

    @property
    def formulas(self) -> dict[str, Expression]:
        """The formulas that it reads besides its inputs, by name. One without a `readings` entry
        may depend on public numbers only.
        """
        return {name: reading.formula for name, reading in self.readings.items()}

    @property
    def positive(self) -> tuple[str, ...]:
        """Names of the formulas that must be positive for all parameter values."""
        return tuple(name for name, reading in self.readings.items() if reading.positive)

    @property
    def assumption(self) -> str:
        """The assumption that a proof makes about this node, in one sentence that names it; "" if
        everything is derived. Certificates and audits list it.
        """
        return ""

    def refuse(self, operation: Operation) -> NoReturn:
        """Raises TouchesData."""
        from .ways_out import refusal

        raise TouchesData(refusal(self, operation))

    def unknown(self, name: str) -> str:
        """What to write in place of an unknown name, with the nearest known one."""
        from .ways_out import missing

        return missing(self, name)

    def __expression__(self) -> Expression:
        return self.refuse(Operation(READ, "{}", (self,)))

    def record(self) -> dict[str, object]:
        """Its parameters as JSON values: formulas, numbers and names, never data. By default the
        fields that the rule book reads of its kind; of other kinds every field that is not a node.
        """
        fields, kind, called = held(self), KINDS.get(kind_of(type(self))), type(self).__name__
        if kind is None:
            read = [name for name, value in fields.items() if not _of_nodes(value)]
        else:
            absent = {name for name in kind.optional if fields.get(name) is None}
            read = [name for name in fields if name in kind.keys.keys() - absent]
        return {name: written(fields[name], f"{called}.{name}") for name in read}


def titled(text: str | Callable[[Any], str]) -> Any:
    """A `label` property from a format string, in which `{0.bound}` is an attribute of the node, or
    from a function.
    """

    def label(node: Node) -> str:
        return text.format(node) if isinstance(text, str) else text(node)

    return property(label)


def without_data(short: str) -> Any:
    """A `title` property: the label, and `short` where formulas of the node read the data."""

    def title(node: Node) -> str:
        private = any(DATA in formula.scope for formula in node.formulas.values())
        return short if private else node.label

    return property(title)


def _is_abstract(part: object) -> bool:
    return bool(getattr(part, "__isabstractmethod__", False))


def held(node: Node) -> dict[str, object]:
    """The fields of a node; all its attributes if it is not an attrs class."""
    cls: type = type(node)
    names = fields_of(cls) if hasattr(cls, "__attrs_attrs__") else vars(node)
    return {name: getattr(node, name) for name in names}


@lru_cache(maxsize=1024)
def fields_of(cls: type) -> tuple[str, ...]:
    """The field names of an attrs class."""
    return tuple(field.name for field in getattr(cls, "__attrs_attrs__", ()))


@lru_cache(maxsize=1024)
def _reads(cls: type) -> tuple[tuple[Any, ...], ...]:
    """The fields of an attrs class that are marked by `reads`: attribute, name, requirements."""
    fields = [one for one in getattr(cls, "__attrs_attrs__", ()) if READS in one.metadata]
    marked = ((one.name, *one.metadata[READS]) for one in fields)
    return tuple((field, name or field, *more) for field, name, *more in marked)


def _of_nodes(value: object) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return bool(parts) and all(isinstance(part, Node) for part in parts)


def written(value: Any, name: str = "parameter") -> object:
    """A parameter as JSON values. Raises InvalidArgument, which calls it `name`."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [written(part, name) for part in value]
    if isinstance(value, dict):
        return {key: written(part, name) for key, part in value.items()}
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Expression):
        return to_json(value)
    if not hasattr(value, "record"):
        way_out = "Or define `record`, which returns all fields as JSON values."
        if isinstance(value, float) and math.isfinite(value):
            near = exact(value).value  # type: ignore[attr-defined]
            way_out = f"Write Fraction({near.numerator}, {near.denominator})."
        raise InvalidArgument(name, "a formula, an exact number or a name", value, way_out)
    return value.record()


class DataNode(Node):
    """Abstract: a node that holds data until it is released. It supports neither numpy nor Python's
    control flow.
    """

    __slots__ = ()
    spoken: ClassVar[str] = "data"

    @property
    def unit(self) -> Unit:
        """The unit of privacy of its table, that of its first input."""
        return next(one.unit for one in self.inputs if isinstance(one, DataNode))


def one_number(node: DataNode, given: object, done: str, operator: str) -> Expression:
    """A number or formula that is the same for all records, as the operand of rows or labels.
    Raises TouchesData for anything else, InvalidArgument for what is not a number.
    """
    if isinstance(given, (Expression, numbers.Number, str)):
        formula = exact(given)
        if RECORD not in formula.scope:
            return formula
    return node.refuse(Operation(done, f"{{}} {operator} {{}}", (node, given)))


def path(node: Node, through: Node | None = None) -> Formula:
    """The path from the source to `node`: `X -> clip to norm 1 -> X'X`; its last step but one is
    `through`, where that is given.
    """
    steps = [node.title]
    while node.inputs:
        node, through = node.inputs[0] if through is None else through, None
        steps += [] if node.implied else [node.title]
    return Formula(" -> ".join(reversed(list(dict.fromkeys(steps)))))
