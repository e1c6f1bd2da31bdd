"""What every node of a graph has: a kind, inputs, its own parameters, and a name a person would
give it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NoReturn

from dpframe.errors import TouchesData
from dpframe.privacy import Unit
from dpframe.symbols import DATA, Expression, Scope

from .reading import Reading

WAY_OUT = (
    "Data is touched at execution only: compute with statistics (X.T @ X, X.T @ y, "
    "dp.lambda_min, ...), release them, and put numpy into dp.post."
)


class Node(ABC):
    """Abstract: one node of a declaration."""

    __slots__ = ()
    kind: ClassVar[str]
    implied: ClassVar[bool] = False
    """Whether dpframe put it there: no person wrote it."""
    scope: ClassVar[Scope] = DATA
    """What its value depends on: on the data, the strictest, where it does not say less."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[Node, ...]:
        """The nodes this one reads."""

    @property
    @abstractmethod
    def label(self) -> str:
        """How a person would write it."""

    @property
    def readings(self) -> dict[str, Reading]:
        """The formulas it reads besides its inputs, by name, and what each may depend on."""
        return {}

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

    @abstractmethod
    def record(self) -> dict[str, object]:
        """Its own parameters as JSON values: formulas, numbers and names; never data."""


class DataNode(Node):
    """Abstract: a node that holds data until it is released. It meets neither numpy nor Python's
    control flow.
    """

    __slots__ = ()
    __array_ufunc__ = None

    @property
    @abstractmethod
    def unit(self) -> Unit:
        """The unit of privacy of the table that it reads."""

    def refuse(self, what: str) -> NoReturn:
        """Say what cannot be done with declared data, and the way out. Raises TouchesData."""
        raise TouchesData(f"{self.label} is declared data and cannot be {what}. {WAY_OUT}")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        self.refuse("turned into an array")

    def __array_function__(self, *_: Any, **__: Any) -> NoReturn:
        self.refuse("given to a numpy function")

    def __bool__(self) -> NoReturn:  # noqa: PLE0304 - it never returns
        self.refuse("tested for truth")

    def __float__(self) -> NoReturn:
        self.refuse("turned into a number")

    def __int__(self) -> NoReturn:
        self.refuse("turned into a number")

    def __iter__(self) -> NoReturn:
        self.refuse("iterated over")

    def __len__(self) -> NoReturn:  # noqa: PLE0303 - it never returns
        self.refuse("measured; its number of rows is X.rows")

    def __getitem__(self, key: object) -> NoReturn:
        self.refuse("indexed")

    def __matmul__(self, other: object) -> Any:
        self.refuse(f"multiplied by {type(other).__name__}")

    def __rmatmul__(self, other: object) -> Any:
        self.refuse(f"multiplied by {type(other).__name__}")


def _compared(node: DataNode, _: object) -> NoReturn:
    node.refuse("compared")


for _name in ("__lt__", "__le__", "__gt__", "__ge__"):  # set so that subclasses keep plain types
    setattr(DataNode, _name, _compared)


def path(node: Node) -> str:
    """The way from the source to `node`: `X -> clip to norm 1 -> X'X`."""
    steps = [node.label]
    while node.inputs:
        node = node.inputs[0]
        steps += [] if node.implied else [node.label]
    return " -> ".join(reversed(list(dict.fromkeys(steps))))
