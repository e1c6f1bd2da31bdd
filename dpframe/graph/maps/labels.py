"""Labels put into public intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import RELEASED, Expression, exact, to_json

from ..columns import Column
from ..interval import check_interval
from ..reading import Reading
from .base import ColumnMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class ClipColumn(ColumnMap):
    """Each label clipped into [lower, upper]."""

    kind: ClassVar[str] = "clip_column"
    source: Column
    lower: Expression = attrs.field(converter=exact)
    upper: Expression = attrs.field(converter=exact)

    def __attrs_post_init__(self) -> None:
        """The interval must have points."""
        check_interval(self.lower, self.upper)

    @property
    def label(self) -> str:
        """`clip to [-1, 1]`."""
        return f"clip to [{self.lower}, {self.upper}]"

    @property
    def readings(self) -> dict[str, Reading]:
        """The ends."""
        return {
            "lower": Reading(self.lower, RELEASED),
            "upper": Reading(self.upper, RELEASED),
        }

    def record(self) -> dict[str, object]:
        """The ends."""
        return {"lower": to_json(self.lower), "upper": to_json(self.upper)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Clip."""
        import numpy as np

        return np.clip(block, number(self.lower), number(self.upper))


@attrs.frozen(cache_hash=True)
class ToUnitInterval(ColumnMap):
    """A label in [lower, upper] mapped onto [-1, 1] by public affine scaling, clipped."""

    kind: ClassVar[str] = "unit_interval"
    source: Column
    lower: Expression = attrs.field(converter=exact)
    upper: Expression = attrs.field(converter=exact)

    def __attrs_post_init__(self) -> None:
        """The interval must have points."""
        check_interval(self.lower, self.upper)

    @property
    def label(self) -> str:
        """`[1, 5] onto [-1, 1]`."""
        return f"[{self.lower}, {self.upper}] onto [-1, 1]"

    @property
    def readings(self) -> dict[str, Reading]:
        """The ends."""
        return {
            "lower": Reading(self.lower, RELEASED),
            "upper": Reading(self.upper, RELEASED),
        }

    def record(self) -> dict[str, object]:
        """The ends."""
        return {"lower": to_json(self.lower), "upper": to_json(self.upper)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Clip, then map."""
        import numpy as np

        low, high = number(self.lower), number(self.upper)
        share: Array = (np.clip(block, low, high) - low) / (high - low)
        scaled: Array = np.clip(2 * share - 1, -1.0, 1.0)
        return scaled
