"""The logistic loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import Expression, power

from .base import LOGIT, Bounds, Objective

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

    def slope(self, bounds: Bounds) -> Expression:
        """Y: phi' = -y/(1 + exp(y t))."""
        return bounds.label

    def curvature(self, bounds: Bounds) -> Expression:
        """Y^2/4: phi'' = y^2 p (1 - p)."""
        return power(bounds.label, 2) / 4

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """Each without overflow."""
        import numpy as np

        del number
        margin = labels * margins
        loss = np.logaddexp(0.0, -margin)
        wrong = np.exp(-np.logaddexp(0.0, margin))  # 1/(1 + exp(margin))
        return loss, -labels * wrong, labels * labels * wrong * np.exp(-loss)
