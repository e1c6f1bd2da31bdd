"""Linear combinations of statistics of one shape."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, listed_words
from dpframe.privacy import Unit
from dpframe.symbols import RELEASED, Expression, Number, exact, to_json

from ..node import Node
from ..reading import Reading
from .base import Statistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


ZERO = Number(Fraction(0))


@attrs.frozen(cache_hash=True)
class Linear(Statistic):
    """sum c_i S_i with public coefficients: moves by at most sum |c_i| Delta_i (triangle
    inequality). Proof page: proofs/linear.
    """

    kind: ClassVar[str] = "linear"
    coefficients: tuple[Expression, ...]
    parts: tuple[Statistic, ...]

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The statistics."""
        return self.parts

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.parts[0].unit

    def _turns(self) -> tuple[int, ...] | None:
        """For each part, how many steps of the combination a step of that part makes, with sign;
        None where it is on no grid.
        """
        own = self.step
        if own is None:
            return None
        ratios = [
            c * (part.step / own) for c, part in zip(self.coefficients, self.parts, strict=True)
        ]
        return tuple(int(ratio.value) for ratio in ratios)  # type: ignore[attr-defined]

    @property
    def label(self) -> str:
        """`2*X'X`."""
        terms = [
            part.label if c == exact(1) else f"{c}*{part.label}"
            for c, part in zip(self.coefficients, self.parts, strict=True)
        ]
        return " + ".join(terms).replace("+ -1*", "- ")

    @property
    def readings(self) -> dict[str, Reading]:
        """The coefficients."""
        return {
            f"coefficient {index + 1}": Reading(c, RELEASED)
            for index, c in enumerate(self.coefficients)
        }

    def record(self) -> dict[str, object]:
        """The coefficients."""
        return {"coefficients": [to_json(c) for c in self.coefficients]}

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """The combination; of parts in whole steps, in whole steps."""
        turns = self._turns()
        factors = [number(c) for c in self.coefficients] if turns is None else turns
        total: Array = values[self.parts[0]] * 0 if turns else _zeros(values[self.parts[0]])
        for c, factor, part in zip(self.coefficients, factors, self.parts, strict=True):
            if c != ZERO and factor != 0:  # nothing times infinity is nothing
                total = total + factor * values[part]
        return total


def _zeros(value: Array) -> Array:
    import numpy as np

    return np.zeros(np.shape(value))


def combine(*terms: tuple[object, object]) -> Statistic:
    """The linear combination of (coefficient, statistic) terms, nested ones flattened. Raises
    InvalidArgument for unequal shapes.
    """
    collected: dict[Statistic, Expression] = {}
    for coefficient, part in terms:
        if not isinstance(part, Statistic):
            raise InvalidArgument("term", "a statistic", part, "")
        inner = (
            zip(part.coefficients, part.parts, strict=True)
            if isinstance(part, Linear)
            else ((Number(Fraction(1)), part),)
        )
        for c, statistic in inner:
            collected[statistic] = collected.get(statistic, exact(0)) + exact(coefficient) * c
    if len({statistic.shape for statistic in collected}) != 1:
        raise InvalidArgument(
            "terms",
            "statistics of one shape",
            listed_words(one.label for one in collected),
            "dp.stack releases several together.",
        )
    return Linear(tuple(collected.values()), tuple(collected))
