"""One release: a statistic's value plus fresh noise, in whole steps wherever both are exact."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable
from dpframe.graph import Node, Release
from dpframe.mechanisms.base import AdditiveNoise
from dpframe.randomness import Randomness, SystemBits
from dpframe.symbols import Expression, exact

from .layout import Grain, Run, arranged, grains, runs
from .numbers import PublicNumbers
from .totals import in_doubles, real
from .whole import WORDS, added

Array = NDArray[Any]
ONE = exact(1)


@attrs.frozen(eq=False)
class Draw(ABC):
    """Abstract: a release whose every number is known, and its number of copies, () for one."""

    release: Release
    copies: tuple[int, ...]

    @classmethod
    def of(cls, release: Release, numbers: PublicNumbers) -> Draw:
        """Sizes of noise are rounded up: at least what was proved. Whatever may be refused is
        refused here. Raises NotExecutable, InvalidArgument.
        """
        size = numbers.up(release.mechanism.formula)
        if size <= 0:
            raise NotExecutable(f"the noise of {release.label} has size {size}, which is no noise")
        copies = () if release.times == ONE else (times_of(release, numbers),)
        if not release.exact:
            return RealDraw(release, copies, size, numbers)
        return ExactDraw(release, copies, _sizes(release, numbers))

    @abstractmethod
    def sample(self, values: Mapping[Node, Array], randomness: Randomness) -> Array:
        """The statistic's value plus noise, of shape (*copies, *shape)."""

    def released(self, values: Mapping[Node, Array], randomness: Randomness) -> Array | float:
        """The sample: a float where it is a number, else an array that is read-only."""
        sample = self.sample(values, randomness)
        if not sample.shape:
            return float(sample)
        sample.flags.writeable = False
        return sample


def times_of(release: Release, numbers: PublicNumbers) -> int:
    """How often a release is drawn. Raises NotExecutable where that is no whole number."""
    low, high = numbers.down(release.times), numbers.up(release.times)
    if low != high or high != round(high) or high < 1:
        raise NotExecutable(
            f"{release.label} is to be drawn {high} times, which is no whole number"
        )
    return round(high)


@attrs.frozen(eq=False)
class ExactDraw(Draw):
    """Whole steps plus whole noise: the noise of the theorem, rounded onto the statistic's grid,
    which is post-processing of the sum. (docs/proofs/grid.md)

    `sizes` has, for every grain, the size of its noise in steps and the unit of its entries.
    """

    sizes: Mapping[Grain, tuple[Fraction, float]]

    def sample(self, values: Mapping[Node, Array], randomness: Randomness) -> Array:
        """Every coordinate with noise of its own, then in doubles."""
        statistic, noise = self.release.statistic, self.release.noise
        found = runs(statistic, values, noise)
        noisy = np.zeros((*self.copies, sum(len(run.places) for run in found)))
        for run in found:
            noisy[..., run.places] = self._noisy(run, randomness)
        return arranged(noisy, np.shape(values[statistic]), symmetric=self.release.symmetric)

    def _noisy(self, run: Run, randomness: Randomness) -> Array:
        size, unit = self.sizes[run.grain]
        shape = (*self.copies, len(run.whole))
        draw = type(self.release.mechanism).on_grid
        noise = draw(size, int(np.prod(shape)), randomness.bits).reshape(shape)
        whole = noise if noise.dtype == WORDS else noise.astype(object)
        return in_doubles(added(run.whole, whole), unit)


@attrs.frozen(eq=False)
class RealDraw(Draw):
    """Doubles plus noise in doubles: idealized numerics, as the certificate says."""

    size: float
    numbers: PublicNumbers

    def sample(self, values: Mapping[Node, Array], randomness: Randomness) -> Array:
        """The value plus the mechanism's own sample."""
        value = real(self.release.statistic, values, self.numbers.towards_zero)
        return np.asarray(value + self._noise(value.shape, randomness.generator))

    def _noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        mechanism, symmetric = self.release.mechanism, self.release.symmetric
        law = {name: self.numbers.up(one) for name, one in self.release.parameters.items()}
        draw: Callable[..., Array] = mechanism.sample  # with its parameters by name
        sample = partial(draw, self.size, symmetric=symmetric, **law)
        if not (self.copies and mechanism.joint):
            return sample((*self.copies, *shape), rng)
        return np.stack([sample(shape, rng) for _ in range(self.copies[0])])


@lru_cache(maxsize=1024)
def _in_steps(size: Expression, step: Expression) -> Expression:
    """A size of noise over a step, built once."""
    return size / step


def _sizes(release: Release, numbers: PublicNumbers) -> dict[Grain, tuple[Fraction, float]]:
    mechanism, found = release.mechanism, {}
    for grain in grains(release.statistic, type(mechanism)):
        size = Fraction(numbers.up(_in_steps(mechanism.formula, grain.step)))
        check_drawn(type(mechanism), size)
        found[grain] = size, numbers.up(grain.unit)
    return found


@lru_cache(maxsize=1024)
def check_drawn(mechanism: type[AdditiveNoise], size: Fraction) -> None:
    """Refuse a size of noise in steps that cannot be drawn. Raises InvalidArgument."""
    mechanism.on_grid(size, 0, SystemBits())
