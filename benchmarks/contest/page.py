"""docs/contest.md: every number of a results file, and the command that gives it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

from dpframe.errors import InvalidArgument

from . import tables
from .boards import REFERENCES, TABLES, Board, boards, each
from .entrants import BASELINES
from .figures import dots
from .results import Results
from .standings import ALLOWED, OVER_ZERO, HeldOut, beyond, losses

IMAGES = Path("images/contest")
NOTES, OF_FAMILIES = "notes.md", ("codebook", "synthetic", "drawn")


def written(results: Results, page: Path, flagship: str, ran: str = "") -> list[Path]:
    """Write the page and its figures; the files. Raises InvalidArgument where there is nothing."""
    found = boards(results.records())
    if not found:
        way_out = "Run the contest into this folder first."
        raise InvalidArgument("out", "a folder with results", str(results.folder), way_out)
    images = page.parent / IMAGES
    images.mkdir(parents=True, exist_ok=True)
    drawn = []
    for name, board in each(found):
        drawn.append(images / f"{name}.svg")
        dots(board, flagship, drawn[-1])
    page.write_text("\n".join(lines(found, flagship, page, ran)) + "\n", encoding="utf-8")
    return [page, *drawn]


def lines(found: Sequence[Board], flagship: str, page: Path, ran: str) -> Iterator[str]:
    """The page."""
    yield title_of(found)
    yield ""
    if ran:
        yield f"These boards were run {ran}."
        yield ""
    yield text(NOTES)
    present = {board.heading.family for board in found}
    for family in OF_FAMILIES:
        if family in present:
            yield text(f"notes_{family}.md")
    yield from where_lost(found, flagship)
    for name, board in each(found):
        yield from section(name, board, flagship, page)


def title_of(found: Sequence[Board]) -> str:
    """The heading of the page."""
    drawn = all(board.heading.family in {"drawn", "codebook"} for board in found)
    return f"# The contest of regressions{', on drawn worlds and under codebooks' * drawn}"


def text(name: str) -> str:
    """A text that lies beside this file."""
    return (resources.files(__package__) / name).read_text("utf-8")


def where_lost(found: Sequence[Board], flagship: str) -> Iterator[str]:
    """The first table: where the flagship is not the best."""
    yield f"## Where {flagship} loses"
    yield ""
    entered = [board for board in found if flagship in board.private]
    if not entered:
        yield f"{flagship} did not enter."
        yield ""
        return
    header = (
        "board",
        "worlds",
        "with a better rival",
        "significantly",
        "largest difference / zero's error",
        f"error above {ALLOWED} times the best rival's",
        "the same for held-out errors",
        f"error above {OVER_ZERO} times zero's",
    )
    yield from tables.markdown(header, (_count(board, flagship) for board in entered))
    yield ""
    yield "Each board below lists its worlds. *significantly*: adjusted p < 5%."
    yield ""


def _count(board: Board, flagship: str) -> Sequence[str]:
    found = losses(board, flagship)
    largest = f"{100 * found[0].share:.2g}% ({found[0].world})" if found else tables.NONE
    behind, above = beyond(board, flagship)
    held_out = [one for one in behind if HeldOut.of(board, one, flagship).ratio > ALLOWED]
    return (
        title(board),
        str(len(board.worlds_with(flagship))),
        str(len(found)),
        str(sum(one.significant for one in found)),
        largest,
        *(str(len(one)) for one in (behind, held_out, above)),
    )


def section(name: str, board: Board, flagship: str, page: Path) -> Iterator[str]:
    """A board: its command, its figure, its tables."""
    low, high = board.repeats
    times = f"{high} repeat{'s' * (high > 1)}" if low == high else f"{low} to {high} repeats"
    yield f"## {title(board)}"
    yield ""
    folds = f" of {board.heading.folds} folds" if board.heading.family in TABLES else ""
    yield f"{len(board.worlds)} worlds, {times}{folds}. Command:"
    yield ""
    yield "```sh"
    yield command(board, flagship, page)
    yield "```"
    yield ""
    drawn = f"Relative errors by world and method, {title(board)}"
    yield f"![{drawn}]({(IMAGES / name).as_posix()}.svg)"
    for heading, table in contents(board, flagship):
        yield ""
        yield f"### {heading}, {title(board)}"
        yield ""
        yield from table
    yield ""


def contents(board: Board, flagship: str) -> Iterator[tuple[str, Iterator[str]]]:
    """The tables that a board has."""
    yield "Standings", tables.standings(board, flagship)
    if flagship in board.private:
        yield "Pairs", tables.duels(board, flagship)
        yield f"Where {flagship} loses", tables.lost(board, flagship)
        if margin := list(tables.margin(board, flagship)):
            yield "From adaSSP as published", iter(margin)
    if board.heading.family == "synthetic":
        yield f"R^2 lost against {REFERENCES['synthetic']}, median (mean)", tables.r2_lost(board)
    yield "Mean squared errors", tables.errors(board)


def title(board: Board) -> str:
    """What a board is of, in a few words."""
    head = board.heading
    relation = "" if head.relation == "add-remove" else f", {head.relation}"
    claim = f"epsilon {head.epsilon:g}, delta {head.delta:g}{relation}"
    return f"{head.family}, {head.bounds} bounds, {claim}"


def command(board: Board, flagship: str, page: Path) -> str:
    """The command that gives the board's numbers again."""
    head = board.heading
    methods = ",".join(one for one in board.methods if one not in BASELINES)
    parts = (
        "python -m benchmarks.contest",
        f"--worlds {head.family}",
        *((f"--data FOLDER --sets {','.join(board.worlds)}",) * (head.family in TABLES)),
        *((f"--bounds {head.bounds}",) * (head.family == "uci")),
        f"--epsilon {head.epsilon:g} --delta {head.delta:g} --relation {head.relation}",
        f"--repeats {board.repeats[1]} --folds {head.folds} --seed {head.seed}",
        f"--methods {methods}",
        f"--flagship {flagship} --out FOLDER --page {page.as_posix()}",
    )
    return " \\\n  ".join(parts)
