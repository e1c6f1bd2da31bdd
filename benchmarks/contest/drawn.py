"""Drawn worlds: labels of eleven laws, rows of ten kinds, sizes from 200 to a million, few signals.

Tables are drawn anew in every repeat, inside their bounds; the test rows are the rows that were
fitted, so that the error beyond least squares is never negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from benchmarks import laws, scale

from .synthetic import KNOWN
from .worlds import Split, World

Array = NDArray[Any]
NOISE, SIGNAL = 0.1, 0.25  # the stds of residuals and of predictions where labels are normal


@attrs.frozen
class DrawnWorld(World):
    """n rows in the unit ball, d columns, and labels in [-1, 1]; `about` says of what law."""

    family: ClassVar[str] = "drawn"
    reference: ClassVar[str] = "OLS"
    bounds: ClassVar[str] = KNOWN
    about: str
    n: int
    d: int

    @property
    def name(self) -> str:  # type: ignore[override]
        """`labels counts, n=2000, d=3`."""
        return f"{self.about}, n={self.n}, d={self.d}"

    @property
    def size(self) -> tuple[int, int]:
        """n and d."""
        return self.n, self.d

    def splits(self, rng: np.random.Generator, folds: int) -> Iterator[Split]:
        """One table, fresh in every repeat; `folds` are not asked for."""
        X, y = self.table(rng)
        yield Split(X, y, X, y)

    def table(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Rows (n, d) and labels (n,)."""
        kind, _, which = self.about.partition(" ")
        if kind == "labels":  # an intercept and uniform columns, as in benchmarks/laws.py
            u, y = laws.table(which, self.n, self.d, rng)
            return np.column_stack([np.ones(self.n), u]) / np.sqrt(self.d), y
        if kind == "rows":  # all principal directions matter alike, as in benchmarks/scale.py
            X = scale.rows(which, self.n, self.d, rng)
            return X, scale.labelled(X, rng, signal=SIGNAL, noise=NOISE)[0]
        X = rng.uniform(-1, 1, (self.n, self.d)) / np.sqrt(self.d)
        matter = self.d if which == "all" else int(which)
        theta = np.where(np.arange(self.d) < matter, rng.choice([-1.0, 1.0], self.d), 0.0)
        theta *= SIGNAL * np.sqrt(3 * self.d / matter)
        return X, np.clip(X @ theta + NOISE * rng.standard_normal(self.n), -1, 1)


def worlds() -> tuple[DrawnWorld, ...]:
    """All of them."""
    of_labels = (
        DrawnWorld(f"labels {law}", n, d)
        for n, d in ((2_000, 3), (10_000, 10))
        for law in laws.LAWS
    )
    of_rows = (
        DrawnWorld(f"rows {kind}", n, d)
        for n, d in ((2_000, 5), (20_000, 10))
        for kind in scale.WORLDS
    )
    sizes = (
        *((200, 1), (1_000, 1), (10_000, 1), (200, 5), (500, 20), (2_000, 50), (20_000, 50)),
        *((20_000, 100), (20_000, 200), (100_000, 20), (1_000_000, 1), (1_000_000, 10)),
    )
    of_sizes = (DrawnWorld("columns all", n, d) for n, d in sizes)
    sparse = (DrawnWorld("columns 3", n, d) for n, d in ((5_000, 50), (20_000, 50), (20_000, 200)))
    return (*of_labels, *of_rows, *of_sizes, *sparse)
