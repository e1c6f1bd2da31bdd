"""Maps of rows and labels by public and by released numbers; sums of squares and counts of them."""

import itertools

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.maps.residuals import Residuals
from dpframe.graph.maps.scaled import DividedColumns, DividedRecords
from dpframe.graph.statistics import BinCounts, ColumnSquares
from dpframe.sensitivity import L1, L2
from tests.support import samples
from tests.support.oracles import value
from tests.support.tables import run

X, Y = samples.setting(grid=None).nodes()
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
CUTS = (-1, 0, "1/2")


def identity(value):
    """Hands its argument back."""
    return value


RELEASED = dp.post(identity, dp.release(dp.count(X), dp.Gaussian(std=1)))
OTHER = dp.post(identity, dp.release(dp.count(X), dp.Gaussian(std=1)))


def number(formula):
    """The value of a formula, at d = 3."""
    return float(value(formula, {"d": 3}))


def table(n, seed=0):
    """Random rows and labels."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.normal(size=n)


def divided(minus=OTHER, lower="1/4", upper=4):
    """Columns over a released vector."""
    return DividedColumns(X, RELEASED, minus, lower, upper)


def of_records(node, rows, labels, by=None, minus=None):
    """What a map of records gives."""
    values = {X: rows, Y: labels, RELEASED: by, OTHER: minus}
    return node.records(values, number)


# ------------------------------------------------------------------------------------------- maps
def test_public_scales_are_numpys():
    """(x - minus)/by, and [lower, upper] onto [-1, 1]."""
    rows, _ = table(7)
    scaled = X.scaled_columns(by=[1, 2, "1/4"], minus=[0, -1, 3])
    assert np.allclose(scaled.apply(rows, number), (rows - [0, -1, 3]) / [1, 2, 0.25])
    box = X.between([-1, 0, 0], [1, 1, 4])
    unit = box.apply(box.source.apply(rows, number), number)
    assert np.allclose(unit, np.clip((rows - [0, 0.5, 2]) / [1, 0.5, 2], -1, 1))
    assert number(box.norm) == pytest.approx(3**0.5)


def test_public_scales_keep_their_bound():
    """No row of the ball leaves the ball that is declared; some row nearly reaches it."""
    scaled = X.scaled_columns(by=[1, 1, "1/4"], minus=[0, 0, -3])
    rows = np.random.default_rng(1).normal(size=(500, 3))
    rows *= float(samples.NORM) / np.linalg.norm(rows, axis=1, keepdims=True)
    rows[0] = [0, 0, float(samples.NORM)]
    reached = np.linalg.norm(scaled.apply(rows, number), axis=1)
    assert max(reached) <= number(scaled.norm)
    assert max(reached) >= number(scaled.norm) * 0.999


@pytest.mark.parametrize("one", [np.nan, np.inf, -np.inf, 0.0, -3.0, 1e308, 1e-320])
def test_released_scales_stay_inside_their_range(one):
    """Whatever was released, quotients are finite, and the divisor lies in [1/4, 4]."""
    rows, labels = table(5)
    rows[0] = 1e308, -1e308, 0
    by, minus = np.array([1.0, one, 2.0]), np.array([0.0, 1.0, one])
    got = of_records(divided(), rows, labels, by, minus)
    assert np.isfinite(got).all()
    clean = 4.0 if np.isnan(one) else np.clip(one, 0.25, 4)
    assert np.allclose(got[1:, 1], (rows[1:, 1] - 1) / clean)


def test_each_record_is_mapped_by_itself():
    """To the last bit: alone, in a block, in another order."""
    rows, labels = table(40, 2)
    rows[3], rows[4] = 0, 1e200
    by, theta = np.array([0.3, 1.0, 2.0]), np.array([0.1, -0.7, 1e3])
    for node, given in (
        (divided(None), (by, None)),
        (DividedRecords(X, Y), (None, None)),
        (Residuals(X, Y, RELEASED), (theta, None)),
    ):
        whole = of_records(node, rows, labels, *given)
        order = np.random.default_rng(0).permutation(40)
        assert np.array_equal(of_records(node, rows[order], labels[order], *given), whole[order])
        one = [of_records(node, rows[i : i + 1], labels[i : i + 1], *given)[0] for i in range(40)]
        assert np.array_equal(np.array(one), whole)


def test_records_over_row_norms():
    """(x, y)/|x|; a zero row stays; then rows of norm 1 and labels inside their bound."""
    rows, labels = np.array([[3.0, 4, 0], [0, 0, 0], [1e-300, 0, 0]]), np.array([10.0, 7, 5])
    got = of_records(DividedRecords(X, Y), rows, labels)
    assert np.allclose(got[:2], [[0.6, 0.8, 0, 2], [0, 0, 0, 7]])
    assert got[2, 3] == pytest.approx(5e300)
    unit, clipped = dp.graph.divided_records(X, Y, bound=3)
    assert np.array_equal(unit.apply(got, number), got[:, :3])
    assert np.array_equal(clipped.apply(clipped.source.apply(got, number), number), [2, 3, 3])


def test_residuals_are_numpys():
    """y - x'theta, finite whatever overflows; the clipped error moves by at most its bound."""
    rows, labels = table(6)
    theta = np.array([1.0, -2, 0.5])
    got = of_records(Residuals(X, Y, RELEASED), rows, labels, theta)
    assert np.allclose(got[:, 0], labels - rows @ theta)
    far = of_records(Residuals(X, Y, RELEASED), rows * 1e300, labels, theta * 1e300)
    assert np.isfinite(far).all()
    for relation in samples.RELATIONS:
        error = dp.graph.clipped_error(*samples.setting(relation).nodes(), RELEASED, bound=2)
        assert number(error.sensitivity(L1).value) == 4


def test_labels_by_numbers():
    """(y - minus)/by, bounded where nothing is subtracted; never by a number from the data."""
    _, labels = table(5)
    scaled = Y.scaled(4, "1/2")
    assert np.allclose(scaled.apply(labels, number), (labels - 0.5) / 4)
    assert scaled.bound is None
    assert number(Y.scaled(4).bound) == 0.5
    assert Y.scaled(dp.graph.aggregate("max_abs", Y)).bound is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: X.scaled_columns(by=[1, 0]),
        lambda: X.scaled_columns(by=[1, 2], minus=[1]),
        lambda: X.scaled_columns(by="12"),
        lambda: X.between([0, 1], [1, 1]),
        lambda: X.between([0], [1, 1]),
        lambda: X.divided(by=X, lower=1, upper=2),
        lambda: X.divided(by=3, lower=1, upper=2),
        lambda: X.divided(by=RELEASED, lower=0, upper=2),
        lambda: Y.scaled(0),
        lambda: dp.graph.bin_counts(X, [1, 1]),
        lambda: dp.graph.bin_counts(X, []),
        lambda: dp.graph.bin_counts(RELEASED, [1]),
        lambda: dp.graph.clipped_error(X, Y, Y, bound=1),
    ],
)
def test_what_is_no_scale_is_refused_in_words(wrong):
    """A deliberate error with a way out."""
    with pytest.raises(dp.InvalidArgument):
        wrong()


def test_scales_of_another_length_are_refused():
    """One number a column."""
    rows, labels = table(3)
    with pytest.raises(dp.NotExecutable, match="one number a column"):
        of_records(divided(None), rows, labels, np.ones(2))
    with pytest.raises(dp.NotExecutable, match="one number a column"):
        X.scaled_columns(by=[1, 1]).apply(rows, number)


# ------------------------------------------------------------------------------------- statistics
def box(relation):
    """Rows with entries in [-1, 1]."""
    return dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=2), relation=relation).nodes()


def ball(relation):
    """Rows of norm at most 3/2."""
    return samples.setting(relation).nodes()


STATISTICS = {
    "squares, ball": lambda relation: ColumnSquares(ball(relation)[0]),
    "squares, box": lambda relation: ColumnSquares(box(relation)[0]),
    "bins": lambda relation: BinCounts(ball(relation)[0], CUTS),
    "sizes": lambda relation: BinCounts(box(relation)[0], CUTS[1:], absolute=True),
    "bins of labels": lambda relation: BinCounts(ball(relation)[1], CUTS),
}


def pairs(relation):
    """Neighbours: corners, axes, zeros and random rows, far outside the bounds among them."""
    rng = np.random.default_rng(5)
    ends = [np.array(one, dtype=float) for one in itertools.product((-9, 0, 9), repeat=3)]
    ends += list(rng.normal(size=(20, 3)))
    base = rng.normal(size=(4, 3))
    for x, z in itertools.product(ends[::2], ends[:14:2]):
        without = base if relation is dp.ADD_REMOVE else np.vstack([base, z])
        yield np.vstack([base, x]), without


def labelled(rows):
    """Labels that differ where the last rows do."""
    return np.where(rows[:, 0] > 0.2, 5.0, -5.0)


@pytest.mark.parametrize("name", STATISTICS)
@relations
def test_no_neighbours_move_a_statistic_beyond_its_sensitivity(name, relation):
    """And some reach nine tenths of it, or what is attained: a bound twice as large would show."""
    statistic = STATISTICS[name](relation)
    bounds = {norm: number(statistic.sensitivity(norm).value) for norm in (L1, L2)}
    most = dict.fromkeys(bounds, 0.0)
    for one, other in pairs(relation):
        gap = run(statistic, (one, labelled(one))) - run(statistic, (other, labelled(other)))
        most[L1] = max(most[L1], np.sum(np.abs(gap)))
        most[L2] = max(most[L2], np.linalg.norm(gap))
    for norm, bound in bounds.items():
        assert most[norm] <= bound * (1 + 1e-9)
        assert most[norm] >= bound * 0.9


def test_counts_are_whole_however_rows_are_rounded():
    """Exact on every grid, and of rows that nothing bounds."""
    rows, labels = table(30)
    want = [
        np.sum((rows[:, j] > a) & (rows[:, j] <= b))
        for j in range(3)
        for a, b in ((-np.inf, -1), (-1, 0), (0, 0.5), (0.5, np.inf))
    ]
    wide = dp.Setting(X=dp.Rows(norm=100), y=dp.Column(bound=1), relation=dp.ADD_REMOVE).nodes()[0]
    assert np.array_equal(run(BinCounts(wide, CUTS), (rows, labels)), want)
    assert np.array_equal(run(BinCounts(wide.source, CUTS), (rows, labels)), want)
