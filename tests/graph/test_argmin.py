"""The argmin of a strongly convex sum: that it is found, and how far one record moves it."""

import itertools
import pickle

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

import dpframe as dp
from dpframe.graph.procedure import Huber, Logistic, Squared
from dpframe.graph.statistics import Argmin
from dpframe.graph.statistics import argmin as argmin_module
from dpframe.sensitivity import L1, L2
from dpframe.symbols import constant, parameter
from tests.support import samples
from tests.support.oracles import value

B, Y = float(samples.NORM), float(samples.BOUND)
SLACK = 1 + 1e-9
CASES = {  # loss, penalty, radius
    "squared": (Squared(), 4, 3),
    "squared, light penalty": (Squared(), "1/4", 3),
    "squared, small ball": (Squared(), "1/10", "1/5"),
    "logistic": (Logistic(), "1/2", None),
    "logistic in a ball": (Logistic(), "1/2", 1),
    "huber": (Huber(1), "1/2", None),
    "huber in a ball": (Huber(1), "1/2", 1),
}
FORMULAS = {  # of the margin and the label
    "squared": lambda t, v: (t - v) ** 2 / 2,
    "logistic": lambda t, v: np.logaddexp(0, -t * v),
    "huber": lambda t, v: (t - v) ** 2 / 2 if abs(t - v) <= 1 else abs(t - v) - 0.5,
}
SLOPES = {"logistic": Y, "huber": 1.0}
cases = pytest.mark.parametrize("case", CASES)
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)


def declared(case, relation=dp.ADD_REMOVE, tolerance="1e-9"):
    """The statistic of a case, in numbers."""
    X, y = samples.setting(relation, grid=None).nodes()
    loss, penalty, radius = CASES[case]
    return Argmin(X, y, loss, penalty, radius, tolerance)


def number(formula):
    """The value of a formula, at d = 2."""
    return float(value(formula, {"d": 2}))


def found(statistic, X, y):
    """Its value on rows and labels that are inside their bounds."""
    return statistic.compute({statistic.rows: X, statistic.column: y}, number)


def objective(statistic, X, y, theta):
    """What is minimised, one record at a time."""
    margins = [sum(a * b for a, b in zip(x, theta, strict=True)) for x in X]
    formula = FORMULAS[statistic.objective.kind]
    losses = sum(formula(t, v) for t, v in zip(margins, y, strict=True))
    return losses + number(statistic.penalty) * sum(a * a for a in theta) / 2


def some(n, d, rng):
    """Records inside their bounds, some on the boundary."""
    X = rng.normal(size=(n, d))
    X *= (rng.choice([0.0, 0.3, 1.0], size=(n, 1)) * B) / np.linalg.norm(X, axis=1, keepdims=True)
    return X, rng.choice([-1.0, -0.4, 0.0, 1.0], size=n) * Y


# ------------------------------------------------------------------------------------ the search
@pytest.mark.some(1, most=0)
@cases
@pytest.mark.parametrize("n", [0, 1, 2, 30])
def test_one_coefficient_is_that_of_a_search_on_the_line(case, n):
    """Brent's method finds the same minimum in d = 1."""
    statistic, rng = declared(case), np.random.default_rng(n)
    X, y = some(n, 1, rng)
    reach = 50.0 if statistic.radius is None else number(statistic.radius)
    want = minimize_scalar(
        lambda t: objective(statistic, X, y, [t]),
        bounds=(-reach, reach),
        method="bounded",
        options={"xatol": 1e-10},
    ).x
    assert np.isclose(found(statistic, X, y)[0], want, atol=1e-6)


@cases
@pytest.mark.parametrize("d", [2, 5])
def test_no_point_nearby_or_inside_is_lower(case, d):
    """Convex: a point that beats its neighbourhood in the ball is the minimum."""
    statistic, rng = declared(case), np.random.default_rng(d)
    reach = np.inf if statistic.radius is None else number(statistic.radius)
    for n in (1, 3, 50):
        X, y = some(n, d, rng)
        theta = found(statistic, X, y)
        lowest = objective(statistic, X, y, theta)
        assert np.linalg.norm(theta) <= reach * (1 + 1e-12)
        for size in (1e-3, 1e-2, 1.0):
            other = theta + size * rng.normal(size=d)
            other *= min(1.0, reach / np.linalg.norm(other))
            assert objective(statistic, X, y, other) >= lowest - 1e-11 * (1 + abs(lowest))


@cases
def test_no_table_breaks_it(case):
    """No rows, zero rows, one column twice, a constant column, separable classes: finite."""
    statistic = declared(case)
    flat = np.full((40, 1), B / 2)
    tables = [
        (np.zeros((0, 3)), np.zeros(0)),
        (np.zeros((9, 3)), np.full(9, Y)),
        (np.hstack([flat, flat]), np.full(40, Y)),
        (np.hstack([flat, flat * (1 + 1e-15)]), np.tile([Y, -Y], 20)),
        (np.vstack([flat, -flat]), np.repeat([Y, -Y], 40)),
    ]
    for X, y in tables:
        theta = found(statistic, X, y)
        assert theta.shape == (X.shape[1],)
        assert np.isfinite(theta).all()
    assert not found(statistic, *tables[0]).any()
    assert not found(statistic, *tables[1]).any()


def test_a_huge_penalty_gives_almost_zeros_and_a_long_table_its_fit():
    """At both ends of the scale the search ends."""
    X, y = samples.setting(grid=None).nodes()
    rng = np.random.default_rng(4)
    rows, labels = some(20_000, 2, rng)
    for loss, penalty in itertools.product((Squared(), Logistic()), ("1e15", "1e-6")):
        theta = found(Argmin(X, y, loss, penalty, 3), rows, labels)
        assert np.isfinite(theta).all()
        assert penalty != "1e15" or np.linalg.norm(theta) < 1e-9


def test_the_error_is_at_most_the_stated_tolerance():
    """A loose tolerance: the distance from the minimiser is paid for; a tight one is used up."""
    rng = np.random.default_rng(6)
    for case in CASES:
        tight, loose = declared(case, tolerance="1e-9"), declared(case, tolerance="1/2")
        bounds = loose.bounds
        paid = number(loose.objective.added(bounds, loose.penalty)) / 2
        for n in (1, 10, 60):
            X, y = some(n, 2, rng)
            assert np.linalg.norm(found(tight, X, y) - found(loose, X, y)) <= paid * SLACK


def test_where_rounding_forbids_the_tolerance_it_says_so(monkeypatch):
    """A tolerance below rounding: refused in words that quote no data, not answered wrongly."""
    X, y = samples.setting(grid=None).nodes()
    rows, labels = some(50, 2, np.random.default_rng(7))
    with pytest.raises(dp.InvalidArgument, match="tolerance"):
        Argmin(X, y, Logistic(), "1e-3", None, "1e-30")
    monkeypatch.setattr("dpframe.graph.statistics.argmin.LEAST", 0)
    with pytest.raises(dp.NotExecutable, match="larger penalty"):
        found(Argmin(X, y, Logistic(), "1e-3", None, "1e-30"), rows, labels)


def test_not_a_number_never_comes_out():
    """Rows that overflow: refused."""
    X, y = samples.setting(grid=None).nodes()
    with pytest.raises(dp.NotExecutable):
        found(Argmin(X, y, Squared(), 1, 1), np.full((3, 2), 1e200), np.ones(3))


def test_any_split_into_blocks_gives_the_same_answer():
    """Sums over blocks, empty ones among them, through pickled work."""
    statistic, rng = declared("logistic"), np.random.default_rng(8)
    X, y = some(60, 3, rng)

    def summed(work):
        copied = pickle.loads(pickle.dumps(work))
        return sum(copied(X[a:b], y[a:b]) for a, b in ((0, 7), (7, 7), (7, 60)))

    assert np.allclose(statistic.search(summed, number), found(statistic, X, y), atol=1e-12)


def test_few_readings_are_enough(monkeypatch):
    """A dozen readings of the table; with the bound on their number below that, it is refused."""
    statistic, rng = declared("logistic in a ball"), np.random.default_rng(9)
    X, y = some(300, 3, rng)
    monkeypatch.setattr(argmin_module, "READINGS", 12)
    found(statistic, X, y)
    monkeypatch.setattr(argmin_module, "READINGS", 1)
    with pytest.raises(dp.NotExecutable):
        found(statistic, X, y)


# ------------------------------------------------------------------------------ the sensitivity
def pulled(theta, penalty, x=0.02):
    """A table of one column whose minimiser of a squared loss is theta, and barely curved."""
    count = int(np.ceil(abs(theta) * penalty / (x * Y - x * x * abs(theta)))) if theta else 0
    return np.full((count, 1), x), np.full(count, np.sign(theta) * Y)


def stretched(d, theta, penalty):
    """The same along the first of d columns; the others pinned to 0 by many records."""
    X, y = pulled(theta, penalty)
    rows = np.zeros((len(X), d))
    rows[:, :1] = X
    return rows, y


def changed(statistic, table, gone, come):
    """How far the value moves when `gone` (perhaps nothing) makes room for `come`."""
    X, y = table
    first, second = (
        found(
            statistic, np.vstack([X, *[[x] for x, _ in part]]), np.append(y, [v for _, v in part])
        )
        for part in (gone, come)
    )
    return float(np.linalg.norm(first - second))


def bound_of(statistic, relation):
    """The one-row sensitivity."""
    return number(statistic.one_row(L2, relation).value)


@pytest.mark.some(3)
@cases
@relations
def test_a_search_for_worse_neighbours_finds_none(case, relation):
    """Nelder and Mead over a pair of records and the place of the minimiser."""
    statistic, rng = declared(case, relation), np.random.default_rng(11)
    penalty, most = number(statistic.penalty), bound_of(statistic, relation)

    def shortfall(point):
        pull, x, z = np.tanh(point[0]) * 2.9, point[1:3], point[3:5]
        x, z = (v * min(1.0, B / np.linalg.norm(v)) for v in (x, z))
        labels = np.clip(point[5:7], -1, 1) * Y
        gone = [] if relation is dp.ADD_REMOVE else [(z, labels[1])]
        return -changed(statistic, stretched(2, pull, penalty), gone, [(x, labels[0])])

    for _ in range(2):
        start = rng.normal(size=7) * 1.5
        worst = minimize(shortfall, start, method="Nelder-Mead", options={"maxfev": 120})
        assert -worst.fun <= most * SLACK


def far(case, relation):
    """The move of the pair that the proof builds, as a share of the bound."""
    statistic = declared(case, relation)
    penalty = number(statistic.penalty)
    if statistic.objective.kind == "squared":
        table, record = pulled(-2.99, penalty, x=0.005), (np.array([B]), Y)
    else:
        table = (np.full((40_000, 1), 0.0005), np.full(40_000, -Y))
        record = (np.array([B]), Y)
    gone = [] if relation is dp.ADD_REMOVE else [(np.zeros(1), 0.0)]
    return changed(statistic, table, gone, [record]) / bound_of(statistic, relation)


def test_bounds_are_nearly_reached():
    """The squared loss where penalty >= B^2, and the logistic loss: 0.98 of the bound at least."""
    assert far("squared", dp.ADD_REMOVE) >= 0.98
    assert far("logistic", dp.ADD_REMOVE) >= 0.98


def test_a_smaller_claim_would_be_found_out():
    """The negative control: half of the stated bound is exceeded by these very searches."""
    for case in ("squared", "logistic"):
        assert far(case, dp.ADD_REMOVE) > 0.5
        assert far(case, dp.REPLACE_ONE) > 0.25


def test_a_squared_loss_without_a_ball_is_moved_by_any_amount():
    """One record moves the ridge of n records by about sqrt(n)/2: no bound, so refused."""
    moves = []
    for n in (100, 10_000, 1_000_000):
        rows, labels = np.full((n, 1), n**-0.5), np.full(n, Y)  # curvature 1 in all
        X, y = np.vstack([rows, [[B]]]), np.append(labels, -Y)
        first, second = ((a.T @ b / (a.T @ a + 1)).item() for a, b in ((rows, labels), (X, y)))
        moves.append(abs(first - second))
    assert moves[0] > 5
    assert all(8 < b / a < 12 for a, b in itertools.pairwise(moves))
    X, y = samples.setting().nodes()
    assert Argmin(X, y, Squared(), 1).one_row(L2, dp.ADD_REMOVE) is None
    assert Argmin(X, y, Squared(), 1).one_row(L2, dp.REPLACE_ONE) is None


@cases
def test_the_formulas_by_hand(case):
    """In numbers, from the statement of the proof page."""
    loss, penalty, radius = CASES[case]
    lam, far_ = (
        float(constant(penalty).value),
        None if radius is None else float(constant(radius).value),
    )
    tol = float(declared(case).tolerance.value)
    if loss.kind == "squared":
        reach = min(B, lam**0.5)
        once = (B * far_ + Y) * reach / (reach**2 + lam)
        twice = min(2 * once, (B * B * far_ + 2 * B * Y) / lam)
    else:
        once = SLOPES[loss.kind] * B / lam
        twice = 2 * once
    limit = np.inf if far_ is None else 2 * far_
    for relation, move in zip(samples.RELATIONS, (once, twice), strict=True):
        want = min(limit, move + 2 * tol * once)
        assert np.isclose(bound_of(declared(case, relation), relation), want, rtol=1e-12)
        in_l1 = number(declared(case, relation).one_row(L1, relation).value)
        assert np.isclose(in_l1, 2**0.5 * want, rtol=1e-12)


# ------------------------------------------------------------------------------------ arguments
@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"objective": "squared"}, "objective"),
        ({"penalty": 0}, "penalty"),
        ({"penalty": parameter("p", -1, 1)}, "penalty"),
        ({"radius": 0}, "radius"),
        ({"tolerance": 0, "objective": Logistic()}, "tolerance"),
        ({"weight": 0}, "weight"),
        ({"tolerance": 2}, "tolerance"),
        ({"tolerance": parameter("t", 0, 1)}, "tolerance"),
    ],
)
def test_wrong_arguments_are_refused_by_name(change, name):
    """Before anything is proved."""
    X, y = samples.setting().nodes()
    arguments = {"objective": Squared(), "penalty": 1, "radius": 1, **change}
    with pytest.raises(dp.InvalidArgument, match=name):
        Argmin(X, y, **arguments)


def test_unbounded_rows_have_no_rule():
    """Rows that nothing bounds: no sensitivity, and no search."""
    X, y = samples.setting(grid=None).nodes()
    statistic = Argmin(X.origin, y, Logistic(), 1)
    assert statistic.sensitivity(L2) is None
    with pytest.raises(dp.InvalidArgument, match="bounded"):
        found(statistic, np.ones((2, 2)), np.ones(2))
