"""CSV files without pyarrow, and Parquet files with one bit changed."""

import random
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpframe as dp
from dpframe.errors import BadData, DPFrameError, MissingExtra, SourceFailed
from dpframe.graph import Categorical, Column, Numeric, Rows, Setting
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE
from dpframe.sources import open_source
from dpframe.sources.csv import MultilineCSV

# ------------------------------------------------------------------------ CSV files without pyarrow
BOOK = [
    Numeric("a", 0, 10),
    Categorical("t", ("no", "yes", "1", "")),
    Categorical("n", (1, 2.5)),
    Categorical("b", (True, False)),
]
CODED = Rows(columns=BOOK)
PLAIN = Rows(norm=1)
CELLS = [
    *(
        "1",
        "2.5",
        "-0",
        ".5",
        "5.",
        "1e3",
        "+4",
        " 7 ",
        "\t8",
        "1e-320",
        "0.1",
        "12345678901234567",
    ),
    *("", "nan", "inf", "-inf", "NULL", "abc", "0x1", "1_0", "no", "yes", "true", "FALSE", " True"),
    *('"1"', '"no"', '"a""b"', '" 2"', '""', '"no', 'n"o', '"a,b"', "\xe9", "\x00", "1 2", "--1"),
]


def text(rng, names, kinds):
    """A file of these columns: records, blank lines, lines of other lengths, ends of both kinds."""
    lines = [",".join(names)]
    for _ in range(rng.randint(0, 12)):
        cells = [rng.choice(kinds) for _ in names]
        shape = rng.random()
        if shape < 0.1:
            cells = cells[:-1] or ["", ""]
        lines.append("" if shape > 0.95 else ",".join(cells))
    ends = [rng.choice(["\n", "\n", "\r\n"]) for _ in lines]
    whole = "".join(map("".join, zip(lines, ends, strict=True)))
    last = whole if rng.random() < 0.7 else whole.rstrip("\r\n")
    encoding = rng.choice(["utf-8", "utf-8", "utf-8-sig", "latin-1"])
    return last.encode(encoding)


def read(path, setting, *, drop):
    """Rows and labels, or what is raised."""
    try:
        blocks = open_source(setting, str(path), drop=drop).total(list)
    except DPFrameError:
        return "refused"
    rows = np.concatenate([one.rows for one in blocks])
    if setting.y is None:
        return rows.tobytes(), rows.shape
    return rows.tobytes(), rows.shape, np.concatenate([one.labels for one in blocks]).tobytes()


def settings():
    """With a codebook and without, labels of numbers and of classes, one column alone."""
    for relation in (ADD_REMOVE, REPLACE_ONE):
        yield ("a", "t", "n", "b", "y"), Setting(X=CODED, y=Column(bound=1), relation=relation)
        yield ("u", "v", "y"), Setting(X=PLAIN, y=Column(bound=1), relation=relation)
    levels = Column("y", levels=["no", "yes"])
    yield ("y", "b", "n", "t", "a"), Setting(X=CODED, y=levels, relation=ADD_REMOVE)
    yield ("u",), Setting(X=PLAIN, relation=ADD_REMOVE)


@pytest.mark.parametrize("seed", range(12))
def test_rows_are_the_same_where_bad_ones_are_dropped(seed, tmp_path, monkeypatch):
    """To the bit, of 60 files each."""
    rng = random.Random(seed)
    for number in range(10):
        for names, setting in settings():
            path = tmp_path / f"{number}.csv"
            path.write_bytes(text(rng, names, CELLS))
            with monkeypatch.context() as patched:
                whole = read(path, setting, drop=True)
                patched.setitem(sys.modules, "pyarrow", None)
                assert read(path, setting, drop=True) == whole, path.read_bytes()


NUMBERS = ["1", "2.5", "-0", ".5", "5.", "1e3", " 7 ", "1e-320", "0.1", "9007199254740993"]


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_the_same_where_bad_ones_are_refused(seed, tmp_path, monkeypatch):
    """Files of numbers; and a bad file is refused by both."""
    rng = random.Random(seed)
    setting = Setting(X=PLAIN, y=Column(bound=1), relation=ADD_REMOVE)
    for bad in ([], [], ["abc"], ["nan"], [""], ['"1'], ["1,2"]):
        path = tmp_path / "t.csv"
        path.write_bytes(text(rng, ("u", "v", "y"), [*NUMBERS, *bad]))
        with monkeypatch.context() as patched:
            whole = read(path, setting, drop=False)
            patched.setitem(sys.modules, "pyarrow", None)
            assert read(path, setting, drop=False) == whole, path.read_bytes()


def test_words_among_numbers_are_named_as_such(tmp_path, monkeypatch):
    """By the column, as with pyarrow."""
    (tmp_path / "t.csv").write_text("u,y\nabc,1\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    setting = Setting(X=PLAIN, y=Column(bound=1), relation=ADD_REMOVE)
    with pytest.raises(BadData, match="column u of X must be real numbers"):
        open_source(setting, str(tmp_path / "t.csv")).total(list)


def test_what_needs_pyarrow_says_so(tmp_path, monkeypatch):
    """Cells of several lines, budgets, Parquet."""
    for name in ("t.csv", "t.parquet"):
        (tmp_path / name).write_text("u,own,y\n1,2,3\n")
    for library in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, library, None)
    setting = Setting(X=PLAIN, y=Column(bound=1), relation=REPLACE_ONE)
    path = str(tmp_path / "t.csv")
    for given, budgets in ((MultilineCSV(path), None), (path, "own")):
        with pytest.raises(MissingExtra, match=r"dpframe\[arrow\]"):
            open_source(setting, given, budgets=budgets)
    with pytest.raises(MissingExtra, match=r"dpframe\[arrow\]"):
        open_source(setting, str(tmp_path / "t.parquet"))


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


@pytest.mark.parametrize("options", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("checksums", [True, False], ids=["with", "without"])
def test_the_source_knows_whether_pages_have_checksums(named, tmp_path, options, checksums):
    """By the header of the first page."""
    source = open_source(named, str(written(tmp_path, checksums=checksums, **options)))
    assert source.checked is checksums


def test_one_file_without_checksums_among_others_is_seen(named, tmp_path):
    """All files must have them."""
    first, second = tmp_path / "first.parquet", tmp_path / "second.parquet"
    written(tmp_path).rename(first)
    written(tmp_path, checksums=False).rename(second)
    assert not open_source(named, [first, second]).checked


@pytest.mark.parametrize("checksums", [True, False], ids=["with", "without"])
def test_the_receipt_names_files_without_checksums(named, tmp_path, checksums):
    """Nobody has to ask."""
    path = written(tmp_path, checksums=checksums)
    run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=named)
    receipt = dp.execute(run, path, rng=0).receipt
    assert ("Parquet pages without checksums" in str(receipt)) is not checksums
