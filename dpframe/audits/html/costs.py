"""What a page says of costs: the numbers at its top, bounds against the claim, the profile."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import attrs

from dpframe.privacy import ApproxDP
from dpframe.prover import Verdict
from dpframe.wording import Code, Formula, Text, capital, joined, say

from .. import figures
from ..figures import chosen, clipped, equals, exactly, figure, short
from ..findings import Findings, Opinion, Portion, Profile, Waste
from ..lines import lower_end
from ..sentence import values_text
from .plots import AxisScale
from .words import DASH, percent, shown, signs

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
            by = "the weights below" if found.saving.lines else Code("dp.best_split")
            at = say(" at {}", found.saving.at) if found.saving.at else ""
            saved = say("of the squared noise{} saved by {}", at, by)
            note = joined(": ", filter(None, (saved, found.saving.sizes)))
            note = joined(". ", filter(None, (note, capital(found.saving.split))))
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
        best = [one for one in found.opinions if one.applies and one.upper is not None]
        if best:
            at = values_text(found.at)
            usual = best[0].delta and not isinstance(audit.target, ApproxDP)
            note = say("for {}", at) if at else say("at $delta$ = {}", figure(best[0].delta))
            note = say("at the counterexample, {}", at) if at and audit.refuted_at else note
            note += ", which the claim has not" if usual else ""
            note += "; sign the claim" if audit.verdict is Verdict.PROVED and not usual else ""
            yield "True cost", self._cost(best[0]), note
        elif any(one.verdict is not Verdict.PROVED for one in audit.report.common):
            yield "True cost", "no bound", "see what stands in the way"

    def _cost(self, one: Opinion) -> Text:
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
        return AxisScale.of(self.found.opinions, None if claimed is None else float(claimed))

    @property
    def said(self) -> str:
        """What the broken line is."""
        if self.claimed is None:
            return ""
        return say(" The broken line is the claim, $epsilon$ = {}.", exactly(self.claimed))

    def against(self, one: Opinion) -> str:
        """What it says of the claim. Only where that is proved, a hair above it is inside."""
        claimed = self.claimed
        if one.upper is None or not one.applies:
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

    @staticmethod
    def curve(drawn: Profile) -> str:
        """The picture of the profile in words."""
        few = range(0, len(drawn.epsilons), max(1, len(drawn.epsilons) // 8))
        said = [
            f"at epsilon {shown(drawn.epsilons[i])} delta is at most {shown(drawn.upper[i], 'up')}"
            for i in few
        ]
        return f"Delta falls as epsilon grows: {'; '.join(said)}."

    @staticmethod
    def shares(parts: list[Portion]) -> str:
        """The picture of the split in words."""
        said = [
            f"{clipped(one.name, 60)}: claimed {percent(one.claimed)}, true {percent(one.true)}"
            for one in parts
        ]
        return f"{'; '.join(said)}."


def _needed(wasted: Waste) -> str:
    """What the factor means."""
    if wasted.tight:
        exactly = "none is wasted" if wasted.exact else "joint calibration would save none"
        return f"of what is added: {exactly}"
    if not wasted.exact:
        return "of what is added is enough, less may be"
    return "of what is added would do" if wasted.factor < 1 else "of what is added is needed"
