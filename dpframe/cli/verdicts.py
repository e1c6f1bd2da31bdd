"""The columns and paragraphs of `dpframe list --verdicts` and `--why`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from dpframe.literature.catalogue import HERE, Entry

KINDS = {"(epsilon, delta)": "", "epsilon": "pure"}
MARKS = {"region": "*", "numbers": "+"}
NOTES = (
    "pure     the claim is epsilon alone, not (epsilon, delta); none: there is no claim",
    "number   the exact epsilon of all releases together, for a claimed epsilon of 1,",
    f"         at {HERE}; <= an upper bound, > a lower bound, - none;",
    "         free hyperparameters have example values; docs/dossier.md has the worst case",
    "*        certified under the hypothesis of a theorem, not for every epsilon and delta",
    "+        refused for every epsilon and delta, although it holds at these numbers",
    "no data  reads neither rows nor labels: there is nothing to certify",
    "--why    where each is certified, and why others are not",
)


def by_name(catalogue: Iterable[Entry]) -> list[list[Entry]]:
    """The entries of each regression, which are adjacent."""
    return [list(same) for _, same in groupby(catalogue, lambda entry: entry.name)]


def verdict_cells(row: Sequence[Entry]) -> list[str]:
    """The kind of claim, then the verdict and cost under each relation, 17 columns wide."""
    return [KINDS.get(row[0].claim, "none"), *map(_cell, row)]


def reasons(catalogue: Iterable[Entry]) -> Iterator[str]:
    """A paragraph per regression: the verdicts with reasons."""
    for entries in by_name(catalogue):
        cls = type(entries[0].regression)
        yield f"{entries[0].regression}: {cls.title}, {cls.variant} [{cls.paper}]"
        for entry in entries:
            yield f"  {entry.relation}: {entry.verdict}, {entry.reason}"


def _cell(entry: Entry) -> str:
    cost = "-" if entry.cost is None else str(entry.cost).replace(" ", "")
    return f"{entry.verdict + MARKS.get(entry.scope, ''):10}{cost:>7}"
