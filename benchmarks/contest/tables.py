"""The tables of a board, as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from .boards import Board
from .entrants import BASELINES, ZERO
from .pairs import Duel, duel
from .standings import (
    HeldOut,
    Loss,
    Standing,
    Step,
    Worst,
    competing,
    losses,
    paths,
    standing,
    steps,
)

NONE = "-"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table, its first column to the left and all others to the right."""
    yield f"| {' | '.join(header)} |"
    yield f"|---{'|---:' * (len(header) - 1)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def number(value: float, digits: int = 3) -> str:
    """A few digits; a dash for what is not there."""
    return NONE if math.isnan(value) else f"{value:.{digits}g}"


def standings(board: Board, flagship: str) -> Iterator[str]:
    """A row a private method."""
    header = (
        "method",
        "worlds",
        "smallest error",
        "below zero's error",
        "median relative error",
        "mean excess over the reference / zero's error",
        "largest excess over zero",
        "largest regret",
    )
    found = (standing(board, one, flagship) for one in board.private)
    yield from markdown(header, (_standing(one, board, flagship) for one in found))


def _standing(one: Standing, board: Board, flagship: str) -> Sequence[str]:
    competes = one.method in competing(board, flagship)
    return (
        _code(one.method),
        str(one.worlds),
        str(one.wins) if competes else NONE,
        str(one.beats_zero),
        number(one.relative),
        number(one.lost),
        _worst(one.excess),
        _worst(one.regret),
    )


def _worst(worst: Worst) -> str:
    return number(worst.value) if not worst.world else f"{number(worst.value)} ({worst.world})"


def duels(board: Board, flagship: str) -> Iterator[str]:
    """A row a rival."""
    header = (
        f"{flagship} against",
        "smaller : larger error",
        "significantly",
        "p, sign test over worlds",
        "p, Wilcoxon over worlds",
        "ratio of errors",
    )
    others = [one for one in board.private if one != flagship]
    yield from markdown(header, (_duel(duel(board, flagship, one)) for one in others))


def _duel(one: Duel) -> Sequence[str]:
    return (
        _code(one.other),
        f"{len(one.won)} : {len(one.lost)}",
        f"{len(one.significantly_won)} : {len(one.significantly_lost)}",
        number(one.sign, 2),
        number(one.wilcoxon, 2),
        number(one.ratio),
    )


def lost(board: Board, flagship: str) -> Iterator[str]:
    """A row a world where a rival is better; a sentence where none is."""
    found = losses(board, flagship)
    if not found:
        yield f"On no world of this board has a rival a smaller mean error than {flagship}."
        return
    header = (
        "world",
        "best rival",
        "difference",
        "± its standard error",
        "/ zero's error",
        "repeats better : worse",
        "ratio of errors",
        "p",
        "ratio of held-out errors",
    )
    yield from markdown(header, (_loss(one, board, flagship) for one in found))


def _loss(one: Loss, board: Board, flagship: str) -> Sequence[str]:
    pair = one.pair
    common = board.common(one.world, flagship, one.rival)
    mine, other = (board.mean(one.world, name, common) for name in (flagship, one.rival))
    return (
        one.world,
        _code(one.rival),
        number(pair.mean),
        number(pair.standard_error, 2),
        f"{100 * one.share:.2g}%",
        "{} : {}".format(*pair.counts),
        number(mine / other),
        number(one.chosen, 2),
        held_out(HeldOut.of(board, one.world, flagship)),
    )


def held_out(one: HeldOut) -> str:
    """The ratio and its standard error; a dash where there is none."""
    if math.isnan(one.ratio):
        return NONE
    return f"{number(one.ratio)} ± {number(one.standard_error, 2)}"


def margin(board: Board, flagship: str) -> Iterator[str]:
    """The steps from adaSSP as published to the flagship, three ways; nothing where the board lacks
    their methods.
    """
    header = ("step", "from", "to", "ratio of errors", "reduction / zero's error")
    rows = [_step(one) for path in paths(flagship) for one in steps(board, path)]
    if rows:
        yield from markdown(header, rows)


def _step(one: Step) -> Sequence[str]:
    before, after = _code(one.before), _code(one.after)
    return one.change, before, after, number(one.ratio, 4), number(one.gained)


def errors(board: Board) -> Iterator[str]:
    """Mean squared errors, a row a world; the least of private methods in bold."""
    names = (*(one for one in BASELINES if one in board.methods), *board.private)
    header = ("world", "n", "d", *map(_code, names))
    yield from markdown(header, (_errors(board, world, names) for world in board.worlds))


def _errors(board: Board, world: str, names: Sequence[str]) -> Sequence[str]:
    n, d = board.sizes[world]
    means = {one: board.mean(world, one) for one in names}
    private = [means[one] for one in board.private if not math.isnan(means[one])]
    least = min(private, default=math.nan)
    cells = (_bold(number(means[one], 4), when=means[one] == least) for one in names)
    return world if board.signal(world) else f"{world} °", str(n), str(d), *cells


def r2_lost(board: Board) -> Iterator[str]:
    """The R^2 lost against the reference: median and mean over repeats, a row a world."""
    names = (ZERO, *board.private)
    rows = ([world, *(_median(board, world, one) for one in names)] for world in board.worlds)
    yield from markdown(("world", *map(_code, names)), rows)


def _median(board: Board, world: str, method: str) -> str:
    found = sorted(board.lost(world, method))
    if not found:
        return NONE
    middle = (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2
    return f"{middle:.4f} ({sum(found) / len(found):.4f})"


def _bold(text: str, *, when: bool) -> str:
    return f"**{text}**" if when else text


def _code(name: str) -> str:
    return f"`{name}`"
