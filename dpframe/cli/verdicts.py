"""What `dpframe list` says of regressions with --verdicts and --why: proved when asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from dpframe.literature.catalogue import HERE, Entry

KINDS = {"(epsilon, delta)": "", "epsilon": "pure"}
MARKS = {"region": "*", "numbers": "+"}
NOTES = (
    "pure     it claims epsilon alone, not (epsilon, delta); none: it claims nothing",
    "number   the epsilon of all releases together, exactly, against 1 that is claimed,",
    f"         at {HERE}; <= an upper bound, > a lower bound, - none;",
    "         a free hyperparameter has an example's value; docs/dossier.md has the worst one's",
    "*        certified where the hypothesis of a theorem holds, not for every epsilon and delta",
    "+        refused as a claim for every epsilon and delta, though it holds at these numbers",
    "no data  it reads no row and no label: there is nothing to certify",
    "--why    where each is certified, and what stands in the way of the others",
)


def by_name(found: Iterable[Entry]) -> list[list[Entry]]:
    """The entries of each regression, which stand together."""
    return [list(same) for _, same in groupby(found, lambda entry: entry.name)]


def verdict_cells(row: Sequence[Entry]) -> list[str]:
    """What kind of claim it is; the verdict and the cost under each relation, 17 columns."""
    return [KINDS.get(row[0].claim, "none"), *map(_cell, row)]


def reasons(found: Iterable[Entry]) -> Iterator[str]:
    """A paragraph a regression: the verdicts, and why."""
    for entries in by_name(found):
        cls = type(entries[0].regression)
        yield f"{entries[0].regression}: {cls.title}, {cls.variant} [{cls.paper}]"
        for entry in entries:
            yield f"  {entry.relation}: {entry.verdict}, {entry.reason}"


def _cell(entry: Entry) -> str:
    cost = "-" if entry.cost is None else str(entry.cost).replace(" ", "")
    return f"{entry.verdict + MARKS.get(entry.scope, ''):10}{cost:>7}"
