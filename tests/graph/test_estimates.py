"""The mean of estimates of cells: what it is, and how far one record moves it."""

from __future__ import annotations

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.totals import Pass, derived, real
from dpframe.graph.statistics import BlockEstimates
from dpframe.graph.statistics.estimates import inside, ridge
from dpframe.sensitivity import L1, L2
from dpframe.sources import Block
from tests.support import samples
from tests.support.oracles import value

relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
CELLS = pytest.mark.parametrize("cells", [1, 2, 5])
RADIUS = 0.5


def declared(cells, relation=dp.ADD_REMOVE, penalty="1/1000"):
    """Over hashed cells."""
    X, y = samples.setting(relation).nodes()
    return BlockEstimates(dp.partition(X, y, cells=cells), penalty, RADIUS)


def run(statistic, X, y, size=10**6):
    """The value by the pass that executions make, in blocks of this size."""

    def number(formula):
        return float(value(formula, {"d": X.shape[1]}))

    blocks = [Block(X[a : a + size], y[a : a + size]) for a in range(0, max(len(y), 1), size)]
    reading = Pass.of(dp.graph.Graph.of(statistic), number, Block(X[:0], y[:0]))
    values = derived(dp.graph.Graph.of(statistic), reading.sums, reading(blocks), number)
    return np.asarray(real(statistic, values, number), dtype=float)


def stated(statistic, norm, d):
    """The sensitivity in numbers."""
    return float(value(statistic.sensitivity(norm).value, {"d": d}))


@relations
@CELLS
def test_the_sensitivity_is_what_the_page_says(relation, cells):
    """2R/k, twice that for a replaced record that may change its cell; sqrt(d) times in L1."""
    changed = 1 if relation is dp.ADD_REMOVE else min(2, cells)
    statistic = declared(cells, relation)
    assert np.isclose(stated(statistic, L2, 3), changed * 2 * RADIUS / cells)
    assert np.isclose(stated(statistic, L1, 4), 2 * changed * 2 * RADIUS / cells)


def record(statistic, cell, slope, low):
    """A record (x, slope x) of a cell, x from `low` up."""
    places = statistic.sums.partition.assignment.places
    tried = np.linspace(low, low * 1.4, 500)[:, None]
    found = places(tried, slope * tried[:, 0])
    return float(tried[np.argmax(found == cell), 0])


@CELLS
def test_a_record_that_comes_turns_an_estimate_round(cells):
    """Added: one estimate from R to -R, 2R/k."""
    statistic = declared(cells, dp.ADD_REMOVE, penalty=0)
    x, z = record(statistic, 0, 1, 0.05), record(statistic, 0, -1, 1)
    before = run(statistic, np.array([[x]]), np.array([x]))
    after = run(statistic, np.array([[x], [z]]), np.array([x, -z]))
    bound = stated(statistic, L2, 1)
    assert np.isclose((before - after)[0], bound, rtol=1e-6)
    assert (before - after)[0] <= bound


@pytest.mark.parametrize("cells", [2, 5])
def test_a_record_that_changes_its_cell_turns_two_round(cells):
    """Replaced: one estimate from -R to R, another as well: 4R/k, twice what was printed."""
    statistic = declared(cells, dp.REPLACE_ONE, penalty=0)
    base = [(record(statistic, 0, 1, 0.05), 1), (record(statistic, 1, -1, 0.05), -1)]
    gone, come = (record(statistic, 0, -1, 1), -1), (record(statistic, 1, 1, 1), 1)
    before, after = (
        run(statistic, np.array([[x] for x, _ in rows]), np.array([x * s for x, s in rows]))
        for rows in ([*base, gone], [*base, come])
    )
    bound = stated(statistic, L2, 1)
    assert np.isclose((after - before)[0], bound, rtol=1e-6)
    assert (after - before)[0] <= bound
    assert (after - before)[0] > 1.99 * 2 * RADIUS / cells


def test_order_and_blocks_do_not_matter():
    """The sums of cells are whole numbers: the mean is the same to the last bit."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300)
    statistic, perm = declared(4), rng.permutation(300)
    assert np.all(run(statistic, X, y) == run(statistic, X[perm], y[perm], size=7))


TABLES = {
    "none": (np.zeros((0, 2)), np.zeros(0)),
    "one": (np.ones((1, 2)), np.ones(1)),
    "zeros": (np.zeros((50, 2)), np.zeros(50)),
    "constant": (np.ones((50, 2)), np.ones(50)),
    "twins": (np.repeat(np.linspace(-1, 1, 50)[:, None], 2, axis=1), np.linspace(-1, 1, 50)),
    "near twins": (
        np.linspace(-1, 1, 50)[:, None] * [1, 1 + 1e-7],
        np.linspace(-1, 1, 50),
    ),
    "huge": (np.full((5, 2), 1e300) * [1, -1], np.full(5, -1e300)),
    "tiny": (np.full((5, 2), 1e-300), np.full(5, 1e-300)),
}


@pytest.mark.some(1, most=16)
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("penalty", [0, "1e-30", 1, 10**30])
@CELLS
def test_every_table_has_a_finite_mean_inside_the_ball(name, penalty, cells):
    """Singular cells, empty cells, huge rows."""
    found = run(declared(cells, penalty=penalty), *TABLES[name])
    assert found.shape == (2,)
    assert np.linalg.norm(found) <= RADIUS


def test_a_cell_is_solved_as_numpy_solves_it():
    """And one that is singular is zeros."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(9, 3)), rng.normal(size=9)
    sums = np.concatenate([(X.T @ X)[np.triu_indices(3)], X.T @ y])
    system = X.T @ X + 0.7 * np.eye(3)
    assert np.allclose(ridge(sums[None], 0.7)[0], np.linalg.solve(system, X.T @ y))
    assert np.allclose(ridge(sums[None], 0.0)[0], np.linalg.lstsq(X, y)[0])
    assert np.isnan(ridge(np.zeros((1, 9)), 0.0)).all()
    assert np.isnan(ridge(sums[None], np.inf)).all()


@pytest.mark.parametrize("radius", [1e-150, 0.5, 1e150])
def test_the_ball_is_never_left(radius):
    """In exact arithmetic of the doubles that come out."""
    from fractions import Fraction

    rng = np.random.default_rng(2)
    for size in (1e-200, 1e-3, 1, 1e5, 1e200):
        for theta in rng.normal(size=(50, 4)) * size:
            found = inside(theta, radius)
            assert sum(Fraction(float(v)) ** 2 for v in found) <= Fraction(radius) ** 2
    assert np.all(inside(np.array([np.nan, 1]), 1) == 0)
    assert np.all(inside(np.array([np.inf, 1]), 1) == 0)
