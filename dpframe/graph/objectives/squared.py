"""The squared loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import Expression

from .base import IDENTITY, Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Numbers = Callable[[Expression], float]


@attrs.frozen(cache_hash=True)
class Squared(Objective):
    """phi(t, y) = (t - y)^2/2. Its slope is bounded where the coefficients are: without a radius,
    one record moves the minimiser of a long table by any amount. Proof page: proofs/argmin.
    """

    kind: ClassVar[str] = "squared"
    label: ClassVar[str] = "squared loss"
    link: ClassVar[str] = IDENTITY

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """Half the squared residual, the residual, 1."""
        del number
        residuals = margins - labels
        return residuals * residuals / 2, residuals, residuals * 0 + 1
