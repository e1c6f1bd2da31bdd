"""Source: a table wherever it is, read in parts, each once a pass."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

import attrs

from .layout import Layout
from .parts import Part, Window, nothing
from .progress import Progress
from .running import FEW, alone, own_threads, together
from .table import Block
from .telling import bared, guarded

S = TypeVar("S")
MADE_ALONE = "what gives the table makes each record without looking at the others"


class Source(ABC):
    """Abstract: a table that is read in parts. Opening it reads no row.

    `passes` is how many times it can be read: 1 or infinity. `again` says what to give instead of
    one that is read once.
    """

    layout: Layout
    passes: float = math.inf
    again: ClassVar[str] = "Give an array or a file."
    repeatable: ClassVar[bool] = False
    """Whether every pass reads the same records in the same order, as `assumptions` say; elsewhere
    an execution of several passes compares digests."""
    threaded: ClassVar[bool] = False
    """Whether its parts may be read here by several threads at once."""

    @property
    def columns(self) -> int:
        """The public number of columns of features."""
        return len(self.layout.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of features: their names, or their places in an array."""
        return self.layout.names

    @property
    def rows(self) -> int | None:
        """The number of rows where it is known without reading: private under add/remove."""
        return None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed of it, as receipts list it."""
        return (MADE_ALONE,)

    @property
    def record_may_refuse(self) -> bool:
        """Whether one record may decide that a run is refused, although rows may be left out."""
        return False

    @property
    def reused(self) -> bool:
        """Whether the memory of a part may be written again when the next is asked for."""
        return False

    @property
    @abstractmethod
    def identity(self) -> object:
        """What holds the memory or names the files: equal tables are told by it."""

    @property
    def steps(self) -> int | None:
        """The number of parts, if it is known; for the progress bar alone."""
        return None

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Every row once, in order, each part for one worker. Raises DPFrameError."""

    @bared
    def total(self, work: Callable[[Iterable[Block]], S], *, executor: Any = None) -> S:
        """work(part 1) + work(part 2) + ..., added from the left whoever computes them.

        `work` gets the blocks of one part, at least one and perhaps without rows; other processes
        need it picklable. `executor` has submit(function, *arguments) or map(function, items), or
        is a client of Dask distributed; None reads here, large tables by threads of its own. A
        second pass gives the same blocks.

        Raises BadData for rows that cannot be used, SourceFailed where reading or a worker fails,
        InvalidArgument for what is no executor.
        """
        if executor is None and self.threaded and (self.steps or 0) > FEW:
            with own_threads() as threads:
                return self.total(work, executor=threads)
        parts = guarded(self._parts(flying=executor is not None), "X")
        with Progress(self.steps if executor is not None else self._blocks) as bar:
            if executor is None:
                return alone(work, parts, bar)  # type: ignore[no-any-return]
            return together(work, parts, bar, executor)  # type: ignore[no-any-return]

    def _parts(self, *, flying: bool) -> Iterator[Part]:
        """Its parts, or one without rows; `flying` says that several are in use at a time."""
        empty = True
        for part in self.parts():
            yield part.apart() if flying and self.reused else part
            empty = False
        if empty:
            yield Window(nothing(self.layout))

    @property
    def _blocks(self) -> int | None:
        from .table import block_rows

        return None if self.rows is None else 1 + self.rows // block_rows(self.columns)


@attrs.define(eq=False, repr=False)
class SourceWrapper(Source):
    """Abstract: another source, whose `total` a subclass defines anew."""

    inner: Source

    layout = property(attrgetter("inner.layout"))
    passes = property(attrgetter("inner.passes"))
    repeatable = property(attrgetter("inner.repeatable"))
    rows = property(attrgetter("inner.rows"))
    identity = property(attrgetter("inner.identity"))
    assumptions = property(attrgetter("inner.assumptions"))
    record_may_refuse = property(attrgetter("inner.record_may_refuse"))

    def parts(self) -> Iterator[Part]:
        return self.inner.parts()
