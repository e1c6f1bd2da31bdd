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
EXACT = 12  # repeats whose signs are all tried


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


def chosen(differences: Array, rival: int) -> float:
    """The p of one of k rivals that was chosen after the fact, for differences (m, k) of errors,
    above 0 where a rival is better: how often, if in every repeat the signs of all rivals together
    were as likely the other way round, the mean of any would be as many standard errors above 0
    [Westfall and Young 1993]. All 2^m signs for up to EXACT repeats, else as many drawn ones.
    """
    m = len(differences)
    if m > EXACT:
        flips = np.random.default_rng(0).integers(2, size=(2**EXACT, m))
        flips[0] = 0
    else:
        flips = np.arange(2**m)[:, None] >> np.arange(m) & 1
    lengths = np.linalg.norm(differences, axis=0)
    # the sum over the root of the sum of squares, which no sign moves, orders as Student's t does
    found = (1 - 2 * flips) @ (differences / np.where(lengths > 0, lengths, 1.0))
    return float(np.mean(np.max(found, axis=1) >= found[0, rival] - 1e-9))


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
    significantly_won: tuple[str, ...]
    """Worlds where it is, by Wilcoxon's test over repeats at 5%, each world on its own."""
    significantly_lost: tuple[str, ...]
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
