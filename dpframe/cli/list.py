"""dpframe list: regressions with their papers, and on request whether each is certified."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import dpframe as dp

from .options import Json, RelationName, option
from .printing import page, print_json, say

app = typer.Typer(add_completion=False)

VARIANTS = ("printed", "coded", "recommended", "baseline")
COLOURS = {r"\bcertified\b": "green", r"\brefused\b": "bold red", r">[\d.]+": "bold red"}
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
        _say("\n".join(_uses(classes)))
        say(f"\n{MORE}\n{CHOICE}")
    else:
        rows = [[_papers(cls), clipped(cls.title, TITLE)] for cls in classes]
        _say("\n".join(_table(["paper", "title"], classes, rows)))
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
    from dpframe.literature.catalogue import catalogue

    from .verdicts import NOTES, by_name, reasons, verdict_cells

    entries = catalogue(classes, relations)
    if as_json:
        print_json([entry.record() for entry in entries])
    elif why:
        for block in reasons(entries):
            page(block)
    else:
        rows = [
            [*verdict_cells(row), _papers(cls)]
            for cls, row in zip(classes, by_name(entries), strict=True)
        ]
        _say("\n".join(_table(["", *map(str, relations), "paper"], classes, rows)))
        say("\n".join(["", *NOTES]))


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


def _say(text: str) -> None:
    shown = Text(text)
    for pattern, style in COLOURS.items():
        shown.highlight_regex(pattern, style)
    Console(highlight=False, soft_wrap=True).print(shown)
