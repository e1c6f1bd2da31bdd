"""What a page says of single releases: the columns of their table, what stands below it, and where
their numbers come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from dpframe.prover import Verdict
from dpframe.wording import Cited, Formula, joined, say

from ..figures import clipped, listed
from ..figures import formula as written
from ..lines import ReleaseLine, meanings
from ..releases import cost, refuted
from .words import DASH, signs

if TYPE_CHECKING:
    from ..report import Audit

MOST = 24  # different releases of a table
QUESTIONED = (
    "These numbers take for granted what does not hold here: see what stands in the way. Until "
    "that is mended they bound nothing."
)
UNUSED = (
    "The total is proved in another way: it does not use the claims of single releases that fail."
)
COSTS = {
    Formula("mu"): ("mu", ""),
    say("$delta$ at that $epsilon$"): ("exact_delta", "delta"),
    say("true $epsilon$"): ("exact_epsilon", "epsilon"),
}
ANALYTIC = say(
    "the least standard deviation of Gaussian noise, at sensitivity 1, that satisfies "
    "$(epsilon, delta)$-differential privacy {}",
    Cited("[BalleW18, Thm 8]"),
)


@attrs.frozen
class Derived:
    """The class of a release's noise, and the rule that gives its sensitivity."""

    noise: str
    rule: str


@attrs.frozen(slots=False)
class Released:
    """The releases of an audit, equal ones once."""

    audit: Audit

    @cached_property
    def lines(self) -> list[tuple[ReleaseLine, int]]:
        """Different lines, and how often each occurs."""
        return list(Counter(self.audit.lines).items())

    @property
    def exact(self) -> list[str]:
        """The costs that any release has."""
        return [
            column
            for column, (field, _) in COSTS.items()
            if any(getattr(line, field) is not None for line in self.audit.lines)
        ]

    @property
    def columns(self) -> list[str]:
        """Of the table; all but the first two hold numbers."""
        sized = any(line.size is not None for line in self.audit.lines)
        shared = any(line.share for line in self.audit.lines)
        given = ["noise"] * sized + ["share claimed"] * shared
        return ["release", "claim", "sensitivity", *given, *self.exact]

    @staticmethod
    def draws(line: ReleaseLine, many: int) -> str:
        """How often it is drawn, where more than once."""
        times = written(line.times * many)
        return "" if times == "1" else f" (×{times})"

    @staticmethod
    def cost(line: ReleaseLine, column: str) -> str:
        """A cost, in enough digits to tell it from what is claimed; an upper bound says so."""
        field, name = COSTS[column]
        value = getattr(line, field)
        return DASH if value is None else signs(cost(line, value, name))

    refuted = staticmethod(refuted)

    @property
    def failing(self) -> bool:
        """Whether a claim on a single release is not proved."""
        failed = {Verdict.REFUTED, Verdict.UNPROVED}
        return any(line.verdict in failed for line in self.audit.lines)

    @property
    def notes(self) -> list[str]:
        """What the columns mean, and what is left out."""
        lines = self.audit.lines
        said: list[str] = []
        if len(self.lines) > MOST:
            rest = Counter(line.claim for line, many in self.lines[MOST:] for _ in range(many))
            counted = ", ".join(f"{count} {what}" for what, count in rest.items())
            said.append(f"And {rest.total()} more: {counted}.")
        if any(line.exact_delta is not None for line in lines):
            said.append(
                say(
                    "Delta is exact at the claimed $epsilon$, and $epsilon$ at the claimed $delta$."
                )
            )
        if any(line.mu is not None for line in lines):
            said.append(say("$mu$ is the sensitivity over the standard deviation."))
        shown = (self.cost(line, column) for line in lines for column in self.exact)
        if any(text.startswith("≤") for text in shown):
            said.append(
                "≤ is an upper bound: no pair of tables is known to attain the sensitivity."
            )
        notes: list[str] = [joined(" ", said)] if said else []
        notes += [UNUSED] if self.audit.verdict is Verdict.PROVED and self.failing else []
        wrong = any(one.verdict is not Verdict.PROVED for one in self.audit.report.common)
        return notes + ([QUESTIONED] if wrong else [])

    @property
    def groups(self) -> Sequence[tuple[str, ReleaseLine, Derived]]:
        """Releases of which the same is said, together; the first of many."""
        found: dict[object, tuple[list[str], ReleaseLine, Derived]] = {}
        releases = zip(self.audit.lines, self.audit.report.problem.graph.releases, strict=True)
        for line, release in releases:
            key = (line.statistic, line.written, line.rule, line.witness, line.note, line.open)
            if key not in found:
                moved = release.statistic.sensitivity(release.mechanism.norm)
                rule = "" if moved is None else moved.rule
                found[key] = ([], line, Derived(release.noise.__name__, rule))
            found[key][0].append(clipped(line.name, 80))
        return [(listed(names), line, derived) for names, line, derived in found.values()][:MOST]

    @property
    def letters(self) -> Sequence[tuple[str, str]]:
        """What the letters of the formulas mean."""
        known = meanings(self.audit.lines, self.audit.report.problem.setting)
        found = [(name, say("the {}", meaning)) for name, meaning in known.items()]
        analytic = any("analytic_sigma" in str(line.written) for line in self.audit.lines)
        return found + ([("σ analytic", ANALYTIC)] if analytic else [])
