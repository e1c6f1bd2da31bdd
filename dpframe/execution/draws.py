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
class GridStep:
    """The step of a coordinate, in which noise is measured, and the step of its entry."""

    step: Expression
    unit: Expression


@attrs.frozen(eq=False)
class StepGroup:
    """Coordinates of one step: their places, (m,), and their whole numbers, (m,)."""

    grid_step: GridStep
    places: Array
    whole: Array


def grid_steps(statistic: Statistic, noise: Noise | None) -> tuple[GridStep, ...]:
    """The steps of an exact statistic: of a matrix, on its diagonal and off it, where `noise` is
    symmetric; None is for a part of a stack.
    """
    if isinstance(statistic, Stack):
        return tuple(one for part in statistic.parts for one in grid_steps(part, None))
    step = statistic.step
    if step is None:
        return ()
    if not _triangular(statistic, noise):
        return (GridStep(step, step),)
    across = sqrt(2) * step
    isotropic = noise is None or noise.isotropic
    return GridStep(step, step), GridStep(across if isotropic else step, step if noise else across)


def _triangular(statistic: Statistic, noise: Noise | None) -> bool:
    """Whether the upper triangle has the coordinates."""
    return statistic.symmetric and (noise is None or noise.symmetric)


def step_groups(
    statistic: Statistic, values: Mapping[Node, Array], noise: Noise
) -> list[StepGroup]:
    """The coordinates of an exact statistic's value, one group a step."""
    sizes = zip(grid_steps(statistic, noise), _whole(statistic, values, 0, noise), strict=True)
    return [StepGroup(grid_step, places, whole) for grid_step, (places, whole) in sizes]


def _whole(
    statistic: Statistic, values: Mapping[Node, Array], start: int, noise: Noise | None
) -> Iterator[tuple[Array, Array]]:
    """(places, whole numbers) of every step; places count from `start`."""
    if isinstance(statistic, Stack):
        for part in statistic.parts:
            yield from _whole(part, values, start, None)
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
class ReleaseDraw(ABC):
    """Abstract: a release with all its numbers, and its number of copies, () for one."""

    release: Release
    copies: tuple[int, ...]

    @classmethod
    def of(cls, release: Release, numbers: PublicNumbers) -> ReleaseDraw:
        """Sizes of noise are the proved ones, or rounded up from them. Every refusal occurs here.
        Raises NotExecutable, InvalidArgument.
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
        with np.errstate(all="ignore"):
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
class ExactDraw(ReleaseDraw):
    """Whole steps plus whole noise: the noise of the theorem, rounded onto the statistic's grid,
    which is post-processing of the sum. (docs/proofs/grid.md)

    `sizes` has, for every step, the size of its noise in steps and the unit of its entries.
    """

    sizes: Mapping[GridStep, tuple[Fraction, float]]

    def sample(self, values: Mapping[Node, Array], randomness: Randomness) -> Array:
        """Every coordinate with noise of its own, then in doubles."""
        statistic, noise = self.release.statistic, self.release.noise
        groups = step_groups(statistic, values, noise)
        noisy = np.zeros((*self.copies, sum(len(group.places) for group in groups)))
        for group in groups:
            noisy[..., group.places] = self._noisy(group, randomness)
        return arranged(noisy, np.shape(values[statistic]), symmetric=self.release.symmetric)

    def _noisy(self, group: StepGroup, randomness: Randomness) -> Array:
        size, unit = self.sizes[group.grid_step]
        shape = (*self.copies, len(group.whole))
        draw = type(self.release.mechanism).on_grid
        noise = draw(size, int(np.prod(shape)), randomness.bits).reshape(shape)
        whole = noise if noise.dtype == WORDS else noise.astype(object)
        return in_doubles(added(group.whole, whole), unit)


@attrs.frozen(eq=False)
class RealDraw(ReleaseDraw):
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
class SelectionDraw(ReleaseDraw):
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
        statistic = self.release.statistic
        law: Any = type(self.release.mechanism)
        whole = self.release.exact
        scores = values[statistic] if whole else real(statistic, values, self.numbers.towards_zero)
        shape = (int(np.prod(self.copies)), np.size(scores))
        rows = np.broadcast_to(np.asarray(scores), shape)
        indices = law.chosen(rows, self.scale, randomness.bits)
        return np.asarray(indices.reshape(self.copies), dtype=float)


@lru_cache(maxsize=1024)
def _in_steps(size: Expression, step: Expression) -> Expression:
    """A size of noise over a step, built once."""
    return size / step


def _sizes(release: Release, numbers: PublicNumbers) -> dict[GridStep, tuple[Fraction, float]]:
    mechanism, sizes = release.mechanism, {}
    for grid_step in grid_steps(release.statistic, type(mechanism)):
        formula = _in_steps(mechanism.formula, grid_step.step)
        size = numbers.exactly(formula) if mechanism.integer else Fraction(numbers.up(formula))
        check_drawn(type(mechanism), size)
        sizes[grid_step] = size, numbers.up(grid_step.unit)
    return sizes


@lru_cache(maxsize=1024)
def check_drawn(mechanism: type[AdditiveNoise], size: Fraction) -> None:
    """Refuse a size of noise in steps that cannot be drawn. Raises InvalidArgument."""
    mechanism.on_grid(size, 0, SystemBits())
