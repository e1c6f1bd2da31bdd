import re

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dpframe.errors import BadData, DataWarning, InvalidArgument
from dpframe.graph import Categorical, Column, Numeric, Rows, Setting
from dpframe.privacy import ADD_REMOVE, REPLACE_ONE
from dpframe.prover.document import setting_of, setting_record
from dpframe.sources.table import TOGETHER, Table
from dpframe.symbols import exact, to_json

SECRET = 73.194628  # a value that no message may show
X = np.array([[1.0, SECRET], [2.0, 3.0], [4.0, 5.0]])
Y = np.array([1.0, SECRET, 2.0])
AGE_AND_SECTOR = (Numeric("age", 0, 100), Categorical("sector", ("a", "b")))
ZEROS = Setting(
    X=Rows(columns=[AGE_AND_SECTOR[0], attrs.evolve(AGE_AND_SECTOR[1], unknown="zeros")]),
    relation=ADD_REMOVE,
)
STATEMENT = {"relation": ADD_REMOVE.value, "rows_per_person": to_json(exact(1))}
CODEBOOK = Setting(X=Rows(columns=AGE_AND_SECTOR), relation=ADD_REMOVE)
REPLACED = Setting(X=Rows(norm=1), y=Column(bound=1), relation=REPLACE_ONE)


def with_entry(array, place, entry):
    """A copy with one entry replaced."""
    copy = np.array(array, dtype=float)
    copy[place] = entry
    return copy


def read(setting, X, y=None, *, size=2, drop=False):
    """All rows and labels of a table, block after block."""
    blocks = list(Table.of(setting, X, y, drop=drop).blocks(size))
    labels = None if y is None else np.concatenate([block.labels for block in blocks])
    return np.concatenate([block.rows for block in blocks]), labels


def frame(**columns):
    """A data frame with age and sector, unless said otherwise."""
    return pd.DataFrame({"age": [30.0, 40.0, 50.0], "sector": ["a", "b", "a"], **columns})


class Series:
    """A column of a data frame that is not of pandas: slices, to_numpy, a dtype with is_numeric."""

    def __init__(self, values):
        self.values = values
        self.shape = np.shape(values)

    class dtype:  # noqa: N801 - an attribute of a series
        @staticmethod
        def is_numeric():
            return True

    def to_numpy(self):
        return np.asarray(self.values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, window):
        return Series(self.values[window])


class Polaric(dict):
    """A data frame that is not of pandas: names, columns by name, to_numpy."""

    columns = property(list)

    def to_numpy(self):
        raise AssertionError("the whole frame is never copied")

    def __len__(self):
        return len(next(iter(self.values())))


BAD = {
    "one dimension": (X[0], Y, "X must be two-dimensional: a row a record; got 1 dimension."),
    "three dimensions": (X[None], Y, "got 3 dimensions"),
    "an empty list": ([], [], "X must be two-dimensional"),
    "no columns": (np.zeros((3, 0)), Y, "at least one column"),
    "no columns in a frame": (pd.DataFrame(index=range(3)), Y, "at least one column"),
    "lengths": (X, Y[:2], "y must be as long as X"),
    "ragged": ([[SECRET], [SECRET, 1.0]], Y, "X must be rows of one length"),
    "text": (X.astype(str), Y, "X must be real numbers; got values of kind text"),
    "objects": (X.astype(str).astype(object), Y, "X must be real numbers; got other values"),
    "complex": (X + 1j, Y, "X must be real numbers; got other values"),
    "dates": (X.astype("M8[s]"), Y, "X must be real numbers; got values of kind date"),
    "masked": (np.ma.masked_array(X, X > 50), Y, "X must be unmasked"),
    "text column": (pd.DataFrame({"u": ["a", "b", "c"]}), Y, "column u of X must be real numbers"),
    "nan": (with_entry(X, (1, 1), np.nan), Y, "column 1 of X must be finite"),
    "inf": (with_entry(X, (2, 0), -np.inf), Y, "column 0 of X must be finite"),
    "nan in a frame": (
        pd.DataFrame({"u": with_entry(Y, 2, np.nan)}),
        Y,
        "column u of X must be fin",
    ),
    "NA": (pd.DataFrame({"u": pd.array([1, None, 3])}), Y, "column u of X must be finite"),
    "nan and inf": (
        with_entry(X, 1, np.inf),
        with_entry(Y, 1, np.nan),
        "column 0 of X, column 1 of X, y",
    ),
    "too large for doubles": (np.full((3, 1), 1e4000, "g"), Y, "column 0 of X must be finite"),
    "labels: two dimensions": (X, Y[:, None], "y must be one-dimensional"),
    "labels: a frame": (X, pd.DataFrame({"u": Y}), "y must be one-dimensional"),
    "labels: text": (X, ["a", "b", "c"], "y must be real numbers"),
    "labels: masked": (X, np.ma.masked_array(Y, Y > 50), "y must be unmasked"),
    "labels: nan": (X, with_entry(Y, 0, np.nan), "y must be finite"),
    "labels: none": (X, None, "y must be given"),
}


@pytest.mark.parametrize(("X", "y", "message"), BAD.values(), ids=BAD)
def test_bad_data_is_refused_by_name_and_way_out_without_showing_any(X, y, message, setting):
    """The message names argument, need and way out; it shows no value, no row, no row count."""
    with pytest.raises(BadData, match=re.escape(message)) as refusal:
        read(setting, X, y)
    assert not re.search(r"73|row \d", str(refusal.value))
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_a_refusal_does_not_count_rows(setting):
    """The number of rows is private under add/remove."""
    with pytest.raises(BadData) as refusal:
        read(setting, np.zeros((1234, 2)), np.zeros(4321))
    assert not re.search("1234|4321", str(refusal.value))


def test_a_sparse_matrix_is_refused_with_the_way_out(setting):
    """toarray() makes it dense, which is the caller's decision."""
    sparse = pytest.importorskip("scipy.sparse").csr_array(X)
    with pytest.raises(BadData, match=r"X\.toarray\(\) makes it dense"):
        read(setting, sparse, Y)


def test_labels_that_nobody_declared_are_refused():
    """A table of features alone takes no labels."""
    with pytest.raises(BadData, match="y must be left out"):
        read(Setting(X=Rows(norm=1), relation=ADD_REMOVE), X, Y)


WHOLE = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
ORDINARY = {
    "lists": WHOLE.tolist(),
    "integers": WHOLE.astype(int),
    "unsigned": WHOLE.astype(np.uint8),
    "float32": WHOLE.astype(np.float32),
    "column-major": np.asfortranarray(WHOLE),
    "a view with steps": np.repeat(np.repeat(WHOLE, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": WHOLE[::-1, ::-1].copy()[::-1, ::-1],
    "other byte order": WHOLE.astype(">f8"),
    "frame": pd.DataFrame(WHOLE),
    "frame of int and float32": pd.DataFrame(WHOLE).astype({0: "int32", 1: "float32"}),
    "frame with equal names": pd.DataFrame(WHOLE, columns=["u", "u"]),
    "nullable frame": pd.DataFrame(WHOLE).convert_dtypes(),
    "another make of frame": Polaric(u=Series(WHOLE[:, 0]), v=Series(WHOLE[:, 1])),
}


@pytest.mark.parametrize("given", ORDINARY.values(), ids=ORDINARY)
@pytest.mark.parametrize("size", [1, 2, 7])
def test_tables_of_any_make_are_read_alike(given, size, setting):
    """Arrays of any type and strides, lists and frames give the same doubles."""
    rows, labels = read(setting, given, Y, size=size)
    assert rows.dtype == float
    np.testing.assert_array_equal(rows, WHOLE)
    np.testing.assert_array_equal(labels, Y)


@pytest.mark.parametrize("y", [Y.tolist(), pd.Series(Y), pd.Series(Y).convert_dtypes(), Series(Y)])
def test_labels_of_any_make_are_read_alike(y, setting):
    """Lists and series of labels; an index is not looked at."""
    np.testing.assert_array_equal(read(setting, X, y)[1], Y)


def test_doubles_are_read_without_a_copy(setting):
    """A block of an array of doubles is a window on it."""
    table = Table.of(setting, X, Y, drop=False)
    assert all(np.shares_memory(block.rows, X) for block in table.blocks(2))


@pytest.mark.parametrize("kind", ["array", "integers", "frame"])
def test_a_pass_reads_a_few_blocks_ahead(kind, setting):
    """What changes further on, once the first block is there, is read as it is then."""
    rows = np.ones((1000, 8), dtype=np.int32 if kind == "integers" else float)
    given = pd.DataFrame(rows, copy=False) if kind == "frame" else rows
    blocks = Table.of(setting, given, np.ones(1000), drop=False).blocks(10)
    assert np.all(next(blocks).rows == 1)
    if kind == "frame":
        given.iloc[TOGETHER * 10 :] = 2
    else:
        given[TOGETHER * 10 :] = 2
    sums = [block.rows.sum() for block in blocks]
    assert sums == [80.0] * (TOGETHER - 1) + [160.0] * (100 - TOGETHER)


@pytest.mark.parametrize("rows", [np.zeros((0, 2)), pd.DataFrame({"u": [], "v": []}, dtype=float)])
def test_an_empty_table_is_one_empty_block(rows, setting):
    """Statistics of no rows exist: they are sums over one block of none."""
    blocks = list(Table.of(setting, rows, [], drop=False).blocks(4))
    assert [block.rows.shape for block in blocks] == [(0, 2)]


@pytest.mark.parametrize("huge", [1e308, 1.4e154, -np.finfo(float).max])
def test_finite_rows_whose_square_overflows_are_no_bad_data(huge, setting):
    """Only what is not finite itself is refused."""
    rows, _ = read(setting, with_entry(X, (1, 0), huge), Y)
    assert rows[1, 0] == huge


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame], ids=["array", "frame"])
def test_drop_leaves_out_rows_with_anything_missing(make, size, setting):
    """A record goes as a whole, whether its features or its label is not finite."""
    rows, labels = with_entry(X, (0, 1), np.nan), with_entry(Y, 2, np.inf)
    kept, y = read(setting, make(rows), labels, size=size, drop=True)
    np.testing.assert_array_equal(kept, X[1:2])
    np.testing.assert_array_equal(y, Y[1:2])


def test_no_row_is_dropped_where_the_number_of_rows_is_public():
    """Any record in its place would bias the fit; a missing value is refused with that way out."""
    with pytest.raises(InvalidArgument, match=r"'refuse' under replace-one; .*ADD_REMOVE"):
        read(REPLACED, X, Y, drop=True)
    with pytest.raises(BadData, match=r"X must be finite; .* a public rule") as refused:
        read(REPLACED, with_entry(X, (0, 1), np.nan), Y)
    assert "drop" not in str(refused.value)


def test_labels_are_indexed_as_the_rows_are():
    """A shuffled series would pair labels with the rows of others."""
    setting = Setting(X=Rows(norm=9), y=Column(bound=1), relation=ADD_REMOVE)
    table, labels = pd.DataFrame({"age": [1.0, 2.0]}), pd.Series([0.5, 0.25])
    with pytest.raises(BadData, match=r"y must be indexed as X is; .*y\.loc\[X\.index\]"):
        read(setting, table, labels.iloc[::-1])
    assert read(setting, table, labels.iloc[::-1].loc[table.index])[1].tolist() == [0.5, 0.25]


def test_a_codebook_chooses_columns_by_name():
    """Order and further columns of a data frame do not matter."""
    given = frame(other=["x", "y", "z"])[["other", "sector", "age"]]
    rows, _ = read(CODEBOOK, given)
    assert rows.tolist() == [[30.0, 0.0], [40.0, 1.0], [50.0, 0.0]]


@pytest.mark.parametrize(
    "given",
    [frame().drop(columns="age"), frame().assign(b=1).set_axis(["age", "sector", "age"], axis=1)],
)
def test_a_codebook_column_must_be_there_once(given):
    """The message names the column."""
    with pytest.raises(BadData, match="X must be a table with one column 'age'"):
        read(CODEBOOK, given)


def test_an_array_has_as_many_columns_as_its_codebook():
    """Without names, columns are taken in the codebook's order."""
    with pytest.raises(BadData, match="codebook's 2 columns; got 3 columns"):
        read(CODEBOOK, np.zeros((4, 3)))


def test_an_unknown_level_is_missing_unless_it_counts_as_zeros():
    """Refused by the column's name, or its row left out; the message shows no value."""
    for unknown in ("north", None, 3):
        given = frame(sector=["a", "b", unknown])
        with pytest.raises(BadData, match="sector of X must be one of its declared") as refused:
            read(CODEBOOK, given)
        assert "north" not in str(refused.value)
        assert read(CODEBOOK, given, drop=True)[0][:, 1].tolist() == [0, 1]
        assert read(ZEROS, given)[0][:, 1].tolist() == [0, 1, -1]
    with pytest.raises(InvalidArgument, match="unknown of sector must be 'missing' or 'zeros'"):
        Categorical("sector", ("a", "b"), unknown="mean")
    assert setting_of(setting_record(ZEROS), STATEMENT, {}) == ZEROS


@pytest.mark.parametrize("cells", [[True, False, True], [0, 1, 0], [0.0, 1.0, 0.0]], ids=str)
def test_a_column_of_another_kind_than_its_levels_is_said(cells):
    """By the type of its memory: refused, or warned of where each row alone would be read."""
    kind = "truth value" if cells[0] is True else "number"
    tables = (frame(sector=cells), pl.DataFrame(frame(sector=cells)))
    for given in (*tables, pa.table({"age": [1.0] * 3, "sector": cells})):
        with pytest.raises(BadData, match=f"sector of X must be text.*kind {kind}"):
            Table.of(CODEBOOK, given, drop=False)
        for setting, drop in ((CODEBOOK, True), (ZEROS, False)):
            with pytest.warns(DataWarning, match=f"kind {kind}, none of which is a declared"):
                Table.of(setting, given, drop=drop)
    levels = Setting(X=Rows(columns=[Categorical("sector", (0, 1))]), relation=ADD_REMOVE)
    assert read(levels, frame(sector=cells))[0][:, 0].tolist() == cells
    with pytest.raises(BadData, match=r"must be number or truth value.*kind text"):
        read(levels, frame(sector=pd.array(["0", "1", "0"], dtype="string")))


def test_numbers_may_not_be_missing():
    """Refused by the column's name."""
    with pytest.raises(BadData, match="column age of X must be finite"):
        read(CODEBOOK, frame(age=[1.0, np.nan, 2.0]))


def test_a_numeric_column_of_a_codebook_holds_numbers():
    """Text in it is refused by name; truth values are the numbers 0 and 1."""
    with pytest.raises(BadData, match="column age of X must be real numbers"):
        read(CODEBOOK, frame(age=["old", "young", "old"]))
    assert read(CODEBOOK, frame(age=[True, False, True]))[0][:, 0].tolist() == [1.0, 0.0, 1.0]


def test_text_among_the_numbers_of_an_array_of_objects_is_refused():
    """An array of objects is looked at block by block."""
    rows = np.array([["old", "a"], [30.0, "b"]], dtype=object)
    with pytest.raises(BadData, match="column age of X must be real numbers"):
        read(CODEBOOK, rows)


@pytest.mark.parametrize("levels", [("a", "b"), (1, 2)])
def test_drop_works_among_categories(levels):
    """Rows with a missing number go."""
    schema = [Numeric("age", 0, 100), Categorical("sector", levels)]
    given = frame(age=[1.0, np.nan, 2.0], sector=[levels[0]] * 3)
    for table in (given, given.to_numpy()):
        removed = Setting(X=Rows(columns=schema), relation=ADD_REMOVE)
        assert read(removed, table, drop=True)[0].tolist() == [[1.0, 0.0], [2.0, 0.0]]
