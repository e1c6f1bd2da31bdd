"""The table of docs/flagship.md, where it loses, from docs/contest-worlds.md.

python -m benchmarks.contest.worst docs/contest-worlds.md docs/flagship.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from .entrants import FLAGSHIP
from .standings import ALLOWED
from .tables import markdown

FIRST, LAST = "<!-- losses -->\n\n", "\n\n<!-- end -->"
HEADING = f"### Where {FLAGSHIP} loses, drawn, known bounds, epsilon "
SEEN = 1.0  # percent of zero's error, that a loss must be to stand in the table


@attrs.frozen
class Loss:
    """A row of the contest's page: a world of a kind, where a rival is better."""

    kind: str
    size: str
    epsilon: str
    rival: str
    ratio: float
    share: float

    @classmethod
    def of(cls, line: str, epsilon: str) -> Loss:
        """Of a line: world, rival, difference, its error, share, repeats, ratio, and others."""
        world, rival, _, _, share, _, ratio, *_ = (one.strip() for one in line.split("|")[1:-1])
        kind, _, size = world.partition(", n=")
        n, _, d = size.partition(", d=")
        return cls(kind, f"{int(n):,}, {d}", epsilon, rival, float(ratio), float(share[:-1]))


def losses(page: str) -> Iterator[Loss]:
    """All that the page's tables have of drawn worlds."""
    for section in page.split("\n### "):
        title, _, rest = f"### {section}".partition("\n")
        if title.startswith(HEADING):
            epsilon = title.removeprefix(HEADING).partition(",")[0]
            rows = [line for line in rest.split("\n") if line.startswith("|")]
            yield from (Loss.of(line, epsilon) for line in rows[2:])


def table(page: str) -> str:
    """A row for each kind of world in which the error is above ALLOWED times the best rival's by
    SEEN percent of zero's error or more: in how many cells, and the largest ratio.
    """
    large = [one for one in losses(page) if one.ratio > ALLOWED and one.share >= SEEN]
    kinds = {one.kind: [other for other in large if other.kind == one.kind] for one in large}
    worst = sorted(kinds.values(), key=lambda found: -max(one.ratio for one in found))
    header = ("worlds", "cells", "times the rival's error", "rival", "$n, d$", "$\\varepsilon$")
    return "\n".join(markdown(header, map(row, worst)))


def row(found: Sequence[Loss]) -> Sequence[str]:
    """Of the losses of one kind."""
    most = max(found, key=lambda one: one.ratio)
    ratio = f"{most.ratio:.2g}"
    return most.kind, str(len(found)), ratio, most.rival, most.size, most.epsilon


def between(text: str) -> tuple[str, str, str]:
    """What is before the table, the table, and what is after it."""
    before, _, rest = text.partition(FIRST)
    found, _, after = rest.partition(LAST)
    return before + FIRST, found, LAST + after


def main(page: str, into: str) -> None:
    """Write the table anew."""
    file = Path(into)
    before, _, after = between(file.read_text("utf-8"))
    file.write_text(f"{before}{table(Path(page).read_text('utf-8'))}{after}", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
