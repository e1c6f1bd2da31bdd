"""Places of the points of the pictures of a page: axes, bars, intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import attrs

from .findings.accountants import AccountantBounds, Profile
from .findings.saving import Portion

PARTS = 8  # parts that patterns can tell apart
LOWEST = -60  # powers of ten


@attrs.frozen
class Axes:
    """Where a point (epsilon, delta) is drawn: `most` at the right, 10^`low` at the bottom."""

    most: float
    low: int
    LEFT: ClassVar = 58.0
    RIGHT: ClassVar = 666.0
    TOP: ClassVar = 16.0
    BOTTOM: ClassVar = 294.0

    @classmethod
    def of(cls, found: Profile) -> Axes:
        """Down to three powers of ten below the claim, and to the curve at the claim."""
        most, claimed = found.epsilons[-1] or 1.0, found.claimed
        if claimed is None or claimed[1] == 0:
            deepest = min((delta for delta in found.upper if delta > 0), default=1e-12)
            return cls(most, max(-12, math.floor(math.log10(deepest))) or -1)
        wanted = math.floor(math.log10(claimed[1])) - 3
        points = zip(found.epsilons, found.upper, strict=True)
        at = [delta for epsilon, delta in points if epsilon <= claimed[0] and delta > 0]
        curve = math.floor(math.log10(at[-1])) - 1 if at else wanted
        return cls(most, max(LOWEST, min(wanted, curve)))

    def x(self, epsilon: float) -> float:
        """Across."""
        return self.LEFT + (self.RIGHT - self.LEFT) * epsilon / self.most

    def y(self, delta: float) -> float:
        """Down; far below the frame where delta is 0."""
        power = math.log10(delta) if delta > 0 else -math.inf
        return self.TOP + (self.BOTTOM - self.TOP) * min(power / self.low, 1.5)

    @property
    def powers(self) -> range:
        """Powers of ten that have a line."""
        return range(0, self.low - 1, -max(1, math.ceil(-self.low / 7)))

    @property
    def ticks(self) -> list[float]:
        """Five or so round numbers from 0 to `most`.

        >>> Axes(2.0, -6).ticks
        [0.0, 0.5, 1.0, 1.5, 2.0]
        """
        size = 10.0 ** math.floor(math.log10(self.most / 4))
        step = next(size * k for k in (1, 2, 5, 10) if self.most / (size * k) <= 5)
        return [float(f"{step * k:.12g}") for k in range(int(self.most / step * (1 + 1e-9)) + 1)]

    def points(self, across: Sequence[float], down: Sequence[float]) -> list[str]:
        """Of a curve."""
        pairs = zip(across, down, strict=True)
        return [f"{self.x(e):.1f},{self.y(min(d, 1.0)):.1f}" for e, d in pairs]


def parts(portions: Sequence[Portion]) -> list[Portion]:
    """As many as can be distinguished; the rest is one part."""
    rest = portions[PARTS - 1 :]
    if len(rest) < 2:
        return list(portions)
    sums = (total([one.claimed for one in rest]), total([one.true for one in rest]))
    return [*portions[: PARTS - 1], Portion(f"{len(rest)} others", *sums, portions[0].unit)]


def total(shares: Sequence[float | None]) -> float | None:
    """The sum of those that are known; None where none is."""
    known = [share for share in shares if share is not None]
    return sum(known) if known else None


def bars(found: Sequence[Portion]) -> dict[str, list[float]]:
    """The shares of the bars that have lengths; of true shares where every part has one."""
    claimed, true = [one.claimed for one in found], [one.true for one in found]
    rows = {} if total(claimed) is None else {"claimed": [share or 0.0 for share in claimed]}
    known = [share for share in true if share is not None]
    return rows | ({"true": known} if len(known) == len(true) else {})


ROW, PAD = 190.0, 7.0  # the width of a row, and room at its ends
FAR = 30.0  # ends of a range that ask for a logarithm


@attrs.frozen
class AxisScale:
    """From `low` to `high`; in powers of ten where these are far apart. `claimed` has a line."""

    low: float
    high: float
    claimed: float | None
    logarithmic: bool = False

    @classmethod
    def of(cls, bounds: Sequence[AccountantBounds], claimed: float | None) -> AxisScale | None:
        """A scale that holds all of them; None where there is nothing to show."""
        ends = [x for one in bounds for x in (one.upper, one.lower) if x and math.isfinite(x)]
        known = [*ends, *([claimed] if claimed else [])]
        if not ends:
            return None
        low, high = min(known), max(known)
        if high > FAR * low:
            return cls(low / 1.5, high * 1.5, claimed, logarithmic=True)
        return cls(0.0, high * 1.06, claimed)

    def x(self, value: float) -> float:
        """Across, inside the picture whatever the value is."""
        if self.logarithmic:
            place = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return PAD + (ROW - 2 * PAD) * min(max(place, 0.0), 1.0)
