"""Renyi composition: divergences add at every order, and the best order is chosen at the end."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.numbers import Exact
from dpframe.numerics import Interval
from dpframe.pld import composition, losses
from dpframe.privacy import GaussianDP, ZeroConcentratedDP, number
from dpframe.wording import Cited

from .base import Accountant, Costed, Part, delta_argument, directions, epsilon_argument, grouped

if TYPE_CHECKING:
    from .orders import Orders


@attrs.frozen(cache_hash=True)
class RenyiAccountant(Accountant):
    """Sums of Renyi divergences, over all real orders. [Mironov17, Prop 1] [CanonneKS20, Prop 12]

    Adds everything that has a privacy loss, and zCDP. Bounds from above only: `lower` is 0.
    """

    name: ClassVar[str] = "rdp"
    citation: ClassVar[str] = Cited("[Mironov17, Prop 1]")
    argument: ClassVar[str] = "Renyi divergences of all releases, at the best order"
    reads_losses: ClassVar[bool] = True

    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """The larger of both directions, adding and removing a record."""
        target = delta_argument(delta)
        return Interval(0.0, max(one.epsilon(target) for one in _directions(parts)))

    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """The larger of both directions, adding and removing a record."""
        at = epsilon_argument(epsilon)
        return Interval(0.0, max(one.delta(at) for one in _directions(parts)))


def _directions(parts: Sequence[Part]) -> list[Orders]:
    """The sums of losses in both directions, where they differ; rho-zCDP in each."""
    from .orders import Orders

    rhos = [(what, _rho(what), count) for what, count in grouped(parts).items()]
    rho = sum((own * count for _, own, count in rhos if own is not None), Fraction(0))
    others = directions((Part(what).loss, count) for what, own, count in rhos if own is None)
    return [Orders(rho, composition.total_loss(counts)) for counts in others]


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
