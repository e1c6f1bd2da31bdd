"""Everything that the page on an audit says, computed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

from .assumed import Assumption, assumptions
from .change import Change, change
from .example import used_in, values_of
from .opinions import Opinion, opinions
from .profile import Profile, profile
from .second import second_opinion
from .sources import Source, sources
from .waste import Portion, Waste, portions, waste

if TYPE_CHECKING:
    from ..report import Audit


@attrs.frozen(kw_only=True, eq=False)
class Findings:
    """What an audit found. Costs are stated at the target's numbers; where symbols are left, at the
    numbers `at`. Parts without an answer are None or empty.
    """

    audit: Audit
    opinions: tuple[Opinion, ...]
    second: Opinion | None
    profile: Profile | None
    portions: tuple[Portion, ...]
    waste: Waste | None
    change: Change | None
    assumptions: tuple[Assumption, ...]
    sources: tuple[Source, ...]
    at: Mapping[str, Fraction]

    def record(self) -> dict[str, Any]:
        """Everything but the audit as JSON values."""
        return {
            "at": {name: str(value) for name, value in self.at.items()},
            "accountants": [one.record() for one in self.opinions],
            "second_opinion": self.second and self.second.record(),
            "profile": self.profile and self.profile.record(),
            "split": [one.record() for one in self.portions],
            "noise_wasted": self.waste and self.waste.record(),
            "first_change": self.change and self.change.record(),
            "assumed": [one.record() for one in self.assumptions],
            "sources": [one.record() for one in self.sources],
        }


def findings(audit: Audit) -> Findings:
    """What `audit` found, for a page."""
    problem = audit.report.problem
    chosen = audit.report.chosen
    values = values_of(problem, () if chosen is None else chosen.constraints)
    accountants = opinions(audit, values)
    second, wasted = second_opinion(audit, values), waste(audit, values)
    best = accountants[0].upper if accountants else None
    return Findings(
        audit=audit,
        opinions=accountants,
        second=second,
        profile=profile(problem, values, best) if accountants else None,
        portions=portions(audit, values),
        waste=wasted,
        change=change(audit, wasted),
        assumptions=assumptions(audit.assumptions, approximate=len(audit.target.currency) > 1),
        sources=sources(_cited(audit, accountants)),
        at=used_in(problem, values),
    )


def _cited(audit: Audit, accountants: tuple[Opinion, ...]) -> Iterator[str]:
    """Every text of the page that may cite a work."""
    yield type(audit.regression).__doc__ or ""
    yield from (one.source for one in accountants)
    for obligation in (*audit.report.obligations, *audit.report.open_obligations):
        yield obligation.rule
        yield from obligation.facts
    yield from (line.note for line in audit.lines)
