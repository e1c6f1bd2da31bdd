"""Rows out of cells, buffers that are filled again, errors
that carry data behind them, cells that are no numbers, files that change while they are read.
"""

import csv
import os
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import dpframe
from dpframe.errors import BadData, DataWarning, DPFrameError, SourceFailed
from dpframe.graph import Categorical, Column, Numeric, Rows, Setting
from dpframe.privacy import ADD_REMOVE
from dpframe.sources import MultilineCSV, open_source, table
from tests.sources.frames import Late

CANARY = "canary73194628"
U = Setting(X=Rows(columns=[Numeric("u", -1, 1)]), y=Column("rating", bound=1), relation=ADD_REMOVE)
MIXED = Setting(
    X=Rows(columns=[Categorical("town", ("a", "b")), Numeric("age", 0, 9)]), relation=ADD_REMOVE
)
ALONE = Setting(X=Rows(norm=1), relation=ADD_REMOVE)


def rows(blocks):
    """All rows of a pass, as a list: lists add up in the order of the parts."""
    return [row for block in blocks for row in block.rows.tolist()]


# cells of CSV with line breaks


def notes(path, least):
    """A CSV file of at least so many bytes whose long notes look like rows."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["note", "u", "rating"])
        number = 0
        while file.tell() < least:
            writer.writerow(["so\n" + "x,7,7\n" * min(least // 80, 20_000), number / 8, 1])
            number += 1


@pytest.mark.parametrize("chunk", [1024, 2**22])
def test_line_breaks_in_cells_make_no_rows(chunk, tmp_path):
    """Where they are requested, rows are those of Python's own reader; without the option, Arrow's
    reader finds others (the control).
    """
    path = tmp_path / "notes.csv"
    notes(path, chunk + chunk // 3)
    with path.open(newline="") as file:
        wanted = [[float(row["u"])] for row in csv.DictReader(file)]
    assert open_source(U, MultilineCSV(path)).total(rows) == wanted
    with pytest.raises(SourceFailed, match=r"dp\.MultilineCSV\(path\) reads cells"):
        open_source(U, path).total(rows)
    assert naive(path, chunk) != len(wanted)


def naive(path, chunk):
    """How many rows Arrow's reader finds by default; None where it finds none."""
    options = pa.csv.ReadOptions(block_size=chunk)
    try:
        return sum(len(batch) for batch in pa.csv.open_csv(path, read_options=options))
    except pa.ArrowInvalid:
        return None


def test_a_blank_line_of_a_single_column_is_a_row_without_a_number(tmp_path):
    """Refused or left out, as a missing number is; the last line end is none."""
    path = tmp_path / "one.csv"
    path.write_text("u\n1\n\n2\n")
    with pytest.raises(BadData, match="column u of X must be finite"):
        open_source(ALONE, path).total(rows)
    assert open_source(ALONE, path, drop=True).total(rows) == [[1.0], [2.0]]


def test_a_blank_line_of_several_columns_is_no_row(tmp_path):
    """As documented."""
    path = tmp_path / "two.csv"
    path.write_text("u,rating\n1,2\n\n3,4\n")
    assert open_source(U, path).total(rows) == [[1.0], [3.0]]


# iterators that fill one buffer again and again


def refilled(make):
    """Ten blocks of ten rows, of one buffer."""
    X, y = np.empty((10, 2), order="F"), np.empty(10)
    for number in range(10):
        X[:], y[:] = number, -number
        yield make(X, y)


def listed():
    """Ten blocks of lists that are the same."""
    X, y = [[0.0, 0.0] for _ in range(10)], [0.0] * 10
    for number in range(10):
        for row in X:
            row[:] = [float(number)] * 2
        y[:] = [-float(number)] * 10
        yield X, y


def batch(X, y):
    """A batch of Arrow that is a view of both."""
    return pa.RecordBatch.from_arrays([X[:, 0], X[:, 1], y], names=["u", "v", "rating"])


def stream():
    """A reader of such batches."""
    schema = batch(np.empty((1, 2)), np.empty(1)).schema
    return pa.RecordBatchReader.from_batches(schema, refilled(batch))


REFILLED = {
    "numpy": lambda: refilled(lambda X, y: (X, y)),
    "pandas": lambda: refilled(
        lambda X, y: (pd.DataFrame(X, copy=False), pd.Series(y, copy=False))
    ),
    "lists": listed,
    "Arrow": lambda: refilled(batch),
    "Polars": lambda: refilled(lambda X, y: pl.from_arrow(pa.table(batch(X, y)))),
    "Polars, of numpy": lambda: refilled(
        lambda X, y: pl.DataFrame({"u": X[:, 0], "v": X[:, 1], "rating": y})
    ),
    "a stream of Arrow": stream,
}
LABELLED = Setting(X=Rows(norm=1), y=Column("rating", bound=1), relation=ADD_REMOVE)
WANTED = [[float(k), float(k), -float(k)] for k in range(10) for _ in range(10)]


def both(blocks):
    """Rows with their labels."""
    return [[*row, label] for b in blocks for row, label in zip(b.rows, b.labels, strict=True)]


@pytest.mark.parametrize("executor", [None, Late()], ids=["alone", "late"])
@pytest.mark.parametrize("kind", REFILLED)
def test_a_buffer_may_be_filled_again(kind, executor):
    """Each row counts once, though all parts that are in flight came out of one array."""
    assert open_source(LABELLED, REFILLED[kind]()).total(both, executor=executor) == WANTED


@pytest.mark.parametrize("kind", REFILLED)
def test_without_a_copy_rows_would_count_again(kind, monkeypatch):
    """The control of the last test: every kind is a view of the one buffer."""
    monkeypatch.setattr(table.TableWindow, "own_copy", lambda self: self)
    assert open_source(LABELLED, REFILLED[kind]()).total(both, executor=Late()) != WANTED


def test_what_cannot_be_copied_is_refused_with_the_way_out():
    """A block that holds a cell that cannot be copied."""

    class Held(float):
        def __reduce__(self):
            raise TypeError(CANARY)

    blocks = iter([([[Held(0.5), Held(0.5)]], [0.0])])
    with pytest.raises(SourceFailed, match=r"block 1 failed \(TypeError\).*Without an executor"):
        open_source(LABELLED, blocks).total(both, executor=Late())


# nothing private behind an error


def chain(error):
    """Every error that stands behind this one."""
    behind = [one for one in (error.__cause__, error.__context__) if one is not None]
    return behind + [further for one in behind for further in chain(one)]


def libraries(error):
    """Files of the frames of an error that are neither ours nor the tests'."""
    own = (str(Path(dpframe.__file__).parent), str(Path(__file__).parent))
    frames = traceback.extract_tb(error.__traceback__)
    return [frame.filename for frame in frames if not frame.filename.startswith(own)]


def raising():
    """A generator that raises, quoting data."""
    yield np.zeros((3, 2)), np.zeros(3)
    raise ValueError(CANARY)


def nested():
    """A generator that raises while it handles an error that quotes data."""
    yield np.zeros((3, 2)), np.zeros(3)
    try:
        float(CANARY)
    except ValueError:
        raise BadData("u", "a number", None)  # noqa: B904 - as it happens to others


class Odd:
    """What raises when it is made an array."""

    def __array__(self, dtype=None, copy=None):
        raise ValueError(CANARY)


class Series:
    """Labels that raise when they are converted."""

    shape, dtype = (3,), pd.Float64Dtype()

    def __len__(self):
        return 3

    def __getitem__(self, place):
        return self

    def to_numpy(self, *args):
        raise ValueError(CANARY)


def written(folder, text):
    """A CSV file."""
    (folder / "x.csv").write_text(text)
    return folder / "x.csv"


TEXTS = pl.DataFrame({"u": [CANARY], "rating": [1.0]})
LEAKY = {
    "a generator": (lambda f: raising(), None, LABELLED),
    "a generator that handles": (lambda f: nested(), None, LABELLED),
    "no array": (lambda f: Odd(), [1.0], LABELLED),
    "no array in a block": (
        lambda f: iter([(np.zeros((3, 2)), np.zeros(3)), (Odd(), [1.0])]),
        None,
        LABELLED,
    ),
    "labels": (lambda f: np.zeros((3, 2)), Series(), LABELLED),
    "text in CSV": (lambda f: written(f, f"u,rating\n{CANARY},1\n"), None, LABELLED),
    "uneven rows of CSV": (lambda f: written(f, f"u,rating\n1,1,{CANARY}\n"), None, LABELLED),
    "a lazy frame": (lambda f: TEXTS.lazy().cast({"u": pl.Float64}), None, LABELLED),
    "an array of objects": (lambda f: np.array([["a", CANARY]], dtype=object), None, MIXED),
}


@pytest.mark.parametrize("threads", [False, True], ids=["alone", "threads"])
@pytest.mark.parametrize("case", LEAKY)
def test_nothing_stands_behind_an_error(case, threads, tmp_path):
    """No cause, no context, hidden or not, and no frame of a library, whose variables are data."""
    make, y, setting = LEAKY[case]
    with (
        ThreadPoolExecutor(2) as pool,
        pytest.raises(DPFrameError) as refusal,
    ):
        open_source(setting, make(tmp_path), y).total(rows, executor=pool if threads else None)
    assert CANARY not in str(refusal.value) + repr(vars(refusal.value))
    assert chain(refusal.value) == []
    assert libraries(refusal.value) == []


def test_from_none_alone_would_leave_it_there():
    """The control: what the chain is walked for is found in an error that only hides it."""

    def hiding():
        try:
            list(raising())
        except ValueError:
            raise BadData("u", "a number", None) from None

    with pytest.raises(BadData) as refusal:
        hiding()
    assert CANARY in str(chain(refusal.value)[0])
    with pytest.raises(pa.ArrowInvalid) as refused:
        pa.csv.read_csv(pa.BufferReader(b"u\n1,2\n"))
    assert libraries(refused.value)


def test_work_that_fails_here_quotes_no_data():
    """Without an executor too."""

    def work(blocks):
        raise ValueError(CANARY)

    with pytest.raises(SourceFailed, match="ValueError") as refusal:
        open_source(ALONE, np.zeros((3, 2))).total(work)
    assert CANARY not in str(refusal.value)
    assert chain(refusal.value) == []


# what is a number


@pytest.mark.parametrize("kind", ["Int128", "UInt128"])
@pytest.mark.parametrize("lazy", [False, True])
def test_integers_of_128_bits_are_numbers(kind, lazy):
    """Polars cannot give them to numpy; each becomes the double nearest to it."""
    if not hasattr(pl, kind):
        pytest.skip("this Polars has none")
    frame = pl.DataFrame({"u": pl.Series([1, 2**70 + 1], dtype=getattr(pl, kind)), "rating": 1.0})
    found = open_source(LABELLED, frame.lazy() if lazy else frame).total(rows)
    assert found == [[1.0], [2.0**70]]


def test_dates_are_no_numbers_beside_levels():
    """An array of dates, which numpy would give as whole numbers: refused, or left out and said."""
    dates = np.array([["2026-01-01", "2026-01-02"]], dtype="datetime64[ns]")
    with pytest.raises(BadData, match="kind date"):
        open_source(MIXED, dates).total(rows)
    with (
        pytest.warns(DataWarning, match="column age of X holds values of kind date"),
        pytest.warns(DataWarning, match="column town of X holds values of kind date"),
    ):
        source = open_source(MIXED, dates, drop=True)
    assert source.total(rows) == []


# files that change while they are read


def frame(first):
    """Rows of several blocks, as many bytes whatever the first number."""
    return pd.DataFrame({"u": np.where(np.arange(40_000) == 0, first, 1.5), "rating": 1.5})


def saved(path, first):
    """The frame in a file, of the kind of its name."""
    if path.suffix == ".csv":
        frame(first).to_csv(path, index=False)
    else:
        table = pa.Table.from_pandas(frame(first), preserve_index=False)
        plain = {"compression": "none", "use_dictionary": False}
        pq.write_table(table, path, **plain)


def replaced(path):
    """Another file of the same size and time takes its place."""
    before, other = path.stat(), path.with_name("other" + path.suffix)
    saved(other, 2.5)
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert other.stat().st_size == before.st_size
    other.replace(path)


def touched(path):
    """The file is written again."""
    os.utime(path, ns=(0, 0))


@pytest.mark.parametrize("change", [replaced, touched])
@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("when", ["before", "while"])
def test_a_file_that_changes_while_it_is_read_is_refused(when, kind, change, tmp_path):
    """Before reading and after, by its size, its time and its inode."""
    path = tmp_path / f"x.{kind}"
    saved(path, 1.5)
    source = open_source(LABELLED, path)
    if when == "before":
        change(path)

    def work(blocks):
        for number, _ in enumerate(blocks):
            if number == 0 and when == "while":
                change(path)
        return 0

    with pytest.raises(SourceFailed, match="has changed since it was opened"):
        source.total(work)


@pytest.mark.parametrize("text", ["12/31/1999", "is it 7?", "[7]", "http://x/7", "7", "a\0/7"])
@pytest.mark.parametrize("several", [True, False])
def test_a_text_that_ends_as_no_file_is_not_quoted(text, several, setting):
    """It may be a cell: lists of texts are lists of paths."""
    with pytest.raises(BadData, match=r"^X must be (an existing file|a pattern|a path)") as caught:
        open_source(setting, [text] if several else text, "y")
    assert not any(word in str(caught.value) for word in ("7", "1999"))
