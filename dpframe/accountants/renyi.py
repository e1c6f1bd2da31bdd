"""Renyi composition: divergences add at every order, and the best order is chosen at the end."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import attrs

from dpframe.numbers import Exact
from dpframe.numerics import Interval
from dpframe.pld.losses import GaussianLoss, PrivacyLoss
from dpframe.privacy import GaussianDP, ZeroConcentratedDP, number

from .arguments import delta_argument, epsilon_argument
from .base import Accountant
from .orders import Orders, orders
from .parts import Costed, Part, grouped


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
    losses: dict[PrivacyLoss, int] = {}
    for what, count in grouped(parts).items():
        concentrated = _rho(what)
        if concentrated is not None:
            rho += concentrated * count
        else:
            loss = Part(what).loss
            losses[loss] = losses.get(loss, 0) + count
    reverses: dict[PrivacyLoss, int] = {}
    for loss, count in losses.items():
        back = loss.reverse()
        reverses[back] = reverses.get(back, 0) + count
    sums = [losses] if reverses == losses else [losses, reverses]
    return [orders(rho, each) for each in sums]


def _rho(what: Costed) -> Fraction | None:
    """rho where the divergence of every order a is bounded by rho a; None elsewhere."""
    match what:
        case ZeroConcentratedDP(rho):
            return number("rho", rho)
        case GaussianDP():
            return number("mu^2", what.amounts[0]) / 2
        case GaussianLoss(mu):
            return mu**2 / 2
    return None
