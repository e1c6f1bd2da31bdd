"""Parquet files with one bit changed, and CSV files where pyarrow is absent."""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpframe as dp
from dpframe.errors import DPFrameError, MissingExtra, SourceFailed
from dpframe.graph import Column, Rows, Setting
from dpframe.privacy import REPLACE_ONE
from dpframe.sources import MultilineCSV, open_source

# ------------------- A Parquet file with one bit changed is refused where its checksums can show it
ROWS = 12
LAYOUTS = {
    "plain": {"compression": "none", "use_dictionary": False},
    "dictionary": {"compression": "none"},
    "compressed": {"compression": "snappy"},
    "second version": {"compression": "none", "data_page_version": "2.0"},
}


def table():
    """Two features and labels, of numbers that fill every byte of a double."""
    rng = np.random.default_rng(3)
    return pa.table({name: rng.normal(size=ROWS) for name in ("u", "v", "rating")})


def written(folder, *, checksums=True, **options):
    """One file, in two row groups."""
    path = folder / "survey.parquet"
    options = {"row_group_size": ROWS // 2, "write_page_checksum": checksums, **options}
    pq.write_table(table(), path, **options)
    return path


def rows_of(setting, path):
    """All that is read, as one array."""
    source = open_source(setting, str(path))
    blocks = [block for part in source.parts() for block in part.blocks()]
    return np.vstack([np.column_stack([block.rows, block.labels]) for block in blocks])


def differing(setting, path, places):
    """The places of a flipped bit at which other numbers are read, without an error."""
    whole, content = rows_of(setting, path), path.read_bytes()
    found = []
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(bytes(flipped))
        try:
            same = np.array_equal(rows_of(setting, path), whole)
        except DPFrameError:
            continue
        if not same:
            found.append(place)
    path.write_bytes(content)
    return found


def footer(path):
    """Where the footer begins."""
    content = path.read_bytes()
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


@pytest.mark.some(1)
@pytest.mark.parametrize("options", LAYOUTS.values(), ids=LAYOUTS)
def test_no_flipped_bit_is_read_as_another_number(named, tmp_path, options):
    """Places all over the file, its headers and its footer: refused, or nothing changes."""
    path = written(tmp_path, **options)
    assert differing(named, path, range(4, path.stat().st_size, 3)) == []


@pytest.mark.parametrize("bit", range(7))
def test_a_page_of_no_known_kind_is_not_left_out(named, tmp_path, bit):
    """pyarrow skips such pages, and with them their rows."""
    path = written(tmp_path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[5] ^= 1 << bit  # the kind of the first page
    path.write_bytes(bytes(content))
    with pytest.raises(SourceFailed):
        rows_of(named, path)


def test_without_checksums_flipped_bits_are_read(named, tmp_path):
    """What checksums are for, and that these tests would see it."""
    path = written(tmp_path, checksums=False, compression="none", use_dictionary=False)
    assert differing(named, path, range(4, footer(path), 7)) != []


def test_the_refusal_names_the_row_group(named, tmp_path):
    """The file and the row group, no value."""
    path = written(tmp_path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[footer(path) - 20] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(SourceFailed, match=r"row group 2 of .*survey\.parquet"):
        rows_of(named, path)


def test_the_receipt_assumes_pages_without_checksums_undamaged(named, tmp_path):
    """As those of which nothing shows damage."""
    run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=named)
    receipt = dp.execute(run, written(tmp_path), rng=0).receipt
    assert "pages that have no checksums are undamaged" in str(receipt)


def test_files_where_pyarrow_is_absent(tmp_path, monkeypatch):
    """Parquet names its extra; CSV files need none, with cells of several lines and budgets too."""
    (tmp_path / "t.parquet").write_text("")
    path = tmp_path / "t.csv"
    path.write_text('u,own,y\n1,0.5,"3"\n')
    for library in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, library, None)
    setting = Setting(X=Rows(norm=1), y=Column("y", bound=1), relation=REPLACE_ONE)
    with pytest.raises(MissingExtra, match=r"dpframe\[arrow\]"):
        open_source(setting, str(tmp_path / "t.parquet"))
    for given in (str(path), MultilineCSV(path)):
        (block,) = open_source(setting, given, budgets="own").total(list)
        assert (block.rows.tolist(), block.labels.tolist(), block.budgets.tolist()) == (
            [[1.0]],
            [3.0],
            [0.5],
        )
