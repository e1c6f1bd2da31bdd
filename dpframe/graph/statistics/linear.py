"""Linear combinations of statistics of one shape."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, listed_words
from dpframe.privacy import Relation, Unit
from dpframe.sensitivity import Norm
from dpframe.symbols import RELEASED, Expression, Number, add, exact, maximum, to_json

from ..node import Node
from ..reading import Reading
from .base import OneRow, Statistic

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

    @property
    def shape(self) -> tuple[Expression, ...]:
        """That of each part."""
        return self.parts[0].shape

    @property
    def symmetric(self) -> bool:
        """When every part is."""
        return all(part.symmetric for part in self.parts)

    @property
    def step(self) -> Expression | None:
        """The largest of which every term's is a whole multiple; None where there is none."""
        terms = self._terms()
        return None if terms is None else terms[0]

    def _terms(self) -> tuple[Expression, tuple[int, ...]] | None:
        """A step and, for each part, how many of it a step of that part makes, with sign."""
        steps = [part.step for part in self.parts]
        known = [step for step in steps if step is not None]
        if len(known) < len(steps):
            return None
        ratios = [c * (step / known[0]) for c, step in zip(self.coefficients, known, strict=True)]
        shares = [ratio.value for ratio in ratios if isinstance(ratio, Number)]
        if len(shares) < len(ratios):
            return None
        if not any(shares):
            return known[0], (0,) * len(shares)
        common = Fraction(
            math.gcd(*(share.numerator for share in shares)),
            math.lcm(*(share.denominator for share in shares)),
        )
        return known[0] * common, tuple(int(share / common) for share in shares)

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

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """sum |c_i| Delta_i."""
        bounds = [part.one_row(norm, relation) for part in self.parts]
        known = [bound for bound in bounds if bound is not None]
        if len(known) < len(bounds):
            return None
        value = add(
            *(magnitude(c) * bound.value for c, bound in zip(self.coefficients, known, strict=True))
        )
        return OneRow(
            value, "triangle inequality: sum |c_i| Delta_i", len(known) == 1 and known[0].attained
        )

    def compute(self, values: Mapping[Node, Array], number: Numbers) -> Array:
        """The combination; of parts in whole steps, in whole steps."""
        terms = self._terms()
        factors = [number(c) for c in self.coefficients] if terms is None else terms[1]
        total: Array = values[self.parts[0]] * 0 if terms else _zeros(values[self.parts[0]])
        for c, factor, part in zip(self.coefficients, factors, self.parts, strict=True):
            if c != ZERO and factor != 0:  # nothing times infinity is nothing
                total = total + factor * values[part]
        return total


def _zeros(value: Array) -> Array:
    import numpy as np

    return np.zeros(np.shape(value))


def magnitude(coefficient: Expression) -> Expression:
    """|c|, as max(c, -c) where it is symbolic."""
    return (
        Number(abs(coefficient.value))
        if isinstance(coefficient, Number)
        else maximum(coefficient, -coefficient)
    )


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
