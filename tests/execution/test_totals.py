import inspect
from fractions import Fraction

import attrs
import numpy as np
import pytest

from dpframe.execution.totals import Pass, derived, real
from dpframe.graph import (
    Categorical,
    Column,
    Graph,
    Numeric,
    Rows,
    Setting,
    partition_at,
    release,
    statistics,
)
from dpframe.graph.statistics import (
    Count,
    Gram,
    Identity,
    LabelSum,
    LambdaMin,
    Moment,
    RawAggregate,
    RowSum,
    Squares,
    Stack,
    Statistic,
    Trace,
)
from dpframe.mechanisms import Gaussian
from dpframe.privacy import ADD_REMOVE
from dpframe.sources import Block
from dpframe.sources.table import Table
from tests.support import oracles

SIZES = [1, 7, 4096]
RNG = np.random.default_rng(3)
TABLES = {
    "ordinary": (RNG.normal(size=(50, 4)), RNG.normal(size=50)),
    "empty": (np.zeros((0, 4)), np.zeros(0)),
    "one row": (RNG.normal(size=(1, 4)), RNG.normal(size=1)),
    "zeros": (np.zeros((9, 4)), np.zeros(9)),
    "constant columns": (np.ones((20, 4)) * [1, 2, 3, 0], np.ones(20)),
}
UPPER = np.triu_indices(4)
WEIGHTS = np.where(UPPER[0] == UPPER[1], 1, np.sqrt(2))


def by_sign(X, y):
    """The records with a label below 0, then the others."""
    return [(X[inside], y[inside]) for inside in (y < 0, y >= 0)]


def ridge(X, y):
    """Ridge regression at penalty 10."""
    return np.linalg.solve(X.T @ X + 10 * np.eye(4), X.T @ y)


# class -> (declaration, plain numpy); every statistic that can be certified is here
STATISTICS = {
    Gram: (lambda X, y: X.T @ X, lambda X, y: X.T @ X),
    Moment: (lambda X, y: X.T @ y, lambda X, y: X.T @ y),
    Squares: (lambda X, y: y @ y, lambda X, y: sum(y**2)),
    Count: (lambda X, y: Count(X), lambda X, y: len(X)),
    RowSum: (lambda X, y: RowSum(X), lambda X, y: X.sum(axis=0)),
    LabelSum: (lambda X, y: LabelSum(y), lambda X, y: sum(y)),
    Trace: (lambda X, y: Trace(X), lambda X, y: np.sum(X**2)),
    LambdaMin: (
        lambda X, y: LambdaMin(X.T @ X),
        lambda X, y: np.min(np.linalg.svd(np.vstack([X, np.zeros((4, 4))]))[1]) ** 2,
    ),
    statistics.Linear: (
        lambda X, y: 2 * (X.T @ y) - RowSum(X) / 4,
        lambda X, y: 2 * X.T @ y - X.sum(axis=0) / 4,
    ),
    statistics.ColumnSquares: (
        lambda X, y: statistics.ColumnSquares(X),
        lambda X, y: np.sum(X**2, axis=0),
    ),
    statistics.NormCounts: (
        lambda X, y: statistics.NormCounts(X, (Fraction(1, 3), Fraction(7, 10))),
        lambda X, y: [
            sum((np.linalg.norm(X, axis=1) > 1 / 3) & (np.linalg.norm(X, axis=1) <= 0.7)),
            sum(np.linalg.norm(X, axis=1) > 0.7),
        ],
    ),
    statistics.BinnedSums: (
        lambda X, y: statistics.BinnedSums(X, y, (0, "1/2")),
        lambda X, y: [
            v
            for inside in (y <= 0, (y > 0) & (y <= 1 / 2), y > 1 / 2)
            for v in X[inside].sum(axis=0)
        ],
    ),
    statistics.Factored: (
        lambda X, y: statistics.Factored(statistics.BinCounts(y, (0, "1/2")), "tree"),
        lambda X, y: [
            *(n := [sum(y <= 0), sum((y > 0) & (y <= 1 / 2)), sum(y > 1 / 2)]),
            n[0] + n[1],
            n[2],
            len(y),
        ],
    ),
    statistics.MedianDistance: (
        lambda X, y: statistics.MedianDistance(statistics.BinCounts(y, (0, "1/2")), 1),
        lambda X, y: sum((y > 0) & (y <= 1 / 2)) + abs(sum(y <= 0) - sum(y > 1 / 2)),
    ),
    statistics.BinCounts: (
        lambda X, y: statistics.BinCounts(X, (0, 1)),
        lambda X, y: [n for x in X.T for n in (sum(x <= 0), sum((x > 0) & (x <= 1)), sum(x > 1))],
    ),
    statistics.SufficientStatistics: (
        lambda X, y: statistics.SufficientStatistics(X, y, constant=True),
        lambda X, y: np.concatenate([(X.T @ X)[UPPER], X.T @ y, [y @ y]]),
    ),
    statistics.Monomials: (
        lambda X, y: statistics.Monomials(statistics.SufficientStatistics(X, y)),
        lambda X, y: np.concatenate([(X.T @ X)[UPPER] * WEIGHTS**2, -2 * X.T @ y]),
    ),
    statistics.Histogram: (
        lambda X, y: statistics.Histogram(X, y, 2),
        lambda X, y: np.histogramdd(np.column_stack([X, y]), bins=[[-1, 0, 1]] * 5)[0].ravel(),
    ),
    statistics.CellCount: (
        lambda X, y: partition_at(X, y, [0]).count(1),
        lambda X, y: sum(y >= 0),
    ),
    statistics.CellSums: (
        lambda X, y: statistics.CellSums(partition_at(X, y, [0])),
        lambda X, y: np.concatenate(
            [part for Z, t in by_sign(X, y) for part in ((Z.T @ Z)[UPPER], Z.T @ t)]
        ),
    ),
    statistics.BlockEstimates: (
        lambda X, y: statistics.BlockEstimates(partition_at(X, y, [0]), 10, "1/4"),
        lambda X, y: sum(clip(ridge(*part)[None], 0.25)[0] for part in by_sign(X, y)) / 2,
    ),
    statistics.LogResidual: (
        lambda X, y: statistics.LogResidual(X.T @ X, X.T @ y, 10),
        lambda X, y: np.log(1 + np.linalg.norm(ridge(X, y))),
    ),
    Stack: (
        lambda X, y: Stack((X.T @ X, X.T @ y, y @ y)),
        lambda X, y: np.concatenate([(X.T @ X)[UPPER] * WEIGHTS, X.T @ y, [y @ y]]),
    ),
}

ON_A_GRID = {
    statistics.SufficientStatistics,
    statistics.Monomials,
    statistics.Histogram,
    statistics.CellSums,
    statistics.BlockEstimates,
}

# row map -> (declaration, plain numpy)
ROW_MAPS = {
    "clip to a smaller ball": (lambda X: X.clip(norm="1/2"), lambda X: clip(X, 0.5)),
    "normalize": (
        lambda X: X.normalized(),
        lambda X: np.array([unit(x) for x in X]).reshape(X.shape),
    ),
    "intercept": (
        lambda X: X.with_intercept("1/4"),
        lambda X: np.hstack([X, np.full((len(X), 1), 0.25)]),
    ),
    "scale": (lambda X: X.scaled(8), lambda X: X / 8),
    "box": (lambda X: X.boxed("1/4"), lambda X: np.clip(X, -0.25, 0.25)),
    "all": (
        lambda X: X.scaled("1/4").with_intercept().clip(norm=2).normalized(),
        lambda X: np.array(
            [unit(x) for x in clip(np.hstack([X * 4, np.ones((len(X), 1))]), 2)]
        ).reshape(-1, 5),
    ),
}


def clip(X, norm):
    """Projection onto the ball, the plain way."""
    return X * np.minimum(1, norm / np.maximum(np.linalg.norm(X, axis=1), 1e-300))[:, None]


def unit(x):
    """x/|x|, or the first unit vector."""
    return x / np.linalg.norm(x) if np.any(x) else np.eye(len(x))[0]


def number(formula):
    """The value of a formula for these tables, of 4 columns."""
    return float(oracles.value(formula, {"d": 4}))


def values_of(declared, table, setting, size):
    """The values of everything below one declared statistic, in blocks of `size` rows."""
    graph = Graph.of(release(declared, Gaussian(std=1)))
    source = Table.of(setting, *table, drop=False)
    (empty,) = source.window(0, 0).blocks()
    work = Pass.of(graph, number, Block(empty.rows, empty.labels))
    values = derived(graph, work.sums, work(source.blocks(size)), number)
    return {node: np.asarray(real(node, values, number), dtype=float) for node in values}


def value(declared, table, setting, size):
    """The value of one declared statistic."""
    return values_of(declared, table, setting, size)[declared]


@pytest.fixture(params=[None, 20, 24])
def grid(request):
    """Without a grid, and on two."""
    return request.param


@pytest.fixture
def slack(grid):
    """What 50 rows of at most 5 columns may be off by: rounding, or a few steps each."""
    return 1e-13 if grid is None else 50 * 6 * 2.0**-grid


@pytest.fixture
def setting(setting, grid):
    """The shared setting, on the grid."""
    return attrs.evolve(setting, grid=grid)


OTHERS = {statistics.Argmin, statistics.TestedMedian}  # searched for; released if a test passes


def test_every_statistic_is_compared_with_numpy():
    """A new statistic without a line in this file is noticed; the refused ones are never run."""
    classes = {
        one
        for one in vars(statistics).values()
        if inspect.isclass(one) and issubclass(one, Statistic)
    }
    final = {one for one in classes if not inspect.isabstract(one)}
    assert final == {*STATISTICS, Identity, RawAggregate, *OTHERS}


@pytest.mark.some(1, most=60)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize(("declare", "plain"), STATISTICS.values(), ids=lambda pair: "")
def test_a_statistic_is_what_numpy_says_in_blocks_of_any_size(
    *, declare, plain, table, size, setting, slack
):
    """Clipped rows and labels, summed by blocks, against the whole table at once."""
    X, y = setting.nodes()
    wanted = plain(clip(table[0], 1.0), np.clip(table[1], -1, 1))
    declared = declare(X, y)
    got = value(declared, table, setting, size)
    assert got.shape == np.shape(wanted)
    off = 50 * 6 * 2.0**-20 if type(declared) in ON_A_GRID else 0  # whatever the setting asks for
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=max(slack, off))


@pytest.mark.some(1, most=40)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize(("declare", "plain"), ROW_MAPS.values(), ids=ROW_MAPS)
def test_a_row_map_is_what_numpy_says_in_blocks_of_any_size(
    *, declare, plain, table, size, setting, slack
):
    """Every map of rows, and a chain of all of them, seen through X'X."""
    X, _ = setting.nodes()
    mapped = declare(X)
    wanted = plain(clip(table[0], 1.0))
    got = value(mapped.T @ mapped, table, setting, size)
    np.testing.assert_allclose(got, wanted.T @ wanted, rtol=1e-12, atol=slack)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("column", "plain"),
    [
        (Column(bound="1/2"), lambda y: np.clip(y, -0.5, 0.5)),
        (Column(lower=0, upper=4), lambda y: (np.clip(y, 0, 4) - 2) / 2),
    ],
    ids=["bound", "interval"],
)
def test_a_column_map_is_what_numpy_says_in_blocks_of_any_size(column, plain, size):
    """Clipping of labels, and an interval mapped onto [-1, 1], seen through their sum."""
    setting = Setting(X=Rows(norm=1), y=column, relation=ADD_REMOVE, grid=None)
    table = TABLES["ordinary"]
    got = value(LabelSum(setting.nodes()[1]), table, setting, size)
    np.testing.assert_allclose(got, plain(table[1]).sum(), rtol=1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_a_codebook_scales_and_encodes_in_blocks_of_any_size(size):
    """Numbers onto [-1, 1], two levels as -1 and 1, anything else as 0."""
    schema = [Numeric("age", 0, 10), Categorical("sector", ["a", "b"], unknown="zeros")]
    setting = Setting(X=Rows(columns=schema), relation=ADD_REMOVE, grid=None)
    ages, sectors = [0, 5, 10, 20, -3], ["a", "b", "c", None, "a"]
    rows = np.array(
        [[age, sector] for age, sector in zip(ages, sectors, strict=True)], dtype=object
    )
    encoded = np.array([[-1, -1], [0, 1], [1, 0], [1, 0], [-1, -1]])
    X, _ = setting.nodes()
    got = value(X.T @ X, (rows, None), setting, size)
    np.testing.assert_array_equal(got, encoded.T @ encoded)


def test_two_clips_of_one_source_are_two_views(setting, slack):
    """Maps of the same rows do not write over each other."""
    X, _ = setting.nodes()
    source = X.source
    small, large = source.clip(norm="1/10"), source.clip(norm=100)
    table = TABLES["ordinary"]
    both = Stack((small.T @ small, large.T @ large, X.T @ X))
    values = values_of(both, table, setting, 8)
    for rows, norm in ((small, 0.1), (large, 100), (X, 1)):
        wanted = clip(table[0], norm)
        off = slack * max(1, norm**2)
        np.testing.assert_allclose(values[rows.T @ rows], wanted.T @ wanted, rtol=1e-12, atol=off)


def test_a_gram_matrix_is_symmetric_to_the_bit(setting):
    """Noise that is symmetric makes a release that is."""
    X, _ = setting.nodes()
    gram = value(X.T @ X, TABLES["ordinary"], setting, 7)
    np.testing.assert_array_equal(gram, gram.T)


def test_bounds_are_exact_fractions_until_they_are_used():
    """A bound of 1/3 clips at a double not above one third."""
    setting = Setting(X=Rows(norm=Fraction(1, 3)), y=None, relation=ADD_REMOVE, grid=None)
    X, _ = setting.nodes()
    trace = value(Trace(X), (np.full((1, 1), 5.0), None), setting, 1)
    assert trace == pytest.approx(1 / 9, rel=1e-15)
