"""dpframe list: every regression, for whom it is certified, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import dpframe as dp
from dpframe.auditing.catalogue import HERE, RELATIONS, Entry, catalogue, everything, family
from dpframe.auditing.figures import table

from .options import Json, RelationName, option
from .printing import page, print_json, say

KINDS = {"(epsilon, delta)": "", "epsilon": "pure"}
VARIANTS = ("printed", "coded", "recommended", "baseline")
MARKS = {"region": "*", "numbers": "+"}
COLOURS = {r"\bcertified\b": "green", r"\brefused\b": "bold red", r">[\d.]+": "bold red"}
NOTES = (
    "pure     it claims epsilon alone, not (epsilon, delta); none: it claims nothing",
    "number   the epsilon of all releases together, exactly, against 1 that is claimed,",
    f"         at {HERE}; <= an upper bound, > a lower bound, - none;",
    "         a free hyperparameter has an example's value: dpframe dossier has the worst one's",
    "*        certified where the hypothesis of a theorem holds, not for every epsilon and delta",
    "+        refused as a claim for every epsilon and delta, though it holds at these numbers",
    "--why    where each is certified, and what stands in the way of the others",
)

Variant = Annotated[str | None, option("--variant", f"Only {', '.join(VARIANTS)}.")]
Only = Annotated[RelationName | None, option("--relation", "Only this one. Left out: both.")]
Why = Annotated[bool, typer.Option("--why", help="Say why, one paragraph each.")]


def list_(
    relation: Only = None, variant: Variant = None, why: Why = False, as_json: Json = False
) -> None:
    """Regressions: whether each is certified for every epsilon, delta and bound, and its cost."""
    relations = RELATIONS if relation is None else (relation.relation,)
    found = catalogue(_of(variant), relations)
    if as_json:
        print_json([entry.record() for entry in found])
    elif why:
        for block in _reasons(found):
            page(block)
    else:
        _say("\n".join(_table(found, relations)))
        say("\n".join(["", *NOTES]))


def _of(variant: str | None) -> list[type[dp.Regression]] | None:
    if variant is None:
        return None
    if variant not in VARIANTS:
        raise dp.InvalidArgument("--variant", f"one of {', '.join(VARIANTS)}", variant)
    return [cls for cls in everything() if cls.variant == variant]


def _table(found: Sequence[Entry], relations: Sequence[dp.Relation]) -> Iterator[str]:
    """One line a regression, larger families between blank lines."""
    head = ["name", "variant", "", *map(str, relations), "paper"]
    rows = [list(same) for _, same in groupby(found, lambda entry: entry.name)]
    lines = table(head, [_cells(row) for row in rows], ())
    yield _short(lines[0])
    before = None
    for line, row in zip(lines[1:], rows, strict=True):
        group = _block(row[0], rows)
        if group != before:
            yield ""
        yield _short(line)
        before = group


def _block(entry: Entry, rows: Iterable[Sequence[Entry]]) -> str:
    """Its family; families of one share a block with those around them."""
    own = family(type(entry.regression))
    same = [row for row in rows if family(type(row[0].regression)) == own]
    return own if len(same) > 1 else ""


def _cells(row: Sequence[Entry]) -> list[str]:
    cls = type(row[0].regression)
    kind = KINDS.get(row[0].claim, "none")
    first, *more = cls.paper.split("; ")
    papers = f"{first}{'+' if more else ''}"
    return [row[0].name, cls.variant, kind, *map(_cell, row), papers]


def _cell(entry: Entry) -> str:
    """The verdict and the cost: 17 columns."""
    cost = "-" if entry.cost is None else str(entry.cost).replace(" ", "")
    return f"{entry.verdict + MARKS.get(entry.scope, ''):10} {cost:>6}"


def _short(line: str) -> str:
    """Without the indentation of tables."""
    return line[2:].rstrip()


def _reasons(found: Iterable[Entry]) -> Iterator[str]:
    for _, same in groupby(found, lambda entry: entry.name):
        entries = list(same)
        cls = type(entries[0].regression)
        yield f"{entries[0].regression}: {cls.title}, {cls.variant} [{cls.paper}]"
        for entry in entries:
            yield f"  {entry.relation}: {entry.verdict}, {entry.reason}"


def _say(text: str) -> None:
    shown = Text(text)
    for pattern, style in COLOURS.items():
        shown.highlight_regex(pattern, style)
    Console(highlight=False, soft_wrap=True).print(shown)
