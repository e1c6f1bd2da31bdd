"""Gaussian DP composition: squared mus add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import attrs

from dpframe.privacy import GaussianDP, Guarantee
from dpframe.symbols import add
from dpframe.wording import Cited

from .base import AdditiveAccountant


@attrs.frozen(cache_hash=True)
class GaussianAccountant(AdditiveAccountant):
    """k adaptive releases, each mu_i-Gaussian DP, are sqrt(sum mu_i^2)-Gaussian DP. [DongRS22, Cor
    3.3]
    """

    name: ClassVar[str] = "gaussian"
    citation: ClassVar[str] = Cited("[DongRS22, Cor 3.3]")
    proof: ClassVar[str] = "joint"
    tried: ClassVar[int] = 2
    argument: ClassVar[str] = "joint Gaussian differential privacy of all releases"
    adds: ClassVar[type[Guarantee]] = GaussianDP

    times = AdditiveAccountant.repeated

    def total(self, guarantees: Sequence[Guarantee]) -> Guarantee:
        """The root of the sum of squares."""
        return GaussianDP.of(add(*(part.amounts[0] for part in guarantees)))

    def attains(self, guarantee: Guarantee) -> bool:
        """The composition of Gaussian mechanisms is Gaussian with the total."""
        return isinstance(guarantee, GaussianDP)
