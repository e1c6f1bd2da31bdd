"""Describe the directions of the coefficients that noise hides, in the names of the codebook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.inference.result import Units

from .summary import INTERCEPT

Array = NDArray[Any]

MOST = 3  # directions that are named, and columns of one
LITTLE = 0.3  # of the largest weight: smaller ones are left out


def named(lost: Array, units: Units) -> tuple[str, ...]:
    """One text per direction, such as `children - 0.7 age`; `lost` (p, k) has orthonormal columns.
    Weights are those of scaled columns, relative to the largest. The first direction is the one
    nearest to a single column, the next the nearest among the remaining ones, and so on, MOST of
    them.
    """
    texts = [combination(weights, units.names) for weights in _directions(lost, units, MOST)]
    more = lost.shape[1] - MOST
    return (*texts, *([f"{more} more"] if more > 0 else []))


def leading(lost: Array, units: Units) -> tuple[str, ...]:
    """The coefficient of the largest weight in each direction, without the intercept: columns to
    merge or to leave out.
    """
    found = (units.names[int(np.argmax(np.abs(one)))] for one in _directions(lost, units))
    return tuple(name for name in dict.fromkeys(found) if name != INTERCEPT)


def _directions(lost: Array, units: Units, most: int | None = None) -> Iterator[Array]:
    """The weights of all coefficients in each direction, (p,), at most `most` directions."""
    rows = units.matrix / np.linalg.norm(units.matrix, axis=1, keepdims=True)
    if units.names[-1] == INTERCEPT:
        rows[-1] = np.eye(rows.shape[1])[-1]
    left = lost
    for _ in range(lost.shape[1])[:most]:
        images = rows @ left
        nearest = int(np.argmax(np.linalg.norm(images, axis=1)))
        along = images[nearest] / np.linalg.norm(images[nearest])
        yield images @ along
        turned = np.linalg.svd(along[None, :])[2]
        left = left @ turned[1:].T


def combination(weights: Array, names: tuple[str, ...]) -> str:
    """Columns with their weights (p,), largest first: `children - 0.7 age`."""
    order = [int(j) for j in np.argsort(-np.abs(weights), kind="stable")[:MOST]]
    shares = {j: float(weights[j] / weights[order[0]]) for j in order}
    terms = [
        f"{'-' if w < 0 else '+'} {abs(w):.1f} {names[j]}"
        for j, w in shares.items()
        if abs(w) >= LITTLE
    ]
    return " ".join([names[order[0]], *terms[1:]])
