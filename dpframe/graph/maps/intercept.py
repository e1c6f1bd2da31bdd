"""Rows with one more column, a constant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols import RELEASED, Expression, to_json

from ..positive import positive
from ..reading import Reading
from ..rows import ONE, Rows
from .base import RowMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


def identified(all_levels: tuple[str, ...], *, intercept: bool) -> None:
    """Raises InvalidArgument where columns of a codebook are collinear whatever the table holds:
    those of all levels of a category sum to 1, like an intercept.
    """
    if len(all_levels) + intercept < 2:
        return
    others = ["the intercept"] if intercept else []
    sums = " and ".join([f"the levels of {name}" for name in all_levels] + others)
    raise InvalidArgument(
        "codebook",
        "one that identifies a model",
        f"columns that sum to the same 1: {sums}",
        f"Give {all_levels[-1]} a baseline, dp.Categorical({all_levels[-1]!r}, levels), which is "
        "the default: coefficients are then differences from it.",
    )


def _value(value: object) -> Expression:
    return positive(value, "value")


@attrs.frozen(cache_hash=True)
class Intercept(RowMap):
    """A column of `value` after the others."""

    kind: ClassVar[str] = "intercept"
    source: Rows
    value: Expression = attrs.field(converter=_value, default=ONE)

    def __attrs_post_init__(self) -> None:
        """Columns that sum to 1 already leave nothing to an intercept."""
        identified(self.source.all_levels, intercept=True)

    @property
    def label(self) -> str:
        """`append intercept`."""
        return "append intercept"

    @property
    def readings(self) -> dict[str, Reading]:
        """The constant."""
        return {"value": Reading(self.value, RELEASED, positive=True)}

    def record(self) -> dict[str, object]:
        """The constant."""
        return {"value": to_json(self.value)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Append the column."""
        import numpy as np

        return np.column_stack([block, np.full(len(block), number(self.value))])
