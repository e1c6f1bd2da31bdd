"""One release: a statistic's value plus fresh noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable
from dpframe.graph import Release
from dpframe.symbols import Expression, exact

ONE = exact(1)


@attrs.frozen(eq=False)
class Draw:
    """A release, the size of its noise (a std or a scale), and its number of copies, () for one."""

    release: Release
    size: float
    copies: tuple[int, ...]

    @classmethod
    def of(cls, release: Release, up: Callable[[Expression], float]) -> Draw:
        """The size is rounded up: at least what was proved. Raises NotExecutable."""
        size = up(release.mechanism.formula)
        if size <= 0:
            raise NotExecutable(f"the noise of {release.label} has size {size}, which is no noise")
        return cls(release, size, () if release.times == ONE else (round(up(release.times)),))

    def sample(self, value: NDArray[Any], rng: np.random.Generator) -> NDArray[Any] | float:
        """The value plus noise: a float where it is a number, else an array that is read-only."""
        released: NDArray[Any] = np.asarray(value + self._noise(value.shape, rng))
        if not released.shape:
            return float(released)
        released.flags.writeable = False
        return released

    def _noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[Any]:
        mechanism, symmetric = self.release.mechanism, self.release.statistic.symmetric
        if not (self.copies and mechanism.joint):
            return mechanism.sample(self.size, (*self.copies, *shape), rng, symmetric=symmetric)
        copies = range(self.copies[0])
        return np.stack(
            [mechanism.sample(self.size, shape, rng, symmetric=symmetric) for _ in copies]
        )
