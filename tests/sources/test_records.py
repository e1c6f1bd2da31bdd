"""A record means the same whatever stands beside it, in every source.

Encoding a block is encoding its rows; whether a run is refused while rows may be dropped depends on
no record. `rows` of a source are compared for tables D, D with a record r, and r alone.
"""

import datetime as dt
import itertools
from decimal import Decimal
from fractions import Fraction

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpframe as dp
from dpframe.errors import BadData, DataWarning
from dpframe.execution.execution import first_pass
from dpframe.graph import Categorical, Column, Numeric, Rows, Setting, cells
from dpframe.privacy import ADD_REMOVE
from dpframe.randomness import Randomness
from dpframe.sources import open_source

pytestmark = pytest.mark.filterwarnings("ignore::dpframe.errors.DataWarning")


class Hostile:
    """Raises whenever it is compared, hashed, measured or converted."""

    def _raise(self, *_):
        raise ValueError("73194628")

    __eq__ = __ne__ = __hash__ = __float__ = __len__ = __bool__ = __index__ = _raise


class Unlike(float):
    """A float that says it is another."""

    def __float__(self):
        return 2.0

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


class Text(str):
    """A text that equals every other."""

    __slots__ = ()

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("u")


NUMBERS = {  # what Python holds, and the double that it means
    "zero": (0.0, 0.0),
    "minus zero": (-0.0, 0.0),
    "half": (0.5, 0.5),
    "one": (1, 1.0),
    "two": (2.0, 2.0),
    "true": (True, 1.0),
    "false of numpy": (np.False_, 0.0),
    "int8": (np.int8(2), 2.0),
    "uint64": (np.uint64(2**64 - 1), 2.0**64),
    "float16": (np.float16(0.5), 0.5),
    "float32": (np.float32(0.1), 0.10000000149011612),
    "float64": (np.float64(1.0), 1.0),
    "long double": (np.longdouble(0.5), 0.5),
    "beyond doubles": (2**53 + 1, 2.0**53),
    "wide": (2**70 + 1, 2.0**70),
    "decimal": (Decimal("0.1"), 0.1),
    "fraction": (Fraction(1, 3), 1 / 3),
    "complex but real": (1 + 0j, 1.0),
    "a float of another class": (Unlike(0.5), 0.5),
}
OTHERS = {
    "None": None,
    "nan": np.nan,
    "NA": pd.NA,
    "NaT": pd.NaT,
    "inf": np.inf,
    "-inf": -np.inf,
    "too large": 10**400,
    "a decimal too large": Decimal("1e999"),
    "a signalling nan": Decimal("snan"),
    "complex": 1j,
    "complex of numpy": np.complex64(1 + 2j),
    "a number as text": "1",
    "text": "u",
    "text of numpy": np.str_("v"),
    "text of another class": Text("w"),
    "text that ends in NUL": "u\0",
    "a surrogate": "\udc80",
    "empty text": "",
    "bytes": b"u",
    "date": dt.date(2026, 1, 1),
    "date of numpy": np.datetime64("2026-01-01", "ns"),
    "duration of numpy": np.timedelta64(1, "ns"),
    "array": np.ones(3),
    "array of no dimension": np.array(1.0),
    "list": [1.0],
    "dictionary": {"u": 1},
    "hostile": Hostile(),
    "object": object(),
}
ZOO = {**{name: cell for name, (cell, _) in NUMBERS.items()}, **OTHERS}
TABLES = {  # cells of D
    "mixed": [0.25, 1, True, "u", None, 2],
    "numbers": [0.25, 1.0, 2.0, -1.0],
    "whole numbers": [0, 1, 2**40, 2**60],
    "truths": [True, False, True],
    "texts": ["u", "x", "1", ""],
    "missing": [None, None],
}


def objects(column):
    """Cells as an array of objects, whatever they are."""
    array = np.empty(len(column), dtype=object)
    for place, cell in enumerate(column):
        array[place] = cell
    return array


def framed(column, make):
    """Two columns, the second of 0.5, under the names of the codebook."""
    return {"a": make(column), "b": np.full(len(column), 0.5)}


def inferred(column):
    """An array of the type that numpy infers; none where it makes texts of numbers."""
    array = np.array([[cell, 0.5] for cell in column])
    if array.dtype.kind in "USV" or array.shape != (len(column), 2):
        raise TypeError("no table of numbers")
    return array


SOURCES = {  # X of a column of cells beside one of 0.5
    "lists": lambda column: [[cell, 0.5] for cell in column],
    "tuples": lambda column: tuple((cell, 0.5) for cell in column),
    "blocks of lists": lambda column: iter([[[cell, 0.5]] for cell in column] or [[]]),
    "an array of objects": lambda column: np.column_stack([objects(column), [0.5] * len(column)]),
    "an array of an inferred type": inferred,
    "a frame of objects": lambda column: pd.DataFrame(framed(column, objects)),
    "a frame of an inferred type": lambda column: pd.DataFrame(framed(column, list)),
    "a frame of categories": lambda column: pd.DataFrame(
        framed(column, lambda one: pd.Categorical(one))  # noqa: PLW0108 - of one argument
    ),
    "Polars": lambda column: pl.DataFrame(framed(column, list), strict=True),
    "objects of Polars": lambda column: pl.DataFrame(
        framed(column, lambda one: pl.Series(one, dtype=pl.Object))
    ),
    "Arrow": lambda column: pa.table(framed(column, pa.array)),
    "a dictionary of Arrow": lambda column: pa.table(
        framed(column, lambda one: pa.array(one).dictionary_encode())
    ),
}
OWN = ("objects", "list", "tuples")
CONVERTING = [name for name in SOURCES if not any(word in name for word in OWN)]
CONVERTED = {
    "a float of another class",
    "text of another class",
    "hostile",
    "array of no dimension",
    "bytes",
    "false of numpy",
    "float16",
    "uint64",
    "date of numpy",
    "duration of numpy",
}
"""Cells that some library changes when it makes a column of them: before dpframe sees any."""
SCHEMAS = {
    "numbers": Numeric("a", 0, 1),
    "texts": Categorical("a", ("u", "v")),
    "texts of numbers": Categorical("a", ("1", "0.25", ""), unknown="zeros"),
    "numbers as levels": Categorical("a", (1, 0.25, 2**40)),
    "truths": Categorical("a", (True, False), unknown="zeros"),
    "texts and numbers": Categorical("a", ("u", 1)),
}


def setting(part):
    """The codebook of a column of cells and one of numbers."""
    return Setting(X=Rows(columns=[part, Numeric("b", 0, 1)]), relation=ADD_REMOVE)


def read(schema, X, *, drop):
    """All rows as lists, or the refusal."""
    try:
        blocks = open_source(schema, X, drop=drop).total(list)
    except BadData:
        return None
    return [row for block in blocks for row in block.rows.tolist()]


def held(make, column):
    """X of these cells; None where the library cannot hold them together."""
    try:
        return make(column)
    except BaseException:  # noqa: BLE001 - of any library, also in Rust
        return None


class Alone:
    """What each cell means alone in a source: its rows, or None where it is refused."""

    def __init__(self, make, part, *, drop):
        self.make, self.schema, self.drop = make, setting(part), drop
        self.found = {}

    def rows(self, name, cell):
        """Of one record; raises KeyError where the library cannot hold it."""
        if name not in self.found:
            X = held(self.make, [cell])
            if X is not None:
                self.found[name] = read(self.schema, X, drop=self.drop)
        return self.found[name]

    def violations(self, table, name):
        """Where D with the record does not mean what its records mean alone; None where the library
        cannot hold it.
        """
        column = [(str(place), cell) for place, cell in enumerate(table)]
        found = []
        for place in (0, len(column) // 2):
            records = [*column[:place], (name, ZOO[name]), *column[place:]]
            X = held(self.make, [cell for _, cell in records])
            try:
                alone = [self.rows(*record) for record in records]
            except KeyError:
                return None
            if X is None:
                return None
            refused = any(rows is None for rows in alone)
            wanted = None if refused else [row for rows in alone for row in rows]
            if read(self.schema, X, drop=self.drop) != wanted or (self.drop and refused):
                found.append(place)
        return found


def some_first(names, quick):
    """All names, those that are not quick marked slow."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.some(1, most=50)
@pytest.mark.parametrize("schema", some_first(SCHEMAS, ("numbers", "texts and numbers")))
@pytest.mark.parametrize("source", some_first(SOURCES, ("lists", "a frame of objects", "Arrow")))
def test_a_record_means_the_same_whatever_stands_beside_it(source, schema):
    """All cells of the zoo among those of every table, with rows dropped and refused."""
    tried = 0
    for drop, table in itertools.product((True, False), TABLES):
        alone = Alone(SOURCES[source], SCHEMAS[schema], drop=drop)
        for name in ZOO.keys() - (CONVERTED if source in CONVERTING else set()):
            found = alone.violations(TABLES[table], name)
            assert not found, (table, name, drop, found)
            tried += found is not None
    assert tried >= 20


@pytest.mark.parametrize("source", ["lists", "an array of objects", "a frame of objects"])
def test_a_number_is_the_double_nearest_to_it(source):
    """Against doubles that are written down."""
    column = [cell for cell, _ in NUMBERS.values()]
    rows = read(setting(SCHEMAS["numbers"]), SOURCES[source](column), drop=False)
    assert [row[0] for row in rows] == [double for _, double in NUMBERS.values()]


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_finite_number_is_left_out(name):
    """Alone, of any kind."""
    assert read(setting(SCHEMAS["numbers"]), [[OTHERS[name], 0.5]], drop=True) == []
    assert read(setting(SCHEMAS["numbers"]), [[OTHERS[name], 0.5]], drop=False) is None


def test_levels_are_compared_as_texts_or_as_doubles():
    """Texts with texts, whatever they say of themselves; numbers and truths by their double."""
    texts = {"text": 0.0, "text of numpy": 1.0}
    for name, known in (("texts", texts), ("numbers as levels", dict.fromkeys(ONES, 0.0))):
        columns = [[cell, 0.5] for cell in ZOO.values()]
        zeros = attrs.evolve(SCHEMAS[name], unknown="zeros")
        found = read(setting(zeros), columns, drop=False)
        assert [row[0] for row in found] == [known.get(name, -1.0) for name in ZOO]
        found = read(setting(SCHEMAS[name]), columns, drop=True)
        assert [row[0] for row in found] == [known[name] for name in ZOO if name in known]
        assert read(setting(SCHEMAS[name]), columns, drop=False) is None


ONES = {name for name, (_, double) in NUMBERS.items() if double == 1.0}


def test_a_comparison_of_whole_blocks_is_found(monkeypatch):
    """A planted violation: levels compared by numpy at once, cell by cell where that fails."""

    def compared(self, window):
        values, codes = objects(list(window)), np.full(len(window), -1.0)
        for text, code in self.texts.items():
            try:
                equal = np.asarray(values == text, dtype=bool)
            except (TypeError, ValueError):
                equal = np.array([type(cell) is np.str_ and cell == text for cell in values])
            codes[equal] = code
        return codes

    monkeypatch.setattr(cells.Levels, "of_cells", compared)
    alone = Alone(SOURCES["lists"], SCHEMAS["texts of numbers"], drop=True)
    assert alone.violations(["1", np.int64(1)], "hostile")
    assert alone.violations(["1", "0.25"], "array")


ROWS = {
    "short": [0.5],
    "long": [0.5, 0.5, 0.5],
    "empty": [],
    "text": "ab",
    "number": 0.5,
    "None": None,
    "dictionary": {"a": 0.5, "b": 0.5},
    "array of two dimensions": np.ones((1, 2)),
    "masked": np.ma.masked_array([0.5, 0.5], [True, False]),
    "set": {0.5, 0.25},
}


@pytest.mark.parametrize("part", [SCHEMAS["numbers"], SCHEMAS["texts"]], ids=["numbers", "levels"])
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_what_is_no_row_leaves_the_others_alone(row, part):
    """In a list beside a codebook, also where all columns are of levels."""
    schema = Setting(X=Rows(columns=[part, Categorical("b", (0.5, 1))]), relation=ADD_REMOVE)
    others = [[0.25, 0.5], ("u", 1), np.array([0.5, 0.5])]
    rest = read(schema, others, drop=True)
    for place in range(4):
        assert read(schema, [*others[:place], row, *others[place:]], drop=True) == rest
        assert read(schema, [*others[:place], row, *others[place:]], drop=False) is None


def test_without_a_codebook_rows_of_other_lengths_are_refused():
    """Their number of columns would be that of one record; the receipt keeps the assumption."""
    plain = Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)
    with pytest.raises(BadData, match=r"rows of one length.*dp\.Rows\(columns"):
        open_source(plain, [[0.5, 0.5], [0.5]], [0, 0], drop=True)
    assert open_source(plain, [[0.5, 0.5]], [0], drop=True).record_may_refuse
    assert not open_source(setting(SCHEMAS["texts"]), [["u", 0.5]], drop=True).record_may_refuse


@pytest.mark.some(1, most=20)
@pytest.mark.parametrize("name", ZOO)
def test_a_label_means_the_same_whatever_stands_beside_it(name):
    """In a list, an array of objects and a series."""
    plain = Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)
    for make in (list, objects, lambda one: pd.Series(objects(one))):
        labels = [0.5, ZOO[name], True, None]
        blocks = open_source(plain, np.ones((4, 1)), make(labels), drop=True).total(list)
        found = [label for block in blocks for label in block.labels.tolist()]
        known = name in NUMBERS and np.isfinite(NUMBERS[name][1])
        assert found == [0.5, *([NUMBERS[name][1]] if known else []), 1.0]


def test_a_column_whose_type_is_no_number_is_said(tmp_path):
    """Where all rows would be dropped without a word."""
    frame = pd.DataFrame({"a": ["x", "y"], "b": [0.5, 0.5]})
    frame.to_parquet(tmp_path / "x.parquet")
    for X in (frame, pl.from_pandas(frame), tmp_path / "x.parquet"):
        with pytest.warns(DataWarning, match="column a of X holds values of kind text"):
            open_source(setting(SCHEMAS["numbers"]), X, drop=True)


LINES = {
    "an open quote": '"u,0.5',
    "a quote inside": 'u"v,0.5',
    "text after a quote": '"u"v,0.5',
    "a doubled quote that is open": '"u"",0.5',
    "too few": "u",
    "too many": "u,0.5,1",
    "a carriage return": "u\r0.5,0.5",
    "a quoted carriage return": '"u\rv",0.5',
    "open at both ends": '"u,"0.5',
    "nothing but a quote": '"',
    "three quotes": '""",0.5',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_line_of_csv_is_read_by_itself(line, tmp_path):
    """Refused; or left out, and the others are read as before."""
    schema = setting(attrs.evolve(SCHEMAS["texts"], unknown="zeros"))
    others = ["u,0.5", '"v",0.25', '"u,""w""",1', "v,0"]
    (tmp_path / "rest.csv").write_bytes("\n".join(["a,b", *others]).encode())
    rest = read(schema, tmp_path / "rest.csv", drop=True)
    assert rest == [[0, 0.5], [1, 0.25], [-1, 1], [1, 0]]
    for place in range(5):
        path = tmp_path / f"{place}.csv"
        path.write_bytes("\n".join(["a,b", *others[:place], line, *others[place:]]).encode())
        found = read(schema, path, drop=True)
        assert sorted(found) == sorted(rest)
        with pytest.raises(Exception, match="no table of equal rows"):
            open_source(schema, path).total(list)


NUMERALS = ["1", " 1 ", "+2", "-0.5", "1e3", "1e999", ".5", "5.", "nan"]
CSV = [*NUMERALS, "u", "v", "NA", "", "0x1", "1_0"]


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@pytest.mark.parametrize("drop", [True, False])
def test_a_cell_of_csv_is_read_by_itself(schema, drop, tmp_path):
    """Alone, and among others."""
    if schema is SCHEMAS["texts and numbers"]:
        pytest.skip("CSV does not tell them apart")

    def rows(*column):
        path = tmp_path / "x.csv"
        path.write_text("".join(f"{cell},0.5\n" for cell in ("a", *column)).replace("a,0.5", "a,b"))
        return read(setting(schema), path, drop=drop)

    rest = rows("1", "0.25")
    for cell in CSV:
        alone, both = rows(cell), rows("1", cell, "0.25")
        refused = rest is None or alone is None
        assert both == (None if refused else [*rest[:-1], *alone, *rest[-1:]])
        assert not (drop and refused)


def test_row_groups_and_types_of_parquet_do_not_matter(tmp_path):
    """One column as doubles, whole numbers, decimals and truths."""
    types = [pa.float64(), pa.int8(), pa.decimal128(22, 2), pa.bool_(), pa.float32()]
    for place, kind in enumerate(types):
        column = pa.array([1, 0, None]).cast(kind)
        table = pa.table({"a": column, "b": [0.5] * 3})
        pq.write_table(table, tmp_path / f"{place}.parquet", row_group_size=2)
        for part in (SCHEMAS["numbers"], SCHEMAS["truths"]):
            found = read(setting(part), tmp_path / f"{place}.parquet", drop=True)
            wanted = {True: [[0, 0.5], [1, 0.5], [-1, 0.5]], False: [[1, 0.5], [0, 0.5]]}
            assert found == wanted[part is SCHEMAS["truths"]]


class Sums(dp.Regression):
    """Sums of rows and labels, plain and through every map that bounds a record by itself."""

    def declare(self, X, y, budget):
        maps = [X, X.clip(norm="1/2"), X.boxed("1/3"), X.scaled(by=2), X.with_intercept()]
        sums = [dp.count(X), dp.total(y), y @ y, dp.graph.column_squares(X)]
        for rows in maps:
            sums += [rows.T @ rows, rows.T @ y, rows.T @ y.clip(-0.25, 0.25)]
        shares = budget.split_evenly(len(sums))
        return tuple(
            dp.release(one, dp.Gaussian.analytic, share)
            for one, share in zip(sums, shares, strict=True)
        )


def steps(run, X, y):
    """Every sum of a table before noise, in whole steps."""
    source = open_source(run.setting, X, y, drop=True)
    found = first_pass(run, source, None, Randomness.of(0))[0].values
    return [np.asarray(found[node]).astype(object) for node in run.graph.statistics]


BESIDE = [name for name in SOURCES if name != "blocks of lists"]  # with labels


@pytest.mark.parametrize("source", some_first(BESIDE, ("lists", "a frame of objects")))
def test_a_record_adds_to_every_sum_what_it_gives_alone(source):
    """Exactly: S(D + r) - S(D) = S(r) - S(no record), for every cell as feature and as label."""
    part, make = SCHEMAS["numbers"], SOURCES[source]
    schema = attrs.evolve(setting(part), y=Column(bound=1))
    run = dp.certify(Sums(), target=dp.ApproxDP(1, "1e-6"), setting=schema)
    table, labels = TABLES["numbers"], [0.5, True, -3.0, 0.25]
    rest, nothing = steps(run, make(table), labels), steps(run, [[None, None]], [0.0])
    tried = 0
    for name in ZOO.keys() - (CONVERTED if source in CONVERTING else set()):
        for cell, label in ((ZOO[name], 0.75), (0.75, ZOO[name])):
            alone, both = held(make, [cell]), held(make, [*table[:2], cell, *table[2:]])
            if alone is None or both is None:
                continue
            gained = steps(run, both, [*labels[:2], label, *labels[2:]])
            for one, more, less, none in zip(
                steps(run, alone, [label]), gained, rest, nothing, strict=True
            ):
                assert np.array_equal(more - less, one - none), name
                tried += 1
    assert tried > 500
