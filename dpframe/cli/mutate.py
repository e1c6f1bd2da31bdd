"""dpframe mutate: edits that break a claim are refused, harmless ones accepted."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import dpframe as dp
from dpframe.auditing.catalogue import everything, example
from dpframe.mutating import EXAMPLES, Mutants, around, together

from .declaration import regression_of
from .options import NAME, Given, Json, option
from .printing import print_json, say


def mutate(
    name: Annotated[str | None, typer.Argument(help=NAME, show_default=False)] = None,
    *,
    everyone: Annotated[
        bool, option("--all", "Every regression of dpframe, and examples with cells.")
    ] = False,
    given: Given = [],  # noqa: B006 - typer makes a list of its own
    every: Annotated[
        bool, option("--every", "Each edit in each setting; else in one of them, in turn.")
    ] = False,
    listed: Annotated[bool, option("--list", "Each mutant on a line of its own.")] = False,
    repairs: Annotated[bool, option("--repairs", "Take every way out, and count.")] = False,
    as_json: Json = False,
) -> None:
    """Edit the graph of a regression in every known wrong way; what is accepted must be private
    still, by the independent checker. Exit status 1 where a mutant survives.
    """
    if (name is None) != everyone:
        raise dp.InvalidArgument("NAME", "given, or --all", name)
    found = (
        _everything(every=every)
        if name is None
        else around(regression_of(name, given), every=every)
    )
    if not len(found):
        wanted = "a declaration that is certified somewhere"
        raise dp.InvalidArgument("NAME", wanted, name, f"`dpframe certify {name}` says why.")
    if as_json:
        print_json(found.records())
    else:
        _say(found, listed=listed, repairs=repairs)
    raise typer.Exit(1 if found.survivors else 0)


def _everything(*, every: bool) -> Mutants:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    parts = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        listed = (*map(example, everything()), *EXAMPLES)
        task = progress.add_task("", total=len(listed))
        for one in listed:
            progress.update(task, description=type(one).__name__)
            parts.append(around(one, every=every))
            progress.advance(task)
    return together(parts)


def _say(found: Mutants, *, listed: bool, repairs: bool) -> None:
    if listed:
        say("\n".join(map(str, found)) + "\n")
    say(str(found))
    if repairs:
        offered, accepted = found.mended
        share = accepted / offered if offered else 1.0
        say(
            f"{offered:,} refusals offer a way out; taking it, step by step and knowing nothing of "
            f"the edit, makes {accepted:,} of them acceptable ({share:.0%})."
        )
