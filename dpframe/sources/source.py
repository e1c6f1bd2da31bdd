"""Source: a table wherever it is, read in parts, each once a pass."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

import attrs

from dpframe.errors import BadData, Plain

from .files import File
from .layout import Layout
from .progress import Progress
from .running import FEW, own_threads, sum_by_executor, sum_here
from .safe_errors import guarded, raises_without_context
from .table import Block, TablePart, TableWindow, block_rows, empty_table

S = TypeVar("S")
INDEPENDENT_RECORDS = "the source makes each record without looking at the others"


class Source(ABC):
    """Abstract: a table that is read in parts. Opening it reads no row.

    `passes` is how many times it can be read, 1 or infinity: every pass reads the same records in
    the same order, as `assumptions` say. `again` names an alternative to a
    source that is read once.
    """

    layout: Layout
    passes: float = math.inf
    again: str = "Give an array or a file."
    thread_safe: ClassVar[bool] = False
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
        """Assumptions about it, as receipts list them."""
        return (INDEPENDENT_RECORDS,)

    @property
    def record_may_refuse(self) -> bool:
        """Whether a single record may cause a refusal even where rows may be left out."""
        return False

    @property
    def reuses_memory(self) -> bool:
        """Whether the memory of a part may be overwritten by the next part."""
        return False

    @property
    @abstractmethod
    def identity(self) -> object:
        """The object that holds the memory, or the paths: the same for equal tables."""

    @property
    def steps(self) -> int | None:
        """The number of parts, or None; for the progress bar alone."""
        return None

    @abstractmethod
    def parts(self) -> Iterator[TablePart]:
        """Every row once, in order, each part for one worker. Raises DPFrameError."""

    def check_passes(self, wanted: str, way_out: str) -> None:
        """Refuse a source that can be read once only. Raises BadData."""
        if self.passes < 2:
            raise BadData("X", wanted, Plain("blocks that can be read once"), way_out)

    @raises_without_context
    def total(self, work: Callable[[Iterable[Block]], S], *, executor: Any = None) -> S:
        """work(part 1) + work(part 2) + ..., added from the left in any case.

        `work` gets the blocks of one part, at least one and perhaps without rows; other processes
        need it picklable. `executor` has submit(function, *arguments); None reads here, large
        tables by threads of its own. A second pass gives the same blocks.

        Raises BadData for rows that cannot be used, SourceFailed where reading or a worker fails,
        InvalidArgument for any other executor.
        """
        if executor is None and self.thread_safe and (self.steps or 0) > FEW:
            with own_threads() as threads:
                return self.total(work, executor=threads)
        parts = guarded(self._parts(concurrent=executor is not None), "X")
        with Progress(self.steps if executor is not None else self._blocks) as bar:
            if executor is None:
                return sum_here(work, parts, bar)  # type: ignore[no-any-return]
            return sum_by_executor(work, parts, bar, executor)  # type: ignore[no-any-return]

    def _parts(self, *, concurrent: bool) -> Iterator[TablePart]:
        """Its parts, or one without rows; where `concurrent`, several are in use at a time."""
        empty = True
        for part in self.parts():
            yield part.own_copy() if concurrent and self.reuses_memory else part
            empty = False
        if empty:
            yield TableWindow(empty_table(self.layout))

    @property
    def _blocks(self) -> int | None:
        return None if self.rows is None else 1 + self.rows // block_rows(self.columns)


@attrs.frozen(eq=False, repr=False)
class FileSource(Source):
    """Abstract: files on this machine."""

    layout: Layout
    files: tuple[File, ...]

    @property
    def identity(self) -> object:
        """The files' paths."""
        return tuple(file.path for file in self.files)
