"""The squared loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.symbols import Expression, constant, minimum, power, sqrt

from .base import IDENTITY, ONE, Bounds, Objective

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

    def slope(self, bounds: Bounds) -> Expression | None:
        """B R + Y on the ball of radius R."""
        return None if bounds.margin is None else bounds.margin + bounds.label

    def curvature(self, bounds: Bounds) -> Expression:
        """1."""
        del bounds
        return constant(1)

    def added(self, bounds: Bounds, penalty: Expression) -> Expression | None:
        """(B R + Y) m/(m^2 + penalty), m = min(B, sqrt(penalty)): a record also holds the minimiser
        back, by its own curvature. Of a weighted record w (B R + Y) B/penalty: small weights, which
        decide the noise, hold nothing back.
        """
        slope = self.slope(bounds)
        if bounds.weight != ONE:
            return super().added(bounds, penalty)
        reach = minimum(bounds.row, sqrt(penalty))
        return None if slope is None else slope * reach / (power(reach, 2) + penalty)

    def replaced(self, bounds: Bounds, penalty: Expression) -> Expression | None:
        """The smaller of twice that and w (B^2 R + 2 B Y)/penalty, the gap of two gradients."""
        once = self.added(bounds, penalty)
        if once is None or bounds.margin is None:
            return None
        gap = bounds.row * (bounds.margin + 2 * bounds.label)
        if bounds.weight != ONE:
            return bounds.weight * gap / penalty  # never more than twice
        return minimum(2 * once, gap / penalty)

    def at(self, margins: Array, labels: Array, number: Numbers) -> tuple[Array, Array, Array]:
        """Half the squared residual, the residual, 1."""
        del number
        residuals = margins - labels
        return residuals * residuals / 2, residuals, residuals * 0 + 1
