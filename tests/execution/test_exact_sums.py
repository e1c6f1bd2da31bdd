"""Exact statistics are Python's integers, whatever the rows, blocks, order and workers.

The oracle multiplies and adds the rows' whole numbers as Python integers.
"""

from __future__ import annotations

import itertools
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.totals import (
    BLOCKS,
    HELD,
    IntegerSum,
    Pass,
    added,
    derived,
    in_doubles,
    largest,
)
from dpframe.graph import Graph
from dpframe.numerics.blocks.gridding import onto_grid
from dpframe.sources import Block, open_source

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
FINE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE, grid=24)


def tables(d: int, n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Ordinary rows, and those that make sums as large, as alternating and as odd as they get."""
    rng = np.random.default_rng(d)
    flat = np.full((n, d), 1 / np.sqrt(d))
    axis = np.zeros((n, d))
    axis[:, 0] = 1.0
    odd = np.resize([(2.0**52 + 1) / 2**52, 5e-324, -1.0, 2.0**52 + 1, 0.0, 1e308], (n, d))
    signs = np.where(np.arange(n) % 2, 1.0, -1.0)
    return {
        "random": (rng.normal(size=(n, d)) / np.sqrt(d), rng.normal(size=n)),
        "all at the bound": (flat, np.ones(n)),
        "all on one axis": (axis, np.ones(n)),
        "alternating signs": (flat * signs[:, None], signs),
        "odd doubles": (odd, np.resize([1.0, -5e-324, 2.0**52 + 1, 1 - 2.0**-53], n)),
    }


def truth(X: np.ndarray, y: np.ndarray, bits: int) -> dict[str, list]:
    """The statistics as Python integers."""
    rows = [[int(k) for k in row] for row in onto_grid(X, 2.0**bits, bits)]
    labels = [max(-(2**bits), min(2**bits, int(v * 2.0**bits))) for v in y]
    columns = list(zip(*rows, strict=True))
    return {
        "X'X": [[sum(a * b for a, b in zip(u, v, strict=True)) for u in columns] for v in columns],
        "X'y": [sum(a * b for a, b in zip(u, labels, strict=True)) for u in columns],
        "y'y": sum(k * k for k in labels),
        "sum(X)": [sum(u) for u in columns],
        "sum(y)": sum(labels),
        "trace(X'X)": sum(a * a for u in columns for a in u),
        "n": len(rows),
    }


def reading(setting: dp.Setting, d: int) -> tuple[Graph, Pass]:
    """A pass over every exact sum that there is."""
    X, y = setting.nodes()
    gram = X.T @ X
    graph = Graph.of((gram, X.T @ y, y @ y, dp.total(X), dp.total(y), dp.trace(gram), dp.count(X)))
    return graph, Pass.of(graph, number, Block(np.empty((0, d)), np.empty(0)))


def number(formula) -> float:
    """A number, as a double."""
    return float(formula)


def found(graph: Graph, work: Pass, sums) -> dict[str, list]:
    """The pass's whole numbers, by the statistics' names."""
    values = derived(graph, work.sums, sums, number)
    return {node.label: np.asarray(values[node]).tolist() for node in graph.statistics}


@pytest.mark.parametrize("name", tables(3, 4))
@pytest.mark.parametrize("d", [1, 3, 8])
def test_sums_are_python_integers(name, d):
    """For every table, in one block and in blocks of every size."""
    X, y = tables(d, 700)[name]
    graph, work = reading(SETTING, d)
    expected = truth(X, y, 20)
    for size in (1, 7, 256, 700):
        blocks = [Block(X[s : s + size], y[s : s + size]) for s in range(0, 700, size)]
        assert found(graph, work, work(blocks)) == expected


def test_eight_thousand_rows_at_the_bound_fill_a_double():
    """8,192 rows of 20 bits on one axis have X'X = 2^53 in one product; 8,193 are cut in two."""
    graph, work = reading(SETTING, 2)
    for n in (8192, 8193, 20_000):
        X, y = np.tile([1.0, 0.0], (n, 1)), np.ones(n)
        assert found(graph, work, work([Block(X, y)]))["X'X"] == [[n * 4**20, 0], [0, 0]]


def test_finer_grids_are_cut_into_smaller_pieces():
    """At 24 bits a product has 32 rows."""
    X, y = tables(3, 300)["all at the bound"]
    graph, work = reading(FINE, 3)
    assert work.most == 32
    assert found(graph, work, work([Block(X, y)])) == truth(X, y, 24)


def test_words_are_carried_long_before_they_overflow():
    """Five times the blocks that a word takes, each at its largest."""
    total = IntegerSum()
    for sign in (1.0, -1.0, 1.0):
        for _ in range(5 * BLOCKS):
            total.add(np.array([sign * 2.0**53, 1.0]))
    assert total.total().tolist() == [5 * BLOCKS * 2**53, 15 * BLOCKS]
    assert total.total().dtype == object


def test_order_and_workers_do_not_matter():
    """Shuffled rows, threads and processes give the same integers."""
    X, y = tables(5, 60_000)["random"]
    graph, work = reading(SETTING, 5)
    order = np.random.default_rng(0).permutation(len(y))
    results = [found(graph, work, work([Block(X, y)]))]
    for rows, labels in ((X, y), (X[order], y[order]), (np.asfortranarray(X), y)):
        source = open_source(SETTING, rows, labels, drop=False)
        results.append(found(graph, work, source.total(work)))
        with ThreadPoolExecutor(3) as threads:
            results.append(found(graph, work, source.total(work, executor=threads)))
    with ProcessPoolExecutor(2) as processes:
        results.append(found(graph, work, source.total(work, executor=processes)))
    assert all(result == results[0] for result in results)


def test_neighbours_never_move_a_sum_beyond_its_bound():
    """Tables whose sums of doubles depend on which row is absent."""
    graph, work = reading(SETTING, 1)
    for values in ([2.0**52, 2.0**52 + 1], [2.0**-53, 1.0, 2.0**-53], np.full(1024, 2.0**-53)):
        X = np.array(values)[:, None]
        y = np.zeros(len(X))
        for i in range(len(X)):
            rest = np.delete(X, i, axis=0)
            whole = found(graph, work, work([Block(X, y)]))
            less = found(graph, work, work([Block(rest, y[1:])]))
            assert abs(whole["sum(X)"][0] - less["sum(X)"][0]) <= 2**20
            assert abs(whole["X'X"][0][0] - less["X'X"][0][0]) <= 4**20


LOW, HIGH = 2.0**52, 2.0**52 + 1


def test_labels_in_a_narrow_interval_move_their_sum_by_one_label():
    """The published attack: y in [2^52, 2^52 + 1], one of n labels replaced, at every place."""
    setting = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column(lower=LOW, upper=HIGH), relation=dp.REPLACE_ONE
    )
    graph = Graph.of(dp.total(setting.nodes()[1]))
    work = Pass.of(graph, number, Block(np.empty((0, 1)), np.empty(0)))
    for n, high in ((2, 1), (8, 5), (1024, 700)):
        y = np.where(np.arange(n) < high, HIGH, LOW)
        sums = [int(work([Block(np.zeros((n, 1)), y)]).parts[0])]
        for i in (0, high - 1, high, n - 1):
            other = y.copy()
            other[i] = LOW if y[i] == HIGH else HIGH
            sums.append(int(work([Block(np.zeros((n, 1)), other)]).parts[0]))
        assert {abs(one - sums[0]) for one in sums[1:]} == {2 * 2**20}


EDGE = 2**62 - 1


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("one", [[0, 1], [EDGE, -EDGE], [2**61, -(2**61)], [10**30, -(10**30)]])
@pytest.mark.parametrize("other", [[0, -1], [1, -1], [EDGE, EDGE], [-EDGE, EDGE], [-(10**30), 7]])
def test_words_never_wrap(one, other):
    """Sums in words or in Python integers are the same whole numbers, whatever stands in which."""
    expected = [a + b for a, b in zip(one, other, strict=True)]
    for mine, its in itertools.product(held(one), held(other)):
        total = added(mine, its)
        assert total.tolist() == expected
        assert total.dtype == object or largest(total) < 2**62


def held(whole: list[int]) -> list[np.ndarray]:
    """Whole numbers as Python integers, and as words where they fit."""
    fits = max(map(abs, whole)) < 2**62
    return [np.array(whole, dtype=kind) for kind in ([object, np.int64] if fits else [object])]


def test_doubles_are_added_as_doubles():
    """They are no whole numbers."""
    assert added(np.array([0.5]), np.array([0.25])).tolist() == [0.75]


def summed(parts):
    """Their running sum, at the end."""
    total = IntegerSum()
    for part in parts:
        total.add(np.array(part))
    return total.total()


@pytest.mark.parametrize("part", [[0.5], [2.0**53 + 2], [-(2.0**54)], [np.nan], [np.inf], [1e300]])
def test_what_is_not_whole_is_refused(part):
    """A statistic with a step that is not what it says, wherever it stands among the parts."""
    for before, after in itertools.product((0, 1, HELD - 1, HELD), (0, 1, HELD)):
        with pytest.raises(dp.NotExecutable, match="whole numbers, below 2\\^53"):
            summed([*[[1.0]] * before, part, *[[1.0]] * after])


def test_parts_of_any_kind_and_size_are_added_as_they_were():
    """Words, integers and doubles in turn, in memory that is used again, more than are held."""
    rng, shared = np.random.default_rng(0), np.empty(3)
    for size in ((), (3,), (40, 40), (300, 300)):
        total, expected = IntegerSum(), np.zeros(size, dtype=object)
        for turn in range(2 * HELD + 5):
            part = np.asarray(rng.integers(-(2**53), 2**53, size))
            kind = (np.int64, float, float, object)[turn % 4]
            held = shared if size == (3,) and kind is float else np.empty(size, dtype=kind)
            held[...] = part
            total.add(held)
            expected = expected + np.asarray(part).astype(object)
        assert np.array_equal(np.asarray(total.total()).astype(object), expected)


def test_words_do_not_pass_through_doubles():
    """2^53 + 1 as a whole number, which would be 2^53 as a double."""
    assert summed([[2**53 + 1]]).tolist() == [2**53 + 1]


def test_a_sum_that_was_given_is_not_changed():
    """Adding goes on beside it."""
    total = IntegerSum()
    total.add(np.array([1.0, -2.0]))
    before = total.total()
    total.add(np.array([1.0, 1.0]))
    assert before.tolist() == [1, -2]
    assert total.total().tolist() == [2, -1]


def test_noise_of_any_size_is_added_exactly():
    """To words and to Python integers: the doubles are those of Python's sums."""
    rng = np.random.default_rng(0)
    whole = rng.integers(-EDGE, EDGE, 1000)
    for noise in (rng.integers(-EDGE, EDGE, 1000), whole.astype(object) * 10**20, -whole):
        expected = [float(int(a) + int(b)) for a, b in zip(whole, noise, strict=True)]
        for held in (whole, whole.astype(object)):
            assert in_doubles(added(held, noise), 1.0).tolist() == expected
