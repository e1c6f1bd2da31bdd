"""How a method stands on a board: wins, what it risks, and what it could have had."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from .boards import Board
from .entrants import JOINT, MIRRORED, PUBLISHED, RECALIBRATED, ZERO, rivals
from .pairs import LEVEL, Paired, chosen


@attrs.frozen
class Worst:
    """A number and the world that attains it; NaN and "" where there is none."""

    value: float
    world: str = ""

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, str]]) -> Worst:
        """The largest."""
        told = [(value, world) for value, world in pairs if not math.isnan(value)]
        return cls(*max(told)) if told else cls(math.nan)


@attrs.frozen
class Standing:
    """A method on a board."""

    method: str
    worlds: int
    wins: int
    """Worlds where its mean error is the least of all that compete."""
    beats_zero: int
    relative: float
    """The median over worlds with a signal of (error - reference)/(zero - reference)."""
    lost: float
    """The mean over all worlds of (error - reference)/zero."""
    excess: Worst
    """The largest error over zero's, less 1."""
    regret: Worst
    """The largest error over the best rival's, less 1, where that rival beats zero."""


def competing(board: Board, flagship: str) -> tuple[str, ...]:
    """The flagship and its rivals, as far as the board has them."""
    own = (flagship,) if flagship in board.private else ()
    return (*own, *rivals(board.private, flagship))


def standing(board: Board, method: str, flagship: str) -> Standing:
    """How it stands, on the worlds that have it."""
    worlds, others = board.worlds_with(method), competing(board, flagship)
    told = [board.relative(world, method) for world in worlds if board.signal(world)]
    zero = {world: board.mean(world, ZERO) for world in worlds}
    excess = [(board.mean(world, method) / zero[world] - 1, world) for world in worlds]
    return Standing(
        method,
        len(worlds),
        sum(winner(board, world, others) == method for world in worlds),
        sum(board.mean(world, method) < zero[world] for world in worlds),
        float(np.median(told)) if told else math.nan,
        float(np.mean([board.lost(world, method).mean() for world in worlds])),
        Worst.of(excess),
        Worst.of([(regret(board, world, method, others), world) for world in worlds]),
    )


def winner(board: Board, world: str, methods: Sequence[str]) -> str:
    """The method of the least mean error; "" of none."""
    present = [one for one in methods if board.has(world, one)]
    return min(present, key=lambda one: board.mean(world, one), default="")


def regret(board: Board, world: str, method: str, others: Sequence[str]) -> float:
    """The error over the best rival's, less 1; NaN where no rival beats zero."""
    best = winner(board, world, [one for one in others if one != method])
    if not best or board.mean(world, best) >= board.mean(world, ZERO):
        return math.nan
    return board.mean(world, method) / board.mean(world, best) - 1


@attrs.frozen
class Loss:
    """A world where a rival's mean error is below the flagship's."""

    world: str
    rival: str
    pair: Paired
    zero: float
    chosen: float
    """The p of its lead, which allows for the choice among all rivals."""

    @property
    def significant(self) -> bool:
        """Whether that is below 5%."""
        return self.chosen < LEVEL

    @property
    def share(self) -> float:
        """The difference over zero's error."""
        return self.pair.mean / self.zero


@attrs.frozen
class HeldOut:
    """The flagship's error over that of the best rival: each half of the repeats (even and odd) is
    compared with the rival that has the smallest error on the other half, or with zero if no rival
    is better there. The ratio has no bias from selecting and comparing on the same repeats. NaN for
    fewer than two repeats a half, and where zero is selected twice.
    """

    selected: tuple[str, ...]
    ratio: float
    standard_error: float
    """Of the ratio, over repeats."""

    @classmethod
    def of(cls, board: Board, world: str, flagship: str) -> HeldOut:
        """In a world of a board."""
        others = [one for one in competing(board, flagship) if board.has(world, one)]
        others = [ZERO, *(one for one in others if one != flagship)]
        repeats = board.common(world, flagship, *others)
        halves = repeats[::2], repeats[1::2]
        if len(halves[1]) < 2:
            return cls((), math.nan, math.nan)
        selected = [
            min(others, key=lambda one: board.mean(world, one, half)) for half in reversed(halves)
        ]
        if set(selected) == {ZERO}:
            return cls((), math.nan, math.nan)
        of_world = board.errors[world]
        pairs = [
            (of_world[flagship][repeat], of_world[rival][repeat])
            for half, rival in zip(halves, selected, strict=True)
            for repeat in half
        ]
        mine, best = np.transpose(pairs)
        ratio = float(mine.mean() / best.mean())
        error = Paired(mine - ratio * best).standard_error / float(best.mean())
        return cls(tuple(dict.fromkeys(selected)), ratio, error)


ALLOWED, OVER_ZERO = 1.1, 1.03  # times the error of the best rival, and of zero


def beyond(board: Board, flagship: str) -> tuple[list[str], list[str]]:
    """Worlds where the flagship's error is more than ALLOWED times that of the best rival that
    beats zero, and those where it is more than OVER_ZERO times zero's.
    """
    others, worlds = competing(board, flagship), board.worlds_with(flagship)
    behind = [one for one in worlds if regret(board, one, flagship, others) > ALLOWED - 1]
    above = [one for one in worlds if board.mean(one, flagship) > OVER_ZERO * board.mean(one, ZERO)]
    return behind, above


def losses(board: Board, flagship: str) -> list[Loss]:
    """Where the flagship loses, to the rival that beats it by most in each world, on the repeats
    that both have; the largest first.
    """
    found = []
    others = [one for one in competing(board, flagship) if one != flagship]
    for world in board.worlds_with(flagship):
        pairs = {one: Paired(board.differences(world, flagship, one)) for one in others}
        told = {one: pair for one, pair in pairs.items() if len(pair.differences)}
        best = max(told, key=lambda one: told[one].mean, default="")
        if best and told[best].mean > 0:
            common = board.common(world, flagship, *told)
            errors = np.array(
                [[board.errors[world][one][at] for one in (flagship, *told)] for at in common]
            ).reshape(len(common), -1)
            p = chosen(errors[:, :1] - errors[:, 1:], list(told).index(best))
            found.append(Loss(world, best, told[best], board.mean(world, ZERO), p))
    return sorted(found, key=lambda loss: -loss.share)


@attrs.frozen
class Step:
    """A step from one method to the next: what it changes, and by how much errors move."""

    change: str
    before: str
    after: str
    ratio: float
    """The geometric mean over worlds of after's error over before's; ratios of steps multiply."""
    gained: float
    """The mean over worlds of (before's error - after's)/zero; gains of steps add."""


def paths(flagship: str) -> tuple[tuple[tuple[str, str, str], ...], ...]:
    """From adaSSP as published to the flagship, three ways: (change, before, after)."""
    same, other = f"{flagship}@{PUBLISHED}", f"{JOINT}@{PUBLISHED}"
    return (
        (
            ("half the variance of noise off the diagonal of X'X", MIRRORED, PUBLISHED),
            ("noise calibrated together to the whole claim", PUBLISHED, RECALIBRATED),
            ("a smaller margin below the eigenvalue", RECALIBRATED, JOINT),
            ("other releases and post-processing", JOINT, flagship),
        ),
        (
            ("a smaller margin, at the same true privacy", PUBLISHED, other),
            ("the rest of the claim spent on less noise", other, JOINT),
            ("other releases and post-processing", JOINT, flagship),
        ),
        (
            ("other releases and post-processing, at the same true privacy", PUBLISHED, same),
            ("the rest of the claim spent on less noise", same, flagship),
        ),
    )


def steps(board: Board, path: Sequence[tuple[str, str, str]]) -> list[Step]:
    """The steps of a path, on the worlds that have all of its methods and the repeats that all of
    them have; none where there is none.
    """
    methods = tuple(dict.fromkeys(name for _, before, after in path for name in (before, after)))
    common = {one: board.common(one, *methods) for one in board.worlds_with(*methods)}
    worlds = {world: repeats for world, repeats in common.items() if repeats}
    if not worlds:
        return []
    return [_step(board, worlds, *one) for one in path if one[1] != one[2]]


def _step(
    board: Board, worlds: Mapping[str, Sequence[int]], change: str, before: str, after: str
) -> Step:
    first, then, zero = (
        np.array([board.mean(world, method, repeats) for world, repeats in worlds.items()])
        for method in (before, after, ZERO)
    )
    ratio = float(np.exp(np.mean(np.log(then) - np.log(first))))
    return Step(change, before, after, ratio, float(np.mean((first - then) / zero)))
