"""dpframe list: regressions with their papers, and on request whether each is certified."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

import dpframe as dp

from .options import Json, RelationName, option
from .printing import page, print_json, say

if TYPE_CHECKING:
    from dpframe.literature.catalogue import Entry

app = typer.Typer(add_completion=False)

VARIANTS = ("printed", "coded", "recommended", "baseline")
COLOURS = {r"\bcertified\b": "green", r"\brefused\b": "bold red", r">[\d.]+": "bold red"}
KINDS = {"(epsilon, delta)": "", "epsilon": "pure"}
MARKS = {"region": "*", "numbers": "+"}
NOTES = """
pure     the claim is epsilon alone, not (epsilon, delta); none: there is no claim
number   the exact epsilon of all releases together, for a claimed epsilon of 1,
         at {here}; <= an upper bound, > a lower bound, - none;
         free hyperparameters have example values; docs/dossier.md has the worst case
*        certified under the hypothesis of a theorem, not for every epsilon and delta
+        refused for every epsilon and delta, although it holds at these numbers
no data  reads neither rows nor labels: there is nothing to certify
--why    where each is certified, and why others are not"""
WIDTH = 100
TITLE = 41  # the width of titles, so that lines have at most 100 columns
CHOICE = "dpframe recommend -n N -d D --epsilon E --delta D names one for a table and a budget"
PAPERS = "+ after a paper: and others, which --json lists"
MORE = "--verdicts  whether each is certified, and at what cost; dpframe audit NAME has the details"

Variant = Annotated[str | None, option("--variant", f"Only {', '.join(VARIANTS)}.")]
Verdicts = Annotated[bool, typer.Option("--verdicts", help="Prove each, and show its cost.")]
Why = Annotated[bool, typer.Option("--why", help="Verdicts with the reasons.")]
Only = Annotated[RelationName | None, option("--relation", "Verdicts for one relation only.")]


@app.command(epilog="Example: dpframe list --verdicts --variant recommended")
def list_(
    *,
    variant: Variant = None,
    verdicts: Verdicts = False,
    why: Why = False,
    relation: Only = None,
    as_json: Json = False,
) -> None:
    """List regressions with their variants and papers. With --verdicts, --why or --relation, prove
    each for every epsilon, delta and bound, which takes some seconds, and show its cost.
    """
    from dpframe.audits.figures import clipped
    from dpframe.literature.every import about

    classes = _of(variant)
    if verdicts or why or relation is not None:
        relations = tuple(dp.Relation) if relation is None else (relation.relation,)
        _verdicts(classes, relations, why=why, as_json=as_json)
    elif as_json:
        print_json([about(cls) for cls in classes])
    elif variant == "recommended":
        say("\n".join(_uses(classes)))
        say(f"\n{MORE}\n{CHOICE}")
    else:
        rows = [[_papers(cls), clipped(cls.title, TITLE)] for cls in classes]
        say("\n".join(_table(["paper", "title"], classes, rows)), COLOURS)
        say(f"\n{PAPERS}\n{MORE}")


def _uses(classes: Sequence[type[dp.Regression]]) -> Iterator[str]:
    """The name of each, and the first sentence on when to use it."""
    width = max(len(cls.__name__) for cls in classes) + 2
    yield f"{'name':{width}}use it for"
    for cls in classes:
        first = textwrap.wrap(f"{cls.use.partition('. ')[0].rstrip('.')}.", WIDTH - width)
        yield f"{cls.__name__:{width}}{first[0]}"
        yield from (" " * width + more for more in first[1:])


def _verdicts(
    classes: Sequence[type[dp.Regression]],
    relations: Sequence[dp.Relation],
    *,
    why: bool,
    as_json: bool,
) -> None:
    from dpframe.literature.catalogue import HERE, catalogue

    entries = catalogue(classes, relations)
    if as_json:
        print_json([entry.record() for entry in entries])
        return
    named = [list(same) for _, same in groupby(entries, lambda entry: entry.name)]
    if why:
        for row, cls in zip(named, classes, strict=True):
            page(f"{row[0].regression}: {cls.title}, {cls.variant} [{cls.paper}]")
            for entry in row:
                page(f"  {entry.relation}: {entry.verdict}, {entry.reason}")
        return
    rows = [
        [KINDS.get(row[0].claim, "none"), *map(_cell, row), _papers(cls)]
        for row, cls in zip(named, classes, strict=True)
    ]
    say("\n".join(_table(["", *map(str, relations), "paper"], classes, rows)), COLOURS)
    say(NOTES.format(here=HERE))


def _cell(entry: Entry) -> str:
    """Verdict and cost under one relation, 17 columns wide."""
    cost = "-" if entry.cost is None else str(entry.cost).replace(" ", "")
    return f"{entry.verdict + MARKS.get(entry.scope, ''):10}{cost:>7}"


def _of(variant: str | None) -> list[type[dp.Regression]]:
    """The classes of a variant, grouped by family. Raises InvalidArgument."""
    from dpframe.literature.every import everything, together

    if variant not in (None, *VARIANTS):
        raise dp.InvalidArgument("--variant", f"one of {', '.join(VARIANTS)}", variant)
    return together([cls for cls in everything() if variant in (None, cls.variant)])


def _table(
    head: Sequence[str], classes: Sequence[type[dp.Regression]], columns: Sequence[Sequence[str]]
) -> Iterator[str]:
    """One line per regression with its columns; families of several between blank lines."""
    from dpframe.audits.figures import table
    from dpframe.literature.every import family

    rows = [
        [cls.__name__, cls.variant, *cells] for cls, cells in zip(classes, columns, strict=True)
    ]
    first, *lines = (line[2:] for line in table(["name", "variant", *head], rows, ()))
    yield first
    families = [family(cls) for cls in classes]
    before = None
    for line, own in zip(lines, families, strict=True):
        block = own if families.count(own) > 1 else ""  # families of one share a block
        if block != before:
            yield ""
        yield line
        before = block


def _papers(cls: type[dp.Regression]) -> str:
    first, *more = cls.paper.split("; ")
    return f"{first}{'+' if more else ''}"
