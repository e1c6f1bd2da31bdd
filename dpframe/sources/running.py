"""Work on the parts of a table: here, or by an executor, and added in the order of the parts."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import attrs

from dpframe.errors import DPFrameError, InvalidArgument, SourceFailed

from .parts import Part
from .progress import Progress
from .table import Block
from .telling import bare, safely

Work = Callable[[Iterable[Block]], Any]
T = TypeVar("T")
AHEAD = 2  # parts in flight for every worker
DIED = "A worker that died was perhaps out of memory: fewer workers need less."


@attrs.frozen(repr=False)
class Outcome:
    """What became of the work on parts: a value or a refusal. Never raised where it was made, since
    others log what is raised, with its arguments.
    """

    value: Any
    error: DPFrameError | None = None

    def __add__(self, other: Outcome) -> Outcome:
        """The sum of both values, or the first refusal."""
        if self.error is not None or other.error is not None:
            return self if self.error is not None else other
        return Outcome(self.value + other.value)

    def get(self) -> Any:
        """The value. Raises DPFrameError."""
        if self.error is not None:
            raise bare(self.error)
        return self.value


def outcome(work: Work, part: Part) -> Outcome:
    """The work on one part, done wherever this is called."""
    try:
        return Outcome(work(part.blocks()))
    except DPFrameError as error:
        return Outcome(None, bare(error))
    except Exception as error:  # noqa: BLE001 - may quote data
        return Outcome(None, SourceFailed(part.name, type(error).__name__))


def alone(work: Work, parts: Iterable[Part], bar: Progress) -> Any:
    """The sum over all parts, read here one after the other."""
    pairs = ((part.name, bar.steps(part.blocks())) for part in parts)
    return added(safely(partial(work, blocks), name) for name, blocks in pairs)


def together(work: Work, parts: Iterable[Part], bar: Progress, executor: Any) -> Any:
    """The sum over all parts, read by an executor, a bounded number of them at a time."""
    with closing(engine(executor).outcomes(work, parts)) as outcomes:
        return added(bar.steps(one.get() for one in outcomes))


def added(values: Iterable[Any]) -> Any:
    """v1 + v2 + ..., from the left; there is at least one."""
    remaining = iter(values)
    total = next(remaining)
    for value in remaining:
        total = total + value
    return total


class Engine(ABC):
    """Abstract: what runs work on parts, in their order."""

    executor: Any

    @abstractmethod
    def outcomes(self, work: Work, parts: Iterable[Part]) -> Generator[Outcome]:
        """One outcome a part, in the order of the parts. Raises SourceFailed."""

    def _safely(self, call: Callable[[], T]) -> T:
        return safely(call, "by the executor", DIED)


@attrs.frozen(eq=False, repr=False)
class Submitting(Engine):
    """Anything with submit(function, *arguments) that gives futures."""

    executor: Any

    def outcomes(self, work: Work, parts: Iterable[Part]) -> Generator[Outcome]:
        """What is in flight is cancelled where anything stops the pass, Ctrl-C included."""
        width, flying = AHEAD * workers(self.executor), deque[Any]()
        try:
            for part in parts:
                flying.append(self._safely(partial(self.submit, work, part)))
                if len(flying) >= width:
                    yield self._safely(flying.popleft().result)
            while flying:
                yield self._safely(flying.popleft().result)
        finally:
            for future in flying:
                future.cancel()

    def submit(self, work: Work, part: Part) -> Any:
        """A future of the outcome."""
        return self.executor.submit(outcome, work, part)


@attrs.frozen(eq=False, repr=False)
class Distributed(Submitting):
    """A client of Dask distributed: rows go to the workers apart from the task that reads them."""

    def submit(self, work: Work, part: Part) -> Any:
        """A future of the outcome; no two parts are taken for one."""
        data = self.executor.scatter(part, hash=False) if part.held else part
        return self.executor.submit(outcome, work, data, pure=False)


@attrs.frozen(eq=False, repr=False)
class Mapping(Engine):
    """Anything with map(function, items) only, in waves."""

    executor: Any

    def outcomes(self, work: Work, parts: Iterable[Part]) -> Generator[Outcome]:
        """A wave at a time."""
        width, remaining = AHEAD * workers(self.executor), iter(parts)
        while wave := list(islice(remaining, width)):
            yield from self._safely(partial(self._wave, work, wave))

    def _wave(self, work: Work, wave: list[Part]) -> list[Outcome]:
        return list(self.executor.map(partial(outcome, work), wave))


def engine(executor: Any) -> Engine:
    """How this executor is used. Raises InvalidArgument."""
    client = getattr(executor, "_client", executor)  # of what Client.get_executor() gives
    if hasattr(client, "scatter") and hasattr(client, "ncores"):
        return Distributed(client)
    if callable(getattr(executor, "submit", None)):
        return Submitting(executor)
    if callable(getattr(executor, "map", None)):
        return Mapping(executor)
    wanted = "an executor, with submit(function, *arguments) or map(function, items)"
    way_out = "concurrent.futures.ThreadPoolExecutor() is one; so is a Dask Client."
    raise InvalidArgument("executor", wanted, type(executor).__name__, way_out)


def workers(executor: Any) -> int:
    """How many workers it has, as far as it says."""
    if hasattr(executor, "ncores"):
        return sum(map(int, executor.ncores().values())) or 1
    said = getattr(executor, "_max_workers", None) or getattr(executor, "_processes", None)
    return said if isinstance(said, int) else os.cpu_count() or 1
