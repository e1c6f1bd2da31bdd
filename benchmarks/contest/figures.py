"""A figure a board: every world a row, every method a dot at its relative error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpframe.errors import MissingExtra

from .boards import Board
from .standings import competing

LEFT, RIGHT = -0.1, 1.5  # beyond, a dot stands at the edge
MARKS = "osD^vP*Xd<>hp8"
ROW = 0.24  # inches
STYLE = {"svg.hashsalt": "contest", "svg.fonttype": "none"}  # the same picture, the same file
COLOURS = "tab10"


def library() -> Any:
    """matplotlib. Raises MissingExtra."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra("matplotlib", "plots") from error
    return mpl


def dots(board: Board, flagship: str, path: Path) -> None:
    """Draw the board into a file of the format that its name says. Raises MissingExtra."""
    with library().rc_context(STYLE):
        figure = drawn(board, flagship)
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else {})


def drawn(board: Board, flagship: str) -> Any:
    """The figure; methods that compete, the flagship in black."""
    from matplotlib.figure import Figure

    worlds = ordered(board, flagship)
    figure = Figure(figsize=(8.2, 1.7 + ROW * len(worlds)), layout="constrained")
    axes = figure.add_subplot()
    for place, method in enumerate(competing(board, flagship)):
        _draw(axes, board, worlds, method, place, front=method == flagship)
    _frame(axes, board, worlds)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    return figure


def ordered(board: Board, flagship: str) -> list[str]:
    """Worlds with a signal; those where the flagship is best first."""
    told = [world for world in board.worlds if board.signal(world)]
    if flagship not in board.private:
        return told
    return sorted(told, key=lambda world: (board.relative(world, flagship), world))


def _draw(
    axes: Any, board: Board, worlds: Sequence[str], method: str, place: int, *, front: bool
) -> None:
    there = [(row, board.relative(one, method)) for row, one in enumerate(worlds)]
    told = [(row, value) for row, value in there if value == value]  # noqa: PLR0124 - not NaN
    axes.scatter(
        [min(max(value, LEFT), RIGHT) for _, value in told],
        [row for row, _ in told],
        label=method,
        marker=MARKS[place % len(MARKS)],
        s=52 if front else 20,
        color="black" if front else library().colormaps[COLOURS](place % 10),
        zorder=3 if front else 2,
        linewidths=0.4,
        edgecolors="white",
        clip_on=False,
    )


def _frame(axes: Any, board: Board, worlds: Sequence[str]) -> None:
    axes.set_yticks(range(len(worlds)), worlds, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(LEFT, RIGHT)
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.axvline(1, color="grey", linewidth=0.8, linestyle="--")
    axes.grid(axis="y", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(b=False)
    axes.set_xlabel(
        f"(error - {board.reference})/(zero - {board.reference}): 0 as without noise, 1 as zero; "
        f"beyond {RIGHT:g} at the edge",
        fontsize=8,
    )
    head = board.heading
    claim = f"ε = {head.epsilon:g}, δ = {head.delta:g}, {head.relation}"
    axes.set_title(f"{head.family}, {head.bounds} bounds: {claim}", fontsize=9)
