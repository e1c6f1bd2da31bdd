"""What the command prints: every line begins with NOT PRIVATE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from dpframe.experiments.tables import labelled

from .boards import Board
from .entrants import ZERO
from .page import title
from .pairs import duel
from .standings import standing

WIDE, CELL = 32, 11


def left_out(refusals: Mapping[str, str]) -> list[str]:
    """Who does not enter, and why."""
    return labelled(f"left out: {name}: {why}" for name, why in refusals.items())


def speed(seconds: Mapping[str, float], fits: Counter[str]) -> list[str]:
    """Milliseconds a fit, of this run."""
    told = (f"{name} {1000 * seconds[name] / fits[name]:.3g}" for name in seconds)
    return labelled([f"milliseconds a fit: {', '.join(told)}"] if seconds else [])


def summary(found: Sequence[Board], flagship: str) -> list[str]:
    """Every board in a few lines a method."""
    return labelled(line for board in found for line in _board(board, flagship))


def _board(board: Board, flagship: str) -> Iterator[str]:
    low, high = board.repeats
    yield ""
    yield f"{title(board)}: {len(board.worlds)} worlds, {low} to {high} repeats"
    titles = ("best in", "beats zero", "relative", "over zero", "regret", "won:lost", "signif.")
    yield f"{'':{WIDE}}" + "".join(f"{one:>{CELL}}" for one in titles)
    for method in board.private:
        yield _method(board, method, flagship)
    silent = [world for world in board.worlds if not board.signal(world)]
    if silent:
        yield f"no signal: {', '.join(silent)}"


def _method(board: Board, method: str, flagship: str) -> str:
    one = standing(board, method, flagship)
    cells = [str(one.wins), f"{one.beats_zero}/{one.worlds}", f"{one.relative:.3g}"]
    cells += [f"{one.excess.value:.3g}", f"{one.regret.value:.3g}"]
    if method != flagship and flagship in board.private:
        pair = duel(board, flagship, method)
        cells += [f"{len(pair.won)}:{len(pair.lost)}"]
        cells += [f"{len(pair.significantly_won)}:{len(pair.significantly_lost)}"]
    return f"{method:{WIDE}}" + "".join(f"{cell:>{CELL}}" for cell in cells)


def table(board: Board) -> list[str]:
    """Mean squared errors, a line a world."""
    names = (ZERO, board.reference, *board.private)
    head = f"{'':16}" + "".join(f"{one[:14]:>15}" for one in names)
    rows = (
        f"{world:16}" + "".join(f"{board.mean(world, one):>15.4g}" for one in names)
        for world in board.worlds
    )
    return labelled(["", title(board), head, *rows])
