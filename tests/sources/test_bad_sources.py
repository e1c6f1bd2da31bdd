"""Whatever is wrong with a table is one clear error that quotes nothing of it."""

import re
import subprocess
import sys
import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from dpframe.errors import BadData, DPFrameError, InvalidArgument, SourceFailed
from dpframe.graph import Categorical, Column, Numeric, Rows, Setting
from dpframe.privacy import ADD_REMOVE
from dpframe.sources import open_source
from dpframe.sources.csv import MultilineCSV
from tests.support.commands import call

CANARY = 73194628.25  # a value that no message may show
TEXT = "canary73194628"


def frame(rows=60, **columns):
    """Two features and labels; one value is the canary."""
    numbers = np.arange(rows, dtype=float)
    numbers[rows // 2] = CANARY
    return pd.DataFrame({"u": numbers, "v": numbers + 1, "rating": numbers / 100, **columns})


def parquet(folder, *frames):
    """One Parquet file a frame."""
    for number, one in enumerate(frames):
        one.to_parquet(folder / f"{number}.parquet", index=False, row_group_size=20)
    return str(folder / "*.parquet")


def csv(folder, *texts):
    """One CSV file a text."""
    for number, text in enumerate(texts):
        (folder / f"{number}.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder / "*.csv")


def cut(folder):
    """A Parquet file cut in half."""
    whole = folder / "cut.parquet"
    frame(2000).to_parquet(whole, index=False)
    whole.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    return str(whole)


def spoiled(folder):
    """A Parquet file whose footer is whole, but whose pages are not."""
    path = folder / "spoiled.parquet"
    frame(2000).to_parquet(path, index=False)
    content = bytearray(path.read_bytes())
    content[4 : len(content) // 2] = b"\xff" * (len(content) // 2 - 4)
    path.write_bytes(bytes(content))
    return str(path)


def raising():
    """A generator that raises in its second block, quoting data."""
    yield frame()
    raise ValueError(f"what about {CANARY} and {TEXT}?")


def blocks(*frames):
    """An iterator of these."""
    return iter(frames)


def without(name):
    """The frame without a column."""
    return frame().drop(columns=name)


def twice(folder):
    """A pattern, and one of its files again."""
    pattern = parquet(folder, frame(), frame())
    return [pattern, folder / "1.parquet"]


class Failing:
    """A stream of Arrow that breaks off."""

    def __arrow_c_stream__(self, requested_schema=None):
        table = pa.Table.from_pandas(frame(), preserve_index=False)

        def batches():
            yield from table.to_batches()
            raise OSError(f"disk {TEXT}")

        reader = pa.RecordBatchReader.from_batches(table.schema, batches())
        return reader.__arrow_c_stream__(requested_schema)


GOOD = "u,v,rating\n1,2,3\n"


def bad(X, says, *, y=None, kind=BadData):
    """X from a folder, labels, the kind of error, a part of its message."""
    return X, y, kind, says


BAD = {
    "a file cut in half": bad(cut, "cut.parquet failed (Arrow", kind=SourceFailed),
    "spoiled pages": bad(spoiled, "row group 1 of ", kind=SourceFailed),
    "no such file": bad(lambda f: f / "no.parquet", "an existing file"),
    "no such pattern": bad(lambda f: str(f / "*.csv"), "a pattern that some file"),
    "a folder": bad(str, "a file, or a pattern of files"),
    "an address": bad(lambda f: "s3://bucket/x.parquet", "a path on this machine"),
    "another kind of file": bad(
        lambda f: (f / "x.xlsx").write_text("") or f / "x.xlsx", "a .parquet or .csv file"
    ),
    "two kinds of files": bad(lambda f: [parquet(f, frame()), csv(f, GOOD)], "files of one kind"),
    "a file twice": bad(twice, "a list of different files"),
    "an array of labels": bad(
        lambda f: parquet(f, frame()), "y must be left out, or the name of a column", y=[1.0]
    ),
    "a later file lacks a column": bad(
        lambda f: parquet(f, frame(), without("v")),
        "must be a table with the columns u, v, rating, in this order; got no column 'v'",
    ),
    "a later file has another column": bad(
        lambda f: parquet(f, frame(), frame(w=1.0)), "got a column 'w'"
    ),
    "a later file is in another order": bad(
        lambda f: parquet(f, frame(), frame()[["v", "u", "rating"]]), "another order"
    ),
    "a later file has text for numbers": bad(
        lambda f: parquet(f, frame(), frame(v=TEXT)), "column v of X, in "
    ),
    "no labels": bad(lambda f: parquet(f, without("rating")), "y must be given"),
    "no such label": bad(lambda f: parquet(f, frame()), "the name of a column", y="nope"),
    "block 3 lacks a column": bad(
        lambda f: blocks(frame(), frame(), without("v")), "X, in block 3, must be"
    ),
    "block 3 lacks labels": bad(
        lambda f: blocks(frame(), frame(), without("rating")), "in block 3,"
    ),
    "block 2 is an array": bad(
        lambda f: blocks(frame(), np.zeros((3, 3))), "X, in block 2, must be a table with names"
    ),
    "block 2 is wider": bad(
        lambda f: blocks((np.zeros((3, 2)), np.zeros(3)), (np.zeros((3, 4)), np.zeros(3))),
        "X, in block 2, must be a table of 2 columns; got 4 columns",
    ),
    "block 2 brings labels of its own": bad(
        lambda f: blocks(frame(), (frame(), frame()["rating"])), "y, in block 2, must be left out"
    ),
    "block 2 brings none": bad(
        lambda f: blocks((np.zeros((3, 2)), np.zeros(3)), np.zeros((3, 2))),
        "y, in block 2, must be given",
    ),
    "block 2 is uneven": bad(
        lambda f: blocks((np.zeros((3, 2)), np.zeros(3)), (np.zeros((3, 2)), np.zeros(4))),
        "y, in block 2, must be as long as X",
    ),
    "text in block 2": bad(
        lambda f: blocks(frame(), frame(v=TEXT)), "column v of X, in block 2, must be real numbers"
    ),
    "a generator that raises": bad(lambda f: raising(), "block 2 failed (Value", kind=SourceFailed),
    "no block": bad(lambda f: iter([]), "at least one block"),
    "an iterator and labels": bad(lambda f: blocks(frame()), "y must be left out, or", y=[1.0]),
    "a stream that breaks off": bad(
        lambda f: Failing(), "reading block 2 failed", kind=SourceFailed
    ),
    "labels end early": bad(
        lambda f: pa.Table.from_pandas(without("rating"), preserve_index=False),
        "y must be as long as X",
        y=np.zeros(59),
    ),
    "labels beside a lazy frame": bad(
        lambda f: pl.from_pandas(without("rating")).lazy(), "y must be left out, or", y=np.zeros(61)
    ),
    "a lazy frame that fails": bad(
        lambda f: pl.from_pandas(frame(t=TEXT)).lazy().with_columns(pl.col("t").cast(pl.Float64)),
        "reading block 1 failed (InvalidOperationError)",
        kind=SourceFailed,
    ),
    "text in Arrow": bad(
        lambda f: pa.table({"u": [TEXT], "rating": [1.0]}),
        "column u of X must be real numbers; got values of kind text",
    ),
    "dates in Polars": bad(
        lambda f: pl.DataFrame({"u": [0], "rating": [1.0]}).cast({"u": pl.Date}).lazy(),
        "column u of X must be real numbers",
    ),
    "text in a CSV file": bad(
        lambda f: csv(f, GOOD, f"u,v,rating\n1,{TEXT},3\n"), "column v of X, in "
    ),
    "a short row in a CSV file": bad(
        lambda f: csv(f, f"u,v,rating\n1,{CANARY}\n"),
        "0.csv failed (no table of equal rows)",
        kind=SourceFailed,
    ),
    "an empty CSV file": bad(lambda f: csv(f, ""), "a row of different names"),
    "equal names in CSV": bad(lambda f: csv(f, "u,u\n1,2\n"), "a row of different"),
    "no text in a CSV file": bad(lambda f: csv(f, b"\xff\xfe\x00"), "y must be given"),
    "nothing in a CSV cell": bad(
        lambda f: csv(f, f"u,v,rating\n1,,{CANARY}\n"), "column v of X must be finite"
    ),
    "later names in CSV": bad(lambda f: csv(f, GOOD, "u,w,rating\n"), "no column 'v'"),
}


def quoted(error):
    """All that a log of the error would show: the chain of errors, not the lines of code."""
    return "".join(traceback.format_exception_only(error)) + repr(error) + repr(vars(error))


@pytest.mark.parametrize(("X", "y", "kind", "says"), BAD.values(), ids=BAD)
def test_a_bad_source_is_one_clear_error_without_a_value(X, y, kind, says, request):
    """Before anything is totalled, by name, and hiding what the library said."""
    named, folder = request.getfixturevalue("named"), request.getfixturevalue("tmp_path")
    with pytest.raises(kind, match=re.escape(says)) as refusal:
        open_source(named, X(folder), y).total(list)
    assert "73194628" not in quoted(refusal.value)
    assert not re.search(r"\brow \d", str(refusal.value))
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None
    assert isinstance(refusal.value, DPFrameError)


def test_the_canary_is_in_what_the_library_says():
    """The control of the last test: the causes that it looks at do quote data."""
    with pytest.raises(ValueError, match="73194628"):
        list(raising())
    text = f"u,rating\n{TEXT},1\n".encode()
    with pytest.raises(pa.ArrowInvalid, match="73194628"):
        list(pa.csv.open_csv(pa.BufferReader(text), convert_options=STRICT))


STRICT = pa.csv.ConvertOptions(column_types={"u": pa.float64()})


LATER = ["a later file lacks a column", "a later file has text for numbers", "later names in CSV"]


@pytest.mark.parametrize("case", LATER)
def test_files_are_compared_before_any_is_read(case, named, tmp_path):
    """Opening refuses; an hour of reading is not lost to the last file."""
    X, y, kind, _ = BAD[case]
    with pytest.raises(kind):
        open_source(named, X(tmp_path), y)


@pytest.mark.parametrize("later", [pa.array([1, 2]), pa.array([True, False])], ids=["int", "bool"])
def test_levels_that_change_their_kind_between_files_are_refused(later, tmp_path):
    """Otherwise every row of the later file would silently have no level."""
    for number, town in enumerate([pa.array(["A", "B"]), later]):
        pq.write_table(pa.table({"town": town}), tmp_path / f"{number}.parquet")
    schema = Setting(X=Rows(columns=[Categorical("town", ("A", "B"))]), relation=ADD_REMOVE)
    with pytest.raises(BadData, match=r"column town of X, in .*1\.parquet, must be text"):
        open_source(schema, str(tmp_path / "*.parquet"))


def test_levels_may_be_written_in_several_ways(tmp_path):
    """Texts as texts, large texts or a dictionary; and a file where all are missing."""
    ways = [pa.array(["A", "B"]), pa.array(["A", "B"], pa.large_string())]
    ways += [ways[0].dictionary_encode(), pa.nulls(2)]
    for number, town in enumerate(ways):
        pq.write_table(pa.table({"town": town}), tmp_path / f"{number}.parquet")
    town = Categorical("town", ("A", "B"), unknown="zeros")
    schema = Setting(X=Rows(columns=[town]), relation=ADD_REMOVE)
    blocks = open_source(schema, str(tmp_path / "*.parquet")).total(list)
    towns = [town for block in blocks for town in block.rows[:, 0]]
    assert towns == [0, 1, 0, 1, 0, 1, -1, -1]


# empty and dropped ----------------------------------------------------------------------------

EMPTY = {
    "Parquet": lambda f: parquet(f, frame()[:0]),
    "CSV": lambda f: csv(f, "u,v,rating\n"),
    "Arrow": lambda f: pa.Table.from_pandas(frame()[:0], preserve_index=False),
    "a lazy frame": lambda f: pl.from_pandas(frame()[:0]).lazy(),
    "an iterator": lambda f: iter([frame()[:0]]),
}


@pytest.mark.parametrize("make", EMPTY.values(), ids=EMPTY)
def test_an_empty_table_is_one_empty_block(make, named, tmp_path):
    """n = 0 runs."""
    source = open_source(named, make(tmp_path))
    assert source.rows in {None, 0}
    (block,) = source.total(list)
    assert block.rows.shape == (0, 2)
    assert block.labels.shape == (0,)


MISSING = 'u,v,rating\n1,2,3\n,2,3\n1,inf,3\n1,2,\n4,5,6\n1,abc,3\n+7,8e0," 9"\n1_0,2,3\n0x1,2,3\n'


def test_cells_of_a_csv_file_are_dropped_one_row_at_a_time(tmp_path):
    """A cell that is no decimal number is missing, whatever other rows hold."""
    setting = Setting(X=Rows(norm=1), y=Column("rating", bound=1), relation=ADD_REMOVE)
    (block,) = open_source(setting, csv(tmp_path, MISSING), drop=True).total(list)
    assert block.rows.tolist() == [[1.0, 2.0], [4.0, 5.0], [7.0, 8.0]]
    assert block.labels.tolist() == [3.0, 6.0, 9.0]


def test_a_csv_file_is_read_as_the_codebook_says(tmp_path):
    """1 is a text where levels are texts and a number where they are numbers; true is a truth."""
    columns = [
        Categorical("a", ("1", "x"), unknown="zeros"),
        Categorical("b", (1, 2), unknown="zeros"),
        Categorical("c", (True, False), unknown="zeros"),
        Numeric("d", 0, 9),
    ]
    schema = Setting(X=Rows(columns=columns), relation=ADD_REMOVE)
    text = b"d,c,b,a\n1,true,1,1\n2,FALSE,2.0,x\n3,maybe,other,\xff\n"
    (block,) = open_source(schema, csv(tmp_path, text)).total(list)
    assert block.rows.tolist() == [[0, 0, 0, 1], [1, 1, 1, 2], [-1, -1, -1, 3]]
    levels = [Categorical("a", ("1", 2))]
    with pytest.raises(BadData, match="all texts, or all numbers and truth values"):
        open_source(Setting(X=Rows(columns=levels), relation=ADD_REMOVE), str(tmp_path / "0.csv"))


# arguments and libraries ----------------------------------------------------------------------


@pytest.mark.parametrize("parts", [0, -1, 1.5, True, "4"])
def test_parts_are_a_number_of_blocks(parts, named):
    """At least one."""
    with pytest.raises(InvalidArgument, match="parts must be a number of blocks"):
        open_source(named, frame(), parts=parts)


def test_a_source_is_used_for_what_it_was_opened_for(named, codebook):
    """Opened again as it is; refused under another setting, with other labels or other dropping."""
    source = open_source(named, frame())
    assert open_source(named, source) is source
    for setting, y, drop in ((codebook, None, False), (named, "u", False), (named, None, True)):
        with pytest.raises(InvalidArgument, match="opened for this setting"):
            open_source(setting, source, y, drop=drop)


def test_importing_sources_loads_no_optional_library():
    """They are loaded when first used."""
    program = "import sys, dpframe.sources; print(*{name.split('.')[0] for name in sys.modules})"
    command = [sys.executable, "-c", program]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "dpframe"} <= set(loaded)
    assert {"pyarrow", "polars", "duckdb", "pandas"}.isdisjoint(loaded)


def test_a_lazy_frame_of_another_kind_is_refused(named):
    """With what reads it."""

    class LazyFrame:
        def collect(self):
            raise AssertionError

        def collect_schema(self):
            raise AssertionError

    with pytest.raises(BadData, match=r"Polars 1\.34 or later.*X\.collect\(\)"):
        open_source(named, LazyFrame())


def test_an_absent_library_is_one_sentence(named, tmp_path, monkeypatch):
    """With the command that brings it."""
    path = parquet(tmp_path, frame())
    for module in ("pyarrow", "pyarrow.parquet", "pyarrow.csv"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=re.escape("pip install 'dpframe[arrow]'")):
        open_source(named, path)


CODEBOOK = Setting(
    X=Rows(columns=[Numeric("age", 0, 99), Numeric("dose", 0, 1)]),
    y=Column("sick", levels=[0, 1]),
    relation=ADD_REMOVE,
)
PLAIN = Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)
UNLABELLED = Setting(X=Rows(norm=1), relation=ADD_REMOVE)


def read_by_polars(path):
    """Its reader, without a guess of types from the first rows."""
    return pl.read_csv(path, infer_schema_length=None)


TABLES = {  # every way from a file to a table whose columns have names
    "path": str,
    "multiline": MultilineCSV,
    "pandas": pd.read_csv,
    "pyarrow": pyarrow.csv.read_csv,
    "a stream": lambda path: pyarrow.csv.read_csv(path).to_reader(),
    "polars": read_by_polars,
    "a lazy frame": lambda path: read_by_polars(path).lazy(),
    "blocks": lambda path: iter([pd.read_csv(path)]),
}
RECORDS = [f"{CANARY},{TEXT},0", f"{CANARY},-5,1e5", f"1,2,{CANARY}", f"{TEXT},,2020-01-02"]


@pytest.mark.some(3)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("setting", ["codebook", "labels", "rows"])
@pytest.mark.parametrize("first", [*RECORDS, f"{TEXT},{TEXT}2,{TEXT}3"])
def test_the_first_record_of_a_table_without_a_header_is_refused_and_not_quoted(
    table, setting, first, tmp_path
):
    """Also where no label shows that the names are a record."""
    if setting != "codebook" and first not in RECORDS:
        pytest.skip("words are names where nothing declares others")
    settings = {"codebook": CODEBOOK, "labels": PLAIN, "rows": UNLABELLED}
    csv(tmp_path, f"{first}\n1,2,0\n")
    X = TABLES[table](tmp_path / "0.csv")
    for label in {None, "sick", first.split(",")[1]} if setting == "labels" else {None}:
        with pytest.raises(BadData) as caught:
            open_source(settings[setting], X, label)
        assert str(CANARY) not in str(caught.value).replace(str(label), "")
        assert TEXT not in str(caught.value).replace(str(label), "")
    if setting == "rows":
        assert "header=None" in str(caught.value)


@pytest.mark.parametrize("more", [[], ["--multiline"]])
def test_a_file_without_a_header_is_refused_by_dpframe_fit(more, tmp_path):
    """Also where the option names a label that is a cell of the first record."""
    path = csv(tmp_path, f"{CANARY},{TEXT},4\n1,2,0\n")
    budget = ("--epsilon", 1, "--delta", "1e-6", "--norm", 1, "--bound", 1)
    for target in ("charges", "4"):
        said = call("fit", "SSP", path, "--target", target, *budget, *more, status=2)
        assert str(CANARY) not in said
        assert TEXT not in said


@pytest.mark.parametrize(
    ("header", "label", "accepted"),
    [
        ("age,x2,y", "y", True),
        ("0,1,y", "y", True),
        ("0,1,2", None, False),
        ("0,2,y", "y", False),
        ("age,2020,y", "y", False),
        (",age,y", "y", False),
        ("age,nan,y", "y", False),
    ],
)
def test_names_of_a_file_have_a_letter_or_count_columns_beside_a_named_one(
    header, label, accepted, tmp_path
):
    """In a data frame they may count all, and need be no texts."""
    path = csv(tmp_path, f"{header}\n1,2,0\n")
    setting = UNLABELLED if label is None else PLAIN
    frame = pd.read_csv(tmp_path / "0.csv")
    named = accepted or header in {"0,1,2", ",age,y"}  # pandas gives a column a name of its own
    for X, passes in ((path, accepted), (frame, named)):
        if passes:
            assert open_source(setting, X, label).columns == 3 - (label is not None)
        else:
            with pytest.raises(BadData, match="numbers or blanks in place of names"):
                open_source(setting, X, label)
    unnamed = pd.read_csv(tmp_path / "0.csv", header=None, skiprows=1)
    assert open_source(UNLABELLED, unnamed[[2, 0]]).names == ("2", "0")


def test_a_later_file_without_a_header_is_not_quoted(tmp_path):
    """Nor is a first one."""
    header, record = "u,v,rating", f"{CANARY},2,0"
    for texts in ((header, record), (record, header)):
        path = csv(tmp_path, *(f"{text}\n1,2,0\n" for text in texts))
        with pytest.raises(DPFrameError) as caught:
            open_source(PLAIN, path, "rating")
        assert str(CANARY) not in str(caught.value)


def test_the_names_of_a_table_with_a_header_are_listed(tmp_path):
    """So that a slip is seen."""
    path = csv(tmp_path, "age,dose,ill\n1,0.5,0\n")
    with pytest.raises(BadData, match="X has age, dose, ill"):
        open_source(CODEBOOK, path, "sick")
