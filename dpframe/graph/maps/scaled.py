"""Rows divided by one number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import RELEASED, Expression, to_json

from ..known import Known
from ..positive import positive
from ..reading import Reading
from ..rows import Rows
from .base import RowMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]


TINY = 1e-300  # no row is divided by less


def _by(value: object) -> Expression:
    return positive(value, "by")


@attrs.frozen(cache_hash=True)
class Scaled(RowMap):
    """Each row divided by one number."""

    kind: ClassVar[str] = "scale"
    source: Rows
    by: Expression = attrs.field(converter=_by)

    @property
    def public(self) -> bool:
        """Whether the divisor is free of data that is not released."""
        origins = [symbol.origin for symbol in self.by.symbols()]
        return all(origin is None or isinstance(origin, Known) for origin in origins)

    @property
    def label(self) -> str:
        """`divide by 2`."""
        return f"divide by {self.by}"

    @property
    def readings(self) -> dict[str, Reading]:
        """The divisor."""
        return {"divisor": Reading(self.by, RELEASED, positive=True)}

    def record(self) -> dict[str, object]:
        """The divisor."""
        return {"by": to_json(self.by)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Divide; what overflows becomes the largest double, and zeros stay zeros."""
        import numpy as np

        by = max(number(self.by), TINY)  # rounded towards zero, a divisor may become zero
        with np.errstate(over="ignore"):  # a warning would tell of the data
            scaled: Array = np.nan_to_num(block / by)
        return scaled
