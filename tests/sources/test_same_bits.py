"""One table, the same doubles and releases wherever it is; and how much a pass reads ahead.

`list` is the work of these tests: it keeps every block, and lists add up in the order of parts.
"""

import io
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpframe as dp
from dpframe.sources import open_source
from tests.sources.frames import PIECES, TABLES, arrow, bits


# ---------------------------- Blocks are the same doubles, in the same order, wherever the table is
def read(source, executor=None):
    """All rows and labels of a source, and its blocks' lengths."""
    blocks = source.total(list, executor=executor)
    rows = np.concatenate([block.rows for block in blocks])
    labels = np.concatenate([block.labels for block in blocks])
    return rows, labels, [len(block.rows) for block in blocks]


KINDS = {  # each takes the frame and a folder, and gives X, or X and y
    **TABLES,
    "Arrow with labels beside": lambda frame, _: (
        arrow(frame.drop(columns="rating")),
        frame["rating"].to_numpy(),
    ),
}
ARRAYS = {  # without names of columns
    "an array": lambda X, y: (X, y),
    "lists": lambda X, y: (X.tolist(), y.tolist()),
    "an iterator of arrays": lambda X, y: (((X[piece], y[piece]) for piece in PIECES), None),
}


def pair(given):
    """X and y."""
    return given if isinstance(given, tuple) else (given, None)


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_named_columns_are_the_same_bits_everywhere(make, table, named, tmp_path):
    """Against the array that the table was made from; labels are the column of their name."""
    source = open_source(named, *pair(make(table, tmp_path)), parts=1)
    assert source.names == ("u", "v")
    assert source.columns == 2
    assert source.rows in {None, len(table)}
    rows, labels, _ = read(source)
    assert bits(rows) == bits(table[["u", "v"]].to_numpy())
    assert bits(labels) == bits(table["rating"].to_numpy())


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_a_codebook_picks_columns_everywhere(make, mixed, codebook, tmp_path):
    """By name, in its own order; levels are their positions, others are -1."""
    source = open_source(codebook, *pair(make(mixed, tmp_path)))
    rows, labels, _ = read(source)
    assert source.names == ("v", "town", "u")
    assert bits(rows[:, 0]) == bits(mixed["v"].to_numpy())
    levels = codebook.X.columns[1].levels
    codes = [float(levels.index(town)) if town in levels else -1.0 for town in mixed["town"]]
    assert rows[:, 1].tolist() == codes
    assert bits(rows[:, 2]) == bits(mixed["u"].to_numpy())
    assert bits(labels) == bits(mixed["rating"].to_numpy())


@pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS)
def test_arrays_are_the_same_bits_everywhere(make, table, setting):
    """By position."""
    X, y = table[["u", "v"]].to_numpy(), table["rating"].to_numpy()
    rows, labels, _ = read(open_source(setting, *make(X, y), parts=1))
    assert bits(rows) == bits(X)
    assert bits(labels) == bits(y)


INSIDE = [kind for kind in KINDS if "beside" not in kind and "pairs" not in kind]


@pytest.mark.parametrize("kind", INSIDE)
def test_labels_may_be_named(kind, table, setting, tmp_path):
    """y="rating", where the setting calls its labels y."""
    X, _ = pair(KINDS[kind](table, tmp_path))
    rows, labels, _ = read(open_source(setting, X, "rating"))
    assert bits(labels) == bits(table["rating"].to_numpy())
    assert rows.shape[1] == 2


@pytest.mark.parametrize("kind", ["a frame of pandas", "a Parquet file", "a table of Arrow"])
def test_what_can_be_read_again_gives_the_same_blocks(kind, table, named, tmp_path):
    """Passes are infinite and identical."""
    source = open_source(named, *pair(KINDS[kind](table, tmp_path)))
    assert source.passes == float("inf")
    first, second = read(source), read(source)
    assert bits(first[0]) == bits(second[0])
    assert first[2] == second[2]


ONCE = ["a reader of Arrow", "an iterator of frames"]


@pytest.mark.parametrize("kind", ONCE)
def test_what_is_read_once_says_so(kind, table, named, tmp_path):
    """The second pass is refused; it is not an empty table."""
    source = open_source(named, KINDS[kind](table, tmp_path))
    assert source.passes == 1
    read(source)
    with pytest.raises(Exception, match="read once"):
        read(source)


PARALLEL = [kind for kind in KINDS if kind != "a scan of Polars"]


@pytest.mark.parametrize("kind", PARALLEL)
def test_threads_and_processes_give_the_same_blocks(kind, table, named, processes, tmp_path):
    """The same blocks in the same order as alone."""
    alone = read(open_source(named, *pair(KINDS[kind](table, tmp_path))))
    with ThreadPoolExecutor(3) as threads:
        for executor in (threads, processes):
            source = open_source(named, *pair(KINDS[kind](table, tmp_path)))
            many = read(source, executor)
            assert bits(many[0]) == bits(alone[0])
            assert bits(many[1]) == bits(alone[1])
            assert many[2] == alone[2]


# kinds of numbers -----------------------------------------------------------------------------

WHOLE = [0, 1, -1, 2**53 + 1, -(2**53) - 3, 2**63 - 1, -(2**63), 9007199254740995]
UNSIGNED = [0, 2**64 - 1, 2**53 + 1, 2**63 + 1025]
TEXTS = ["0.10", "-2.30", "123456789012.34", "0.07", "99999999999999.99", "-0.01", "8.35"]
CENTS = [f"{cents / 100:.2f}" for cents in range(-5000, 5000, 7)]
NUMBERS = {  # a type of Arrow, its values, and the doubles that Python makes of them
    "int64": (pa.array(WHOLE, pa.int64()), [float(one) for one in WHOLE]),
    "uint64": (pa.array(UNSIGNED, pa.uint64()), [float(one) for one in UNSIGNED]),
    "int8": (pa.array([-128, 127], pa.int8()), [-128.0, 127.0]),
    "float32": (
        pa.array([0.1, 3.4e38], pa.float32()),
        [float(np.float32(0.1)), 3.3999999521443642e38],
    ),
    "decimal": (pa.array(TEXTS).cast(pa.decimal128(16, 2)), [float(one) for one in TEXTS]),
    "short decimal": (pa.array(CENTS).cast(pa.decimal128(9, 2)), [float(one) for one in CENTS]),
    "wide decimal": (pa.array(TEXTS).cast(pa.decimal128(38, 2)), [float(one) for one in TEXTS]),
}
AS = {  # how a column of Arrow gets into a table of each kind
    "Arrow": lambda column, _: column,
    "Polars": lambda column, _: pl.from_arrow(column),
    "lazy": lambda column, _: pl.from_arrow(column).lazy(),
    "DuckDB": lambda column, _: duckdb.connect().from_arrow(column),
    "pandas": lambda column, _: column.to_pandas(types_mapper=pd.ArrowDtype),
    "Parquet": lambda column, folder: parquet(column, folder),  # noqa: PLW0108 - defined below
    "iterator": lambda column, _: iter([column[:1], column[1:]]),
}


def parquet(column, folder):
    """A Parquet file."""
    import pyarrow.parquet as pq

    pq.write_table(column, folder / "numbers.parquet")
    return folder / "numbers.parquet"


@pytest.mark.some(1, most=12)
@pytest.mark.parametrize("make", AS.values(), ids=AS)
@pytest.mark.parametrize(("column", "wanted"), NUMBERS.values(), ids=NUMBERS)
def test_a_number_of_any_type_is_the_double_nearest_to_it(make, column, wanted, named, tmp_path):
    """As Python rounds whole and decimal numbers, in every kind of table alike."""
    rating = pa.array([0.0] * len(column))
    X = make(pa.table({"u": column, "rating": rating}), tmp_path)
    rows, _, _ = read(open_source(named, X))
    assert bits(rows[:, 0]) == bits(np.array(wanted))


@pytest.mark.parametrize("make", AS.values(), ids=AS)
def test_decimals_of_many_blocks_stay_in_their_rows(make, named, tmp_path):
    """Every block is a window on a longer column; nulls among them."""
    texts = [None if cents % 1000 == 7 else f"{cents / 100:.2f}" for cents in range(40_000)]
    column = pa.array(texts).cast(pa.decimal128(9, 2))
    X = make(pa.table({"u": column, "rating": pa.array([0.0] * len(texts))}), tmp_path)
    rows, _, lengths = read(open_source(named, X, drop=True, parts=1))
    assert bits(rows[:, 0]) == bits(np.array([float(one) for one in texts if one is not None]))
    assert len(lengths) > 1


@pytest.mark.some(1, most=21)
@pytest.mark.parametrize("make", AS.values(), ids=AS)
@pytest.mark.parametrize("kind", [pa.float64(), pa.int64(), pa.decimal128(9, 2)], ids=str)
@pytest.mark.parametrize("place", ["u", "rating"])
def test_nulls_are_missing_numbers_everywhere(make, kind, place, named, tmp_path):
    """Refused by the column's name; left out with the rest of their row where rows may be."""
    numbers = {name: pa.array(["1", "2", "3"]).cast(kind) for name in ("u", "rating")}
    numbers[place] = pa.array(["1", None, "3"]).cast(kind)
    with pytest.raises(Exception, match=f"column {place}( of X)? must be finite"):
        read(open_source(named, make(pa.table(numbers), tmp_path)))
    rows, labels, _ = read(open_source(named, make(pa.table(numbers), tmp_path), drop=True))
    assert rows.tolist() == [[1.0], [3.0]]
    assert labels.tolist() == [1.0, 3.0]


# ----------------------------------------------------------------------- With one seed, one release
N = 9000  # several blocks
RNG = np.random.default_rng(21)
FRAME = pd.DataFrame(RNG.normal(size=(N, 3)) / 2, columns=["u", "v", "rating"])
ARRAY = (FRAME[["u", "v"]].to_numpy(), FRAME["rating"].to_numpy())
ALIKE = (
    "a frame of pandas",
    "Polars",
    "lazy Polars",
    "a reader of Arrow",
    "a relation of DuckDB",
    "a Parquet file",
    "a CSV file",
    "an iterator of frames",
)


def released(relation, given, **options):
    """What is released of two features and their labels, by name."""
    X, y = given if isinstance(given, tuple) else (given, None)
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column("rating", bound=1), relation=relation)
    run = dp.certify(dp.SSP(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    return dp.execute(run, X, y, rng=5, **options).released


def same(left, right):
    """Whether two releases are equal to the bit."""
    return left.keys() == right.keys() and all(
        np.array_equal(np.asarray(left[name]), np.asarray(right[name])) for name in left
    )


@pytest.fixture(scope="module")
def wanted():
    """From the array, under each relation."""
    return {relation: released(relation, ARRAY) for relation in (dp.ADD_REMOVE, dp.REPLACE_ONE)}


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
@pytest.mark.parametrize("kind", ALIKE)
def test_every_source_is_released_alike(kind, relation, wanted, tmp_path):
    """Under replace-one too, where n is public and some sources have to count."""
    assert same(released(relation, TABLES[kind](FRAME, tmp_path)), wanted[relation])


@pytest.mark.parametrize("kind", [ALIKE[0], *ALIKE[5:]])
def test_every_executor_releases_alike(kind, wanted, processes, tmp_path):
    """Threads and processes."""
    with ThreadPoolExecutor(3) as threads:
        for executor in (threads, processes):
            given = TABLES[kind](FRAME, tmp_path)
            assert same(released(dp.ADD_REMOVE, given, executor=executor), wanted[dp.ADD_REMOVE])


def test_another_table_is_released_otherwise(wanted):
    """The control of the tests above: one cell in one row changes the bits."""
    other = FRAME.copy()
    other.loc[4500, "u"] += 0.01
    assert not same(released(dp.ADD_REMOVE, other), wanted[dp.ADD_REMOVE])


# -------------------------------------------------------------------------- What a pass reads ahead
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
