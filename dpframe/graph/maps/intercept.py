"""Rows with one more column, a constant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import Expression, power, sqrt, to_json

from ..positive import positive
from ..rows import ONE, Rows
from .base import RowMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


def _value(value: object) -> Expression:
    return positive(value, "value")


@attrs.frozen(cache_hash=True)
class Intercept(RowMap):
    """A column of `value` after the others."""

    kind: ClassVar[str] = "intercept"
    source: Rows
    value: Expression = attrs.field(converter=_value, default=ONE)

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
