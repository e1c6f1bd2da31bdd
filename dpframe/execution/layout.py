"""A value in whole steps as independent coordinates: which entry is one, and in which step.

A symmetric matrix has its upper triangle. Isotropic noise is independent in coordinates whose L2
norm is Frobenius's, so that entries off the diagonal count sqrt(2) times; a stack is laid out in
such coordinates itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.graph import Node
from dpframe.graph.statistics import Stack, Statistic
from dpframe.symbols import Expression, sqrt

Array = NDArray[Any]


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


def grains(statistic: Statistic, *, isotropic: bool, stacked: bool = False) -> tuple[Grain, ...]:
    """The grains of an exact statistic: of a matrix, on its diagonal and off it."""
    if isinstance(statistic, Stack):
        parts = statistic.parts
        return tuple(one for part in parts for one in grains(part, isotropic=True, stacked=True))
    step = statistic.step
    if step is None:
        return ()
    if not statistic.symmetric:
        return (Grain(step, step),)
    across = sqrt(2) * step
    return Grain(step, step), Grain(across if isotropic else step, across if stacked else step)


def runs(statistic: Statistic, values: Mapping[Node, Array], *, isotropic: bool) -> list[Run]:
    """The coordinates of an exact statistic's value, one run a grain."""
    found = zip(grains(statistic, isotropic=isotropic), _whole(statistic, values, 0), strict=True)
    return [Run(grain, places, whole) for grain, (places, whole) in found]


def _whole(
    statistic: Statistic, values: Mapping[Node, Array], start: int
) -> Iterator[tuple[Array, Array]]:
    """(places, whole numbers) of every grain; places count from `start`."""
    if isinstance(statistic, Stack):
        for part in statistic.parts:
            for places, whole in _whole(part, values, start):
                yield places, whole
            start += _size(part, values)
        return
    value = np.asarray(values[statistic])
    if not statistic.symmetric:
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


def arranged(statistic: Statistic, coordinates: Array, shape: tuple[int, ...]) -> Array:
    """Coordinates, (..., m), as arrays of `shape`; symmetric ones mirror their upper triangle."""
    if not statistic.symmetric:
        return coordinates.reshape((*coordinates.shape[:-1], *shape))
    matrix = np.zeros((*coordinates.shape[:-1], *shape))
    rows, columns = np.triu_indices(shape[0])
    matrix[..., rows, columns] = matrix[..., columns, rows] = coordinates
    return matrix
