"""dpframe experiment: reproduce tables and figures of papers. The results are NOT private."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer
from rich.console import Console
from rich.progress import Progress

import dpframe as dp

from .options import option
from .printing import say

if TYPE_CHECKING:
    from dpframe.experiments.data import Data
    from dpframe.experiments.declared import Item

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Reproduce tables and figures of papers. NOT PRIVATE.",
)

NAME = "A table or figure, a common prefix of several (wang, acharya-table), all, or list."
DATA = (
    "The folder of data sets, each NAME.csv.gz with the target in the last column, or its parent; "
    "insurance.csv in or beside it."
)
LEAVE = "Required: confirm that preparations read the data and some methods have no proof."
OUT = (
    "The folder for tables (CSV), pictures (PNG, SVG) and cached results; those of earlier runs "
    "are overwritten."
)


@app.command(epilog="Example: dpframe experiment wang-figure-1 --not-private --quick --data uci")
def experiment(
    name: Annotated[str, typer.Argument(help=NAME)],
    *,
    not_private: Annotated[bool, option("--not-private", LEAVE)] = False,
    quick: Annotated[
        bool, option("--quick", "Fewer repeats and values: some seconds each.")
    ] = False,
    data: Annotated[Path | None, typer.Option(envvar="DPFRAME_DATA", help=DATA)] = None,
    out: Annotated[Path, typer.Option(help=OUT)] = Path("experiments"),
    repeats: Annotated[int | None, typer.Option(min=1, help="The number of repeats.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of splits and noise.")] = 0,
) -> None:
    """Print a table beside the published one, draw the figure, and write both. NOT PRIVATE. Results
    are cached, so that an interrupted run continues.
    """
    from dpframe.experiments.catalogue import ITEMS, chosen
    from dpframe.experiments.data import Data

    if name == "list":
        for one in ITEMS.values():
            note = " (stand-in data)" if one.stand_in else ""
            say(f"{one.name:26}[{one.paper}] {one.title}{note}")
        return
    items = chosen(name)
    if not not_private:
        way_out = "It confirms that preparations read the data and that some methods have no proof."
        raise dp.InvalidArgument("--not-private", "given", dp.errors.Plain("nothing"), way_out)
    found = Data.found(data)
    for one in items:
        item = one if repeats is None else attrs.evolve(one, repeats=repeats)
        _reproduce(item, found, out, seed=seed, quick=quick)


def _reproduce(item: Item, data: Data, out: Path, *, seed: int, quick: bool) -> None:
    """Compute, print and write an item."""
    from dpframe.experiments import NOT_PRIVATE
    from dpframe.experiments.running import Memory, Work, computed
    from dpframe.experiments.tables import as_csv, entries, text

    work = Work(item, data, seed, quick)
    if not work.points:
        _say(f"{item.name}: none of its sets is here")
        return
    out.mkdir(parents=True, exist_ok=True)
    memory = Memory.at(out / "remembered" / f"{item.run.name}.jsonl")
    with progress_bar() as progress:
        bar = progress.add_task(f"NOT PRIVATE {item.name}", total=None)
        computed(
            work,
            memory,
            done=lambda count, total: progress.update(bar, completed=count, total=total),
        )
    results = entries(work, memory)
    for line in text(work, results):
        say(line)
    times = "1 repeat" if work.repeats == 1 else f"{work.repeats} repeats"
    note = f"{times}, seed {seed}"
    files = [out / f"{item.name}.{ending}" for ending in ("csv", "json")]
    files[0].write_text(as_csv(results, item), encoding="utf-8")
    facts = {
        "label": NOT_PRIVATE,
        "name": item.name,
        "quick": quick,
        "repeats": work.repeats,
        "draws": work.draws,
        "seed": seed,
        "cpu_seconds": round(work.seconds(memory)),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "absent": work.absent,
    }
    files[1].write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    if item.figure is not None:
        pictures = [out / f"{item.name}.{ending}" for ending in ("png", "svg")]
        files += pictures if _drawn(item, results, pictures, note) else []
    listed = ", ".join(str(file) for file in files)
    cost = f"{note}; {facts['cpu_seconds']} s of CPU on {facts['machine']}"
    _say(cost, f"wrote {listed}")


def _drawn(item: Item, results: list[object], pictures: list[Path], note: str) -> bool:
    """Draw the figure; print a note if matplotlib is not installed."""
    from dpframe.experiments.plotting import picture

    try:
        picture(results, item, pictures, note=f"{note}.")
    except dp.errors.MissingExtra:
        _say("no picture: pip install 'dpframe[plots]'")
        return False
    return True


def _say(*lines: str) -> None:
    from dpframe.experiments.tables import labelled

    say("\n".join(labelled(lines)))


def progress_bar() -> Progress:
    """A progress bar on standard error, if that is a terminal."""
    return Progress(
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        disable=not sys.stderr.isatty(),
    )
