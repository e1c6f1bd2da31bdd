"""What a guarantee is: a frozen statement about every pair of neighbouring tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols import Expression, Number

from .budget import ONE, Share

if TYPE_CHECKING:
    from dpframe.pld.losses import PrivacyLoss


class Guarantee(ABC):
    """Abstract: a notion of privacy with its parameters, exact and perhaps symbolic."""

    __slots__ = ()
    kind: ClassVar[str]
    currency: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def amounts(self) -> tuple[Expression, ...]:
        """What composition adds up, in the order of `currency`."""

    @property
    def budget(self) -> Share:
        """The whole of it, to be split among releases."""
        return Share(self.currency, self.amounts, (ONE,) * len(self.currency))

    def substitute(self, values: Mapping[str, Expression]) -> Self:
        """The guarantee with formulas in place of its parameters."""
        fields = {name: getattr(self, name).substitute(values) for name in self.parameters}
        return attrs.evolve(self, **fields)  # type: ignore[misc]  # every guarantee is of attrs

    @property
    def loss(self) -> PrivacyLoss | None:
        """The privacy loss of the worst mechanism with this guarantee; None where no one mechanism
        is the worst. Raises InvalidArgument while a parameter is a symbol or irrational.
        """
        return None


def number(name: str, value: Expression) -> Fraction:
    """`value` as an exact number."""
    if not isinstance(value, Number):
        way_out = "Give symbols numbers; round what is irrational to the safe side."
        raise InvalidArgument(name, "an exact number", str(value), way_out)
    return value.value


def check_range(
    name: str, value: Expression, upper: int | None = None, *, zero: bool = False
) -> None:
    """Refuse a number, or a parameter whose whole range lies, outside (0, upper) - or [0, upper)
    where `zero` is allowed.
    """
    if not isinstance(value, Number):
        return
    number = value.value
    if number < 0 or (number == 0 and not zero) or (upper is not None and number >= upper):
        low = "[0" if zero else "(0"
        ceiling = "inf" if upper is None else str(upper)
        raise InvalidArgument(name, f"in {low}, {ceiling})", str(number), "")
