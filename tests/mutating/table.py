"""Mutants as a table by operator, and by name what should not be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .judged import (
    ACCEPTED,
    EQUIVALENT,
    OVERCAUTIOUS,
    REFUSED,
    SURVIVOR,
    UNSPELLABLE,
    Judged,
    Outcome,
)
from .operators import OPERATORS

if TYPE_CHECKING:
    from .campaign import Mutants

BREAKING_ENDS = (REFUSED, EQUIVALENT, SURVIVOR, UNSPELLABLE)
BENIGN_ENDS = (ACCEPTED, OVERCAUTIOUS, SURVIVOR, UNSPELLABLE)


def table(found: Mutants) -> str:
    """Two tables, edits that are meant to break the claim and harmless ones; the sums; survivors by
    name.
    """
    parts = [
        *_table("edits that are meant to break the claim", found, BREAKING_ENDS, breaks=True),
        "",
        *_table("harmless edits", found, BENIGN_ENDS, breaks=False),
        "",
        sentence(found),
        *named("survivor: ", found.survivors),
        *named("refused although harmless: ", found.overcautious),
    ]
    return "\n".join(parts)


def sentence(found: Mutants) -> str:
    """The sums, in words."""
    counts = found.counts
    released = {one.essence for one in found.spelled}
    witnessed = sum(one.witnessed for one in found.of(REFUSED))
    survivors = len(found.survivors)
    lines = [
        f"{len(found.spelled):,} distinct mutants, with {len(released):,} different releases.",
        f"{counts['refused']:,} of those that are meant to break the claim are refused, each with",
        f"node, rule and facts, {witnessed:,} with a counterexample;",
        f"{counts['equivalent']:,} are private still, which the independent checker confirms;",
        f"{counts['accepted']:,} harmless ones are accepted, {len(found.overcautious):,} refused.",
        f"{counts[str(UNSPELLABLE)]:,} more edits have no words in a graph.",
        f"{survivors or 'No'} survivor{'' if survivors == 1 else 's'}.",
    ]
    return "\n".join(lines)


def named(word: str, judged: Iterable[Judged]) -> list[str]:
    """Each by its name, with the reason."""
    return [
        f"{word}{one.name} [{one.target}, {one.setting.relation}]: {one.reason}" for one in judged
    ]


def rows(
    found: Mutants, ends: Sequence[Outcome], *, breaks: bool
) -> list[tuple[str, str, list[int]]]:
    """Name, meaning and counts of every operator that made an edit."""
    counts = Counter((one.operator.name, one.verdict) for one in found)
    used = [one for one in OPERATORS.values() if one.breaks is breaks]
    listed = [(one.name, one.says, [counts[one.name, end] for end in ends]) for one in used]
    return [row for row in listed if any(row[2])]


def _table(title: str, found: Mutants, ends: Sequence[Outcome], *, breaks: bool) -> list[str]:
    listed = rows(found, ends, breaks=breaks)
    head = [title, "", *map(str, ends)]
    body = [[name, says, *(str(n or "") for n in counts)] for name, says, counts in listed]
    sums = ["together", "", *(str(sum(row[2][i] for row in listed)) for i in range(len(ends)))]
    widths = [max(len(line[i]) for line in (head, *body, sums)) for i in range(len(head))]
    rule = "-" * (sum(widths) + 2 * len(widths) - 2)
    return [
        _line(head, widths),
        rule,
        *(_line(line, widths) for line in body),
        rule,
        _line(sums, widths),
    ]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    words = [cell.ljust(width) for cell, width in zip(cells[:2], widths[:2], strict=True)]
    numbers = [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:], strict=True)]
    return "  ".join((*words, *numbers)).rstrip()
