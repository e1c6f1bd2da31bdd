"""A world: tables to fit and rows to test on, the same for every method that enters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@attrs.frozen(eq=False)
class Split:
    """What is fitted, rows (n, d) and labels (n,), and what it is tested on.

    Units are those in which rows are to lie in the unit ball and labels in [-1, 1]. Rows and labels
    that are fitted may lie beyond: the declarations clip them.
    """

    rows: Array
    labels: Array
    test_rows: Array
    test_labels: Array


class World(ABC):
    """Abstract: where regressions are compared; picklable."""

    family: ClassVar[str]
    reference: ClassVar[str]
    """The regression without noise that errors are measured from."""
    name: str
    bounds: str
    """How bounds were come by: `paper`, `stated` or `known`."""

    @property
    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Rows and columns, an intercept among them."""

    @abstractmethod
    def splits(self, rng: np.random.Generator, folds: int) -> Iterator[Split]:
        """The splits of one repeat. Raises BadData where there are fewer rows than folds."""


def in_ball(X: Array) -> Array:
    """Rows (n, d), those beyond the unit ball scaled onto it."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    inside: Array = X / np.maximum(lengths, 1.0)
    return inside
