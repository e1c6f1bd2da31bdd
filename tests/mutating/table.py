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
        markdown(found, BREAKING_ENDS, breaks=True),
        markdown(found, BENIGN_ENDS, breaks=False),
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


def markdown(found: Iterable[Judged], ends: Sequence[Outcome], *, breaks: bool) -> str:
    """Every operator that made an edit, how many of its edits ended how, and their sum."""
    counts = Counter((one.operator.name, one.verdict) for one in found)
    used = [one for one in OPERATORS.values() if one.breaks is breaks]
    listed = [(one.name, one.says, [counts[one.name, end] for end in ends]) for one in used]
    kept = [row for row in listed if any(row[2])]
    total = [sum(row[2][i] for row in kept) for i in range(len(ends))]
    head = ("harmful edit" if breaks else "harmless", "description", *map(str, ends))
    lines = [head, ("---", "---", *["---:"] * len(ends))]
    for name, says, own in (*kept, ("**together**", "", total)):
        lines.append((name, says.replace("|", "\\|"), *map(str, own)))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace("| --- ", "|---")
