"""Random folds of nearly equal size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpframe.errors import BadData

Indices = NDArray[np.intp]

FOLDS = 10


def folds(
    n: int, rng: np.random.Generator, count: int = FOLDS
) -> Iterator[tuple[Indices, Indices]]:
    """Rows to train on and rows to test on, `count` times; every row is tested on once.

    Raises BadData where n < `count`: a fold would be empty.
    """
    if n < count:
        raise BadData("data", f"at least {count} rows, one a fold", n)
    tests = np.array_split(rng.permutation(n), count)
    return ((np.concatenate(_without(tests, i)), test) for i, test in enumerate(tests))


def _without(parts: list[Any], i: int) -> list[Any]:
    return parts[:i] + parts[i + 1 :]
