"""Parquet files: a part a row group, of the columns that are read, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar

import attrs

from dpframe.errors import SourceFailed
from dpframe.graph import Setting

from .column_values import without_rows
from .files import UNCHANGED, File
from .layout import Layout
from .safe_errors import arrow, safely
from .source import FileSource
from .table import Table, TablePart, block_rows, with_layout

BATCH = 8  # blocks that are decoded at once
BUFFER = 2**18  # bytes of a column that are read at once
CUT = "A file that was cut short, or is no Parquet file, looks like this."
UNDAMAGED = (
    "Parquet pages that have no checksums are undamaged (pyarrow and pandas write checksums with "
    "write_page_checksum=True)"
)


@attrs.frozen(eq=False, repr=False)
class ParquetSource(FileSource):
    """Parquet files of the same columns, one row group after the other; `groups` is a row group's
    file and its number there.
    """

    thread_safe: ClassVar[bool] = True
    groups: tuple[tuple[File, int], ...]
    rows: int

    @classmethod
    def of(
        cls, setting: Setting, files: tuple[File, ...], y: Any, budgets: Any = None, *, drop: bool
    ) -> ParquetSource:
        """Reads every file's metadata, whose columns must be of the kinds that are declared.

        Raises BadData, SourceFailed or MissingExtra.
        """
        arrow("pyarrow.parquet")
        first = empty(files[0])
        layout = Table.of(setting, first, y, budgets, drop=drop).layout
        groups, rows = [], 0
        for file in files:
            schema, known = empty(file), metadata(file)
            with_layout(layout, schema, None, file.path)
            check_rows(known, file)
            groups += [(file, group) for group in range(known.num_row_groups)]
            rows += known.num_rows
        return cls(layout, files, tuple(groups), rows)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Those of files; and that pages without checksums are undamaged."""
        return UNCHANGED, UNDAMAGED

    @property
    def steps(self) -> int:
        """The number of row groups."""
        return len(self.groups)

    def parts(self) -> Iterator[TablePart]:
        """A row group each."""
        for file, group in self.groups:
            yield RowGroup(self.layout, file, group)


@attrs.frozen(eq=False)
class RowGroup(TablePart):
    """A row group of a file, by name: the worker that reads it must see the file."""

    layout: Layout
    file: File
    group: int

    @property
    def name(self) -> str:
        """`row group 3 of /data/survey.parquet`."""
        return f"row group {self.group + 1} of {self.file.path}"

    def tables(self) -> Iterator[Table]:
        """The row group, decoded a few blocks at a time."""
        self.file.unchanged()
        left = metadata(self.file).row_group(self.group).num_rows
        with opened(self.file) as file:
            for batch in file.iter_batches(
                batch_size=BATCH * block_rows(len(self.layout.names)),
                row_groups=[self.group],
                columns=None if self.layout.schema is None else list(self.layout.needed),
                use_threads=False,
            ):
                left -= len(batch)
                yield with_layout(self.layout, batch, None, self.file.path)
        self.file.unchanged()
        if left:  # pyarrow skips pages of a kind that it does not know
            raise SourceFailed(self.name, "its pages have another number of rows", CUT)


def opened(file: File) -> Any:
    """The file, open, its metadata not read again, its pages compared with their checksums.

    Columns are read through small buffers: without them a column of a row group is held as a whole,
    and with pre_buffer a row group is.
    """
    library = arrow("pyarrow.parquet")
    options = {"pre_buffer": False, "buffer_size": BUFFER, "page_checksum_verification": True}
    return library.ParquetFile(file.path, metadata=metadata(file), **options)


@lru_cache(maxsize=16)
def metadata(file: File) -> Any:
    """The footer of a file. Raises SourceFailed."""
    parquet = arrow("pyarrow.parquet")
    return safely(lambda: parquet.read_metadata(file.path), file.path, CUT)


def empty(file: File) -> Any:
    """A batch without rows that has the file's columns. Raises SourceFailed or MissingExtra."""
    schema = metadata(file).schema
    return without_rows(schema.to_arrow_schema())


def check_rows(known: Any, file: File) -> None:
    """The footer, which has no checksum, states the number of rows twice. Raises SourceFailed."""
    groups = (known.row_group(number).num_rows for number in range(known.num_row_groups))
    if known.num_rows != sum(groups):
        raise SourceFailed(file.path, "its footer contradicts itself", CUT)
