"""Rows projected onto a ball."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import RELEASED, Expression, to_json

from ..positive import positive
from ..reading import Reading
from ..rows import Rows
from .base import RowMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class ClipNorm(RowMap):
    """Each row projected onto the ball: x min(1, norm/|x|)."""

    kind: ClassVar[str] = "clip_norm"
    source: Rows
    norm: Expression = attrs.field(converter=positive)

    @property
    def label(self) -> str:
        """`clip to norm 1`."""
        return f"clip to norm {self.norm}"

    @property
    def readings(self) -> dict[str, Reading]:
        """The radius."""
        return {"norm": Reading(self.norm, RELEASED, positive=True)}

    def record(self) -> dict[str, object]:
        """The radius."""
        return {"norm": to_json(self.norm)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Rows outside the ball are scaled onto it; the block itself when there are none."""
        from ..clipping import project

        return project(block, number(self.norm))
