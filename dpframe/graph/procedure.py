"""A procedure: what releases something of a table by a theorem of its own, not by adding noise to a
statistic.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from dpframe.errors import InvalidArgument
from dpframe.mechanisms.base import restated
from dpframe.privacy import ApproxDP, Guarantee, Share
from dpframe.symbols import PUBLIC, RELEASED, Expression, Scope, to_json

from .node import Node, Reading, share_readings
from .release import ONE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


class Rounded(Protocol):
    """Public formulas as numbers, rounded in a stated direction."""

    def up(self, formula: Expression) -> float:
        """At least the true value."""

    def down(self, formula: Expression) -> float:
        """At most the true value."""


class Random(Protocol):
    """Where noise comes from: a numpy generator, and fair bits."""

    @property
    def generator(self) -> Any:
        """For noise in doubles."""

    @property
    def bits(self) -> Any:
        """For exact noise."""


class Procedure(Node):
    """Abstract: a release whose guarantee is a theorem about the procedure. It reads statistics, is
    charged its share, and its output is released. Compares by identity. One that can be executed is
    a `Sampler`, or known to `dpframe.execution` by its class.

    What its theorem needs is the entry of its kind in `dpframe.theory`, which reads `parameters`.
    """

    __slots__ = ()
    scope: ClassVar[Scope] = RELEASED
    gives: ClassVar[type[Guarantee]] = ApproxDP
    times: ClassVar[Expression] = ONE
    divided: ClassVar[Scope] = PUBLIC
    """What its share may depend on: on each record's budget where its rule holds record by record.
    """
    exact: ClassVar[bool] = False
    """Whether what it releases is computed exactly. Holds for the class that says it."""
    share: Share
    name: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """No class inherits that it is exact."""
        super().__init_subclass__(**kwargs)
        restated(cls, Procedure, "exact")

    @property
    def within(self) -> tuple[Node, ...]:
        """Nodes that are parts of it, and none of the graph's."""
        return ()

    @property
    @abstractmethod
    def summary(self) -> str:
        """What it releases, in a few words."""

    @property
    def label(self) -> str:
        """Its name, or what it releases."""
        return self.name or self.summary

    @property
    @abstractmethod
    def own_readings(self) -> dict[str, Reading]:
        """The formulas that it reads besides its share, and what each may depend on."""

    @property
    def own_formulas(self) -> dict[str, Expression]:
        """The formulas that it reads besides its share."""
        return {name: reading.formula for name, reading in self.own_readings.items()}

    @property
    def readings(self) -> dict[str, Reading]:
        """Its own, and its share."""
        return self.own_readings | share_readings(self.share, self.divided)

    @property
    def parameters(self) -> dict[str, Any]:
        """All that distinguishes it from others of its kind and inputs: its formulas, its share and
        its name.
        """
        return {"formulas": self.own_formulas, "share": amounts_of(self.share), "name": self.name}

    def record(self) -> dict[str, object]:
        """Its parameters, formulas as JSON."""
        return {name: _written(value) for name, value in self.parameters.items()}


def amounts_of(share: Share) -> dict[str, Expression]:
    """What a share is made of, by currency."""
    return dict(zip(share.currency, share.amounts, strict=True))


def _written(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _written(one) for name, one in value.items()}
    return to_json(value) if isinstance(value, Expression) else value


class Sampler(Procedure):
    """Abstract: a procedure that draws once, given the values of its inputs."""

    __slots__ = ()

    @abstractmethod
    def sample(
        self, values: Mapping[Node, Array], numbers: Rounded, randomness: Random
    ) -> Array | float:
        """One draw, from the values of its inputs in doubles. Finite for every table."""


class Searcher(Procedure):
    """Abstract: a procedure that draws once and then reads the table several times, each time as a
    sum over blocks, in doubles.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def reads(self) -> tuple[Node, ...]:
        """What work is given of each block: rows, labels, and further numbers a record."""

    @abstractmethod
    def search(
        self,
        summed: Callable[[Callable[..., Array]], Array],
        numbers: Rounded,
        randomness: Random,
    ) -> Array:
        """One draw; `summed(work)` is the sum over blocks, at least one, of `work(*reads)`. Finite
        for every table.
        """


def approximate(share: object, who: str) -> Share:
    """A share of epsilon and delta. Raises InvalidArgument."""
    if not isinstance(share, Share) or share.currency != ("epsilon", "delta"):
        way_out = f"{who} needs a target with a delta: dp.ApproxDP(epsilon, delta)."
        raise InvalidArgument("share", "a share of (epsilon, delta)", share, way_out)
    return share
