"""Public partitions: every record is in one cell, alone, whatever stands around it."""

import pickle
from fractions import Fraction

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument, NotExecutable, TouchesData, Uncertified
from dpframe.execution.totals import Pass, derived, real
from dpframe.graph import statistics as st
from dpframe.graph.partition import Assignment, CellRows, Cut, Hashed, Partition
from dpframe.numerics.blocks.elementwise import hashed
from dpframe.sensitivity import L1, RANGE, Norm
from dpframe.sources import Block
from dpframe.theory.book import answers_of
from tests.support import samples
from tests.support.oracles import value

B, Y = float(samples.NORM), float(samples.BOUND)
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
grids = pytest.mark.parametrize("grid", [20, None])


def declared(grid=20, relation=dp.ADD_REMOVE):
    """Partitions of every kind, of one table."""
    X, y = samples.setting(relation, grid=grid).nodes()
    return {
        "hashed": dp.partition(X, y, cells=3),
        "hashed rows": dp.partition(X, None, cells=3, salt="other"),
        "label": dp.graph.partition_at(X, y, [-1, 0, "1/3"]),
        "column": dp.graph.partition_at(X, y, [Fraction(1, 4)], column=1),
        "one": dp.partition(X, y, cells=1),
    }


every = pytest.mark.parametrize("name", declared())


def table(n=40, d=2, seed=0):
    """Records of which some are far outside their bounds, some zero, some alike."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)) * 2, rng.normal(size=n) * 2
    X[: n // 8], y[: n // 8] = 0, 0
    X[n // 2 : n // 2 + 3], y[n // 2 : n // 2 + 3] = 1, 1
    return X, y


def run(statistic, blocks, *, whole=False):
    """The value by the pass that executions make, perhaps in whole steps."""

    def number(formula):
        return float(value(formula, {"d": blocks[0].rows.shape[1]}))

    graph = dp.graph.Graph.of(statistic)
    empty = Block(blocks[0].rows[:0], blocks[0].labels[:0])
    reading = Pass.of(graph, number, empty)
    values = derived(graph, reading.sums, pickle.loads(pickle.dumps(reading))(blocks), number)
    if whole:
        return values[statistic]
    return np.asarray(real(statistic, values, number), dtype=float)


def sums(partition, make):
    """A statistic of every cell."""
    return [make(*partition.cell(j)) for j in range(partition.cells)]


@every
@grids
def test_cells_add_up_to_the_table(name, grid):
    """Counts, X'X, X'y, y'y: on a grid in whole numbers, so that each record is in one cell."""
    X, y = table()
    X, y = X / np.maximum(1, np.linalg.norm(X, axis=1))[:, None], np.clip(y, -Y, Y)
    whole, exact = samples.setting(grid=grid).nodes(), grid is not None
    partition = declared(grid)[name]
    makes = [lambda X, y: X.T @ X, lambda X, y: dp.total(X), lambda X, _: dp.count(X)]
    makes += [] if partition.column is None else [lambda X, y: X.T @ y, lambda X, y: y @ y]
    for make in makes:
        parts = [run(one, [Block(X, y)], whole=exact) for one in sums(partition, make)]
        once = run(make(*whole), [Block(X, y)], whole=exact)
        assert np.all(sum(parts) == once) if grid else np.allclose(sum(parts), once, atol=1e-9)


@every
def test_order_blocks_and_neighbours_do_not_matter(name):
    """The value of a cell is the same to the last bit for any order and cut into blocks, and when
    records outside it come, go, or change.
    """
    X, y = table()
    partition = declared()[name]
    perm = np.random.default_rng(1).permutation(len(y))
    places = cell_of_each(partition, X, y)
    for j in range(partition.cells):
        statistics = [dp.count(partition.cell(j)[0]), partition.cell(j)[0].T @ partition.cell(j)[0]]
        inside = places == j
        for statistic in statistics:
            once = run(statistic, [Block(X, y)])
            cut = [Block(X[perm][a : a + 7], y[perm][a : a + 7]) for a in range(0, len(y), 7)]
            assert np.all(run(statistic, cut) == once)
            assert np.all(run(statistic, [Block(X[inside], y[inside])]) == once)


def cell_of_each(partition, X, y):
    """The cell of each record, one record at a time."""
    counts = [dp.count(partition.cell(j)[0]) for j in range(partition.cells)]
    table = [[run(c, [Block(X[i : i + 1], y[i : i + 1])]) for c in counts] for i in range(len(y))]
    assert np.all(np.sum(table, axis=1) == 1)
    return np.argmax(table, axis=1)


def test_cuts_are_where_they_say():
    """Cell j has the labels with j cuts at most as large; columns likewise."""
    X, y = samples.setting().nodes()
    labels = np.array([-2.0, -1, -0.5, -0.0, 0, 0.2, 1 / 3, 2])
    rows = np.column_stack([np.zeros(8), labels / 2])
    found = cell_of_each(dp.graph.partition_at(X, y, [-1, 0, Fraction(1, 3)]), rows, labels)
    assert found.tolist() == [0, 1, 1, 2, 2, 2, 3, 3]
    of_column = cell_of_each(dp.graph.partition_at(X, y, [0], column=1), rows, labels)
    assert of_column.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    far = dp.graph.partition_at(X, y, [-(10**400), 10**400])
    assert cell_of_each(far, rows, labels).tolist() == [1] * 8


def test_the_hash_is_pinned():
    """The same cells on every machine, for ever: a certificate's partition is what it was."""
    columns = [np.array([0.0, -0.0, 1, -1, 0.1]), np.array([0.0, 0, 2, 2, 1e300])]
    assert hashed(columns, 5, "", 1000).tolist() == PINNED
    assert hashed(columns[::-1], 5, "", 1000).tolist() != PINNED
    assert hashed(columns, 5, "salt", 1000).tolist() != PINNED
    strided = [np.repeat(c, 3)[::3] for c in columns]
    assert hashed(strided, 5, "", 1000).tolist() == PINNED
    assert by_hand(columns, 1000) == PINNED
    assert hashed([], 2, "", 7).tolist() == hashed([], 2, "", 7)[:1].tolist() * 2


PINNED = [602, 602, 826, 113, 607]


def by_hand(columns, cells):
    """The hash in Python's integers."""
    import hashlib
    import struct

    def mixed(z):
        z = (z + 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    found = []
    for record in zip(*columns, strict=True):
        state = int.from_bytes(hashlib.sha256(b"").digest()[:8], "little")
        for number in record:
            state = mixed(state ^ int.from_bytes(struct.pack("<d", number + 0.0), "little"))
        found.append((mixed(state) >> 32) * cells >> 32)
    return found


def test_hashed_cells_are_of_one_size():
    """10,000 records, 10 cells: within 5 standard deviations of 1,000."""
    X = np.random.default_rng(0).normal(size=(10_000, 1))
    counts = np.bincount(hashed([X[:, 0]], 10_000, "", 10), minlength=10)
    assert np.all(abs(counts - 1000) < 150)


@relations
def test_bounds_stay_and_nothing_is_attained(relation):
    """Norms and labels are bounded as before; no claim that some row occurs survives."""
    X, y = samples.setting(relation).nodes()
    rows, labels = dp.partition(X, y, cells=2).cell(1)
    assert (rows.norm, rows.norm1, rows.columns) == (X.norm, X.norm1, X.columns)
    assert labels.bound == y.bound
    assert not any([rows.ball, rows.box, rows.extreme, rows.unit_norm, labels.ball])
    boxed, _ = dp.partition(X.boxed(1), y, cells=2).cell(0)
    assert boxed.entry == X.boxed(1).entry
    for make in (m for kind, m in samples.STATISTICS.items() if answers_of(kind.kind).zero_neutral):
        one = make(rows, labels)
        for norm in Norm:
            found = one.one_row(norm, relation)
            assert found.attained is False if norm is not RANGE else not (found and found.attained)


@relations
def test_the_count_of_a_cell_is_its_own(relation):
    """Not the number of rows; private under both relations; through maps of rows as well."""
    X, y = samples.setting(relation).nodes()
    partition = dp.partition(X, y, cells=3)
    rows, _ = partition.cell(2)
    assert dp.count(rows) == partition.count(2) == dp.count(rows.clip(norm=1).with_intercept())
    assert isinstance(dp.count(X), st.Count)
    moved = partition.count(2).sensitivity(L1)
    assert moved.value == dp.constant(1)


def test_what_is_no_partition_is_refused():
    """At once, with what would be one."""
    X, y = samples.setting().nodes()
    bad = [
        lambda: dp.partition(X, y, cells=0),
        lambda: dp.partition(X, y, cells=1001),
        lambda: dp.partition(X, y, cells=2.0),
        lambda: dp.partition(X, y, cells=True),
        lambda: dp.partition(X, y, cells=2, salt=1),
        lambda: dp.partition(y, X, cells=2),
        lambda: dp.partition(None, y, cells=2),
        lambda: dp.graph.partition_at(X, None, [0]),
        lambda: dp.graph.partition_at(X, y, []),
        lambda: dp.graph.partition_at(X, y, [1, 0]),
        lambda: dp.graph.partition_at(X, y, [0, 0]),
        lambda: dp.graph.partition_at(X, y, "01"),
        lambda: dp.graph.partition_at(X, y, [float("nan")]),
        lambda: dp.graph.partition_at(X, y, [dp.EPSILON]),
        lambda: dp.graph.partition_at(X, y, [0], column=-1),
        lambda: dp.graph.partition_at(X, y, [0], column=True),
        lambda: dp.partition(X, y, cells=3).cell(3),
        lambda: dp.partition(X, y, cells=3).cell(-1),
        lambda: dp.partition(X, y, cells=3).cell(True),
        lambda: dp.partition(X, y, cells=3).count(1.0),
        lambda: Partition((X.T @ X).rows, y, Hashed(2)),  # on its grid
        lambda: st.BlockEstimates(dp.partition(X, None, cells=3), 1, 1),
        lambda: st.BlockEstimates(3, 1, 1),
        lambda: st.BlockEstimates(dp.partition(X, y, cells=3), -1, 1),
        lambda: st.BlockEstimates(dp.partition(X, y, cells=3), 1, 0),
    ]
    for make in bad:
        with pytest.raises((InvalidArgument, TouchesData)):
            make()


def test_a_column_that_is_not_there_is_refused_before_the_table_is_read():
    """The number of columns is public, so this says nothing of the data."""
    X, y = samples.setting().nodes()
    count = dp.graph.partition_at(X, y, [0], column=2).count(0)
    with pytest.raises(NotExecutable, match="column 2"):
        run(count, [Block(*table())])


@attrs.frozen
class Alternating(Assignment):
    """By the place in the table: not a function of the record."""

    kind = "hashed"
    cells = 2

    def places(self, rows, labels):
        return np.arange(len(rows)) % 2

    def record(self):
        return {"cells": 2, "salt": ""}


@attrs.frozen
class Loose(Partition):
    """A partition of one's own."""

    def places(self, values):
        return np.zeros(len(values[self.rows]), dtype=int)


class OfCells(dp.Regression):
    """Counts of two cells."""

    def declare(self, X, y, budget):
        mine = [Partition(X, y, Alternating()), Loose(X, y, Hashed(2))]
        return tuple(dp.release(one.count(0), dp.Laplace.pure, budget) for one in mine[MINE:][:1])


MINE = 0


@pytest.mark.parametrize("which", [0, 1])
def test_cells_by_the_order_of_the_table_are_refused(which, monkeypatch):
    """A class of one's own is not believed, and the file says its name, not the one it gives."""
    monkeypatch.setattr(f"{__name__}.MINE", which)
    with pytest.raises(Uncertified, match="class of your own"):
        dp.certify(OfCells(), target=dp.PureDP(1), setting=samples.setting())
    X, y = samples.setting().nodes()
    assert "Alternating" in Partition(X, y, Alternating()).record()["assignment"]
    assert Partition(X, y, Cut([0])).record() == {
        "assignment": "cut",
        "cuts": ["0"],
        "column": None,
    }
    assert CellRows(dp.partition(X, y, cells=2), 0) == CellRows(dp.partition(X, y, cells=2), 0)
