"""Tables in memory: arrays, lists, data frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import attrs

from .layout import Layout
from .parts import Part, Window
from .reading import Rows
from .running import FEW
from .source import Source
from .table import Table

UNCHANGED = "nobody changes the table in memory while it is read"
EVEN = 8  # a multiple of 1, 2, 4 and 8 workers


@attrs.frozen(eq=False, repr=False)
class MemorySource(Source):
    """A table in memory, at most so many blocks a part; nothing is copied as a whole."""

    threaded: ClassVar[bool] = True
    at_rest: ClassVar[bool] = True
    table: Table
    blocks: int

    @property
    def layout(self) -> Layout:  # type: ignore[override]
        """The table's."""
        return self.table.layout

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.table)

    @property
    def identity(self) -> object:
        """The object that holds the memory."""
        return self.table.features.identity

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Memory may be written to by whoever holds it."""
        return (UNCHANGED,)

    @property
    def refuses(self) -> bool:
        """Without a codebook, a row of another length leaves the number of columns open."""
        return isinstance(self.table.features, Rows) and self.layout.schema is None

    @property
    def steps(self) -> int:
        """The number of windows."""
        return -(-max(self.rows, 1) // self._window)

    def parts(self) -> Iterator[Part]:
        """Windows on the table, in order."""
        for start in range(0, max(self.rows, 1), self._window):
            yield Window(self.table.window(start, min(start + self._window, self.rows)))

    @property
    def _window(self) -> int:
        """Rows of a part; of many, equal numbers, and so many parts that workers end together."""
        most = self.blocks * self.table.block_rows
        parts = -(-self.rows // most)
        return most if parts <= FEW else -(-self.rows // (EVEN * -(-parts // EVEN)))
