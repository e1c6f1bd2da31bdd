"""Labels shifted and divided by numbers that are public or released."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import DATA, RELEASED, Expression, Number, exact, to_json

from ..columns import Column
from ..positive import positive
from ..reading import Reading
from .base import ColumnMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..rows import Numbers

    Array = NDArray[Any]

ZERO = Number(Fraction(0))


def _by(value: object) -> Expression:
    return positive(value, "by")


@lru_cache(maxsize=1024)
def _finite(labels: Column) -> bool:
    """Whether something bounds labels; asked once, not once a block."""
    return labels.bound is not None


def _minus(value: object) -> Expression:
    return exact(value, "minus")


@attrs.frozen(cache_hash=True)
class ScaledLabels(ColumnMap):
    """(y - minus)/by, where both are public numbers or released ones (dp.known); an aggregate of
    the data is refused by its path. Proof page: proofs/divided.
    """

    kind: ClassVar[str] = "scaled_labels"
    source: Column
    by: Expression = attrs.field(converter=_by)
    minus: Expression = attrs.field(converter=_minus, default=ZERO)

    @property
    def bound(self) -> Expression | None:
        """bound/by where nothing is subtracted and the divisor is no secret; None elsewhere."""
        before, plain = self.source.bound, self.minus == ZERO and DATA not in self.by.scope
        return before / self.by if before is not None and plain else None

    @property
    def ball(self) -> bool:
        """As before, where labels are only divided, by a public number."""
        public = self.bound is not None and RELEASED not in self.by.scope
        return public and self.source.ball

    @property
    def label(self) -> str:
        """`divide by 2`."""
        shift = "" if self.minus == ZERO else f"subtract {self.minus}, "
        return f"{shift}divide by {self.by}"

    @property
    def readings(self) -> dict[str, Reading]:
        """Divisor and centre."""
        return {
            "divisor": Reading(self.by, RELEASED, positive=True),
            "centre": Reading(self.minus, RELEASED),
        }

    def record(self) -> dict[str, object]:
        """Divisor and centre."""
        return {"by": to_json(self.by), "minus": to_json(self.minus)}

    def apply(self, block: Array, number: Numbers) -> Array:
        """Shift, then divide; what overflows becomes the largest double."""
        import numpy as np

        by = max(number(self.by), 1e-300)  # rounded towards zero, a divisor may become zero
        minus = number(self.minus)
        if by == 1 and minus == 0 and _finite(self.source):
            return block
        with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of the data
            shifted = block - minus if minus else block
            scaled: Array = shifted / by
            proved = np.isfinite(scaled.sum())  # inf and nan survive addition
        return scaled if proved else np.nan_to_num(scaled)
