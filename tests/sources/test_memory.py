"""What a pass holds: some blocks, whatever the length of the table."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PROGRAM = """
import sys
import dpframe as dp
import pyarrow.parquet as pq
from dpframe.sources import open_source

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))

def count(blocks):
    return sum(len(block.rows) for block in blocks)

setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
large, small, kind = sys.argv[1:]
open_source(setting, small).total(count)
before = peak()
def read():
    return open_source(setting, large).total(count)

rows = pq.read_table(large).num_rows if kind == "plain" else read()
print(rows, peak() - before)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table of 160 MiB in one row group, and a small one."""
    folder = tmp_path_factory.mktemp("files")
    column = np.random.default_rng(1).normal(size=2**20)
    table = pa.table({**{f"x{j}": column for j in range(19)}, "y": column})
    large, small = folder / "large.parquet", folder / "small.parquet"
    pq.write_table(table, large, row_group_size=2**20, use_dictionary=False)
    pq.write_table(table[:10_000], small)
    return str(large), str(small)


@pytest.mark.parametrize(("kind", "least", "most"), [("ours", 0, 110), ("plain", 160, 1000)])
def test_a_row_group_is_not_held_as_a_whole(kind, least, most, files):
    """One part of 160 MiB is decoded a few blocks at a time; the plain reader is the control."""
    command = [sys.executable, "-c", PROGRAM, *files, kind]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert int(printed[0]) == 2**20
    assert least < float(printed[1]) < most
