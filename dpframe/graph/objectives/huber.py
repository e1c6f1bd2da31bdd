"""Huber's loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import RELEASED, Expression, to_json

from ..positive import positive
from ..reading import Reading
from .base import IDENTITY, Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Numbers = Callable[[Expression], float]


def _knee(value: object) -> Expression:
    return positive(value, "knee")


@attrs.frozen(cache_hash=True)
class Huber(Objective):
    """phi(t, y) = r^2/2 for residuals r = t - y of at most the knee k, a public positive formula,
    and k |r| - k^2/2 beyond: its slope is bounded wherever the coefficients are. [Huber64]
    Proof page: proofs/argmin.
    """

    kind: ClassVar[str] = "huber"
    label: ClassVar[str] = "Huber loss"
    link: ClassVar[str] = IDENTITY
    knee: Expression = attrs.field(converter=_knee)

    @property
    def readings(self) -> dict[str, Reading]:
        """The knee."""
        return {"knee": Reading(self.knee, RELEASED, positive=True)}

    def record(self) -> dict[str, object]:
        """The knee."""
        return {"knee": to_json(self.knee)}

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """The slope is the residual, clipped to [-k, k]."""
        import numpy as np

        residuals, knee = margins - labels, number(self.knee)
        slopes = np.clip(residuals, -knee, knee)
        return slopes * (residuals - slopes / 2), slopes, (abs(residuals) <= knee) * 1.0
