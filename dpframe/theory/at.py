"""What an entry of the rule book may ask of whoever calls it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from dpframe.exact.formula import Formula
from dpframe.exact.limits import Json
from dpframe.exact.ranges import Range
from dpframe.exact.ring import Ring

from .facts import Hypothesis, Release
from .guarantees import Guarantee
from .relations import Relation


class At(Protocol):
    """A graph that is read node by node: its relation, its symbols, the facts so far; obligations
    raise Refused where they do not hold.
    """

    ring: Ring
    where: str
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
    cells: dict[object, Any]
    past: Any
    personal: Any

    @property
    def replaced(self) -> bool: ...

    @property
    def releases(self) -> list[Release]: ...

    def require(self, shown: object, rule: str) -> None: ...

    def at_least(
        self, f: Formula, g: Formula | int, rule: str, *, strict: bool = False
    ) -> None: ...

    def equal(self, f: Formula, g: Formula, rule: str) -> None: ...

    def formula(self, value: Json) -> Formula: ...

    def positive(self, value: Json, name: str) -> Formula: ...

    def whole(self, value: Json, name: str) -> Formula: ...

    def assume(self, f: Formula, g: Formula, *, strict: bool = False) -> bool: ...

    def symbol(self, name: str) -> Formula: ...

    def inside(self, epsilon: Formula) -> Any: ...

    def derive(self, node: Mapping[str, Json], index: int) -> Any: ...
