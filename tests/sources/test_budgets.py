"""Budgets of records: public, one beside every row, wherever the table is."""

import pickle
import re
import traceback
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dpframe.errors import BadData, DPFrameError, InvalidArgument, SourceFailed
from dpframe.graph import Categorical, Column, Numeric, Rows, Setting
from dpframe.privacy import ADD_REMOVE
from dpframe.sources import Block, open_source
from dpframe.sources.table import Table
from tests.sources.frames import PIECES, TABLES, Late, arrow, bits, written

N = 700
NUMBERS = 10.0 ** np.random.default_rng(5).uniform(-300, 300, N)
NUMBERS[:6] = [5e-324, 1.7976931348623157e308, 0.1, 1 / 3, 1e-310, 2.0**53]
NAMES = np.random.default_rng(6).choice(["open", "careful", "un décidé"], N)
NAMES[:3] = ["open", "careful", "un décidé"]
OWN = {"numbers": NUMBERS, "names": NAMES}
CANARY = "73194628"  # of a value that no message may show


@pytest.fixture(params=OWN)
def own(request):
    """Everybody's budgets."""
    return OWN[request.param]


@pytest.fixture
def people(table, own):
    """u, own, v, rating: budgets stand among the features."""
    frame = table.assign(own=own)[["u", "own", "v", "rating"]]
    return frame.astype({"own": object}) if own is NAMES else frame


def read(source, executor=None):
    """Rows, labels and budgets of all blocks, and whether each block has as many of all."""
    blocks = source.total(list, executor=executor)
    assert all(len(b.rows) == len(b.budgets) for b in blocks)
    assert all(b.labels is None or len(b.rows) == len(b.labels) for b in blocks)
    found = [np.concatenate([getattr(b, name) for b in blocks]) for name in ("rows", "budgets")]
    labels = [b.labels for b in blocks]
    return found[0], None if labels[0] is None else np.concatenate(labels), found[1]


def same(found, wanted):
    """Budgets as they were given, in their order: doubles to the bit, or texts."""
    assert found.shape == (len(wanted),)
    wanted = np.asarray(wanted)
    if wanted.dtype.kind in "OU":
        assert found.dtype == object
        assert all(isinstance(name, str) for name in found)
        return found.tolist() == wanted.tolist()
    return bits(found) == bits(wanted)


INSIDE = {  # tables that hold the budgets as the column `own`
    **TABLES,
    "pandas with a category": lambda frame, _: frame.astype({"own": "category"}),
    "Arrow, of Polars": lambda frame, _: pa.table(pl.from_pandas(frame)),
    "a dictionary of Arrow": lambda frame, _: arrow(frame).set_column(
        1, "own", arrow(frame)["own"].dictionary_encode()
    ),
    "CSV files, the first empty": lambda frame, f: written(frame, f, "csv", [slice(0), *PIECES]),
    "an iterator of Polars": lambda frame, _: iter([pl.from_pandas(frame[p]) for p in PIECES]),
}
PARALLEL = [kind for kind in INSIDE if kind != "a scan of Polars"]


@pytest.mark.parametrize("make", INSIDE.values(), ids=INSIDE)
def test_a_column_holds_budgets_everywhere(make, people, own, named, tmp_path):
    """It is no feature; rows, labels and budgets stay side by side."""
    source = open_source(named, make(people, tmp_path), budgets="own", parts=1)
    assert source.names == ("u", "v")
    rows, labels, budgets = read(source)
    assert bits(rows) == bits(people[["u", "v"]].to_numpy())
    assert bits(labels) == bits(people["rating"].to_numpy())
    assert same(budgets, own)


def codes(codebook, towns):
    """Positions of the levels of a codebook's second column, -1 for none."""
    levels = codebook.X.columns[1].levels
    return [float(levels.index(town)) if town in levels else -1.0 for town in towns]


@pytest.mark.parametrize("make", INSIDE.values(), ids=INSIDE)
def test_a_codebook_leaves_budgets_alone(make, people, mixed, codebook, tmp_path):
    """They need not stand in it, and are read beside its columns."""
    table = make(people.assign(town=mixed["town"].to_numpy(), other=1.0), tmp_path)
    source = open_source(codebook, table, budgets="own")
    rows, labels, budgets = read(source)
    assert source.names == ("v", "town", "u")
    assert rows[:, 1].tolist() == codes(codebook, mixed["town"])
    assert bits(rows[:, 2]) == bits(people["u"].to_numpy())
    assert bits(labels) == bits(people["rating"].to_numpy())
    assert same(budgets, people["own"])


@pytest.mark.some(1)
@pytest.mark.parametrize("kind", PARALLEL)
def test_threads_and_processes_carry_budgets(kind, people, named, processes, tmp_path):
    """In the order of the rows."""
    with ThreadPoolExecutor(3) as threads:
        for executor in (threads, processes):
            source = open_source(named, INSIDE[kind](people, tmp_path), budgets="own", parts=1)
            rows, _, budgets = read(source, executor)
            assert bits(rows) == bits(people[["u", "v"]].to_numpy())
            assert same(budgets, people["own"])


BESIDE = {  # what stands beside a table: arrays, lists, series
    "an array": lambda own: own,
    "an array of objects": lambda own: own.astype(object),
    "a list": lambda own: own.tolist(),
    "a tuple": lambda own: tuple(own.tolist()),
    "a series": lambda own: pd.Series(own, index=range(N, 0, -1)),
    "a nullable series": lambda own: pd.Series(own).convert_dtypes(),
    "a series of categories": lambda own: pd.Series(own, dtype="category"),
    "a series of Arrow": lambda own: pd.Series(own).convert_dtypes(dtype_backend="pyarrow"),
    "a series of Polars": lambda own: pl.Series(own.tolist()),
    "an array of Arrow": lambda own: pa.array(own.tolist()),
    "chunks of Arrow": lambda own: pa.chunked_array([own[piece].tolist() for piece in PIECES]),
}
UNLABELLED = {  # tables of u and v, with labels beside them
    "an array": lambda X: X.to_numpy(),
    "lists": lambda X: X.to_numpy().tolist(),
    "pandas": lambda X: X,
    "Polars": lambda X: pl.from_pandas(X),  # noqa: PLW0108
    "Arrow": arrow,
}


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize("make", UNLABELLED.values(), ids=UNLABELLED)
@pytest.mark.parametrize("given", BESIDE.values(), ids=BESIDE)
def test_budgets_stand_beside_a_table(make, given, table, own, setting):
    """By position, whatever the index of a series."""
    X, y = table[["u", "v"]], table["rating"].to_numpy()
    rows, labels, budgets = read(open_source(setting, make(X), y, budgets=given(own), parts=1))
    assert bits(rows) == bits(X.to_numpy())
    assert bits(labels) == bits(y)
    assert same(budgets, own)


@pytest.mark.parametrize("kind", UNLABELLED)
def test_budgets_beside_a_table_travel(kind, table, own, setting, processes):
    """To processes, part by part."""
    X, y = table[["u", "v"]], table["rating"].to_numpy()
    source = open_source(setting, UNLABELLED[kind](X), y, budgets=list(own.tolist()), parts=1)
    rows, labels, budgets = read(source, processes)
    assert bits(rows) == bits(X.to_numpy())
    assert bits(labels) == bits(y)
    assert same(budgets, own)


TRIPLES = {
    "arrays": lambda X, y, own: (X.to_numpy(), y.to_numpy(), own),
    "lists": lambda X, y, own: (X.to_numpy().tolist(), y.tolist(), own.tolist()),
    "frames": lambda X, y, own: (X, y, pd.Series(own)),
    "batches": lambda X, y, own: (arrow(X).to_batches()[0], y.to_numpy(), own),
}


@pytest.mark.parametrize("make", TRIPLES.values(), ids=TRIPLES)
def test_blocks_are_triples(make, table, own, setting, processes):
    """Of an iterator; read here, or by others."""
    X, y = table[["u", "v"]], table["rating"]
    for executor in (None, processes):
        blocks = (make(X[piece], y[piece], own[piece]) for piece in PIECES)
        rows, labels, budgets = read(open_source(setting, blocks), executor)
        assert bits(rows) == bits(X.to_numpy())
        assert bits(labels) == bits(y.to_numpy())
        assert same(budgets, own)


def test_a_triple_may_hold_its_labels_as_a_column(table, own, named):
    """Then its second place is None."""
    source = open_source(named, ((table[piece], None, own[piece]) for piece in PIECES))
    rows, labels, budgets = read(source)
    assert rows.shape == (N, 2)
    assert bits(labels) == bits(table["rating"].to_numpy())
    assert same(budgets, own)


@pytest.mark.parametrize("rows", range(1, 5))
def test_rows_in_a_tuple_are_no_block(rows):
    """However many: two would be a pair, three a triple, so a list holds rows."""
    alone = Setting(X=Rows(norm=1), relation=ADD_REMOVE)
    for block in (((1, 2),) * rows, tuple(np.ones((rows, 2)))):
        with pytest.raises(BadData):
            open_source(alone, iter([block]), drop=True).total(list)
        (read_as,) = open_source(alone, iter([list(block)]), drop=True).total(list)
        assert read_as.rows.shape == (rows, 2)


def refilled(own):
    """Three triples in the same three arrays."""
    X, y, budgets = np.empty((5, 1)), np.empty(5), np.empty(5, dtype=own.dtype)
    for k in range(3):
        X[:], y[:], budgets[:] = k, k, own[k]
        yield X, y, budgets


def test_budgets_in_a_buffer_that_is_filled_again_are_copied(own, setting):
    """Where several blocks are in flight."""
    _, _, budgets = read(open_source(setting, refilled(own)), Late())
    assert budgets.tolist() == np.repeat(own[:3], 5).tolist()


def test_many_blocks_of_many_parts_keep_their_order(setting):
    """A table in memory of more parts than threads, cut into blocks of other lengths."""
    n = 18 * 8192 + 5
    X = np.arange(n, dtype=float)[:, None]
    source = open_source(setting, X, X[:, 0], budgets=1 + X[:, 0], parts=1)
    rows, labels, budgets = read(source)
    blocks = source.total(list)
    assert len(blocks) == 24
    assert {len(block.rows) for block in blocks} == {6145, n - 23 * 6145}
    assert bits(rows) == bits(X)
    assert bits(labels) == bits(X[:, 0])
    assert bits(budgets) == bits(1 + X[:, 0])
    blocks = list(Table.of(setting, X[:10], X[:10, 0], 1 + X[:10, 0], drop=False).blocks(3))
    assert [block.budgets.tolist() for block in blocks] == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10]]


def test_a_window_has_its_own_budgets(own, table, setting):
    """And travels without those of the rest."""
    X, y = table[["u", "v"]].to_numpy(), table["rating"].to_numpy()
    whole = Table.of(setting, X, y, own, drop=False)
    window = whole.window(100, 120).window(3, 9)
    (block,) = window.blocks()
    assert same(block.budgets, own[103:109])
    assert bits(block.rows) == bits(X[103:109])
    travelled = pickle.loads(pickle.dumps(window))
    assert same(next(travelled.blocks()).budgets, own[103:109])
    assert len(pickle.dumps(window)) < 3000
    assert "array" not in repr(block)


EMPTY = {
    "a frame": lambda frame, _: frame,
    "Parquet": lambda frame, f: written(frame, f, "parquet", [slice(0)]),
    "CSV": lambda frame, f: written(frame, f, "csv", [slice(0)]),
    "Arrow": lambda frame, _: arrow(frame),
    "a lazy frame": lambda frame, _: pl.from_pandas(frame).lazy(),
    "an iterator": lambda frame, _: iter([frame]),
}


@pytest.mark.parametrize("make", EMPTY.values(), ids=EMPTY)
def test_an_empty_table_has_no_budgets(make, people, named, tmp_path):
    """One empty block, whose budgets are empty too."""
    source = open_source(named, make(people[:0], tmp_path), budgets="own")
    (block,) = source.total(list)
    assert block.rows.shape == (0, 2)
    assert block.budgets.shape == (0,)


def test_without_budgets_blocks_have_none(table, named):
    """The third field is left out by who has none."""
    assert {block.budgets for block in open_source(named, table).total(list)} == {None}
    assert Block(np.zeros((1, 1)), None).budgets is None
    layout = open_source(named, table).layout
    assert (layout.budget, layout.budget_kind) == (None, None)


# which numbers ----------------------------------------------------------------------------------

TEXTS = ["0.10", "2.30", "123456789012.34", "0.07", "99999999999999.99"]
REAL = {  # budgets of other types, and the doubles that Python makes of them
    "whole": ([1, 2, 2**53 + 1], [1.0, 2.0, float(2**53 + 1)]),
    "uint64": (np.array([1, 2**64 - 1], dtype=np.uint64), [1.0, float(2**64 - 1)]),
    "float32": (np.array([0.1, 3e38], dtype=np.float32), np.float32([0.1, 3e38]).tolist()),
    "decimals": ([Decimal(one) for one in TEXTS], [float(one) for one in TEXTS]),
    "fractions": ([Fraction(1, 3), 2, 0.5], [1 / 3, 2.0, 0.5]),
    "decimals of Arrow": (
        pa.array(TEXTS).cast(pa.decimal128(16, 2)),
        [float(one) for one in TEXTS],
    ),
    "decimals of pandas": (
        pd.Series(pd.array(TEXTS, pd.ArrowDtype(pa.string()))).astype(
            pd.ArrowDtype(pa.decimal128(16, 2))
        ),
        [float(one) for one in TEXTS],
    ),
}


@pytest.mark.parametrize(("given", "wanted"), REAL.values(), ids=REAL)
def test_a_number_of_any_type_is_the_double_nearest_to_it(given, wanted, setting):
    """As rows and labels are."""
    X = np.zeros((len(wanted), 1))
    _, _, budgets = read(open_source(setting, X, X[:, 0], budgets=given))
    assert bits(budgets) == bits(np.array(wanted))


def test_decimals_of_a_stream_stay_in_their_rows(named):
    """A column of decimals, window after window."""
    texts = [f"{cents / 100:.2f}" for cents in range(1, 40_000)]
    own = pa.array(texts).cast(pa.decimal128(9, 2))
    zero = pa.array(np.zeros(len(texts)))
    source = open_source(named, pa.table({"u": zero, "own": own, "rating": zero}), budgets="own")
    assert bits(read(source)[2]) == bits(np.array([float(one) for one in texts]))


def test_numbers_and_names_of_a_csv_file(setting, tmp_path):
    """Numbers are decimals, as those of features; any other texts are names, as they stand."""
    path = tmp_path / "own.csv"
    alone = attrs.evolve(setting, y=None)
    path.write_text('u,own\n1, 0.5\n2,"+7e-1"\n3,.25\n')
    assert read(open_source(alone, path, budgets="own"))[2].tolist() == [0.5, 0.7, 0.25]
    path.write_text('u,own\n1,"a, b"\n2,NA\n3,A1\n4, x\n')
    assert read(open_source(alone, path, budgets="own"))[2].tolist() == ["a, b", "NA", "A1", " x"]


def test_texts_that_are_numerals_stay_texts_elsewhere(setting):
    """Only a CSV file does not tell a numeral from a number."""
    X = np.zeros((2, 1))
    assert read(open_source(setting, X, X[:, 0], budgets=["1", "2"]))[2].tolist() == ["1", "2"]


# dropped rows -----------------------------------------------------------------------------------

HOLES = pd.DataFrame(
    {
        "u": [1.0, np.nan, 3.0, 4.0, np.inf],
        "rating": [1.0, 2.0, np.nan, 4.0, 5.0],
        "own": [0.1, 0.2, 0.3, 0.4, 0.5],
    }
)


FULL = {
    **EMPTY,
    "Parquet": lambda frame, f: written(frame, f, "parquet", [slice(None)]),
    "CSV": lambda frame, f: written(frame, f, "csv", [slice(None)]),
}


@pytest.mark.parametrize("names", [False, True], ids=["numbers", "names"])
@pytest.mark.parametrize("kind", FULL)
def test_dropped_rows_take_their_budgets_with_them(kind, names, named, tmp_path):
    """Rows 0 and 3 remain."""
    frame = HOLES.assign(own=list("abcde")) if names else HOLES
    given = FULL[kind](frame, tmp_path)
    rows, labels, budgets = read(open_source(named, given, drop=True, budgets="own"))
    assert budgets.tolist() == frame["own"].iloc[[0, 3]].tolist()
    assert np.column_stack([rows, labels]).tolist() == [[1.0, 1.0], [4.0, 4.0]]


# refusals ---------------------------------------------------------------------------------------

SECRET = 73194628.0
VALUES = {  # a budget that is none, among others
    "nan": [1.0, np.nan, SECRET],
    "infinite": [1.0, np.inf, SECRET],
    "zero": [SECRET, 0.0, 1.0],
    "minus zero": [SECRET, -0.0, 1.0],
    "negative": [1.0, -SECRET, 1.0],
    "none": [1.0, None, SECRET],
    "none first": [None, 1.0, SECRET],
    "all none": [None, None, None],
    "a text among numbers": [1.0, CANARY, 2.0],
    "a number among texts": ["a", SECRET, "b"],
    "a missing text": ["a", None, CANARY],
    "a missing text first": [None, CANARY, "a"],
    "nan among texts": ["a", np.nan, CANARY],
    "a blank text": ["a", " ", CANARY],
    "an empty text": ["", "a", CANARY],
    "a truth value": [1.0, True, SECRET],
    "a truth value first": [True, 1.0, SECRET],
    "numpy's truth value": [1.0, np.True_, SECRET],
    "truth values": [True, False, True],
    "bytes": [CANARY.encode(), b"a", b"b"],
    "complex": [1.0, 1j, SECRET],
    "underflow": [Decimal("1e-400"), SECRET, 1.0],
    "overflow": [10**400, SECRET, 1.0],
    "dates": [np.datetime64("2024-01-01")] * 3,
    "days": [pd.Timestamp("2024-01-01").date()] * 3,
    "time differences": [np.timedelta64(1, "s")] * 3,
    "lists": [[1.0], [2.0], [SECRET]],
}
HOLDERS = {
    "a list": lambda given: given,
    "an array of objects": lambda given: cells(given),  # noqa: PLW0108 - defined below
    "a series": lambda given: pd.Series(given, dtype=object),
}
TYPED = {
    "bool": np.ones(3, dtype=bool),
    "dates": np.array(["2024-01-01"] * 3, dtype="M8[D]"),
    "times": np.ones(3, dtype="m8[s]"),
    "complex": np.ones(3, dtype=complex),
    "bytes": np.array([b"a"] * 3),
    "records": np.zeros(3, dtype=[("a", float)]),
    "pandas' bool": pd.Series([True, False, None], dtype="boolean"),
    "pandas' dates": pd.Series(pd.date_range("2024-01-01", periods=3)),
    "pandas' periods": pd.Series(pd.period_range("2024-01-01", periods=3)),
    "pandas' missing": pd.Series([1.0, None, SECRET], dtype="Float64"),
    "pandas' missing text": pd.Series(["a", None, CANARY], dtype="string"),
    "a missing category": pd.Series(["a", None, CANARY], dtype="category"),
    "Arrow's missing in pandas": pd.Series([1, None, 2], dtype="int64[pyarrow]"),
    "Polars' bool": pl.Series([True, False, True]),
    "Polars' dates": pl.Series(["2024-01-01"] * 3).str.to_date(),
    "Polars' missing": pl.Series([1.0, None, SECRET]),
    "Polars' missing text": pl.Series(["a", None, CANARY]),
    "Polars' nothing": pl.Series([None, None, None]),
    "Polars' bytes": pl.Series([b"a", b"b", b"c"]),
    "Arrow's bool": pa.array([True, None, False]),
    "Arrow's dates": pa.array([1, 2, 3], pa.date32()),
    "Arrow's missing": pa.array([1, None, 2]),
    "Arrow's missing text": pa.array(["a", None, CANARY]),
    "Arrow's nothing": pa.nulls(3),
    "masked": np.ma.masked_array([1.0, 2.0, SECRET], mask=[False, True, False]),
    "a matrix": np.full((3, 1), SECRET),
    "a frame": pd.DataFrame({"own": [1.0, 2.0, SECRET]}),
    "a number": SECRET,
    "a mapping": {"a": SECRET},
    "a set": {1.0, 2.0, SECRET},
    "a generator": (one for one in (1.0, 2.0, SECRET)),
    "too short": [1.0, SECRET],
    "too long": ["a", "b", "c", CANARY],
    "none at all": [],
}


def cells(given):
    """An array of objects, of one dimension."""
    return np.fromiter(given, dtype=object, count=len(given))


def refused(setting, X, y=None, *, says="budgets", kind=BadData, **options):
    """Refused, by name, without a value, a row, or a cause; blocks seen before that are good."""
    seen = []

    def work(blocks):
        return [seen.extend(block.budgets) or 1 for block in blocks]

    with pytest.raises(kind, match=re.escape(says)) as refusal:
        open_source(setting, X, y, **options).total(work)
    shown = "".join(traceback.format_exception_only(refusal.value)) + repr(vars(refusal.value))
    assert CANARY not in shown
    assert not re.search(r"\brow \d", shown)
    assert refusal.value.__cause__ is None
    assert refusal.value.__context__ is None
    assert isinstance(refusal.value, DPFrameError)
    assert len(seen) < 3
    assert all(one.strip() if isinstance(one, str) else 0 < one < np.inf for one in seen)
    return str(refusal.value)


@pytest.mark.some(1, most=30)
@pytest.mark.parametrize("drop", [False, True], ids=["refuse", "drop"])
@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
@pytest.mark.parametrize("given", VALUES.values(), ids=VALUES)
def test_a_bad_budget_is_refused(given, hold, drop, setting):
    """Also where rows may be dropped, and also that of a row which is."""
    X = np.array([[1.0], [np.nan], [3.0]])
    message = refused(setting, X, np.ones(3), drop=drop, budgets=hold(given))
    assert message.startswith("budgets must be ")


@pytest.mark.parametrize("given", TYPED.values(), ids=TYPED)
def test_other_types_and_lengths_are_refused(given, setting):
    """By the type, which tells of no entry."""
    message = refused(setting, np.ones((3, 1)), np.ones(3), budgets=given, drop=True)
    assert message.startswith("budgets must be ")


COLUMNS = {  # a column of which one budget is none; `CSV` holds texts alone
    "nan": [1.0, np.nan, SECRET],
    "infinite": [1.0, np.inf, SECRET],
    "zero": [SECRET, 0.0, 1.0],
    "negative": [SECRET, -SECRET, 1.0],
    "a missing text": ["a", None, CANARY + "x"],
    "a missing text first": [None, "a", CANARY + "x"],
    "a blank text": ["a", " ", CANARY + "x"],
}


@pytest.mark.some(1, most=40)
@pytest.mark.parametrize("drop", [False, True], ids=["refuse", "drop"])
@pytest.mark.parametrize("make", INSIDE.values(), ids=INSIDE)
@pytest.mark.parametrize("given", COLUMNS.values(), ids=COLUMNS)
def test_a_bad_column_is_refused_everywhere(given, make, drop, named, tmp_path):
    """By the name of the column."""
    v = np.nan if drop else 1.0
    frame = pd.DataFrame({"u": 1.0, "own": given, "v": v, "rating": 1.0}, index=range(3))
    refused_table(make, frame, named, tmp_path, drop=drop)


TYPES = {
    "bool": [True, False, True],
    "dates": pd.date_range("2024-01-01", periods=3),
    "time differences": pd.to_timedelta([1, 2, 3], unit="s"),
}
TYPED_TABLES = [kind for kind in INSIDE if "CSV" not in kind]  # cells of CSV files are texts


@pytest.mark.some(1, most=20)
@pytest.mark.parametrize("kind", TYPED_TABLES)
@pytest.mark.parametrize("given", TYPES.values(), ids=TYPES)
def test_columns_of_other_types_are_refused(given, kind, named, tmp_path):
    """Where the type is known."""
    frame = pd.DataFrame({"u": 1.0, "own": given, "v": 1.0, "rating": 1.0}, index=range(3))
    refused_table(INSIDE[kind], frame, named, tmp_path)


def refused_table(make, frame, named, folder, **options):
    """Refused by the column, wherever the table is."""
    refused(named, make(frame, folder), budgets="own", says="column own of X", **options)


@pytest.mark.parametrize(
    "cells",
    [
        ["0.5", "a"],
        ["a", "0.5"],
        ["0.5", ""],
        ["a", ""],
        ["", "a"],
        ["", "0.5"],
        ["nan", "0.5"],
        ["a", "-Inf"],
        ["0.5", "0x1"],
        ["0.5", "1_0"],
        ["0.5", "1e999"],
        ["0.5", "1e-999"],
        ["a", "\udcff"],
    ],
)
@pytest.mark.parametrize("files", [1, 2])
def test_cells_of_a_csv_file_are_of_one_kind(cells, files, setting, tmp_path):
    """Whichever stands first, in one file or in two."""
    lines = [f"1,{cell}\n" for cell in cells]
    texts = ["".join(lines)] if files == 1 else lines
    for number, text in enumerate(texts):
        written = ("u,own\n" + text).encode("utf-8", "surrogateescape")
        (tmp_path / f"{number}.csv").write_bytes(written)
    alone = attrs.evolve(setting, y=None)
    source = open_source(alone, tmp_path / "*.csv", budgets="own", drop=True)
    with pytest.raises(BadData, match="column own of X must be"):
        source.total(list)


def test_a_csv_file_of_other_rows_is_refused_at_opening(setting, tmp_path):
    """The first budget is looked for where the table is opened."""
    (tmp_path / "0.csv").write_text(f"u,own\n1,2,{CANARY}\n")
    alone = attrs.evolve(setting, y=None)
    says = "A line is a record"
    refused(alone, tmp_path / "0.csv", budgets="own", kind=SourceFailed, says=says)


FIRST = pd.DataFrame({"u": [1.0], "rating": [1.0], "own": [0.5]})
LATER = {
    "names after numbers": FIRST.assign(own="a"),
    "no column of budgets": FIRST[["u", "rating"]],
    "budgets of another type": FIRST.assign(own=True),
}


@pytest.mark.parametrize("later", LATER.values(), ids=LATER)
@pytest.mark.parametrize("kind", ["iterator", "parquet"])
def test_later_blocks_are_of_the_kind_of_the_first(later, kind, named, tmp_path):
    """And named in the refusal; files are compared at opening."""
    if kind == "parquet":
        for number, frame in enumerate([FIRST, later]):
            frame.to_parquet(tmp_path / f"{number}.parquet")
        with pytest.raises(BadData, match=r"X, in .*1\.parquet, must"):
            open_source(named, tmp_path / "*.parquet", budgets="own")
        return
    with pytest.raises(BadData, match="X, in block 2, must"):
        open_source(named, iter([FIRST, later]), budgets="own").total(list)


ONE = np.ones((1, 1)), np.ones(1)
BLOCKS = {
    "budgets that end": [(*ONE, [1.0]), ONE],
    "budgets that begin": [ONE, (*ONE, [1.0])],
    "names after numbers": [(*ONE, [1.0]), (*ONE, ["a"])],
    "numbers after names": [(*ONE, ["a"]), (*ONE, [1.0])],
    "budgets too many": [(*ONE, [1.0]), (*ONE, [1.0, 2.0])],
}


@pytest.mark.parametrize("blocks", BLOCKS.values(), ids=BLOCKS)
def test_later_triples_are_of_the_kind_of_the_first(blocks, setting):
    """Named in the refusal."""
    with pytest.raises(BadData, match="budgets, in block 2, must"):
        open_source(setting, iter(blocks)).total(list)


@pytest.mark.parametrize("length", [N - 1, N + 1, 0])
@pytest.mark.parametrize("make", UNLABELLED.values(), ids=UNLABELLED)
def test_another_length_is_refused(make, length, table, setting):
    """Early or late, of a table in memory or of a stream."""
    X, y = table[["u", "v"]], table["rating"].to_numpy()
    with pytest.raises(BadData, match="budgets must be as long as X; got another length"):
        open_source(setting, make(X), y, budgets=np.ones(length)).total(list)


@pytest.mark.parametrize("make", INSIDE.values(), ids=INSIDE)
def test_a_budget_is_no_feature(make, people, mixed, codebook, tmp_path):
    """It would be derived from what it protects."""
    table = people.assign(town=mixed["town"].to_numpy())
    says = "a budget that is also a feature is derived from what it protects"
    with pytest.raises(BadData, match=r"(?i)budgets must be no column.*" + says):
        open_source(codebook, make(table, tmp_path), budgets="u")


@pytest.mark.some(1, most=38)
@pytest.mark.parametrize("kind", [kind for kind in INSIDE if "pairs" not in kind])
@pytest.mark.parametrize("y", [None, "rating", "u"])
def test_a_budget_is_no_label(kind, y, people, named, tmp_path):
    """By the name that the setting has for labels, or by the one that is given."""
    says = "budgets must be something else than the labels.*derived from what it protects"
    with pytest.raises(BadData, match=says):
        open_source(named, INSIDE[kind](people, tmp_path), y, budgets=y or "rating")


def test_labels_are_no_budgets_beside_a_table_either(table, setting, named):
    """The same object, or the column that is named as the setting's labels are."""
    X, y = table[["u", "v"]].to_numpy(), np.ones(N)
    blocks = iter([(X, y, y)])
    with pytest.raises(BadData, match="budgets must be something else than the labels"):
        open_source(setting, X, y, budgets=y)
    with pytest.raises(BadData, match="budgets must be something else than the labels"):
        open_source(setting, blocks)
    with pytest.raises(BadData, match="budgets must be something else than the labels"):
        open_source(named, table, y, budgets="rating")


NAMED = {
    "a name that is no column": (lambda X: X, "place", "budgets must be the name of a column"),
    "a name beside an array": (lambda X: X.to_numpy(), "u", "An array has no names of columns"),
    "a name that two columns have": (
        lambda X: pd.concat([X, X[["v"]]], axis=1),
        "v",
        "X must be a table with one column 'v'",
    ),
    "the only feature": (lambda X: X[["v"]], "v", "X must be a table with at least one column"),
    "budgets beside an iterator": (lambda X: iter([X]), [1.0], "a triple (X, y, budgets)"),
}


@pytest.mark.parametrize(("make", "budgets", "says"), NAMED.values(), ids=NAMED)
def test_a_name_is_that_of_one_column(make, budgets, says, table, setting):
    """Of a table whose columns have names."""
    alone = attrs.evolve(setting, y=None)
    with pytest.raises(BadData, match=re.escape(says)):
        open_source(alone, make(table[["u", "v"]]), budgets=budgets)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_hold_their_budgets(kind, table, named, tmp_path):
    """Budgets beside files are refused, as labels are."""
    files = written(table, tmp_path, kind)
    with pytest.raises(BadData, match=r"budgets must be left out, or.*Files hold their budgets"):
        open_source(named, files, budgets=NUMBERS)


def test_an_open_source_has_its_budgets(people, own, named):
    """They are given where it is opened."""
    source = open_source(named, people, budgets="own")
    assert open_source(named, source) is source
    assert same(read(source)[2], own)
    with pytest.raises(InvalidArgument, match="with its labels and budgets"):
        open_source(named, source, budgets="own")


def test_levels_and_budgets_of_one_table(own):
    """A list of rows with texts among the numbers."""
    columns = [Numeric("age", 0, 100), Categorical("town", ("A", "B"))]
    codebook = Setting(X=Rows(columns=columns), relation=ADD_REMOVE)
    X = [[k, "A"] for k in range(5)]
    rows, labels, budgets = read(open_source(codebook, X, budgets=own[:5].tolist()))
    assert labels is None
    assert rows.tolist() == [[float(k), 0.0] for k in range(5)]
    assert same(budgets, own[:5])


EMPTY = {  # tables with a piece that has no rows, or without any
    "CSV files": lambda frame, folder: written(frame, folder, "csv", [slice(0), slice(0, N)]),
    "an iterator of frames": lambda frame, _: iter([frame[:0], frame]),
    "no row": lambda frame, _: frame[:0],
    "no file of rows": lambda frame, folder: written(frame, folder, "csv", [slice(0)]),
}


@pytest.mark.parametrize("make", EMPTY.values(), ids=EMPTY)
def test_a_piece_without_rows_has_columns_of_every_kind(make, tmp_path):
    """Levels and classes that are texts are not missed in it."""
    frame = pd.DataFrame({"town": ["A", "B"] * (N // 2), "u": 0.5, "rating": ["yes", "no"] * 350})
    rows = Rows(columns=[Categorical("town", ("A", "B")), Numeric("u", -1, 1)])
    setting = Setting(X=rows, y=Column("rating", levels=("no", "yes")), relation=ADD_REMOVE)
    source = open_source(setting, make(frame, tmp_path))
    blocks = source.total(list)
    assert sum(len(block.rows) for block in blocks) in (0, N)
