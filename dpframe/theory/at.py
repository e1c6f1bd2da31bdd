"""What an entry of the rule book may ask of whoever calls it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Protocol

from dpframe.exact.formula import Formula
from dpframe.exact.limits import Json
from dpframe.exact.ranges import Range
from dpframe.exact.ring import Ring

from .facts import Bound, Hypothesis, Release
from .guarantees import Guarantee
from .relations import Relation


class Context(Protocol):
    """Who calls the entries of rows, labels, statistics and losses: the kernel, which reads a file
    and raises Refused where an obligation is not shown, or the language, whose formulas are its own
    expressions and whose prover states obligations elsewhere. Numbers of either are added,
    multiplied, divided and raised to exact powers; nothing else is asked of them but here.
    """

    where: str

    @property
    def replaced(self) -> bool:
        """Whether neighbours have as many rows."""

    def number(self, value: int | Fraction) -> Formula:
        """A number as a formula."""

    def minimum(self, *parts: Formula) -> Formula:
        """The smallest."""

    def maximum(self, *parts: Formula) -> Formula:
        """The largest."""

    def log(self, f: Formula) -> Formula:
        """The natural logarithm."""

    def exp(self, f: Formula) -> Formula:
        """The exponential."""

    def total(self, parts: Iterable[Formula]) -> Formula:
        """The sum."""

    def constant(self, f: Formula) -> Fraction | None:
        """The number that a formula is; None for any other."""

    def same(self, f: Formula, g: Formula) -> bool:
        """Whether two formulas are one, as they stand."""

    def formula(self, value: Json) -> Formula:
        """A node's own formula, of public symbols."""

    def of_record(self, value: Json) -> Formula:
        """A formula of a record's own budget, which an input of the node has too."""

    def positive(self, value: Json, name: str) -> Formula:
        """A node's own formula, which is positive on the whole domain."""

    def whole(self, value: Json, name: str) -> Formula:
        """A node's own formula, a whole number of at least 1."""

    def rational(self, value: Json) -> Fraction:
        """A node's own number."""

    def written(self, value: Fraction) -> str:
        """A number as a rule's sentence has it."""

    def parameter(self, value: Json) -> bool:
        """Whether a node's own formula is one symbol that stands for no node."""

    def readable(self, f: Formula) -> bool:
        """Whether a formula reads no data that is not released."""

    def fixed(self, f: Formula) -> bool:
        """Whether a formula reads nothing that was released."""

    def seen(self, fact: object) -> bool:
        """Whether a node may be seen: released, or constant over neighbours."""

    def require(self, shown: object, rule: str) -> None:
        """The obligation that something is so."""

    def at_least(self, f: Formula, g: Formula | int, rule: str, *, strict: bool = False) -> None:
        """The obligation g <= f (g < f) on the whole domain."""

    def equal(self, f: Formula, g: Formula, rule: str) -> None:
        """The obligation that two formulas are equal on the whole domain."""

    def single(self) -> bool:
        """Whether a person has one row."""

    def sole(self, kind_of: type, rule: str) -> None:
        """The obligation that there is no fact of this very type yet."""

    def place(self, fact: object, inputs: Iterable[object], cell: object) -> None:
        """Note that a fact is of one cell of a public partition."""

    def bound(self, f: Formula) -> Bound | None:
        """The bound on a statistic, which may fail, that a formula is."""

    def each(self, f: Formula) -> bool:
        """Whether a formula reads a record's own budget."""

    def shared(self, *formulas: Formula) -> None:
        """The obligation that formulas read no record's own budget."""

    def personal_budgets(self) -> bool:
        """Whether records have budgets of their own."""

    def largest(self, factor: Formula) -> Formula | None:
        """The largest of a weight over all records; None where it has no symbol."""


class At(Context, Protocol):
    """A graph that is read node by node: its relation, its symbols, the facts so far; obligations
    raise Refused where they do not hold.
    """

    ring: Ring
    count: int
    rows: Formula
    relation: Relation
    guarantee: Guarantee
    amounts: list[Formula]
    facts: list[Any]
    domains: dict[str, Range]
    free: set[str]
    region: list[Hypothesis]
    idealized: list[str]
    trusted: frozenset[str]
    believed: dict[str, list[str]]
    cells: dict[object, Any]
    past: Any
    personal: Any

    @property
    def replaced(self) -> bool: ...

    @property
    def releases(self) -> list[Release]: ...

    def assume(self, f: Formula, g: Formula, *, strict: bool = False) -> bool: ...

    def symbol(self, name: str) -> Formula: ...

    def inside(self, epsilon: Formula) -> Any: ...

    def derive(self, node: Mapping[str, Json], index: int) -> Any: ...
