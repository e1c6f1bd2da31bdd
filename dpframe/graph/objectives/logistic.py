"""The logistic loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import Expression

from .base import LOGIT, Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Numbers = Callable[[Expression], float]


@attrs.frozen(cache_hash=True)
class Logistic(Objective):
    """phi(t, y) = log(1 + exp(-y t)), for classes y = -1 and y = 1; other labels in [-Y, Y] count
    as classes whose margins are |y| times as large. Proof page: proofs/argmin.
    """

    kind: ClassVar[str] = "logistic"
    label: ClassVar[str] = "logistic loss"
    link: ClassVar[str] = LOGIT

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """Each without overflow."""
        import numpy as np

        from ..elementwise import decay

        slopes = self.slopes(margins, labels, number)
        with np.errstate(over="ignore"):
            margin = labels * margins
        small = decay(np.abs(margin))
        loss = np.log1p(small) + np.maximum(-margin, 0.0)
        return loss, slopes, labels * labels * small / (1 + small) ** 2

    def slopes(self, margins: Array, labels: Array, number: Numbers) -> Array:
        """-y/(1 + e^(y t)), by e^-|y t|: the same bits for a record wherever it stands."""
        import numpy as np

        from ..elementwise import decay

        del number
        with np.errstate(over="ignore"):
            margin = labels * margins
        small = decay(np.abs(margin))
        return -labels * (np.where(margin >= 0, small, 1.0) / (1.0 + small))
