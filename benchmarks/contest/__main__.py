"""python -m benchmarks.contest: private regressions on the same worlds, folds and claims."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

import dpframe as dp
from dpframe.cli.app import Group
from dpframe.cli.experiment import DATA, progress_bar
from dpframe.cli.options import Related, RelationName, option
from dpframe.cli.printing import say

from . import codebooks, drawn, shown, synthetic
from .boards import TABLES, boards
from .entrants import FLAGSHIP, default
from .figures import library
from .page import written
from .plan import Contest, Task
from .results import Results
from .running import play
from .uci_worlds import BOUNDS, uci_worlds
from .worlds import World

METHODS = (
    "Separated by commas: names that `dpframe list` prints, with fields as in "
    "NoisyGradientDescent:rounds=20; A@B is A at the true privacy of B. Left out: all that enter."
)
AGAIN = "Methods to run anew: a line's version is its certificate's graph, not its code."
RAN = "When the boards were run, for the page: 'on 1 May 2026 (commit 0a1b2c3d)'."
OUT = "A folder for results.jsonl. What it holds is not run again."
app = typer.Typer(cls=Group, add_completion=False, pretty_exceptions_enable=False)


class Worlds(enum.StrEnum):
    """Families of worlds."""

    UCI = "uci"
    SYNTHETIC = "synthetic"
    BOTH = "both"
    DRAWN = "drawn"
    CODEBOOK = "codebook"


@app.callback(invoke_without_command=True, subcommand_metavar="")
def contest(
    *,
    out: Annotated[Path, option("--out", OUT)],
    data: Annotated[Path | None, typer.Option(envvar="DPFRAME_DATA", help=DATA)] = None,
    worlds: Annotated[
        Worlds, typer.Option(help="Which families; both: the first two.")
    ] = Worlds.UCI,
    sets: Annotated[str | None, option("--sets", "Tables of DATA, separated by commas.")] = None,
    largest: Annotated[int, typer.Option(help="Drawn worlds have n d at most this.")] = 10**7,
    bounds: Annotated[str, typer.Option(help="Of UCI sets: paper, stated, or both.")] = "paper",
    epsilon: Annotated[str, typer.Option(help="Numbers, separated by commas.")] = "0.01,0.1,1,10",
    delta: Annotated[float, typer.Option(help="A number in (0, 1).")] = 1e-6,
    relation: Related = RelationName.ADD_REMOVE,
    repeats: Annotated[int, typer.Option(min=1, help="Cross-validations a set.")] = 20,
    folds: Annotated[int, typer.Option(min=2, help="Of a cross-validation.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Of folds and noise.")] = 0,
    methods: Annotated[str | None, option("--methods", METHODS)] = None,
    again: Annotated[str | None, option("--again", AGAIN)] = None,
    flagship: Annotated[str, typer.Option(help="The method that is compared.")] = FLAGSHIP,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    page: Annotated[Path | None, option("--page", "Write this page, and its figures.")] = None,
    ran: Annotated[str, option("--ran", RAN)] = "",
    report_only: Annotated[
        bool, option("--report-only", "Run nothing: report what is there.")
    ] = False,
) -> None:
    """Private regressions on the same worlds, folds and claims: a table and a page of who wins, and
    where. Stopped at any time, it goes on where it was. NOT PRIVATE.
    """
    if page is not None:
        library()  # before hours of work
        if not page.absolute().parent.is_dir():
            raise dp.InvalidArgument("page", "a file in a folder that exists", str(page))
    results = Results(out)
    if not report_only:
        chosen = Contest(
            tuple(_worlds(worlds, data, bounds, _list(sets), largest)),
            default(flagship) if methods is None else _list(methods),
            _numbers(epsilon),
            delta,
            relation.value,
            repeats,
            folds,
            seed,
        )
        _print(shown.left_out(chosen.refusals()))
        _run(chosen, results, jobs, _list(again))
    _print(shown.summary(boards(results.records()), flagship))
    if page is not None:
        for file in written(results, page, flagship, ran):
            say(f"wrote {file}")


def _run(chosen: Contest, results: Results, jobs: int, again: tuple[str, ...]) -> None:
    """Run what is missing, with a bar for a person."""
    total = sum(1 for _ in chosen.tasks(results.done(again)))
    seconds, fits = dict[str, float](), Counter[str]()
    with progress_bar() as bar:
        played = play(chosen, results, jobs, again)
        for task, took in bar.track(played, total=total, description="NOT PRIVATE"):
            for name in took:
                seconds[name] = seconds.get(name, 0.0) + took[name]
            fits.update(ask.spec for ask in task.asks for _ in range(_fits(task, chosen)))
    _print(shown.speed(seconds, fits))


def _fits(task: Task, chosen: Contest) -> int:
    return chosen.folds if task.world.family in TABLES else 1


def _worlds(
    families: Worlds, data: Path | None, bounds: str, sets: tuple[str, ...], largest: int
) -> Iterator[World]:
    """The worlds that were asked for. Raises InvalidArgument."""
    if families is Worlds.DRAWN:
        yield from (world for world in drawn.worlds() if world.n * world.d <= largest)
        return
    if families is Worlds.CODEBOOK:
        yield from codebooks.worlds(data, sets)
        return
    if families is not Worlds.SYNTHETIC:
        for one in BOUNDS if bounds == "both" else _list(bounds):
            yield from uci_worlds(data, one, sets)
    if families is not Worlds.UCI:
        yield from synthetic.SYNTHETIC


def _list(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(map(float, _list(text)))
    except ValueError:
        raise dp.InvalidArgument("epsilon", "numbers, separated by commas", text) from None


def _print(lines: list[str]) -> None:
    for line in lines:
        say(line)


if __name__ == "__main__":
    app()
