"""Losses and the gradients of records: right, finite, and how far they move."""

import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.totals import Pass
from dpframe.graph import procedure as ob
from dpframe.graph.maps.grid import Grid
from dpframe.graph.maps.residuals import Gradient
from dpframe.graph.statistics import RowSum
from dpframe.numerics.blocks.gridding import margins
from dpframe.sensitivity import L1, L2
from dpframe.sources.table import Block
from dpframe.symbols import constant
from tests.support import samples
from tests.support.oracles import value

# ------------------------------------------------------------------------------------------- Losses
LOSSES = samples.final_subclasses(ob.Objective)
every = pytest.mark.parametrize("loss", [samples.OBJECTIVES[cls] for cls in LOSSES], ids=str)
B, Y, R = 1.5, 2.0, 3.0
BOUNDS = ob.Bounds(*map(constant, ("3/2", 2, 3)))
FORMULAS = {  # by definition, at 50 digits
    "squared": lambda t, y: (t - y) ** 2 / 2,
    "logistic": lambda t, y: mpmath.log(1 + mpmath.exp(-y * t)),
    "huber": lambda t, y: (t - y) ** 2 / 2 if abs(t - y) <= 1 else abs(t - y) - mpmath.mpf(1) / 2,
}


def number(formula):
    """The value of a formula."""
    return float(value(formula, {}))


def at(loss, margins, labels):
    """The three arrays."""
    return loss.at(np.asarray(margins, dtype=float), np.asarray(labels, dtype=float), number)


def grid():
    """Margins and labels within the bounds, ends included."""
    margins, labels = np.meshgrid(np.linspace(-B * R, B * R, 181), np.linspace(-Y, Y, 41))
    return margins.ravel(), labels.ravel()


def test_every_loss_is_exported_and_has_a_sample():
    """Walking the package finds nothing that is not listed."""
    assert samples.complaints(LOSSES, samples.OBJECTIVES, dp.graph) == []
    assert set(samples.OBJECTIVES) == set(LOSSES)


@every
def test_value_slope_and_curvature_fit_together(loss):
    """The value is the formula's, its derivative the slope, whose derivative is the curvature."""
    formula = FORMULAS[loss.kind]
    rng = np.random.default_rng(1)
    for t, y in zip(rng.uniform(-4.5, 4.5, 60), rng.uniform(-2, 2, 60), strict=True):
        got = [float(part[0]) for part in at(loss, [t], [y])]
        with mpmath.workdps(50):
            label, margin = mpmath.mpf(float(y)), mpmath.mpf(float(t))
            want = [mpmath.diff(lambda s, v=label: formula(s, v), margin, k) for k in (0, 1, 2)]
        assert np.allclose(got, [float(part) for part in want], rtol=1e-12, atol=1e-12)


@every
def test_slopes_and_curvatures_reach_their_bounds_and_stay_inside(loss):
    """Over the whole rectangle: never above, and within a tenth somewhere."""
    _, slopes, curvatures = at(loss, *grid())
    steepest, bent = number(loss.slope(BOUNDS)), number(loss.curvature(BOUNDS))
    assert 0.9 * steepest <= np.abs(slopes).max() <= steepest * (1 + 1e-12)
    assert 0.9 * bent <= curvatures.max() <= bent * (1 + 1e-12)
    assert curvatures.min() >= 0


@every
def test_nothing_overflows(loss):
    """Huge margins, zero and one or no record: finite values of the right shapes."""
    for points in ([0.0], [1e6, -1e6, 1e-300], []):
        parts = at(loss, points, np.full(len(points), 2.0))
        assert all(part.shape == (len(points),) for part in parts)
        assert all(np.isfinite(part).all() for part in parts)


@every
def test_without_a_radius_a_slope_is_a_true_bound_or_none(loss):
    """Margins of any size: the squared loss has no bound, the others keep theirs."""
    free = ob.Bounds(BOUNDS.row, BOUNDS.label)
    slope, moves = (
        loss.slope(free),
        (loss.added(free, constant(1)), loss.replaced(free, constant(1))),
    )
    assert (slope is None) is (moves == (None, None)) is (loss.kind == "squared")
    if slope is not None:
        assert np.abs(at(loss, [1e9, -1e9], [2.0, 2.0])[1]).max() <= number(slope)


# ----------------------------------------------------------------------------- Gradients of records
D = 3
SMALL, LARGE = 5e-324, 1.7e308


def setting(relation=dp.ADD_REMOVE, norm=2, bound=3):
    """A table."""
    return dp.Setting(X=dp.Rows(norm=norm), y=dp.Column(bound=bound), relation=relation)


def gradients(loss=None, clip=1, relation=dp.ADD_REMOVE, **bounds):
    """The point of a loop, and the sum of the gradients there."""
    X, y = setting(relation, **bounds).nodes()
    point = dp.iterate(X.columns)
    return point, dp.graph.gradient(X, y, at=point, clip=clip, loss=loss)


def number_in_3d(formula):
    """The value of a formula; d is 3."""
    return float(formula.substitute({"d": dp.constant(D)}).value)


def each(node, rows, labels, theta):
    """The gradients, one a record."""
    values = {node.source: rows, node.column: labels, node.point: np.asarray(theta, dtype=float)}
    return node.records(values, number_in_3d)


def node_of(statistic):
    """The gradients below clipping and grid."""
    node = statistic.rows
    while not isinstance(node, Gradient):
        node = node.source
    return node


def table(n=60, seed=0):
    """Rows in the ball of radius 2, labels in [-3, 3]."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, D))
    rows *= (2 * rng.random(n) / np.linalg.norm(rows, axis=1))[:, None]
    return rows, rng.uniform(-3, 3, n)


@pytest.mark.parametrize(
    "loss", [dp.graph.Squared(), dp.graph.Logistic(), dp.graph.Huber("0.5")], ids=str
)
def test_it_is_the_gradient(loss):
    """By central differences of the loss itself."""
    (_, total), (rows, labels) = gradients(loss), table()
    theta, h = np.array([0.3, -1.2, 0.8]), 1e-6
    found = each(node_of(total), rows, labels, theta)
    for j, step in enumerate(h * np.eye(D)):
        up, down = (loss.at(rows @ (theta + s), labels, number_in_3d)[0] for s in (step, -step))
        assert np.allclose((up - down) / (2 * h), found[:, j], atol=1e-7)


def test_each_record_by_itself_to_the_last_bit():
    """Alone, in other orders, in other memory: the same bits."""
    (_, total), (rows, labels) = gradients(dp.graph.Logistic()), table(257)
    node, theta = node_of(total), np.array([0.1, 1e9, -3.0])
    whole = each(node, rows, labels, theta)
    alone = [each(node, rows[i : i + 1], labels[i : i + 1], theta)[0] for i in range(257)]
    assert np.array_equal(whole, np.array(alone))
    order = np.random.default_rng(1).permutation(257)
    strided = np.asfortranarray(rows[order])
    assert np.array_equal(each(node, strided, labels[order], theta), whole[order])


@pytest.mark.parametrize(
    "loss", [dp.graph.Squared(), dp.graph.Logistic(), dp.graph.Huber(1)], ids=str
)
@pytest.mark.parametrize("norm", ["1e-200", 1, "1e200"])
def test_it_is_finite_whatever_the_point(loss, norm):
    """Points, rows and labels from the smallest doubles to the largest: finite, and no warning."""
    _, total = gradients(loss, norm=norm, bound="1e100")
    node, size = node_of(total), float(Fraction(norm))
    rows = size * np.array([[0, 0, 0], [0.6, -0.6, 0.5], [1, 0, 0], [1e-150, 0, 1]])
    labels = np.array([0.0, 1e100, -1e100, SMALL])
    for first in (0.0, SMALL, 1e-160, 1.0, 1e160, LARGE, -LARGE):
        for second in (0.0, -LARGE, SMALL, 1e154):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = each(node, rows, labels, [first, second, LARGE])
            assert np.isfinite(found).all()
            assert (found[0] == 0).all()


def test_a_margin_that_overflows_keeps_its_sign():
    """Sums of huge numbers end at the edge, and those that cancel at none."""
    rows = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    assert margins(rows, np.array([LARGE, LARGE])).tolist() == [1e150, 0.0, -1e150]
    assert margins(rows, np.zeros(2)).tolist() == [0.0] * 3
    assert margins(np.empty((0, 2)), np.ones(2)).shape == (0,)


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_sensitivity(relation):
    """C or 2 C, in L1 at most sqrt(d) times that; the slope times B where nothing is clipped."""
    twice = 1 if relation is dp.ADD_REMOVE else 2
    _, total = gradients(clip="0.7", relation=relation)
    assert total.sensitivity(L2).value == dp.constant("0.7") * twice
    assert not total.sensitivity(L2).attained
    assert number_in_3d(total.sensitivity(L1).value ** 2) == pytest.approx(0.49 * twice**2 * D)
    _, bounded = gradients(dp.graph.Huber(2), clip=None, relation=relation)
    assert bounded.sensitivity(L2).value == dp.constant(4 * twice)
    _, logistic = gradients(dp.graph.Logistic(), clip=None, relation=relation)
    assert logistic.sensitivity(L2).value == dp.constant(6 * twice)
    _, open_one = gradients(clip=None, relation=relation)
    assert open_one.sensitivity(L2) is None


def test_the_machine_moves_by_no_more_than_the_proof():
    """One more record moves the sum, in whole steps, by at most 2^bits in 2-norm: exactly, at
    points of any size.
    """
    point, total = gradients(clip="0.7")
    rows, labels = table(500)
    rows[0], labels[0] = [2, 0, 0], 3
    graph = dp.graph.Graph.of(dp.release(total, dp.Gaussian(std=1)))
    empty = Block(np.empty((0, D)), np.empty(0))
    assert isinstance(total, RowSum)
    assert isinstance(total.rows, Grid)
    for theta in (np.zeros(D), np.array([1e200, -3.0, LARGE]), np.array([0.2, 0.1, -5.0])):
        work = Pass.of(graph, number_in_3d, empty, [total], given={point: theta})
        (whole,) = work([Block(rows, labels)]).parts
        for i in range(0, 500, 50):
            (rest,) = work([Block(np.delete(rows, i, 0), np.delete(labels, i))]).parts
            moved = [int(a) - int(b) for a, b in zip(whole, rest, strict=True)]
            assert sum(step * step for step in moved) <= 4**total.rows.bits
            assert i or sum(step * step for step in moved) > 0.99 * 4**total.rows.bits


def test_bad_arguments():
    """What is no loop's point and what is no loss."""
    X, y = setting().nodes()
    with pytest.raises(dp.InvalidArgument, match="the point of a loop"):
        dp.graph.gradient(X, y, at=np.zeros(3), clip=1)
    with pytest.raises(dp.InvalidArgument, match="a convex loss"):
        dp.graph.gradient(X, y, at=dp.iterate(X.columns), clip=1, loss="squared")
    with pytest.raises(dp.InvalidArgument, match="positive"):
        dp.graph.gradient(X, y, at=dp.iterate(X.columns), clip=0)
