"""Two methods on the same folds: differences, their standard error, sign and Wilcoxon tests."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .boards import Board

Array = NDArray[Any]
LEVEL = 0.05


@attrs.frozen(eq=False)
class Paired:
    """Differences (m,) of errors: below 0 the first of the two is better."""

    differences: Array

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float(np.mean(self.differences))

    @property
    def standard_error(self) -> float:
        """Of the mean; infinite of fewer than two."""
        if len(self.differences) < 2:
            return math.inf
        return float(np.std(self.differences, ddof=1) / math.sqrt(len(self.differences)))

    @property
    def counts(self) -> tuple[int, int]:
        """How often the first was better, and how often the second."""
        return int(np.sum(self.differences < 0)), int(np.sum(self.differences > 0))

    @property
    def sign(self) -> float:
        """The two-sided sign test's p: ties count for nobody; 1 where there are ties only."""
        return sign_test(*self.counts)

    @property
    def wilcoxon(self) -> float:
        """The two-sided signed-rank test's p, ties with 0 left out; 1 where there are ties only."""
        from scipy.stats import wilcoxon

        told = self.differences[self.differences != 0]
        return float(wilcoxon(told).pvalue) if len(told) else 1.0

    @property
    def verdict(self) -> int:
        """-1 where the first is better, 1 where the second is, by Wilcoxon at 5%; 0 elsewhere."""
        return int(np.sign(self.mean)) if self.wilcoxon < LEVEL else 0


def sign_test(first: int, second: int) -> float:
    """The two-sided p of so many wins each, if both had equal chances."""
    from scipy.stats import binomtest

    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


@attrs.frozen
class Duel:
    """One method against another over the worlds of a board."""

    mine: str
    other: str
    won: tuple[str, ...]
    """Worlds where the mean error of `mine` is smaller."""
    lost: tuple[str, ...]
    surely_won: tuple[str, ...]
    """Worlds where it is, by Wilcoxon's test over repeats at 5%, each world on its own."""
    surely_lost: tuple[str, ...]
    sign: float
    """The sign test's p over worlds: whether `mine` wins more worlds than it loses."""
    wilcoxon: float
    """Over worlds, of the differences of log errors."""
    ratio: float
    """The geometric mean over worlds of the error of `mine` over that of `other`."""


def duel(board: Board, mine: str, other: str) -> Duel:
    """The two on the worlds that have both."""
    worlds = board.worlds_with(mine, other)
    pairs = {world: Paired(board.differences(world, mine, other)) for world in worlds}
    pairs = {world: pair for world, pair in pairs.items() if len(pair.differences)}
    won = tuple(world for world, pair in pairs.items() if pair.mean < 0)
    lost = tuple(world for world, pair in pairs.items() if pair.mean > 0)
    logs = np.array([log_ratio(board, world, mine, other) for world in pairs])
    return Duel(
        mine,
        other,
        won,
        lost,
        tuple(world for world, pair in pairs.items() if pair.verdict < 0),
        tuple(world for world, pair in pairs.items() if pair.verdict > 0),
        sign_test(len(won), len(lost)),
        Paired(logs).wilcoxon,
        float(np.exp(np.mean(logs))) if len(logs) else math.nan,
    )


def log_ratio(board: Board, world: str, mine: str, other: str) -> float:
    """The log of the ratio of mean errors, of the repeats that both have."""
    common = board.common(world, mine, other)
    return math.log(board.mean(world, mine, common)) - math.log(board.mean(world, other, common))
