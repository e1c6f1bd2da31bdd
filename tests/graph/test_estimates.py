"""Rows in a box, and the mean of estimates of cells: how far one record moves them."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.totals import Pass, derived, real
from dpframe.graph.maps.bounds import Box
from dpframe.graph.maps.grid import BoxGrid, Grid, on_a_grid, unit_of_entries
from dpframe.graph.statistics import BlockEstimates
from dpframe.graph.statistics.argmin import inside, ridge
from dpframe.sensitivity import L1, L2, OPERATOR
from dpframe.sources import Block
from tests.support import samples
from tests.support.oracles import value
from tests.support.tables import run, size_of

# ------------------------------------------------------------------- The mean of estimates of cells
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
CELLS = pytest.mark.parametrize("cells", [1, 2, 5])
RADIUS = 0.5


def declared(cells, relation=dp.ADD_REMOVE, penalty="1/1000"):
    """Over hashed cells."""
    X, y = samples.setting(relation).nodes()
    return BlockEstimates(dp.partition(X, y, cells=cells), penalty, RADIUS)


def estimated(statistic, X, y, size=10**6):
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
    before = estimated(statistic, np.array([[x]]), np.array([x]))
    after = estimated(statistic, np.array([[x], [z]]), np.array([x, -z]))
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
        estimated(statistic, np.array([[x] for x, _ in rows]), np.array([x * s for x, s in rows]))
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
    assert np.all(estimated(statistic, X, y) == estimated(statistic, X[perm], y[perm], size=7))


TABLES = {
    "none": (np.zeros((0, 2)), np.zeros(0)),
    "one": (np.ones((1, 2)), np.ones(1)),
    "zeros": (np.zeros((50, 2)), np.zeros(50)),
    "constant": (np.ones((50, 2)), np.ones(50)),
    "twins": (np.repeat(np.linspace(-1, 1, 50)[:, None], 2, axis=1), np.linspace(-1, 1, 50)),
    "near twins": (np.linspace(-1, 1, 50)[:, None] * [1, 1 + 1e-7], np.linspace(-1, 1, 50)),
    "huge": (np.full((5, 2), 1e300) * [1, -1], np.full(5, -1e300)),
    "tiny": (np.full((5, 2), 1e-300), np.full(5, 1e-300)),
}


@pytest.mark.some(1, most=16)
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("penalty", [0, "1e-30", 1, 10**30])
@CELLS
def test_every_table_has_a_finite_mean_inside_the_ball(name, penalty, cells):
    """Singular cells, empty cells, huge rows."""
    found = estimated(declared(cells, penalty=penalty), *TABLES[name])
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
    rng = np.random.default_rng(2)
    for size in (1e-200, 1e-3, 1, 1e5, 1e200):
        for theta in rng.normal(size=(50, 4)) * size:
            found = inside(theta, radius)
            assert sum(Fraction(float(v)) ** 2 for v in found) <= Fraction(radius) ** 2
    assert np.all(inside(np.array([np.nan, 1]), 1) == 0)
    assert np.all(inside(np.array([np.inf, 1]), 1) == 0)


# ------------------------------------------------------------------------------------ Rows in a box
D = {"d": 3, "B": 2}
BITS = (4, 20, 24)


def rows_of(relation=dp.ADD_REMOVE, **facts):
    """Declared rows."""
    y = dp.Column(bound=1)
    return dp.Setting(X=dp.Rows(**facts), y=y, relation=relation).nodes()[0]


def at(formula):
    """A formula at d = 3, B = 2."""
    return float(value(formula, D))


def test_the_facts_of_a_box():
    """|x| <= sqrt(d) B, |x|_1 <= d B, every entry at most B, all of the box possible."""
    rows = rows_of(box=dp.parameter("B"))
    assert type(rows) is Box
    assert at(rows.norm) == pytest.approx(2 * 3**0.5)
    assert at(rows.norm1) == 6
    assert at(rows.entry) == 2
    assert rows.box
    assert rows.extreme
    assert not rows.ball


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
@pytest.mark.parametrize("intercept", [False, True])
def test_squares_of_a_codebook_move_as_in_its_box(relation, intercept):
    """By brute force: the bounds are attained, sqrt(d) in L2 where the norm alone gives d; three
    levels, whose columns are no box, keep those of the norm.
    """
    parts = [dp.Numeric("a", 0, 10), dp.Numeric("b", -1, 3), dp.Categorical("c", ["u", "v"])]
    cells = ([-5, 0, 5, 10, 11], [-1, 1, 3], ["u", "v", None])
    rows = [
        np.concatenate([part.encode(np.array([cell], dtype=object))[0] for part, cell in pairs])
        for pairs in (list(zip(parts, row, strict=True)) for row in itertools.product(*cells))
    ]
    squares = np.array([[*row, *[1.0] * intercept] for row in rows]) ** 2
    others = squares if relation is dp.REPLACE_ONE else np.zeros((1, squares.shape[1]))
    moves = (squares[:, None] - others[None]).reshape(-1, squares.shape[1])
    found = dp.graph.column_squares(rows_of(relation, columns=parts, intercept=intercept))
    for norm, order in ((L1, 1), (L2, 2)):
        bound = float(value(found.one_row(norm, relation).value, {}))
        constant = intercept and relation is dp.REPLACE_ONE  # its square never moves
        room = (4 / 3) ** (1 / order) if constant else 1
        assert np.linalg.norm(moves, order, axis=1).max() * room == pytest.approx(bound)
    wide = rows_of(relation, columns=[*parts, dp.Categorical("e", [1, 2, 3])], intercept=intercept)
    twice = 2**0.5 if relation is dp.REPLACE_ONE else 1
    kept = dp.graph.column_squares(wide).one_row(L2, relation).value
    assert float(value(kept, {})) == pytest.approx((4 + intercept) * twice)


@pytest.mark.parametrize(
    ("facts", "entry", "box"),
    [
        ({"box": 1, "intercept": True}, 1, False),
        ({"box": 2, "intercept": True}, None, False),
        ({"box": 1, "norm": 1}, None, False),
        ({"box": 1, "columns": [dp.Numeric("a", 0, 1), dp.Numeric("b", 0, 1)]}, 1, False),
        ({"box": 2, "columns": [dp.Numeric("a", 0, 1), dp.Numeric("b", 0, 1)]}, None, False),
        (
            {"box": 1, "columns": [dp.Numeric("a", 0, 1), dp.Categorical("b", ["u", "v", "w"])]},
            None,
            False,
        ),
        ({"norm": 1}, None, False),
    ],
)
def test_maps_keep_a_box_or_lose_it(facts, entry, box):
    """Entries are known where the norms follow from them, and nowhere else."""
    rows = rows_of(**facts)
    assert (rows.entry if rows.entry is None else int(rows.entry.value)) == entry
    assert rows.box is box


def test_divided_rows_keep_their_box():
    """A public divisor; a private one loses everything."""
    rows = rows_of(box=2)
    half = rows.scaled(4)
    assert half.entry == dp.constant("1/2")
    assert half.box
    far = rows.scaled(dp.graph.aggregate("std", rows))
    assert far.entry is None
    assert not far.box


def test_smaller_norms_stay_known():
    """A box around rows of a small ball adds nothing to their norms."""
    rows = rows_of(norm=1).boxed(1)
    assert at(rows.norm) == 1
    assert at(rows.norm1) == pytest.approx(3**0.5)
    assert rows.entry is None
    assert type(on_a_grid(rows)) is Grid


def test_entries_are_clipped():
    """Towards zero, and the block is not changed."""
    rows, block = rows_of(box=2), np.array([[3.0, -1.0, 0.0], [-1e300, 2.0, 1e-300]])
    kept = block.copy()
    found = rows.apply(block, lambda formula: float(formula.value))
    assert found.tolist() == [[2.0, -1.0, 0.0], [-2.0, 2.0, 1e-300]]
    assert (block == kept).all()


@pytest.mark.parametrize("bound", [0, -1, "x", float("nan"), dp.parameter("b", -1, 1)])
def test_a_box_has_a_positive_side(bound):
    """What cannot be a bound is refused by name."""
    with pytest.raises(dp.InvalidArgument, match="box"):
        dp.Rows(box=bound)


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("bound", [Fraction(1), Fraction(1, 3), Fraction(10**200), Fraction(1, 7)])
def test_the_grid_rounds_towards_zero_inside_the_box(bits, bound):
    """Whole numbers, at most 2^bits in size; x/q cut off, up to the last bit of the product."""
    grid = BoxGrid(Box(rows_of(norm=1).origin, bound), bits)
    rng = np.random.default_rng(bits)
    special = [0.0, -0.0, 5e-324, -1.7e308, 1.7e308, float(bound), -float(bound)]
    near = [float(np.nextafter(s, t)) for s in special for t in (-np.inf, np.inf) if abs(s) < 1e308]
    block = np.array([*special, *near, *(rng.uniform(-1.1, 1.1, 300) * float(bound))])[:, None]
    steps = grid.apply(block, lambda formula: float(value(formula, {"d": 1})))
    most = 2**bits
    for x, k in zip(block[:, 0], steps[:, 0], strict=True):
        true = Fraction(x) / bound * most
        true = max(-most, min(most, true))
        assert k == int(k)
        assert abs(int(k)) <= most
        slack = abs(true) * Fraction(1, 2**51)  # of scale and product, rounded
        assert abs(true) - 1 - slack <= abs(int(k)) <= abs(true) + slack


def test_corners_lie_on_the_grid():
    """A record at the bounds is one of 2^bits whole steps."""
    grid = on_a_grid(rows_of(box=3))
    steps = grid.apply(np.array([[3.0, -3.0]]), lambda formula: float(value(formula, {})))
    assert steps.tolist() == [[2.0**20, -(2.0**20)]]
    assert at(unit_of_entries(grid)) == 3


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
@pytest.mark.parametrize(
    "facts", [{"box": 1}, {"box": 2, "intercept": True}, {"box": 1, "norm": 1}]
)
def test_no_neighbour_moves_a_statistic_beyond_its_bound(relation, facts):
    """Records far outside the box among them, in every norm, for every statistic of rows."""
    setting = dp.Setting(X=dp.Rows(**facts), y=dp.Column(bound=1), relation=relation)
    X, y = setting.nodes()
    rng = np.random.default_rng(3)
    for statistic in (X.T @ X, X.T @ y, dp.total(X), dp.trace(X.T @ X), dp.lambda_min(X.T @ X)):
        bounds = {n: at(statistic.sensitivity(n).value) for n in (L1, L2, OPERATOR)}
        for _ in range(12):
            come, gone = records(rng, 1), records(rng, int(relation is dp.REPLACE_ONE))
            base = records(rng, 3)
            moved = run(statistic, base, come) - run(statistic, base, gone)
            for norm, bound in bounds.items():
                assert size_of(moved, norm, symmetric=moved.ndim == 2) <= bound * (1 + 1e-9) + 1e-9


def records(rng, n):
    """n records, some of them far outside or at corners."""
    rows = rng.choice([-9.0, -1.0, -0.3, 0.0, 0.5, 1.0, 2.0], size=(n, 3))
    return rows, rng.choice([-5.0, -1.0, 0.0, 0.7, 1.0], size=n)


def test_corners_attain_what_is_called_attained():
    """A corner has the largest norm, so it moves X'X and X'y as far as they are said to move."""
    X, y = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()
    corner, none = (np.ones((1, 3)), np.ones(1)), (np.zeros((0, 3)), np.zeros(0))
    for statistic in (X.T @ X, X.T @ y, dp.total(X), dp.trace(X.T @ X)):
        found = statistic.sensitivity(L2)
        moved = run(statistic, corner) - run(statistic, none)
        assert found.attained
        assert np.linalg.norm(np.ravel(moved)) == pytest.approx(at(found.value), rel=1e-5)
