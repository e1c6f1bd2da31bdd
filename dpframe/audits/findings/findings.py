"""Everything that a document on an audit says, computed once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.wording import cited

from .accountants import AccountantBounds, Profile, by_accountants, profile
from .change import Change, change
from .example import Assumption, assumptions, used_in, values_of
from .saving import Portion, Saving, portions, saving, unsplit
from .waste import Waste, waste


# -------------------------------------------------------------------------- Works that a page cites
@attrs.frozen
class CitedSource:
    """A key such as BalleW18, and the reference in plain text."""

    key: str
    text: str


def sources(keys: Iterable[str]) -> tuple[CitedSource, ...]:
    """The works with these keys that the bibliography knows, each once, by key.

    >>> [one.key for one in sources(["BalleW18", "nothing"])]
    ['BalleW18']
    """
    known = bibliography()
    return tuple(CitedSource(key, known[key]) for key in sorted(set(keys)) if key in known)


@cache
def bibliography() -> dict[str, str]:
    """Every reference in plain text, by key."""
    text = files("dpframe.audits.findings").joinpath("bibliography.json").read_text("utf-8")
    found: dict[str, str] = json.loads(text)
    return found


if TYPE_CHECKING:
    from dpframe.audits.report import Audit


@attrs.frozen(kw_only=True, eq=False)
class Findings:
    """What an audit found. Costs are stated at the target's numbers; where symbols are left, at the
    numbers `at`: those of the counterexample, where one has numbers. Parts without an answer are
    None or empty.
    """

    audit: Audit
    accountants: tuple[AccountantBounds, ...]
    profile: Profile | None
    portions: tuple[Portion, ...]
    unsplit: str
    waste: Waste | None
    saving: Saving | None
    change: Change | None
    assumptions: tuple[Assumption, ...]
    sources: tuple[CitedSource, ...]
    at: Mapping[str, Fraction]

    def record(self) -> dict[str, Any]:
        """Everything but the audit as JSON values."""
        found = {
            "accountants": self.accountants,
            "profile": self.profile,
            "split": self.portions,
            "not_split": self.unsplit,
            "noise_wasted": self.waste,
            "best_split": self.saving,
            "first_change": self.change,
            "assumed": self.assumptions,
            "sources": self.sources,
        }
        at = {name: str(value) for name, value in self.at.items()}
        return {"at": at, **{name: _plain(part) for name, part in found.items()}}


def _plain(part: Any) -> Any:
    """Every field as a JSON value."""
    if isinstance(part, tuple):
        return [attrs.asdict(one) for one in part]
    if isinstance(part, (Waste, Saving)):
        return part.record()
    return attrs.asdict(part) if attrs.has(type(part)) else part


def findings(audit: Audit, *, whole: bool = True) -> Findings:
    """What `audit` found, for a page; the profile only for the `whole` page."""
    problem = audit.report.problem
    chosen = audit.report.chosen
    region = () if chosen is None else chosen.constraints
    values = values_of(problem, region, audit.counterexample)
    accountants = by_accountants(audit, values)
    wasted = waste(audit, values)
    best = accountants[0].upper if accountants else None
    saved = saving(audit, values, wasted)
    return Findings(
        audit=audit,
        accountants=accountants,
        profile=profile(problem, values, best) if accountants and whole else None,
        portions=portions(audit, values),
        unsplit=unsplit(audit),
        waste=wasted,
        saving=saved,
        change=change(audit, wasted, saved),
        assumptions=assumptions(audit.assumptions, approximate=len(audit.target.currency) > 1),
        sources=sources(_cited(audit, accountants)),
        at=used_in(problem, values),
    )


def _cited(audit: Audit, accountants: tuple[AccountantBounds, ...]) -> Iterator[str]:
    """The keys of the works that the page cites."""
    yield from getattr(audit.regression, "paper", "").split("; ")
    obligations = (*audit.report.obligations, *audit.report.open_obligations)
    texts = [one.source for one in accountants] + [line.note for line in audit.lines]
    texts += [text for one in obligations for text in (one.rule, *one.facts)]
    for text in texts:
        yield from cited(text)
