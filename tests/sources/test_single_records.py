"""Single records that once decided about others: by their place, their bytes or their type."""

import itertools
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpframe.errors import BadData, DataWarning
from dpframe.graph import Categorical, Column, Numeric, Rows, Setting
from dpframe.privacy import ADD_REMOVE
from dpframe.sources import open_source

pytestmark = pytest.mark.filterwarnings("ignore::dpframe.errors.DataWarning")

TEXTS, NUMBERS = Categorical("a", ("u", "v"), unknown="zeros"), Numeric("a", 0, 1)
MARK = b"\xef\xbb\xbf"


def rows(X, part=TEXTS):
    """All rows of a column of cells beside one of 0.5, those without numbers left out."""
    schema = Setting(X=Rows(columns=[part, Numeric("b", 0, 1)]), relation=ADD_REMOVE)
    blocks = open_source(schema, X, drop=True).total(list)
    return [row for block in blocks for row in block.rows.tolist()]


def csv(path, *lines):
    """A file of the columns a and b."""
    path.write_bytes(b"\n".join([b"a,b", *lines]) + b"\n")
    return path


def test_a_byte_order_mark_belongs_to_its_cell_wherever_it_stands(tmp_path):
    """But for the one at the start of a file."""
    lines = [MARK + b"u,0.5", b"u,0.5", MARK + b"v,0.5"]
    for order in itertools.permutations(lines):
        found = rows(csv(tmp_path / "x.csv", *order))
        assert found == [[0.0 if line == b"u,0.5" else -1.0, 0.5] for line in order]
    first = csv(tmp_path / "x.csv", b"u,0.5")
    first.write_bytes(MARK + first.read_bytes())
    assert rows(first) == [[0.0, 0.5]]


@pytest.mark.parametrize("blank", [b" ", b"\t", b" \r", b"\x0c", b"\x80", b"u\x80", b"u,\xff,1"])
def test_a_line_that_is_no_record_counts_beside_any_other(blank, tmp_path):
    """Blanks, and bytes that are not UTF-8, at which a parser fails."""
    for others in ([], [blank], [b"u,0.5"], [b'"v",0.5']):
        path = csv(tmp_path / "x.csv", blank, *others)
        assert len(rows(path)) == sum(b"0.5" in other for other in others)


def not_utf8(kind):
    """A text, and bytes that are none, as a column of texts."""
    cells = pa.array([b"u", b"\x80"], pa.large_binary() if kind == pa.large_string() else None)
    return pa.Array.from_buffers(kind, 2, cells.buffers())


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_bytes_that_are_no_text_equal_no_level(kind):
    """In columns of Arrow, also those that pandas holds."""
    cells = not_utf8(kind)
    chunked = pa.chunked_array([cells])
    dtype = pd.StringDtype("pyarrow", na_value=np.nan)
    for column in (
        cells,
        cells.dictionary_encode(),
        pd.Series(cells, dtype=pd.ArrowDtype(kind)),
        pd.Series(pd.arrays.ArrowStringArray(chunked, dtype=dtype)),
    ):
        make = pa.table if hasattr(column, "type") else pd.DataFrame
        X = make({"a": column, "b": [0.5, 0.5]})
        assert rows(X) == [[0.0, 0.5], [-1.0, 0.5]]
        assert rows(make({"a": column, "b": [0.5, 0.5]}), NUMBERS) == []


def test_bytes_that_are_no_text_are_no_label():
    """Beside the features, as a column of Arrow."""
    plain = Setting(X=Rows(norm=1), y=Column(levels=("u", "v")), relation=ADD_REMOVE)
    labels = not_utf8(pa.string())
    (block,) = open_source(plain, np.ones((2, 1)), labels, drop=True).total(list)
    assert block.labels.tolist() == [0.0]


def test_bytes_that_are_no_text_equal_no_level_of_replacement_characters(tmp_path):
    """Nothing is put in their place."""
    level = Categorical("a", ("\ufffd", "u"), unknown="zeros")
    assert rows(csv(tmp_path / "x.csv", b"\x80,0.5"), level) == [[-1.0, 0.5]]


def test_numbers_and_texts_in_runs_are_read():
    """Also in several chunks."""
    for values, part, wanted in (([0.5, 1.0], NUMBERS, [0.5, 1.0]), (["v", "x"], TEXTS, [1, -1])):
        runs = pa.RunEndEncodedArray.from_arrays([1, 3], values)
        chunked = pa.chunked_array([runs, runs[2:]])
        X = pa.table({"a": chunked, "b": [0.5] * 4})
        assert rows(X, part) == [[wanted[place], 0.5] for place in (0, 1, 1, 1)]


def test_decimals_beyond_their_precision_mean_what_they_hold():
    """2^64 + 1 in 18 digits, beside small numbers and beside one that is no double."""
    for other in (5, 2**60):
        words = np.array([1, 1, other, 0], dtype="<i8")
        buffers = [None, pa.py_buffer(words.tobytes())]
        cells = pa.Array.from_buffers(pa.decimal128(18, 0), 2, buffers)
        X = pa.table({"a": cells, "b": [0.5] * 2})
        assert rows(X, NUMBERS) == [[2.0**64, 0.5], [float(other), 0.5]]


class Single(np.float32):
    """Has no type that can be asked for."""

    @property
    def dtype(self):
        raise RuntimeError("73194628")


class Named(np.str_):
    """The same, a text."""

    __slots__ = ()
    dtype = Single.dtype


class Array(np.ndarray):
    """Has no number of dimensions that can be asked for."""

    @property
    def ndim(self):
        raise RuntimeError("73194628")


class Unhashed(type):
    """Classes that cannot be put into a set."""

    __hash__ = None


class Odd(metaclass=Unhashed):
    """One of them."""


@pytest.mark.parametrize("part", [NUMBERS, TEXTS], ids=["numbers", "texts"])
@pytest.mark.parametrize("cell", [Single(0.5), Named("u"), Odd()], ids=["float", "text", "odd"])
def test_no_attribute_of_a_cell_is_asked_for(cell, part):
    """As cells of lists and of objects."""
    wanted = {"Single": [[0.5, 0.5], []], "Named": [[], [0.0, 0.5]], "Odd": [[], []]}
    known = wanted[type(cell).__name__][part is TEXTS]
    own = [known] if known else [] if part is NUMBERS else [[-1.0, 0.5]]
    rest = [[0.25, 0.5]] if part is NUMBERS else [[-1.0, 0.5]]
    objects = pd.Series([cell, 0.25], dtype=object)
    for X in ([[cell, 0.5], [0.25, 0.5]], pd.DataFrame({"a": objects, "b": [0.5, 0.5]})):
        assert rows(X, part) == [*own, *rest]


def test_no_attribute_of_a_row_is_asked_for():
    """An array of another class."""
    row = np.array([0.5, 0.5]).view(Array)
    assert rows([row, [0.25, 0.5]], NUMBERS) == [[0.5, 0.5], [0.25, 0.5]]


def test_a_block_of_lists_without_a_codebook_keeps_the_assumption():
    """Rows of the first block say how many columns there are; nothing else does."""
    plain = Setting(X=Rows(norm=1), relation=ADD_REMOVE)
    with pytest.raises(BadData, match="rows of one length"):
        open_source(plain, iter([[[0.5, 0.5], [0.5]]]), drop=True)
    assert open_source(plain, iter([[[0.5, 0.5]]]), drop=True).record_may_refuse
    assert not open_source(plain, iter([np.ones((1, 2))]), drop=True).record_may_refuse


@pytest.mark.parametrize("bad", [None, [], "u"], ids=str)
def test_the_first_row_of_a_block_does_not_decide_what_the_block_is(bad):
    """A triple stays one where its first row is none."""
    schema = Setting(X=Rows(columns=[NUMBERS]), y=Column(bound=1), relation=ADD_REMOVE)
    for X in ([bad, [0.25]], [[0.25], bad]):
        labels, budgets = [0.5, 0.5], [1.0, 1.0]
        source = open_source(schema, iter([(X, labels, budgets)]), drop=True)
        assert [block.rows.tolist() for block in source.total(list)] == [[[0.25]]]


def test_types_of_files_refuse_nothing_where_rows_may_be_left_out(tmp_path):
    """A library infers them from the rows: a file without a text is one of doubles."""
    for place, cells in enumerate((["u"], [np.nan], [True])):
        path = tmp_path / f"{place}.parquet"
        pq.write_table(pa.table({"a": cells, "b": [0.5]}), path)
    with pytest.warns(DataWarning, match="column a of X holds values of kind number"):
        assert rows(tmp_path / "*.parquet") == [[0.0, 0.5], [-1.0, 0.5], [-1.0, 0.5]]


def test_truth_values_are_numbers_in_every_file(tmp_path):
    """Also where rows are refused."""
    for place, cells in enumerate(([True], [1], [Decimal("0.0")])):
        pq.write_table(pa.table({"a": cells, "b": [0.5]}), tmp_path / f"{place}.parquet")
    part = Categorical("a", (0, 1))
    schema = Setting(X=Rows(columns=[part, Numeric("b", 0, 1)]), relation=ADD_REMOVE)
    blocks = open_source(schema, tmp_path / "*.parquet").total(list)
    assert [block.rows[0, 0] for block in blocks] == [1.0, 1.0, 0.0]


def test_periods_are_dates():
    """Also in Arrow, which holds them as whole numbers."""
    wide = Numeric("a", 0, 1000)
    frame = pd.DataFrame({"a": pd.period_range("2026", periods=2, freq="M"), "b": [0.5, 0.5]})
    assert rows(frame, wide) == rows(pa.Table.from_pandas(frame), wide) == []


@pytest.mark.skipif(not hasattr(pa, "bool8"), reason="Arrow is older than this type")
def test_truth_values_in_bytes_are_truths():
    """Whatever byte stands for true."""
    wide = Numeric("a", 0, 1000)
    truths = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1, 5, None], pa.int8()))
    assert rows(pa.table({"a": truths, "b": [0.5] * 4}), wide) == [[0, 0.5], [1, 0.5], [1, 0.5]]
