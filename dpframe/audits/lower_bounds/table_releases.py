"""One release on one table, as an execution draws it; and on every sample that a small table may
have, with its probability.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import attrs
import numpy as np
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

from .bounds import Scores
from .scores import Array, density_scores, learned_scores, log_density

Values = Mapping[Node, Array]
ROWS = 4  # of a table whose samples are listed


@attrs.frozen(eq=False)
class TableRelease:
    """A release of noise and the values that it reads."""

    draw: ReleaseDraw
    numbers: PublicNumbers
    values: Values

    @classmethod
    def of(cls, release: Release, running: Execution, values: Values) -> TableRelease:
        """Raises NotExecutable, InvalidArgument."""
        return cls(ReleaseDraw.of(release, running.numbers), running.numbers, values)

    @classmethod
    def once(
        cls, release: Release, running: Execution, loop: Loop | None, at: Array | None = None
    ) -> TableRelease:
        """One draw on all rows; in a loop, at a point or at its start."""
        values = dict(running.values)
        if loop is not None:
            values |= running.at_point(loop, start(loop, running) if at is None else at)
        return cls.of(attrs.evolve(release, times=ONE, sampled=None), running, values)

    @property
    def release(self) -> Release:
        """The node of the graph."""
        return self.draw.release

    @property
    def size(self) -> float:
        """The size of the noise that is drawn."""
        return self.numbers.up(self.release.mechanism.formula)

    @property
    def copies(self) -> int:
        """The number of draws that it consists of."""
        return self.draw.copies[0] if self.draw.copies else 1

    @property
    def mean(self) -> Array:
        """The statistic's value in doubles."""
        return np.asarray(real(self.release.statistic, self.values, self.numbers.towards_zero))

    def answer(self, randomness: Randomness) -> Any:
        """One draw, as it is released."""
        return self.draw.released(self.values, randomness)

    def many(self, n: int, randomness: Randomness) -> Array:
        """n draws of it, (n, *shape), by the path that an execution takes."""
        drawn = attrs.evolve(self.draw, copies=(n * self.copies,)).sample(self.values, randomness)
        return drawn if not self.draw.copies else drawn.reshape(n, self.copies, *drawn.shape[1:])

    def density(self, at: Array) -> Array | None:
        """The logarithm of the stated density of answers, (n, *shape)."""
        return self.noise_density(at - self.mean)

    def noise_density(self, noise: Array) -> Array | None:
        """That of noise; copies add."""
        flat = noise.reshape(-1, *noise.shape[2:]) if self.draw.copies else noise
        release, kind = self.release, type(self.release.mechanism)
        logs = log_density(kind, self.size, flat, symmetric=release.symmetric)
        return logs if logs is None else logs.reshape(len(noise), -1).sum(axis=1)

    def squared_distance(self, other: TableRelease) -> float:
        """Between the statistics, in stds or scales of the noise, of all copies: mu squared where
        the noise is Gaussian.
        """
        once = attrs.evolve(self, draw=attrs.evolve(self.draw, copies=()))
        gap = self.mean - other.mean
        logs = once.noise_density(gap[None])
        if logs is None:
            return float(np.sum(gap**2)) / self.size**2
        away = -float(logs[0])
        return self.copies * (2 * away if self.release.noise.noise == "std" else away**2)


def start(loop: Loop, running: Execution) -> Array:
    """The first point of a loop: zero."""
    return np.zeros(round(running.numbers.up(loop.point.size)))


def masked(bits: int, block: Block) -> Block:
    """The rows whose bit is set, of a table that is one block."""
    mask = (bits >> np.arange(len(block.rows))) & 1 > 0
    return Block(block.rows[mask], selected(block.labels, mask), selected(block.budgets, mask))


@attrs.frozen(eq=False)
class PossibleSamples:
    """A loop's step at one point, on each possible sample of the rows."""

    rows: int
    rate: Fraction
    releases: tuple[TableRelease, ...]

    @classmethod
    def of(cls, running: Execution, loop: Loop, at: Array, rate: Fraction) -> PossibleSamples:
        """One pass for each subset of the rows. Raises InvalidArgument for a table of many."""
        rows = running.source.rows
        if rows is None or rows > ROWS:
            way_out = "The attacker may know all other rows: they only cost time."
            raise InvalidArgument("tables", f"of at most {ROWS} rows here", rows, way_out)
        once = attrs.evolve(loop.step, times=ONE)
        samples = (running.at_point(loop, at, partial(masked, bits)) for bits in range(2**rows))
        return cls(rows, rate, tuple(TableRelease.of(once, running, one) for one in samples))

    @property
    def release(self) -> Release:
        """The node of the graph."""
        return self.releases[0].release

    def subsets(self, n: int, randomness: Randomness) -> Array:
        """The rows of n samples, as bits, by the inclusion indicators of an execution."""
        included = bernoulli(randomness.bits, self.rate, n * self.rows).reshape(n, self.rows)
        return np.asarray(included @ (1 << np.arange(self.rows)), dtype=np.int64)

    def answer(self, randomness: Randomness) -> Any:
        """One draw, on one sample."""
        sample = self.releases[int(self.subsets(1, randomness)[0])].values
        return attrs.evolve(self.releases[0], values=sample).answer(randomness)

    def many(self, n: int, randomness: Randomness) -> Array:
        """n draws, each on a fresh sample."""
        subsets = self.subsets(n, randomness)
        answers = np.zeros((n, *self.releases[0].mean.shape))
        for subset in np.unique(subsets):
            places = np.flatnonzero(subsets == subset)
            answers[places] = self.releases[int(subset)].many(len(places), randomness)
        return answers

    def density(self, at: Array) -> Array | None:
        """The logarithm of the density of answers, over all samples."""
        q, logs = float(self.rate), []
        for subset, release in enumerate(self.releases):
            one = release.density(at)
            if one is None:
                return None
            chance = q ** subset.bit_count() * (1 - q) ** (self.rows - subset.bit_count())
            logs.append(one + np.log(max(chance, 1e-300)))
        return np.asarray(logsumexp(logs, axis=0))


def scores_of(
    first: TableRelease | PossibleSamples,
    second: TableRelease | PossibleSamples,
    n: int,
    randomness: Randomness,
) -> Scores:
    """Draws of noise on both tables, or on fresh samples of their rows, by the ratio of the stated
    densities; learned where no density is stated, as of an index, to which nothing was added.
    """
    one, other = (release.many(n, randomness) for release in (first, second))
    if first.release.noise.selects:
        return learned_scores(one, other)
    return density_scores(one, other, (first.density, second.density))
