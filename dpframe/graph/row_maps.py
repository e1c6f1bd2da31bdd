"""The row maps: each maps one row to one row, reading public numbers only, so neighbours stay
neighbours.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.guarantees import Unit
from dpframe.symbols import Expression, Number, Symbol, exact, minimum, power, sqrt, to_json

from .known import Known
from .node import Node
from .rows import ONE, Rows, RowSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .rows import Numbers

    Array = NDArray[Any]


class RowMap(Rows):
    """Abstract: a map of each row of another Rows."""

    __slots__ = ()
    source: Rows

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows that are mapped."""
        return (self.source,)

    @property
    def origin(self) -> Rows:
        """The source's."""
        return self.source.origin

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.source.unit

    @property
    def columns(self) -> Expression:
        """As many as before."""
        return self.source.columns


def positive(value: object, name: str = "norm") -> Expression:
    """An exact formula; a number must be positive, and a public parameter's range. The verifier
    judges everything else. Raises InvalidArgument.
    """
    bound = exact(value, name)
    wrong = isinstance(bound, Number) and bound.value <= 0
    if wrong or (isinstance(bound, Symbol) and bound.origin is None and not bound.domain.positive):
        raise InvalidArgument(
            name,
            "positive",
            str(bound),
            "A bound is a public number, or dp.parameter(name) with a positive range.",
        )
    return bound


def _positive_by(value: object) -> Expression:
    return positive(value, "by")


def _positive_value(value: object) -> Expression:
    return positive(value, "value")


@attrs.frozen(cache_hash=True)
class ClipNorm(RowMap):
    """Each row projected onto the ball: x min(1, norm/|x|)."""

    kind: ClassVar[str] = "clip_norm"
    source: Rows
    norm: Expression = attrs.field(converter=positive)

    @property
    def ball(self) -> bool:
        """Every row of the ball may occur when the source is unrestricted."""
        return isinstance(self.source, RowSource)

    @property
    def norm1(self) -> Expression | None:
        """The smaller of sqrt(d) norm and what was known before (clipping shrinks every entry)."""
        before = self.source.norm1
        here = sqrt(self.columns) * self.norm
        return here if before is None else minimum(here, before)

    @property
    def extreme(self) -> bool:
        """Whether some row reaches the sphere: any, or one of a source that reaches beyond it."""
        before = self.source.norm
        room = None if before is None else power(before, 2) - power(self.norm, 2)
        beyond = isinstance(room, Number) and room.value >= 0
        return self.ball or (self.source.extreme and beyond)

    @property
    def label(self) -> str:
        """`clip to norm 1`."""
        return f"clip to norm {self.norm}"

    @property
    def formulas(self) -> dict[str, Expression]:
        """The radius."""
        return {"norm": self.norm}

    @property
    def positive(self) -> tuple[str, ...]:
        """The radius."""
        return ("norm",)

    def record(self) -> dict[str, object]:
        """The radius."""
        return {"norm": to_json(self.norm)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Rows outside the ball are scaled onto it; the block itself when there are none."""
        from .clipping import project

        return project(block, number(self.norm))


@attrs.frozen(cache_hash=True)
class Normalized(RowMap):
    """x/|x|, and the first unit vector for a zero row."""

    kind: ClassVar[str] = "normalize"
    source: Rows
    norm: Expression = attrs.field(default=Number(Fraction(1)), init=False)
    unit_norm: bool = attrs.field(default=True, init=False)

    @property
    def extreme(self) -> bool:
        """Every row has norm 1."""
        return True

    @property
    def label(self) -> str:
        """`x/|x|`."""
        return "x/|x|"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Divide, after scaling by the largest entry so that nothing overflows."""
        del number
        from .clipping import normalize

        return normalize(block)


@attrs.frozen(cache_hash=True)
class Intercept(RowMap):
    """A column of `value` after the others."""

    kind: ClassVar[str] = "intercept"
    source: Rows
    value: Expression = attrs.field(converter=_positive_value, default=ONE)

    @property
    def columns(self) -> Expression:
        """One more."""
        return self.source.columns + 1

    @property
    def norm(self) -> Expression | None:
        """sqrt(norm^2 + value^2)."""
        before = self.source.norm
        return None if before is None else sqrt(power(before, 2) + power(self.value, 2))

    @property
    def norm1(self) -> Expression | None:
        """One entry more."""
        before = self.source.norm1
        return None if before is None else before + self.value

    @property
    def entry(self) -> Expression | None:
        """As before, where the constant is the bound on every entry."""
        return self.source.entry if self.source.entry == self.value else None

    @property
    def extreme(self) -> bool:
        """As before: the constant is always there."""
        return self.source.extreme

    @property
    def label(self) -> str:
        """`append intercept`."""
        return "append intercept"

    @property
    def formulas(self) -> dict[str, Expression]:
        """The constant."""
        return {"value": self.value}

    @property
    def positive(self) -> tuple[str, ...]:
        """The constant."""
        return ("value",)

    def record(self) -> dict[str, object]:
        """The constant."""
        return {"value": to_json(self.value)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Append the column."""
        import numpy as np

        return np.column_stack([block, np.full(len(block), number(self.value))])


@attrs.frozen(cache_hash=True)
class Scaled(RowMap):
    """Each row divided by one number."""

    kind: ClassVar[str] = "scale"
    source: Rows
    by: Expression = attrs.field(converter=_positive_by)

    @property
    def public(self) -> bool:
        """Whether the divisor is free of data that is not released."""
        origins = [symbol.origin for symbol in self.by.symbols()]
        return all(origin is None or isinstance(origin, Known) for origin in origins)

    @property
    def norm(self) -> Expression | None:
        """norm/by where the divisor is public; unknown otherwise, since one record then moves every
        row.
        """
        before = self.source.norm
        return before / self.by if before is not None and self.public else None

    @property
    def entry(self) -> Expression | None:
        """entry/by where the divisor is public."""
        before = self.source.entry
        return before / self.by if before is not None and self.public else None

    @property
    def ball(self) -> bool:
        """As before."""
        return self.public and self.source.ball

    @property
    def box(self) -> bool:
        """As before."""
        return self.public and self.source.box

    @property
    def extreme(self) -> bool:
        """As before."""
        return self.public and self.source.extreme

    @property
    def label(self) -> str:
        """`divide by 2`."""
        return f"divide by {self.by}"

    @property
    def formulas(self) -> dict[str, Expression]:
        """The divisor."""
        return {"divisor": self.by}

    @property
    def positive(self) -> tuple[str, ...]:
        """The divisor."""
        return ("divisor",)

    def record(self) -> dict[str, object]:
        """The divisor."""
        return {"by": to_json(self.by)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Divide."""
        scaled: Array = block / number(self.by)
        return scaled
