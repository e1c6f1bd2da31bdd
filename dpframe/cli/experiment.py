"""dpframe experiment: published experiments, run again. Nothing they print is private."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

import dpframe as dp
from dpframe.errors import listed_words

from .options import option
from .printing import say

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Published experiments, run again. NOT PRIVATE.",
)

DATA = "A folder of the UCI sets, each NAME.csv.gz with the target last."
COSTS = "The file of medical costs, insurance.csv."
LEAVE = "Also run methods that claim privacy and have no proof."


@app.callback()
def _group() -> None:
    """Keeps the names of the commands."""


@app.command("wang-table3")
def wang_table3(
    *,
    data: Annotated[Path | None, typer.Option(envvar="DPFRAME_DATA", help=DATA)] = None,
    sets: Annotated[str | None, option("--sets", "Names of sets, separated by commas.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Cross-validations a set.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of folds and noise.")] = 0,
    not_private: Annotated[bool, option("--not-private", LEAVE)] = False,
    json_file: Annotated[Path | None, option("--json", "Records, into this file.")] = None,
) -> None:
    """Table 3 of [Wang18] beside our own: errors of regressions on UCI sets. NOT PRIVATE."""
    from dpframe.experiments import text, uci
    from dpframe.experiments.wang_table3 import Experiment, compared

    whole = Experiment(repeats=repeats, seed=seed)
    experiment = whole if not_private else whole.proved_only()
    folder, names = _chosen(data, sets)
    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise dp.InvalidArgument("json", "a file in a folder that exists", str(json_file))
    if not not_private:
        _print(text.left_out(whole.methods))
    _print(text.heading(experiment))
    entries: list[Any] = []
    with progress_bar() as progress:
        for name in progress.track(names, description="NOT PRIVATE"):
            found = compared(uci.load(folder, name), experiment)
            _print(text.rows(found))
            entries.extend(found)
    _print(text.summary(entries, experiment))
    if sets is None:
        _print(text.absent(names))
    if json_file is not None:
        records = [entry.record(experiment) for entry in entries]
        json_file.write_text(json.dumps(records, indent=1, allow_nan=False) + "\n")


@app.command("adaops-price")
def adaops_price(
    *,
    data: Annotated[Path | None, typer.Option(envvar="DPFRAME_DATA", help=DATA)] = None,
    sets: Annotated[str | None, option("--sets", "Names of sets, separated by commas.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Cross-validations a set.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Of folds and noise.")] = 0,
    not_private: Annotated[bool, option("--not-private", LEAVE)] = False,
    json_file: Annotated[Path | None, option("--json", "Records, into this file.")] = None,
) -> None:
    """What repairing AdaOPS costs, on the sets of [Wang18, Table 3]. NOT PRIVATE."""
    from dpframe.experiments import uci
    from dpframe.experiments.adaops_price import lines, price

    if not not_private:
        way_out = "It is compared with the printed AdaOPS, which has no proof."
        raise dp.InvalidArgument("--not-private", "given", "nothing", way_out)
    folder, names = _chosen(data, sets)
    with progress_bar() as progress:
        told = progress.track(names, description="NOT PRIVATE")
        found = [price(uci.load(folder, name), repeats=repeats, seed=seed) for name in told]
    _print(lines(found))
    if json_file is not None:
        records = [one.record() for one in found]
        json_file.write_text(json.dumps(records, indent=1, allow_nan=False) + "\n")


@app.command("personalized-insurance")
def personalized_insurance(
    *,
    data: Annotated[Path | None, typer.Option(envvar="DPFRAME_INSURANCE", help=COSTS)] = None,
    synthetic: Annotated[bool, option("--synthetic", "Synthetic rows, and no file.")] = False,
    repeats: Annotated[int, typer.Option(min=2, help="Draws of split and budgets.")] = 20,
    draws: Annotated[int, typer.Option(min=1, help="Draws of noise for each of them.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Of splits, budgets and noise.")] = 0,
    not_private: Annotated[bool, option("--not-private", LEAVE)] = False,
    json_file: Annotated[Path | None, option("--json", "Records, into this file.")] = None,
) -> None:
    """Budgets of each record on the medical costs of [Acharya24]: test losses. NOT PRIVATE."""
    from dpframe.experiments import personal_text, personalized_insurance
    from dpframe.experiments.medical_costs import FORM, load

    experiment = personalized_insurance.Experiment(repeats, draws, seed, not_private)
    if data is None and not synthetic:
        way_out = f"Name it with --data or DPFRAME_INSURANCE, or --synthetic. {FORM}"
        raise dp.InvalidArgument("data", "a file of medical costs", data, way_out)
    table = None if data is None or synthetic else load(data)
    with progress_bar() as progress:
        asked = personalized_insurance.entries(table, experiment)
        total = len(personalized_insurance.tasks(table, experiment))
        entries = list(progress.track(asked, total=total, description="NOT PRIVATE"))
    _print(personal_text.shown(entries, experiment))
    if table is not None:
        _print(personal_text.costs(*personalized_insurance.paid(table, experiment)))
    if json_file is not None:
        records = [entry.record(experiment) for entry in entries]
        json_file.write_text(json.dumps(records, indent=1, allow_nan=False) + "\n")


def _chosen(data: Path | None, sets: str | None) -> tuple[Path, Sequence[str]]:
    """The folder, and the published sets in it that were asked for, all where none was."""
    from dpframe.experiments import uci
    from dpframe.experiments.published import table3

    if data is None:
        way_out = f"Name it with --data or DPFRAME_DATA. {uci.FORM}"
        raise dp.InvalidArgument("data", "a folder of UCI sets", data, way_out)
    known = [name for name in uci.present(data) if name in table3()]
    asked = known if sets is None else [name.strip() for name in sets.split(",")]
    if not asked or not set(asked) <= set(known):
        wrong = listed_words(name for name in asked if name not in known) if asked else str(data)
        way_out = f"The folder has {', '.join(known) or 'none of the published sets'}."
        raise dp.InvalidArgument("sets", "published sets in the folder", wrong, way_out)
    return data, asked


def progress_bar() -> Progress:
    """A bar on standard error, for a person only; what is printed stays on standard output."""
    return Progress(
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        disable=not sys.stderr.isatty(),
    )


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)
