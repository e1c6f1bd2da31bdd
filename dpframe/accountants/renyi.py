"""Renyi composition: divergences add at every order, and the best order is chosen at the end."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.numbers import Exact
from dpframe.numerics import Interval
from dpframe.pld import losses
from dpframe.privacy import GaussianDP, ZeroConcentratedDP, number

from .base import Accountant, Costed, Part, delta_argument, epsilon_argument, grouped

if TYPE_CHECKING:
    from .orders import Orders


@attrs.frozen(cache_hash=True)
class RenyiAccountant(Accountant):
    """Sums of Renyi divergences, over all real orders. [Mironov17, Prop 1] [CanonneKS20, Prop 12]

    Adds everything that has a privacy loss, and zCDP. Bounds from above only: `lower` is 0.
    """

    name: ClassVar[str] = "rdp"
    citation: ClassVar[str] = "[Mironov17, Prop 1]"
    argument: ClassVar[str] = "Renyi divergences of all releases, at the best order"
    reads_losses: ClassVar[bool] = True

    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """The larger of both directions, adding and removing a record."""
        target = delta_argument(delta)
        return Interval(0.0, max(way.epsilon(target) for way in _ways(parts)))

    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """The larger of both directions, adding and removing a record."""
        at = epsilon_argument(epsilon)
        return Interval(0.0, max(way.delta(at) for way in _ways(parts)))


def _ways(parts: Sequence[Part]) -> list[Orders]:
    """The sum of the losses, and of their reverses where these are others."""
    rho = Fraction(0)
    forth: dict[losses.PrivacyLoss, int] = {}
    for what, count in grouped(parts).items():
        concentrated = _rho(what)
        if concentrated is not None:
            rho += concentrated * count
        else:
            loss = Part(what).loss
            forth[loss] = forth.get(loss, 0) + count
    back: dict[losses.PrivacyLoss, int] = {}
    for loss, count in forth.items():
        turned = loss.reverse()
        back[turned] = back.get(turned, 0) + count
    sums = [forth] if back == forth else [forth, back]
    from .orders import orders

    return [orders(rho, each) for each in sums]


def _rho(what: Costed) -> Fraction | None:
    """rho where the divergence of every order a is bounded by rho a; None elsewhere."""
    match what:
        case ZeroConcentratedDP(rho):
            return number("rho", rho)
        case GaussianDP():
            return number("mu^2", what.amounts[0]) / 2
        case losses.GaussianLoss(mu):
            return mu**2 / 2
    return None
