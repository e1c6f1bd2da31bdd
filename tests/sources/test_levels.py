"""Levels as they are written are levels as they are read: a column is coded in the same way by a
codebook in Python and in a file, in every kind of table, or it is refused.
"""

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpframe as dp
from dpframe.errors import BadData, InvalidArgument
from dpframe.sources import open_source

MOST = 2**53 - 1  # the largest whole number that no other whole number is taken for
CODED = {  # levels, cells, and the positions of the cells among the levels
    "decimals": ([0.5, 1, 2], [0.5, 1.0, 2.0, 0.25], [0, 1, 2, -1]),
    "whole numbers as decimals": ([1.0, 2.5, 3.0], [3.0, 2.5, 1.0], [2, 1, 0]),
    "decimals among whole cells": ([1.0, 2.5, 3.0], [3, 2, 1], [2, -1, 0]),
    "no doubles": ([0.1, 0.2, 0.3], [0.3, 0.1, 0.1 + 0.2], [2, 0, -1]),
    "whole numbers": ([1, 2], [2, 1, 3], [1, 0, -1]),
    "whole numbers among decimal cells": ([1, 2], [2.0, 1.5, 1.0], [1, -1, 0]),
    "minus zero": ([-0.0, 1], [0.0, -0.0, 1.0], [0, 0, 1]),
    "zero": ([0, 1], [-0.0, 1.0, 5e-324], [0, 1, -1]),
    "a long number": ([MOST, 5], [MOST, MOST + 1, MOST + 2, 5], [0, -1, -1, 1]),
    "truth values": ([False, True], [True, False], [1, 0]),
    "truth values among numbers": ([False, True], [1, 0, 2], [1, 0, -1]),
    "numbers among truth values": ([1, 0, 2], [True, False], [0, 1]),
    "missing numbers": ([1, 2.5], [2.5, None, 1.0], [1, -1, 0]),
    "missing truth values": ([True, False], [False, None, True], [1, -1, 0]),
    "texts": (["no", "yes"], ["yes", "no", "Yes"], [1, 0, -1]),
    "texts of numbers": (["1", "1.0", "01"], ["1.0", "1", "01", "1.00"], [1, 0, 2, -1]),
    "texts of truth values": (["True", "False"], ["False", "true"], [1, -1]),
    "texts of dates": (["2026-01-01", "2026-01-02"], ["2026-01-02"], [1]),
    "missing texts": (["a", "b"], ["b", None], [1, -1]),
}


def csv(cells, folder):
    """A CSV file, truth values and numbers as Python writes them."""
    lines = ["c,x", *(f"{'' if cell is None else cell},0.5" for cell in cells)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    return str(folder / "t.csv")


def parquet(cells, folder):
    """A Parquet file."""
    pq.write_table(arrow(cells), folder / "t.parquet")
    return str(folder / "t.parquet")


def arrow(cells):
    """A table of Arrow."""
    return pa.table({"c": pa.array(cells), "x": [0.5] * len(cells)})


def frame(cells, **kind):
    """A data frame of pandas."""
    return pd.DataFrame({"c": pd.Series(cells, **kind), "x": 0.5})


TABLES = {
    "CSV": csv,
    "Parquet": parquet,
    "Arrow": lambda cells, _: arrow(cells),
    "pandas": lambda cells, _: frame(cells),
    "pandas, objects": lambda cells, _: frame(cells, dtype=object),
    "pandas, nullable": lambda cells, _: frame(cells, dtype=object).convert_dtypes(),
    "pandas, categories": lambda cells, _: frame(cells, dtype="category"),
    "Polars": lambda cells, _: pl.DataFrame({"c": cells, "x": [0.5] * len(cells)}),
    "a list": lambda cells, _: [[cell, 0.5] for cell in cells],
}


def of(levels, **more):
    """A codebook of a column with these levels and one of numbers."""
    columns = [dp.Categorical("c", levels, **more), dp.Numeric("x", 0, 1)]
    return dp.Setting(X=dp.Rows(columns=columns), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def in_a_file(levels, folder, **more):
    """The same codebook, read from a file in which a person wrote the levels as a JSON text."""
    others = "".join(f', "{key}": "{value}"' for key, value in more.items())
    column = f'{{"name": "c", "levels": {levels}{others}}}'
    number = '{"name": "x", "lower": 0, "upper": 1}'
    book = folder / "book.json"
    book.write_text(f'{{"columns": [{column}, {number}], "target": {{"bound": 1}}}}')
    return dp.Setting.load(book, dp.ADD_REMOVE)


def codes(setting, table):
    """The positions of levels in a table's first column."""
    rows = dp.Setting(X=setting.X, relation=dp.ADD_REMOVE)
    (block,) = open_source(rows, table).total(list)
    return block.rows[:, 0].tolist()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", CODED)
def test_a_column_is_coded_alike_in_every_table(name, table, tmp_path):
    """By levels in Python, in a file that a person wrote, and in a saved file."""
    levels, cells, expected = CODED[name]
    made = of(levels, unknown="zeros")
    written = in_a_file(json.dumps(levels), tmp_path, unknown="zeros")
    made.save(tmp_path / "saved.json")
    saved = dp.Setting.load(tmp_path / "saved.json", dp.ADD_REMOVE)
    data = TABLES[table](cells, tmp_path)
    for one in (made, written, saved):
        assert codes(one, data) == expected
        assert list(map(repr, one.X.columns[0].levels)) == list(map(repr, levels))
    coding = made.X.columns[0].coding
    whole = np.vstack([coding, np.zeros(coding.shape[1])])[expected]
    assert np.array_equal(made.X.columns[0].encode(cells), whole)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", CODED)
def test_a_cell_of_no_level_is_refused(name, table, tmp_path):
    """Where codebooks do not say what it counts as."""
    levels, cells, expected = CODED[name]
    data = TABLES[table](cells, tmp_path)
    if -1 not in expected:
        assert codes(of(levels), data) == expected
        return
    with pytest.raises(BadData, match=r"declared levels|as its levels are"):
        codes(of(levels), data)


@pytest.mark.parametrize(
    ("written", "levels"),
    [
        ("[0.5, 1, 2]", [0.5, 1, 2]),
        ("[1.0, 2.50, 3e0]", [1.0, 2.5, 3.0]),
        ("[0.10000000000000000555, 1]", [0.1, 1]),
        ('["0.5", "1"]', ["0.5", "1"]),
        ('["NaN", "null", ""]', ["NaN", "null", ""]),
        ("[true, false]", [True, False]),
    ],
)
def test_levels_of_a_file_keep_their_kinds(written, levels, tmp_path):
    """Numbers are numbers, and texts are texts."""
    found = in_a_file(written, tmp_path).X.columns[0].levels
    assert list(map(repr, found)) == list(map(repr, levels))


@pytest.mark.parametrize(
    "level", [Decimal("0.5"), np.float64(0.5), np.float32(0.5), np.array(0.5)], ids=type
)
def test_levels_of_other_libraries_are_those_of_python(level):
    """As Python writes them."""
    column = of([level, np.int64(1), np.bool_(False)]).X.columns[0]
    assert list(map(repr, column.levels)) == ["0.5", "1", "False"]


REFUSED = [
    *('"abc"', '{"a": 0, "b": 1}', "3", "null", "[]", "[[1], [2]]", "[null, 1]"),
    *("[1, 1.0]", "[true, 1]", "[0, -0.0]", '["a", "a"]', "[0.1, 0.10000000000000000001]"),
    *("[NaN, 1]", "[1, Infinity]", "[1e400, 1]", "[1, 1e999999999]"),
    *("[9007199254740992, 1]", "[-9007199254740993, 1]", f"[1, {10**400}]"),
]


@pytest.mark.parametrize("written", REFUSED)
def test_levels_that_cannot_be_told_apart_or_are_none_are_refused(written, tmp_path):
    """In a file."""
    with pytest.raises(InvalidArgument):
        in_a_file(written, tmp_path)


@pytest.mark.parametrize(
    "levels",
    [
        *("abc", b"abc", {"a": 0, "b": 1}, {"a"}, 3, None, [], [b"a", b"b"], [None, 1]),
        *([1, 1.0], [True, 1], [0.1, Decimal("0.1")], [float("nan"), 1], [1, float("inf")]),
        *([2**53, 1], [1, 10**400], [Decimal("snan"), 1], [dt.date(2026, 1, 1), "a"]),
    ],
    ids=repr,
)
def test_the_same_levels_are_refused_in_python(levels):
    """Of features, and of labels."""
    with pytest.raises(InvalidArgument):
        dp.Categorical("c", levels)
    if levels is not None:
        with pytest.raises(InvalidArgument):
            dp.Column("y", levels=levels)


@pytest.mark.parametrize("bound", ["1e999999999", "NaN", "-Infinity", "1" * 90, '"abc"', "true"])
def test_bounds_of_a_file_are_finite_numbers(bound, tmp_path):
    """Exactly as written, and of a size that can be handled."""
    book = {"columns": [{"name": "x", "lower": 0.1, "upper": 0}], "target": {"bound": 1}}
    (tmp_path / "b.json").write_text(json.dumps(book).replace('"upper": 0', f'"upper": {bound}'))
    if bound.isdigit():
        assert dp.Setting.load(tmp_path / "b.json", dp.ADD_REMOVE).X.columns[0].upper == int(bound)
        return
    with pytest.raises(InvalidArgument):
        dp.Setting.load(tmp_path / "b.json", dp.ADD_REMOVE)


def test_texts_and_numbers_are_told_apart_or_refused(tmp_path):
    """1 and "1" are two levels of a column of objects, and one text of a CSV file."""
    both = of([1, "1"])
    assert codes(both, frame([1, "1"], dtype=object)) == [0, 1]
    with pytest.raises(BadData, match=r"all texts, or all numbers.*Parquet"):
        codes(both, csv([1, 1], tmp_path))


FLOATS = {
    "numpy": lambda cells: np.array([cells, cells], dtype=np.float32).T,
    "half floats": lambda cells: np.array([cells, cells], dtype=np.float16).T,
    "pandas": lambda cells: frame(cells, dtype="float32"),
    "pandas, nullable": lambda cells: frame(cells, dtype="Float32"),
    "pandas, on Arrow": lambda cells: frame(cells, dtype="float[pyarrow]"),
    "pandas, sparse": lambda cells: frame(cells, dtype="Sparse[float32]"),
    "pandas, categories": lambda cells: frame(cells, dtype="float32").astype({"c": "category"}),
    "Polars": lambda cells: pl.DataFrame({"c": cells, "x": cells}).cast({"c": pl.Float32}),
    "Arrow": lambda cells: pa.table({"c": pa.array(cells, pa.float32()), "x": cells}),
    "Arrow, a dictionary": lambda cells: pa.table(
        {"c": pa.array(cells, pa.float32()).dictionary_encode(), "x": cells}
    ),
}


@pytest.mark.parametrize("unknown", ["missing", "zeros"])
@pytest.mark.parametrize("kind", FLOATS)
def test_shorter_floats_are_refused_where_they_cannot_hold_a_level(kind, unknown):
    """No cell of them equals 0.1; they hold 0.5."""
    assert codes(of([0.5, 0.25], unknown=unknown), FLOATS[kind]([0.25, 0.5])) == [1, 0]
    with pytest.raises(BadData, match=r"of doubles, as its level 0\.1 is"):
        codes(of([0.5, 0.1], unknown=unknown), FLOATS[kind]([0.5, 0.5]))
