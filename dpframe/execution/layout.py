"""A value in whole steps as independent coordinates: which entry is one, and in which step.

A symmetric matrix has its upper triangle, unless noise has a draw for every entry. Isotropic noise
is independent in coordinates whose L2 norm is Frobenius's, so that entries off the diagonal count
sqrt(2) times; a stack is laid out in such coordinates itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.graph import Node
from dpframe.graph.statistics import Stack, Statistic
from dpframe.mechanisms import AdditiveNoise
from dpframe.symbols import Expression, sqrt

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
