"""Rows divided by their own norm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from ..rows import Rows
from .base import RowMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class Normalized(RowMap):
    """x/|x|, and the first unit vector for a zero row."""

    kind: ClassVar[str] = "normalize"
    source: Rows

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
        from ..clipping import normalize

        return normalize(block)
