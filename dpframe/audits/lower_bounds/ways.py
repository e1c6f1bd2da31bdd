"""One release on one table: its draw, the numbers of the execution, and what it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.execution.drawing import Draw
from dpframe.execution.numbers import PublicNumbers
from dpframe.execution.running import Running
from dpframe.execution.totals import real
from dpframe.graph import Node, Release
from dpframe.randomness import Randomness

from .densities import log_density
from .events import Scores
from .pairs import from_draws

Array = NDArray[Any]
Values = Mapping[Node, Array]


@attrs.frozen(eq=False)
class Way:
    """A release of noise, ready to be drawn."""

    draw: Draw
    numbers: PublicNumbers
    values: Values

    @classmethod
    def of(cls, release: Release, running: Running, values: Values) -> Way:
        """Of a release that reads these values. Raises NotExecutable, InvalidArgument."""
        return cls(Draw.of(release, running.numbers), running.numbers, values)

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


def of_noise(first: Way, second: Way, n: int, randomness: Randomness) -> Scores:
    """Draws of additive noise on both tables, by the ratio of the stated densities."""
    drawn = [way.many(n, randomness) for way in (first, second)]
    found = []
    for one in drawn:
        logs = [way.density(one - way.mean) for way in (first, second)]
        if logs[0] is None or logs[1] is None:
            return from_draws(*(part.reshape(n, -1) for part in drawn))
        found.append(logs[0] - logs[1])
    return Scores(*found)


def moved(first: Way, second: Way) -> float:
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
