"""The parts of a table: what one worker reads, and how a failure to read is told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

import attrs
import numpy as np

from dpframe.errors import BadData, DPFrameError, SourceFailed

from .extras import arrow
from .layout import Layout
from .opening import is_batch, whole_batch
from .table import Block, Table

T = TypeVar("T")


class Part(ABC):
    """Abstract: a part of a table, picklable, read by whoever works on it.

    `held` says whether it carries rows; elsewhere it names where they are.
    """

    held: ClassVar[bool] = True
    layout: Layout

    @property
    @abstractmethod
    def name(self) -> str:
        """What errors call it: `block 3`."""

    @abstractmethod
    def tables(self) -> Iterator[Table]:
        """Its rows, in order, as tables in memory."""

    def blocks(self) -> Iterator[Block]:
        """Its rows, in order, as blocks of finite numbers; at least one. Raises DPFrameError."""
        empty = True
        for table in guarded(self.tables(), self.name):
            for block in table.blocks():
                yield block
                empty = False
        if empty:
            yield from nothing(self.layout).blocks()


@attrs.frozen(eq=False, repr=False)
class Window(Part):
    """Rows that are in memory, and checked."""

    table: Table

    @property
    def name(self) -> str:
        """`X`."""
        return "X"

    @property
    def layout(self) -> Layout:  # type: ignore[override]
        """The table's."""
        return self.table.layout

    def tables(self) -> Iterator[Table]:
        """The one table."""
        yield self.table


@attrs.frozen(eq=False, repr=False)
class Piece(Part):
    """A frame, a batch or an array, with or without labels, that its reader is the first to see."""

    layout: Layout
    X: Any
    y: Any
    name: str

    def tables(self) -> Iterator[Table]:
        """The one table, if it has the layout's columns."""
        yield laid(self.layout, self.X, self.y, self.name)

    def __reduce__(self) -> tuple[object, ...]:
        """A window on a batch of Arrow travels without the rest of the batch."""
        if not is_batch(self.X):
            return Piece, (self.layout, self.X, self.y, self.name)
        return _unpacked, (self.layout, packed(whole_batch(self.X)), self.y, self.name)


def _unpacked(layout: Layout, data: bytes, y: Any, name: str) -> Piece:
    reader = arrow("pyarrow.ipc").open_stream(data)
    return Piece(layout, reader.read_next_batch(), y, name)


def packed(batch: Any) -> bytes:
    """A batch of Arrow, and nothing else of the memory that it is a window on."""
    sink = arrow().BufferOutputStream()
    with arrow("pyarrow.ipc").new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def laid(layout: Layout, X: Any, y: Any, where: str) -> Table:
    """A later piece of a table, compared with its first. Raises BadData that names the piece."""
    try:
        return Table.laid(layout, X, y)
    except BadData as error:
        raise BadData(
            f"{error.name}, in {where},", error.requirement, error.value, error.way_out
        ) from None


def guarded(items: Iterable[T], where: str) -> Iterator[T]:
    """`items` as they come. What others raise may quote data: only its kind is told on."""
    try:
        yield from items
    except DPFrameError:
        raise
    except BaseException as error:  # noqa: BLE001 - of any library
        raise _told(error, where) from None


def safely(call: Callable[[], T], where: str, way_out: str = "") -> T:
    """What the call gives; what a library raises is told by its kind. Raises SourceFailed."""
    try:
        return call()
    except DPFrameError:
        raise
    except BaseException as error:  # noqa: BLE001 - of any library
        raise _told(error, where, way_out) from None


def _told(error: BaseException, where: str, way_out: str = "") -> BaseException:
    """What is raised in place of an error of any library: its kind alone; Ctrl-C as it is."""
    kind = type(error).__name__
    if isinstance(error, Exception) or kind == "PanicException":  # of libraries in Rust
        return SourceFailed(where, kind, way_out)
    return error


def nothing(layout: Layout) -> Table:
    """A table of this layout without rows."""
    mixed = len(layout.real) < len(layout.names)
    rows = np.empty((0, len(layout.names)), dtype=object if mixed else float)
    plain = attrs.evolve(layout, header=None, label=None)
    return Table.laid(plain, rows, np.empty(0) if layout.declared else None)
