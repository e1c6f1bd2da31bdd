"""dpframe experiment: tables and figures of papers, run again. Nothing they print is private."""

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
    help="Tables and figures of papers, run again. NOT PRIVATE.",
)

NAME = "A table or figure, the beginning of several names (wang, acharya-table), all, or list."
DATA = (
    "A folder of sets, each NAME.csv.gz with the target last, or the folder above it; "
    "insurance.csv in it or beside it."
)
LEAVE = "Preparations read the data, and methods run that have no proof: say that you know."
OUT = "Where tables (CSV), pictures (PNG, SVG) and what is remembered are written."


@app.command()
def experiment(
    name: Annotated[str, typer.Argument(help=NAME)],
    *,
    not_private: Annotated[bool, option("--not-private", LEAVE)] = False,
    quick: Annotated[bool, option("--quick", "Fewer repeats and values: seconds each.")] = False,
    data: Annotated[Path | None, typer.Option(envvar="DPFRAME_DATA", help=DATA)] = None,
    out: Annotated[Path, typer.Option(help=OUT)] = Path("experiments"),
    repeats: Annotated[int | None, typer.Option(min=1, help="Instead of those declared.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of splits and noise.")] = 0,
) -> None:
    """Print a table beside the published one, draw the figure, and write both. NOT PRIVATE.

    Results are remembered as they are found, so that an interrupted run goes on.
    """
    from dpframe.experiments.catalogue import ITEMS, chosen
    from dpframe.experiments.data import Data

    if name == "list":
        for one in ITEMS.values():
            told = " (stand-in data)" if one.stand_in else ""
            say(f"{one.name:26}[{one.paper}] {one.title}{told}")
        return
    items = chosen(name)
    if not not_private:
        way_out = "Preparations read the data, and methods run that nobody proved."
        raise dp.InvalidArgument("--not-private", "given", dp.errors.Plain("nothing"), way_out)
    found = Data.found(data)
    for one in items:
        item = one if repeats is None else attrs.evolve(one, repeats=repeats)
        _shown(item, found, out, seed=seed, quick=quick)


def _shown(item: Item, data: Data, out: Path, *, seed: int, quick: bool) -> None:
    """Compute, print, write."""
    from dpframe.experiments import NOT_PRIVATE
    from dpframe.experiments.running import Memory, Work, computed
    from dpframe.experiments.tables import as_csv, entries, labelled, text

    work = Work(item, data, seed, quick)
    if not work.points:
        for line in labelled([f"{item.name}: none of its sets is here"]):
            say(line)
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
    found = entries(work, memory)
    for line in text(work, found):
        say(line)
    times = "1 repeat" if work.repeats == 1 else f"{work.repeats} repeats"
    told = f"{times}, seed {seed}"
    files = [out / f"{item.name}.{ending}" for ending in ("csv", "json")]
    files[0].write_text(as_csv(found, item), encoding="utf-8")
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
        files += pictures if _drawn(item, found, pictures, told) else []
    listed = ", ".join(str(file) for file in files)
    cost = f"{told}; {facts['cpu_seconds']} s of CPU on {facts['machine']}"
    for line in labelled([cost, f"wrote {listed}"]):
        say(line)


def _drawn(item: Item, found: list[object], pictures: list[Path], told: str) -> bool:
    """Draw, if matplotlib is there; say so if not."""
    from dpframe.experiments.plotting import picture
    from dpframe.experiments.tables import labelled

    try:
        picture(found, item, pictures, note=f"{told}.")
    except dp.errors.MissingExtra:
        for line in labelled(["no picture: pip install 'dpframe[plots]'"]):
            say(line)
        return False
    return True


def progress_bar() -> Progress:
    """A bar on standard error, for a person only; what is printed stays on standard output."""
    return Progress(
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        disable=not sys.stderr.isatty(),
    )
