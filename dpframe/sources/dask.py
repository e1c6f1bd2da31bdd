"""Dask data frames and arrays: partitions are parts, worked on where they are; sums come back."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from functools import reduce
from typing import Any, TypeVar

import attrs
import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Setting

from .layout import Layout
from .opening import not_rows
from .parts import RawPart, TablePart
from .progress import Progress
from .reading import Plain
from .running import DIED, PartOutcome, outcome
from .safe_errors import library, safely
from .source import Source
from .table import Block, Table

S = TypeVar("S")
FOLD = 32  # sums that are added at once
EQUAL = "{0}.repartition or {0}.rechunk gives it the partitions of X."


@attrs.frozen(eq=False, repr=False)
class DaskSource(Source):
    """A Dask DataFrame or Array: `pieces` are its partitions, each with its labels or None, and
    `budgets` those of each partition that are no column of it.

    The active scheduler computes them: threads, processes, or a cluster.
    """

    data: Any
    layout: Layout
    pieces: tuple[tuple[Any, Any], ...]
    rows: int | None
    budgets: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, setting: Setting, X: Any, y: Any, budgets: Any = None, *, drop: bool) -> DaskSource:
        """Reads the metadata of the columns; computes nothing. Raises BadData."""
        framed = hasattr(X, "_meta") and hasattr(X, "columns")
        empty = X._meta if framed else _no_rows(X)  # noqa: SLF001 - the schema
        _check("y", y)
        _check("budgets", budgets)
        labels = [] if is_dask(y) else y
        own = budgets._meta if is_dask(budgets) else budgets  # noqa: SLF001
        layout = Table.of(setting, empty, labels, own, drop=drop).layout
        rows = _parts(_needed(X, layout) if framed else _whole_rows(X))
        pieces = tuple(zip(rows, _beside("y", y, len(rows)) or [None] * len(rows), strict=True))
        known = None if framed else _known(X.shape[0])
        return cls(X, layout, pieces, known, _beside("budgets", budgets, len(rows)))

    @property
    def identity(self) -> object:
        """The collection."""
        return self.data

    @property
    def steps(self) -> int:
        """The number of partitions."""
        return len(self.pieces)

    def parts(self) -> Iterator[TablePart]:
        """Partitions, computed here one after the other."""
        for number, lazy in self._numbered():
            rows, labels, budgets = library("dask", "dask").compute(*lazy)
            yield RawPart(self.layout, rows, labels, f"partition {number}", budgets)

    def total(self, work: Callable[[Iterable[Block]], S], *, executor: Any = None) -> S:
        """As everywhere; `executor` replaces the scheduler that is active.

        An executor that Dask does not know gets partitions that are computed here.
        """
        if not schedules(executor):
            return super().total(work, executor=executor)
        delayed, layout = library("dask", "dask").delayed, self.layout
        parts = [
            delayed(partition_outcome, pure=False)(Task(work, layout, number), *lazy)
            for number, lazy in self._numbered()
        ]
        whole = folded(parts)
        with Progress(None):
            result = safely(lambda: whole.compute(**scheduler(executor)), "by Dask", DIED)
        return result.get()  # type: ignore[no-any-return]

    def _numbered(self) -> Iterator[tuple[int, tuple[Any, Any, Any]]]:
        """Partitions with their labels and budgets, numbered from 1."""
        budgets = self.budgets or [None] * len(self.pieces)
        for number, ((X, y), own) in enumerate(zip(self.pieces, budgets, strict=True), start=1):
            yield number, (X, y, own)


@attrs.frozen(eq=False, repr=False)
class Task:
    """The work on a partition, without data."""

    work: Callable[[Iterable[Block]], Any]
    layout: Layout
    number: int


def partition_outcome(task: Task, X: Any, y: Any, budgets: Any) -> PartOutcome:
    """The work on one partition, on the worker that holds it."""
    return outcome(task.work, RawPart(task.layout, X, y, f"partition {task.number}", budgets))


def folded(parts: list[Any]) -> Any:
    """part 1 + part 2 + ... as one task a few parts, so that few sums wait at a time."""
    fold, total = library("dask", "dask").delayed(fold_outcomes, pure=False), None
    for place in range(0, len(parts), FOLD):
        total = fold(total, *parts[place : place + FOLD])
    return total


def fold_outcomes(total: PartOutcome | None, *parts: PartOutcome) -> PartOutcome:
    """total + part + part + ..., from the left."""
    outcomes = parts if total is None else (total, *parts)
    return reduce(operator.add, outcomes)


def is_dask(X: Any) -> bool:
    """Whether X is a collection of Dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def schedules(executor: Any) -> bool:
    """Whether Dask computes by it: None, an executor of concurrent.futures, a client."""
    return executor is None or isinstance(executor, Executor) or hasattr(executor, "scatter")


def scheduler(executor: Any) -> dict[str, Any]:
    """The option of `compute` for this executor."""
    if executor is None:
        return {}
    return {"scheduler": getattr(executor, "_client", executor)}


def _needed(frame: Any, layout: Layout) -> Any:
    """The columns that are read, so that Dask reads no others."""
    return frame if layout.schema is None else frame[list(layout.needed)]


def _no_rows(array: Any) -> Any:
    if array.ndim != 2:
        raise not_rows(array)
    return np.empty((0, array.shape[1]), dtype=array.dtype)


def _whole_rows(array: Any) -> Any:
    """Chunks of whole rows."""
    return array if array.numblocks[1] == 1 else array.rechunk({1: -1})


def _check(name: str, given: Any) -> None:
    """Labels and budgets beside a collection are collections too. Raises BadData."""
    if not (given is None or isinstance(given, str) or is_dask(given)):
        got, way_out = Plain(type(given).__name__), EQUAL.format(name)
        raise BadData(name, "a collection of Dask, or a name", got, way_out)


def _parts(collection: Any) -> tuple[Any, ...]:
    return tuple(np.ravel(collection.to_delayed()))


def _beside(name: str, given: Any, count: int) -> tuple[Any, ...] | None:
    """The partitions of labels or budgets, of which there must be `count`; None for anything but a
    collection. Raises BadData.
    """
    if not is_dask(given):
        return None
    parts = _parts(given)
    if len(parts) != count:
        got = Plain("another number")
        raise BadData(name, "in as many partitions as X", got, EQUAL.format(name))
    return parts


def _known(rows: Any) -> int | None:
    return None if rows != rows else int(rows)  # noqa: PLR0124 - nan where Dask does not know
