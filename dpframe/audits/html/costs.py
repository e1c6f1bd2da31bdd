"""What a page says of costs: the numbers at its top, bounds against the claim, the profile; and the
places of the points of their pictures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

import attrs

from dpframe.privacy import ApproxDP
from dpframe.prover import Verdict
from dpframe.wording import Code, Formula, Text, joined, say

from .. import figures
from ..figures import chosen, clipped, equals, exactly, figure, short
from ..findings import Findings
from ..findings.accountants import AccountantBounds, Profile
from ..findings.saving import Portion
from ..findings.waste import Waste
from ..lines import lower_end
from ..sentence import values_text
from .words import DASH, signs

TIGHT = Fraction(1, 10**9)  # more than rounding adds to an exact calibration


def sharp(found: Profile) -> bool:
    """Whether the bounds of a profile are one curve, as far as it is drawn."""
    return all(map(figures.sharp, found.lower, found.upper))


@attrs.frozen
class Costs:
    """The costs that `found` has."""

    found: Findings

    @property
    def headline(self) -> Iterator[tuple[str, str, str]]:
        """The numbers that matter most: what each is, the number, at what."""
        found, audit = self.found, self.found.audit
        if audit.claimed is audit.target and "epsilon" in audit.target.currency:
            yield "Claimed", *self._target()
        yield from self._true()
        if found.waste is not None:
            of = "at the counterexample" if audit.refuted_at else "in the example"
            where = f", {of}" if found.at else ""
            factor = say("× {}", found.waste.amount)
            yield "Noise needed", factor, _needed(found.waste) + where
        if found.saving is not None:
            by = Code("dp.best_split") if found.saving.call else "the sizes below"
            at = say(" at {}", found.saving.at) if found.saving.at else ""
            saved = say("of the squared noise{} saved by {}", at, by)
            note = joined(": ", filter(None, (saved, found.saving.sizes)))
            yield "Best split", f"{found.saving.percent} %", note
        count = len(audit.report.open_obligations)
        if count:
            yield "In the way", str(count), "open obligation" + "s" * (count > 1)

    def _target(self) -> tuple[str, str]:
        """The claim: its numbers, or that it has letters."""
        amounts = self.found.audit.target.amounts
        epsilon, *rest = map(lower_end, amounts)
        if epsilon is None:
            some = self.found.audit.where
            reach = "for all values; proved for some" if some else "for all values in their ranges"
            return clipped(joined(", ", amounts), 40), reach
        delta = "0" if not rest else Formula("delta") if rest[0] is None else short(rest[0])
        return say("ε = {}", short(epsilon)), say("at $delta$ = {}", delta)

    def _true(self) -> Iterator[tuple[str, str, str]]:
        """The tightest answer, and at which numbers."""
        found, audit = self.found, self.found.audit
        best = [one for one in found.accountants if one.upper is not None]
        if best:
            at = values_text(found.at)
            usual = best[0].delta and not isinstance(audit.target, ApproxDP)
            note = say("for {}", at) if at else say("at $delta$ = {}", figure(best[0].delta))
            note = say("at the counterexample, {}", at) if at and audit.refuted_at else note
            note += ", which the claim has not" if usual else ""
            note += "; sign the claim" if audit.verdict is Verdict.PROVED and not usual else ""
            yield "True cost", self._cost(best[0]), note
        elif not audit.bounded:
            yield "True cost", "no bound", "see what stands in the way"

    def _cost(self, one: AccountantBounds) -> Text:
        """`ε = 0.596`, `ε between 45.5 and 1113`."""
        target = self.found.audit.target
        limit = self.claimed if isinstance(target, ApproxDP) else None
        upper = float("inf") if one.upper is None else one.upper
        return say("ε {}", equals((one.lower or 0.0, upper), limit))

    @property
    def claimed(self) -> Fraction | None:
        """epsilon of the claim; that of the example where it is symbolic."""
        target = self.found.audit.target
        if "epsilon" not in target.currency:
            return None
        value = lower_end(target.amounts[0])
        return self.found.at.get("epsilon") if value is None else value

    @property
    def scale(self) -> AxisScale | None:
        """On which bounds are drawn."""
        claimed = self.claimed
        return AxisScale.of(self.found.accountants, None if claimed is None else float(claimed))

    @property
    def said(self) -> str:
        """What the broken line is."""
        if self.claimed is None:
            return ""
        return say(" The broken line is the claim, $epsilon$ = {}.", exactly(self.claimed))

    def against(self, one: AccountantBounds) -> str:
        """What it says of the claim. Only where that is proved, a hair above it is inside."""
        claimed = self.claimed
        if one.upper is None:
            return "does not apply"
        if claimed is None:
            return DASH
        if one.lower is not None and one.lower > claimed:
            return "above it: the claim is false"
        room = TIGHT if self.found.audit.verdict is Verdict.PROVED else 0
        return "inside it" if one.upper <= claimed * (1 + room) else "does not prove it"

    def judged(self, drawn: Profile) -> Text:
        """Where the curve passes the claim, in words."""
        if drawn.claimed is None:
            return say(
                "The claim is not one of $epsilon$ and $delta$, so it is no point of this picture."
            )
        epsilon, delta = drawn.claimed
        text = say(
            "The claim is $epsilon$ = {} with $delta$ = {}: it holds where the curve stays out of "
            "the hatched part.",
            *map(chosen, drawn.claimed),
        )
        rows = list(zip(drawn.epsilons, drawn.lower, drawn.upper, strict=True))
        before = [upper for e, _, upper in rows if e <= epsilon]
        if any(e >= epsilon and low > delta for e, low, _ in rows):
            return say("{} It does not: the claim fails.", text)
        proved = self.found.audit.verdict is Verdict.PROVED
        if proved or (before and before[-1] <= delta):
            return say("{} It does.", text)
        return say("{} The bounds lie on both sides of the claim.", text)

    @staticmethod
    def point(drawn: Profile) -> str:
        """The name of the claim in the picture."""
        if drawn.claimed is None:
            return ""
        epsilon, delta = (signs(chosen(amount)) for amount in drawn.claimed)
        return f"claimed: ε = {epsilon}, δ = {delta}"


def _needed(wasted: Waste) -> str:
    """What the factor means."""
    of = f"of {wasted.noise}" if wasted.kept else "of what is added"
    if wasted.tight:
        exactly = "none is wasted" if wasted.exact else "joint calibration would save none"
        return f"{of}: {exactly}"
    if not wasted.exact:
        return f"{of} is enough; less may be enough"
    return f"{of} would do" if wasted.factor < 1 else f"{of} is needed"


# ----------------------------------------------------------------- Places of the points of pictures
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


MOST = 8  # parts that patterns can tell apart


def parts(portions: Sequence[Portion]) -> list[Portion]:
    """As many as can be distinguished; the rest is one part."""
    rest = portions[MOST - 1 :]
    if len(rest) < 2:
        return list(portions)
    sums = (_sum([one.claimed for one in rest]), _sum([one.true for one in rest]))
    return [*portions[: MOST - 1], Portion(f"{len(rest)} others", *sums, portions[0].unit)]


def _sum(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return sum(known) if known else None


def bars(found: Sequence[Portion]) -> dict[str, list[float]]:
    """The shares of the bars that have lengths; of true shares where every part has one."""
    claimed, true = [one.claimed for one in found], [one.true for one in found]
    rows = {} if _sum(claimed) is None else {"claimed": [share or 0.0 for share in claimed]}
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
