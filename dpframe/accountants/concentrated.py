"""zCDP composition: rhos add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import attrs

from dpframe.privacy import GaussianDP, Guarantee, ZeroConcentratedDP
from dpframe.symbols import add
from dpframe.wording import Cited

from .base import AdditiveAccountant


@attrs.frozen(cache_hash=True)
class ConcentratedAccountant(AdditiveAccountant):
    """k adaptive releases, each rho_i-zCDP, are (sum rho_i)-zCDP. [BunS16, Lem 2.3]"""

    name: ClassVar[str] = "zcdp"
    citation: ClassVar[str] = Cited("[BunS16, Lem 2.3]")
    tried: ClassVar[int] = 3
    argument: ClassVar[str] = "zero-concentrated differential privacy of all releases"
    adds: ClassVar[type[Guarantee]] = ZeroConcentratedDP

    times = AdditiveAccountant.repeated

    def total(self, guarantees: Sequence[Guarantee]) -> Guarantee:
        """The sum."""
        return ZeroConcentratedDP(add(*(part.amounts[0] for part in guarantees)))

    def attains(self, guarantee: Guarantee) -> bool:
        """Gaussian mechanisms are rho-zCDP, and their composition is Gaussian with the total."""
        return isinstance(guarantee, (GaussianDP, ZeroConcentratedDP))
