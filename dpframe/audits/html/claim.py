"""What is claimed, of whom, for which values; and the first thing to change."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from ..figures import clipped, exactly
from ..figures import formula as written
from ..findings import Change, Findings
from ..sentence import free, goal
from .elements import Content, element, words
from .mathematics import constraint
from .parts import Section, listed, pairs, paragraph
from .together import example

if TYPE_CHECKING:
    from ..report import Audit

LONG = 600  # characters of a sentence


def claim(found: Findings, known: Collection[str]) -> Section:
    """The claim, the unit of privacy, the bounds of the data, the ranges."""
    audit = found.audit
    items: list[tuple[str, tuple[Content, ...]]] = [
        ("Claim", words(goal(audit.claimed), known)),
        ("Unit of privacy", words(f"{audit.setting.unit} ({audit.setting.relation})")),
        ("Rows", words(_rows(audit))),
        ("Labels", words(_labels(audit))),
        ("For all", tuple(words(free(audit)))),
    ]
    chosen = audit.report.chosen
    if chosen is not None and chosen.constraints:
        items.append(("It holds where", listed(map(constraint, chosen.constraints))))
    return Section("claim", "What is claimed", (pairs(items),))


def _rows(audit: Audit) -> str:
    rows = audit.setting.X
    parts = [] if rows.columns is None else [f"{len(rows.columns)} columns by a codebook"]
    parts += [] if rows.box is None else [f"entries clipped to [-{_of(rows.box)}, {_of(rows.box)}]"]
    parts += [] if rows.norm is None else [f"projected onto the ball of radius {_of(rows.norm)}"]
    parts += ["with an intercept"] if rows.intercept else []
    return "; ".join(parts)


def _labels(audit: Audit) -> str:
    labels = audit.setting.y
    if labels is None:
        return ""
    if labels.levels is not None:
        first, second = (clipped(str(level), 60) for level in labels.levels)
        return f"{clipped(labels.name, 60)}, the classes {first} and {second} as -1 and 1"
    if labels.bound is not None:
        return f"{clipped(labels.name, 60)}, clipped to [-{_of(labels.bound)}, {_of(labels.bound)}]"
    ends = [exactly(end) for end in (labels.lower, labels.upper) if end is not None]
    return f"{clipped(labels.name, 60)}, clipped to [{', '.join(ends)}] and mapped onto [-1, 1]"


def _of(bound: object) -> str:
    return clipped(written(bound), 60)  # type: ignore[arg-type]


def change(found: Findings, first: Change, known: Collection[str]) -> Section:
    """What to do first, and why; where costs are those of an example, so is this."""
    items = [("Why", first.why), ("How", first.how), ("Effect", first.effect)]
    told = [(term, words(clipped(text, LONG), known)) for term, text in items if text]
    title = paragraph(*words(clipped(first.title, LONG), known), class_="lead")
    box = element("div", title, pairs(told), class_="change")
    return Section("change", "The first thing to change", (*example(found), box))


def remarks(texts: Collection[str]) -> Iterator[Section]:
    """What the auditor adds, one paragraph a note; as it was written."""
    said = [paragraph(clipped(text, 4000)) for text in texts if text.strip()]
    if said:
        yield Section("notes", "Notes of the auditor", tuple(said))
