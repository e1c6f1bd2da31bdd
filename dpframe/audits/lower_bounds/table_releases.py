"""One release on one table: its draw, the numbers of the execution, and what it reads;
and on every sample that a small table may have, with its chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpframe.errors import InvalidArgument
from dpframe.execution.draws import ReleaseDraw
from dpframe.execution.numbers import PublicNumbers
from dpframe.execution.running import ONE, Execution
from dpframe.execution.totals import real, selected
from dpframe.graph import Loop, Node, Release
from dpframe.randomness import Randomness
from dpframe.randomness.laws import bernoulli
from dpframe.sources.table import Block

from .pairs import from_draws
from .threshold_events import Scores, log_density

Array = NDArray[Any]
Values = Mapping[Node, Array]


@attrs.frozen(eq=False)
class TableRelease:
    """A release of noise, ready to be drawn."""

    draw: ReleaseDraw
    numbers: PublicNumbers
    values: Values

    @classmethod
    def of(cls, release: Release, running: Execution, values: Values) -> TableRelease:
        """Of a release that reads these values. Raises NotExecutable, InvalidArgument."""
        return cls(ReleaseDraw.of(release, running.numbers), running.numbers, values)

    @property
    def release(self) -> Release:
        """What is released."""
        return self.draw.release

    @property
    def size(self) -> float:
        """The size of the noise that is drawn."""
        return self.numbers.up(self.release.mechanism.formula)

    @property
    def copies(self) -> int:
        """How many draws it is."""
        return self.draw.copies[0] if self.draw.copies else 1

    @property
    def mean(self) -> Array:
        """The statistic's value in doubles."""
        return np.asarray(real(self.release.statistic, self.values, self.numbers.towards_zero))

    def many(self, n: int, randomness: Randomness) -> Array:
        """n draws of it, (n, *shape), by the path that an execution takes."""
        drawn = attrs.evolve(self.draw, copies=(n * self.copies,)).sample(self.values, randomness)
        return drawn if not self.draw.copies else drawn.reshape(n, self.copies, *drawn.shape[1:])

    def density(self, noise: Array) -> Array | None:
        """The logarithm of the stated density of noise, (n,); copies add."""
        kind, symmetric = type(self.release.mechanism), self.release.symmetric
        if not self.draw.copies:
            return log_density(kind, self.size, noise, symmetric=symmetric)
        flat = noise.reshape(-1, *noise.shape[2:])
        logs = log_density(kind, self.size, flat, symmetric=symmetric)
        return None if logs is None else logs.reshape(len(noise), -1).sum(axis=1)

    def density_at(self, at: Array) -> Array | None:
        """The same of what is released, (n, *shape)."""
        return self.density(at - self.mean)


def moved(first: TableRelease, second: TableRelease) -> float:
    """The square of how far the statistics are apart, in stds or scales of the noise, of all
    copies: mu squared where it is Gaussian.
    """
    once = attrs.evolve(first, draw=attrs.evolve(first.draw, copies=()))
    gap = first.mean - second.mean
    logs = once.density(gap[None])
    if logs is None:
        return float(np.sum(gap**2)) / first.size**2
    away = -float(logs[0])
    return first.copies * (2 * away if first.release.noise.noise == "std" else away**2)


ROWS = 4  # of a table whose samples are listed


@attrs.frozen
class Mask:
    """Keeps the rows whose bit is set, of a table that is one block."""

    bits: int

    def __call__(self, block: Block) -> Block:
        """These rows, with their labels."""
        kept = (self.bits >> np.arange(len(block.rows))) & 1 > 0
        return Block(block.rows[kept], selected(block.labels, kept), selected(block.budgets, kept))


@attrs.frozen(eq=False)
class Samples:
    """A loop's step at one point, on each possible sample of the rows."""

    rows: int
    rate: Fraction
    ways: tuple[TableRelease, ...]

    @classmethod
    def of(cls, running: Execution, loop: Loop, at: Array, rate: Fraction) -> Samples:
        """One pass for each subset of the rows. Raises InvalidArgument for a table of many."""
        rows = running.source.rows
        if rows is None or rows > ROWS:
            way_out = "Other rows are known to the attacker: they only cost time."
            raise InvalidArgument("tables", f"of at most {ROWS} rows here", rows, way_out)
        once = attrs.evolve(loop.step, times=ONE)
        ways = tuple(
            TableRelease.of(once, running, running.at_point(loop, at, Mask(bits)))
            for bits in range(2**rows)
        )
        return cls(rows, rate, ways)

    def subsets(self, n: int, randomness: Randomness) -> Array:
        """Which rows n samples have, by the coins of an execution."""
        coins = bernoulli(randomness.bits, self.rate, n * self.rows).reshape(n, self.rows)
        return np.asarray(coins @ (1 << np.arange(self.rows)), dtype=np.int64)

    def one(self, randomness: Randomness) -> Values:
        """What one sample shows."""
        return self.ways[int(self.subsets(1, randomness)[0])].values

    def many(self, n: int, randomness: Randomness) -> Array:
        """n draws, each on a fresh sample."""
        chosen = self.subsets(n, randomness)
        found = np.zeros((n, *self.ways[0].mean.shape))
        for subset in np.unique(chosen):
            places = np.flatnonzero(chosen == subset)
            found[places] = self.ways[int(subset)].many(len(places), randomness)
        return found

    @property
    def release(self) -> Release:
        """What is released."""
        return self.ways[0].release

    def density_at(self, at: Array) -> Array | None:
        """The logarithm of the density of what is released, each sample with its chance."""
        q, logs = float(self.rate), []
        for subset, way in enumerate(self.ways):
            one = way.density_at(at)
            if one is None:
                return None
            kept = subset.bit_count()
            chance = q**kept * (1 - q) ** (self.rows - kept)
            logs.append(one + np.log(max(chance, 1e-300)))
        return np.asarray(logsumexp(logs, axis=0))


def of_draws(
    first: TableRelease | Samples, second: TableRelease | Samples, n: int, randomness: Randomness
) -> Scores:
    """Draws of noise on both tables, or on fresh samples of their rows, by the ratio of the stated
    densities; learned where none is stated, and of an index, to which nothing was added.
    """
    drawn = [one.many(n, randomness) for one in (first, second)]
    logs = [] if first.release.noise.selects else [_ratio(first, second, at) for at in drawn]
    known = [one for one in logs if one is not None]
    if len(known) < 2:
        return from_draws(*(part.reshape(n, -1) for part in drawn))
    return Scores(*known)


def _ratio(
    first: TableRelease | Samples, second: TableRelease | Samples, at: Array
) -> Array | None:
    """The logarithm of the ratio of the densities at draws; None where one is not stated."""
    one, other = (table.density_at(at) for table in (first, second))
    return None if one is None or other is None else one - other
