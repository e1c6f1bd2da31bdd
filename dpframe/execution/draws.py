"""One release: a statistic's value plus fresh noise, in whole steps wherever both are exact.

A value in whole steps has independent coordinates. A symmetric matrix has its upper triangle,
unless noise has a draw for every entry. Isotropic noise is independent in coordinates whose L2 norm
is Frobenius's, so that entries off the diagonal count sqrt(2) times; a stack is laid out in such
coordinates itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import NotExecutable
from dpframe.graph import Node, Release
from dpframe.graph.statistics import Stack, Statistic
from dpframe.mechanisms import AdditiveNoise
from dpframe.randomness import Randomness, SystemBits
from dpframe.symbols import Expression, exact, sqrt

from .numbers import PublicNumbers
from .totals import WORDS, added, in_doubles, real

Array = NDArray[Any]
Noise = type[AdditiveNoise]


@attrs.frozen
class Grain:
    """The step of a coordinate, which noise is measured in, and that of the entry it becomes."""

    step: Expression
    unit: Expression


@attrs.frozen(eq=False)
class Run:
    """Coordinates of one grain: where they stand, (m,), and their whole numbers, (m,)."""

    grain: Grain
    places: Array
    whole: Array


def grains(statistic: Statistic, noise: Noise | None) -> tuple[Grain, ...]:
    """The grains of an exact statistic: of a matrix, on its diagonal and off it, where `noise` is
    symmetric; None is for a part of a stack.
    """
    if isinstance(statistic, Stack):
        return tuple(one for part in statistic.parts for one in grains(part, None))
    step = statistic.step
    if step is None:
        return ()
    if not _triangular(statistic, noise):
        return (Grain(step, step),)
    across = sqrt(2) * step
    isotropic = noise is None or noise.isotropic
    return Grain(step, step), Grain(across if isotropic else step, step if noise else across)


def _triangular(statistic: Statistic, noise: Noise | None) -> bool:
    """Whether the upper triangle has the coordinates."""
    return statistic.symmetric and (noise is None or noise.symmetric)


def runs(statistic: Statistic, values: Mapping[Node, Array], noise: Noise) -> list[Run]:
    """The coordinates of an exact statistic's value, one run a grain."""
    found = zip(grains(statistic, noise), _whole(statistic, values, 0, noise), strict=True)
    return [Run(grain, places, whole) for grain, (places, whole) in found]


def _whole(
    statistic: Statistic, values: Mapping[Node, Array], start: int, noise: Noise | None
) -> Iterator[tuple[Array, Array]]:
    """(places, whole numbers) of every grain; places count from `start`."""
    if isinstance(statistic, Stack):
        for part in statistic.parts:
            for places, whole in _whole(part, values, start, None):
                yield places, whole
            start += _size(part, values)
        return
    value = np.asarray(values[statistic])
    if not _triangular(statistic, noise):
        yield start + np.arange(value.size), np.ravel(value)
        return
    rows, columns = np.triu_indices(len(value))
    whole = value[rows, columns]
    for chosen in (np.flatnonzero(rows == columns), np.flatnonzero(rows != columns)):
        yield start + chosen, whole[chosen]


def _size(statistic: Statistic, values: Mapping[Node, Array]) -> int:
    if isinstance(statistic, Stack):
        return sum(_size(part, values) for part in statistic.parts)
    d = np.shape(values[statistic])
    return d[0] * (d[0] + 1) // 2 if statistic.symmetric else int(np.prod(d))


def arranged(coordinates: Array, shape: tuple[int, ...], *, symmetric: bool) -> Array:
    """Coordinates, (..., m), as arrays of `shape`; symmetric ones mirror their upper triangle."""
    if not symmetric:
        return coordinates.reshape((*coordinates.shape[:-1], *shape))
    matrix = np.zeros((*coordinates.shape[:-1], *shape))
    rows, columns = np.triu_indices(shape[0])
    matrix[..., rows, columns] = matrix[..., columns, rows] = coordinates
    return matrix


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
        if release.noise.selects:
            return SelectionDraw.sized(release, copies, numbers)
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


@attrs.frozen(eq=False)
class SelectionDraw(Draw):
    """The index of one entry, by the mechanism's own law: of whole steps with a `scale` in steps,
    or of doubles as they are. The scale is rounded up.
    """

    scale: Fraction
    numbers: PublicNumbers

    @classmethod
    def sized(
        cls, release: Release, copies: tuple[int, ...], numbers: PublicNumbers
    ) -> SelectionDraw:
        """With the scale in the units of the scores."""
        step = release.statistic.step if release.exact else None
        formula = release.mechanism.formula
        size = formula if step is None else _in_steps(formula, step)
        return cls(release, copies, Fraction(numbers.up(size)), numbers)

    def sample(self, values: Mapping[Node, Array], randomness: Randomness) -> Array:
        """An index for each copy, in doubles."""
        statistic, law = self.release.statistic, type(self.release.mechanism)
        whole = self.release.exact
        scores = values[statistic] if whole else real(statistic, values, self.numbers.towards_zero)
        shape = (int(np.prod(self.copies)), np.size(scores))
        chosen: Any = law
        rows = np.broadcast_to(np.asarray(scores), shape)
        found = chosen.chosen(rows, self.scale, randomness.bits)
        return np.asarray(found.reshape(self.copies), dtype=float)


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
