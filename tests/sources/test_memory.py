"""What a pass reads ahead: some blocks, whatever the length of the table."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpframe.sources import open_source

ROWS = 2**19


class Counted(io.FileIO):
    """A file that counts the bytes that are read of it."""

    count = 0

    def read(self, size=-1):
        """As a file does."""
        found = super().read(size)
        self.count += len(found)
        return found


@pytest.fixture
def opened(monkeypatch):
    """Every Parquet file that is opened from here on."""
    files, original = [], pq.ParquetFile

    def counting(path, **options):
        files.append(Counted(path))
        return original(files[-1], **options)

    monkeypatch.setattr(pq, "ParquetFile", counting)
    yield files
    for file in files:
        file.close()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A table of 16 MiB in one row group."""
    column = np.random.default_rng(1).normal(size=ROWS)
    table = pa.table({"x0": column, "x1": column, "x2": column, "y": column})
    file = tmp_path_factory.mktemp("files") / "large.parquet"
    pages = {"data_page_size": 2**14, "use_dictionary": False, "compression": "none"}
    pq.write_table(table, file, row_group_size=ROWS, **pages)
    return str(file)


def test_a_row_group_is_not_held_as_a_whole(path, opened, setting):
    """When its first blocks are there, most of it has not been read; in the end all has."""
    (part,) = open_source(setting, path).parts()
    tables = part.tables()
    rows = len(next(tables))
    (file,) = opened
    assert file.count < 6e6
    assert rows + sum(map(len, tables)) == ROWS
    assert file.count > 16e6


def test_the_plain_reader_holds_it_as_a_whole(path, opened):
    """A test of the count above."""
    next(pq.ParquetFile(path, pre_buffer=True).iter_batches(1000))
    (file,) = opened
    assert file.count > 16e6
