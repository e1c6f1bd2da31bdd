"""Everything that the page on an audit says, computed once.

What an audit found besides its verdict, as text below the page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import attrs

from dpframe.audits.figures import WIDTH, figure, hanging, sharp, table
from dpframe.audits.sentence import values_text
from dpframe.numbers import shortest
from dpframe.privacy import ApproxDP
from dpframe.wording import capital, cited

from .accountants import AccountantBounds, Profile, by_accountants, profile
from .example import Assumption, assumptions, used_in, values_of
from .saving import ADDED, ALIKE, Portion, Saving, portions, saving
from .waste import Change, Waste, change, waste


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
    saved = saving(audit, values)
    return Findings(
        audit=audit,
        accountants=accountants,
        profile=profile(problem, values, best) if accountants and whole else None,
        portions=portions(audit, values),
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


BAR = 30  # characters of a whole budget


def findings_text(found: Findings, width: int = WIDTH, *, sources: bool = True) -> str:
    """Costs under every accountant, the split, the noise wasted, the first thing to change and, if
    `sources`, the works cited, in at most `width` columns.
    """
    parts = [_accountants, _split, _wasted, _saving, _change]
    return _blocks(found, [*parts, *[_sources] * sources], width)


def top_text(audit: Audit, width: int = WIDTH) -> str:
    """Costs under every accountant and the first thing to change."""
    return _blocks(findings(audit, whole=False), [_accountants, _change], width)


def _blocks(
    found: Findings, parts: Iterable[Callable[[Findings], Iterator[str]]], width: int
) -> str:
    blocks = [
        [piece for line in part(found) for piece in hanging(line, width=width)] for part in parts
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _accountants(found: Findings) -> Iterator[str]:
    if not found.accountants:
        return
    given = {"delta": shortest(found.accountants[0].delta), **found.at}
    at = values_text(given)
    of = "the counterexample, " if found.audit.refuted_at else ""
    yield f"All releases together by every accountant, at {of}{at}"
    if found.accountants[0].delta and not isinstance(found.audit.target, ApproxDP):
        yield (
            "  this delta is for orientation: the claim has none; "
            "certificate.as_composition().epsilon(delta) is the cost at another"
        )
    rows = [[_bounds(one), one.name, one.says] for one in found.accountants]
    yield from table(["epsilon", "accountant", ""], rows, [0])


def _bounds(one: AccountantBounds) -> str:
    """`0.596` where it is exact, `<= 0.644`, `0.5 to 0.644`, `none`."""
    if one.upper is None:
        return "none"
    if one.lower is None or math.isinf(one.upper):
        return f"<= {figure(one.upper, 'up')}"
    if sharp(one.lower, one.upper):
        return figure(one.upper)
    return f"{figure(one.lower, 'down')} to {figure(one.upper, 'up')}"


def _split(found: Findings) -> Iterator[str]:
    if len(found.portions) < 2:
        return
    yield "The split of the budget"
    longest = max(len(one.name) for one in found.portions)
    for one in found.portions[:12]:
        yield from _bars(one, longest)
    if len(found.portions) > 12:
        yield f"  ... and {len(found.portions) - 12} more"


def _bars(one: Portion, longest: int) -> Iterator[str]:
    """A bar for what is claimed, one for what it truly uses."""
    name = one.name
    for word, part, mark in (("claimed", one.claimed, "░"), ("true", one.true, "█")):
        if part is not None:
            bar = mark * min(round(BAR * part), 2 * BAR)
            unit = "budget" if word == "claimed" else one.unit
            unit = f" of the {unit}{' of all' * (word == 'true' and unit != ADDED)}"
            yield f"  {name:{longest}}  {word:7}  {figure(100 * part, digits=3):>5} % {bar}{unit}"
            name = ""
    if one.without is not None:
        yield f"  {name:{longest}}  without  epsilon {figure(one.without, 'up')} of the others"


def _wasted(found: Findings) -> Iterator[str]:
    if found.waste is not None:
        yield "Noise against the tightest calibration"
        if found.waste.tight:
            yield f"  {found.waste.says}"
        else:
            at = f" at {found.waste.at}" if found.waste.at else ""
            yield f"  factor {found.waste.amount}{at}: {found.waste.says}"


def _saving(found: Findings) -> Iterator[str]:
    best = found.saving
    if best is not None:
        at = f", at {best.at}" if best.at else ""
        yield f"The best split of the budget saves {best.percent} % of the squared noise{at}"
        yield f"  {best.says}"
        if best.sizes:
            yield f"  {best.sizes}"
        yield f"  {capital(best.way.replace('`', ''))}."
        yield f"  {ALIKE}"


def _change(found: Findings) -> Iterator[str]:
    change = found.change
    if change is not None:
        yield f"The first thing to change: {change.title}"
        yield from (f"  {text}" for text in (change.why, change.how, change.effect) if text)


def _sources(found: Findings) -> Iterator[str]:
    if found.sources:
        yield "Sources"
    for one in found.sources:
        yield f"  [{one.key}] {one.text}"
