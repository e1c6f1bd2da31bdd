"""Exact selection by Bernoulli draws for pairs of a row of scores and a candidate."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.numerics.rounding import to_float
from dpframe.randomness import Bits
from dpframe.randomness.laws import UNIT, Reals, Truth, bernoulli_exp_each

Indices = NDArray[np.int64]
_SMALL, _LARGE = Fraction(1, 2**900), Fraction(2**900)
_AT_ONCE, _MOST_AT_ONCE = 256, 2**16


@attrs.frozen(eq=False)
class Contests:
    """Scores (rows, m) and a scale. The Bernoulli draw of a candidate is true with probability
    e^((score - best)/scale), exactly: always for a best one.
    """

    scores: NDArray[Any]
    best: NDArray[Any]
    scale: Fraction

    @classmethod
    def of(cls, scores: NDArray[Any], scale: Fraction) -> Contests:
        """From finite scores (..., m): whole numbers exactly, others as doubles."""
        rows = scores.reshape(-1, scores.shape[-1])
        if rows.dtype.kind == "f":
            rows = rows.astype(np.float64)
        return cls(rows, rows.max(axis=1), scale)

    def flips(self, rows: Indices, candidates: Indices, bits: Bits) -> Truth:
        """A Bernoulli draw for each pair of a row and a candidate, (n,)."""
        x, off = self._gaps(rows, candidates)

        def exactly(i: int) -> Fraction:
            own, best = self.scores[rows[i], candidates[i], None], self.best[rows[i], None]
            return (Fraction(*best.tolist()) - Fraction(*own.tolist())) / self.scale

        return bernoulli_exp_each(bits, x, off, exactly)

    def _gaps(self, rows: Indices, candidates: Indices) -> tuple[Reals, Reals]:
        """(best - score)/scale in doubles, and bounds on their errors."""
        best, scores = _doubles(self.best[rows]), _doubles(self.scores[rows, candidates])
        if not _SMALL <= self.scale <= _LARGE:
            return np.zeros(len(best)), np.full(len(best), np.inf)
        scale = to_float(self.scale, up=True)
        rounded = 0 if self.scores.dtype.kind == "f" else np.abs(best) + np.abs(scores)
        known = np.isfinite(best) & np.isfinite(scores)
        with np.errstate(over="ignore", invalid="ignore"):
            x = np.where(known, (best - scores) / scale, 0)
            return x, np.where(known, 8 * UNIT * (x + rounded / scale), np.inf)


def _doubles(values: NDArray[Any]) -> Reals:
    """Scores as doubles; infinite where whole ones are beyond them."""
    if values.dtype.kind != "O":
        return values.astype(np.float64)
    return np.array([float(one) if abs(one) < _LARGE else np.inf for one in values.tolist()])


def by_weight(rows: Contests, bits: Bits) -> Indices:
    """One index of each row, with a probability proportional to e^(score/scale): by rejection, a
    random candidate until its draw is true; several tries at once where few rows remain.
    """
    result = np.zeros(len(rows.scores), dtype=np.int64)
    waiting, at_once = np.arange(len(result)), _AT_ONCE
    while len(waiting):
        tries = np.repeat(waiting, 1 + at_once // len(waiting))
        at_once = min(2 * at_once, _MOST_AT_ONCE)
        guess = bits.below(rows.scores.shape[1], len(tries))
        hits = np.flatnonzero(rows.flips(tries, guess, bits))
        found, first = np.unique(tries[hits], return_index=True)
        result[found] = guess[hits[first]]
        waiting = np.setdiff1d(waiting, found, assume_unique=True)
    return result


def by_flips(rows: Contests, bits: Bits) -> Indices:
    """One index of each row, by permute-and-flip: uniform among candidates with a true draw, as
    each is equally likely to be first in random order. The draw of the best is always true.
    """
    shape = rows.scores.shape
    row, candidate = np.indices(shape).reshape(2, -1)
    heads = rows.flips(row, candidate, bits).reshape(shape)
    place = bits.below(heads.sum(axis=1), len(heads))
    return np.asarray((heads.cumsum(axis=1) > place[:, None]).argmax(axis=1), dtype=np.int64)
