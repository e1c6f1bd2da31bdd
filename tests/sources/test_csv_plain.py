"""CSV files without pyarrow: the same rows and labels as with it, whatever a line holds."""

import random
import sys

import numpy as np
import pytest

from dpframe.errors import BadData, DPFrameError, MissingExtra
from dpframe.graph import Categorical, Column, Numeric, Rows, Setting
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE
from dpframe.sources import open_source
from dpframe.sources.csv import MultilineCSV

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
