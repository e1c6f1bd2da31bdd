"""What an accountant is: it turns what many releases cost into one cost, and knows no mechanism."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from dpframe.errors import InvalidArgument
from dpframe.guarantees import Guarantee, as_kind
from dpframe.numerics import Exact, Interval

from .arguments import delta_argument, epsilon_argument
from .conversions import delta_of, epsilon_of
from .parts import Part


class Accountant(ABC):
    """Abstract: adaptive composition, in numbers. Each answer is an interval around the exact
    value; an accountant that only bounds from above says 0 below.
    """

    __slots__ = ()
    name: ClassVar[str]
    citation: ClassVar[str]
    reads_losses: ClassVar[bool] = False
    """whether it asks a mechanism for its privacy loss; else for its guarantee"""

    @abstractmethod
    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """The least epsilon >= 0 at which all parts together are (epsilon, delta)-DP, each part
        free to depend on the output of those before it. 0 < delta < 1.

        `upper` is infinite where no epsilon is enough. Raises InvalidArgument for a part that this
        accountant cannot add.
        """

    @abstractmethod
    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """The least delta at which all parts together are (epsilon, delta)-DP. epsilon >= 0."""


class AdditiveAccountant(Accountant):
    """Abstract: guarantees of one kind, with parameters that add up, symbols included."""

    __slots__ = ()
    adds: ClassVar[type[Guarantee]]

    @abstractmethod
    def total(self, guarantees: Sequence[Guarantee]) -> Guarantee:
        """What releases with these guarantees, all of kind `adds` and each free to depend on those
        before it, satisfy together.
        """

    def admit(self, guarantee: Guarantee) -> Guarantee | None:
        """`guarantee` in the kind that this accountant adds, by a cited implication; None where
        there is none.
        """
        return as_kind(guarantee, self.adds)

    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """By `total`, converted."""
        return epsilon_of(self.total(self._admitted(parts)), delta_argument(delta))

    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """By `total`, converted."""
        return delta_of(self.total(self._admitted(parts)), epsilon_argument(epsilon))

    def _admitted(self, parts: Sequence[Part]) -> list[Guarantee]:
        found: list[Guarantee] = []
        for part in parts:
            own = self.admit(part.what) if isinstance(part.what, Guarantee) else None
            if own is None:
                way_out = "The numeric accountant adds everything that has a privacy loss."
                raise InvalidArgument(
                    "part", f"a guarantee that {self.name} adds", part.what, way_out
                )
            found.extend([own] * part.count)
        return found
