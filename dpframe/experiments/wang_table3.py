"""Table 3 of [Wang18], run again: cross-validation errors of a set, beside the published ones.

NOT PRIVATE, whatever the method: the preprocessing reads the data.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from . import NOT_PRIVATE
from .agreement import Runs, agrees, agrees_closely
from .folds import FOLDS, folds
from .methods import METHODS, Method, Standing
from .published import Cell, table3
from .uci import Table, prepared

Array = NDArray[Any]


@attrs.frozen
class Experiment:
    """Methods, claims, how many cross-validations, and the seed of folds and noise.

    The caption has delta = min(1e-6, 1/n^2); the code, and the published numbers, have 1e-6.
    """

    methods: tuple[Method, ...] = METHODS
    epsilon: float = 0.1
    delta: float = 1e-6
    repeats: int = 20
    seed: int = 0

    def proved_only(self) -> Experiment:
        """The same without methods that claim privacy and have no proof."""
        kept = tuple(one for one in self.methods if one.standing is not Standing.CLAIMED)
        return attrs.evolve(self, methods=kept)


@attrs.frozen(eq=False)
class Entry:
    """One set and column: published and ours."""

    name: str
    n: int
    d: int
    method: Method
    published: Cell
    ours: Runs

    @property
    def agrees(self) -> bool:
        """Within both half-widths."""
        return agrees(self.published, self.ours)

    @property
    def agrees_closely(self) -> bool:
        """Within the published half-width and the error of our mean."""
        return agrees_closely(self.published, self.ours)

    def record(self, experiment: Experiment) -> dict[str, Any]:
        """The entry as JSON."""
        return {
            "label": NOT_PRIVATE,
            "set": self.name,
            "n": self.n,
            "d": self.d,
            "column": self.method.column,
            "method": self.method.name,
            "standing": str(self.method.standing),
            "epsilon": experiment.epsilon,
            "delta": experiment.delta,
            "repeats": experiment.repeats,
            "seed": experiment.seed,
            "published": attrs.asdict(self.published),
            "published_half_width": self.published.half_width,
            "error": self.ours.error,
            "half_width": self.ours.half_width,
            "error_of_mean": self.ours.error_of_mean,
            "share_of_runs_below_published": self.ours.below(self.published.error),
            "agrees": self.agrees,
            "agrees_closely": self.agrees_closely,
        }


def compared(table: Table, experiment: Experiment) -> tuple[Entry, ...]:
    """A raw set of the published table, an entry a method. Raises BadData on fewer than 10 rows.

    BLAS has one thread meanwhile: matrices are too small for more.
    """
    cells, ready = table3()[table.name], prepared(table)
    with threadpool_limits(1, user_api="blas"):
        errors = np.array([list(_run(ready, experiment, i)) for i in range(experiment.repeats)])
    n, d = table.X.shape
    return tuple(
        Entry(table.name, n, d, method, cells[method.column], Runs(errors[:, :, i]))
        for i, method in enumerate(experiment.methods)
    )


def _run(table: Table, experiment: Experiment, repeat: int) -> Iterator[list[float]]:
    """One cross-validation: an error a fold and method. All methods see the same folds."""
    key = (experiment.seed, repeat, table.name)
    noise = [generator(*key, method.column) for method in experiment.methods]
    for train, test in folds(len(table.y), generator(*key), FOLDS):
        X, y = table.X[train], table.y[train]
        fitted = [
            method.fit(X, y, experiment.epsilon, experiment.delta, rng)
            for method, rng in zip(experiment.methods, noise, strict=True)
        ]
        yield [mean_squared_error(table.X[test], table.y[test], theta) for theta in fitted]


def generator(seed: int, repeat: int, *names: str) -> np.random.Generator:
    """A generator of its own for each repeat and name: leaving a column out moves no other."""
    return np.random.default_rng([seed, repeat, *(zlib.crc32(name.encode()) for name in names)])


def mean_squared_error(X: Array, y: Array, theta: Array) -> float:
    """mean (y - X theta)^2, of y (n,), X (n, d), theta (d,)."""
    return float(np.mean((y - X @ theta) ** 2))


def disagreeing(entries: Sequence[Entry], column: str, *, closely: bool = False) -> list[str]:
    """Names of the sets of a column that do not agree."""
    mine = [entry for entry in entries if entry.method.column == column]
    return [entry.name for entry in mine if not (entry.agrees_closely if closely else entry.agrees)]
