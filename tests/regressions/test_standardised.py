"""SSP and adaSSP on columns in released units: what they cost, give and refuse."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.totals import Pass, derived, real
from dpframe.graph.maps.scaled import DividedColumns
from dpframe.regressions.solve import Fit
from dpframe.regressions.standardised import (
    CUTS,
    cut_at,
    in_own_units,
    mean,
    means,
    spreads,
)
from dpframe.sensitivity import L2
from dpframe.sources import Block
from tests.support import samples
from tests.support.oracles import sigma_of, value

TARGET = dp.ApproxDP(dp.EPSILON, dp.DELTA)
OURS = (
    dp.regressions.Standardised,
    dp.regressions.RobustSSP,
    dp.regressions.RobustQuantileSSP,
    dp.regressions.RobustAdaSSP,
)
ours = pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
intercepts = pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
MEANS, STDS, THETA = np.array([2.0, 0.5, -1]), np.array([1.0, 0.1, 3]), np.array([1.0, -5, 0.5])


def setting(relation=dp.ADD_REMOVE, *, norm=10, bound=20, intercept=False):
    """A table in units that are far from 1."""
    X, y = dp.Rows(norm=norm, intercept=intercept), dp.Column(bound=bound)
    return dp.Setting(X=X, y=y, relation=relation)


def table(n=20_000, seed=0):
    """A linear model with an intercept, columns of different means and scales."""
    rng = np.random.default_rng(seed)
    X = MEANS + STDS * rng.normal(size=(n, 3))
    return X, X @ THETA + 3 + 0.3 * rng.normal(size=n)


@ours
@intercepts
def test_the_releases_spend_the_budget_and_no_more(cls, intercept):
    """Under add/remove the squared mu of all releases sum to 1/sigma(1, 10^-6)^2, the scales' to a
    fifth of it: by mpmath.
    """
    graph = cls().graph(setting(intercept=intercept), dp.ApproxDP(1, "1e-6").budget)
    spent = {
        one.label: (
            value(one.statistic.sensitivity(L2).value, {"d": 3})
            / value(one.mechanism.formula, {"d": 3})
        )
        ** 2
        for one in graph.releases
    }
    whole = 1 / sigma_of(1, "1e-6") ** 2
    later = sum(cost for name, cost in spent.items() if name in ("floor", "gram", "moment"))
    assert abs(sum(spent.values()) / whole - 1) < 1e-9
    assert abs(later / whole - 0.8) < 1e-9


def squared_mu(cls, relation, path, tables):
    """How far two tables move all statistics together, in squared stds, on a released path."""
    graph = cls().graph(setting(relation), dp.ApproxDP(1, "1e-6").budget)
    by, minus, label_scale, label_centre = path
    names = {"label_std": label_scale, "label_bound": label_scale, "label_mean": label_centre}

    def number(formula):
        return float(value(formula, {"d": 3, "n": 9, **names}))

    maps = [node for node in graph.nodes if isinstance(node, DividedColumns)]
    given = {one.by: by for one in maps} | {one.minus: minus for one in maps if one.minus}
    empty = Block(np.zeros((0, 3)), np.zeros(0))
    reading = Pass.of(graph, number, empty, graph.statistics, given=given)
    found = []
    for rows, labels in tables:
        values = derived(graph, reading.sums, reading([Block(rows, labels)]), number)
        found.append([np.asarray(real(r.statistic, values, number)) for r in graph.releases])
    stds = [number(release.mechanism.formula) for release in graph.releases]
    moved = zip(*found, stds, strict=True)
    return sum(float(np.sum((one - other) ** 2)) / std**2 for one, other, std in moved)


@pytest.mark.some(2)
@ours
@relations
def test_no_neighbours_move_a_path_beyond_the_budget(cls, relation):
    """Whatever was released before, records far outside all bounds among them; and the worst come
    near: a budget twice as large would show.
    """
    rng, worst = np.random.default_rng(6), 0.0
    whole = float(1 / sigma_of(1, "1e-6") ** 2)
    for turn in range(60):
        path = rng.uniform(0.01, 3, 3), rng.normal(size=3), rng.uniform(0.01, 3), rng.normal()
        rows = rng.normal(size=(9, 3)) * rng.choice([0.1, 3, 100])
        labels = rng.normal(size=9) * rng.choice([0.1, 30])
        x, y = rng.choice([-1e4, 0, 1, 1e4], size=3), rng.choice([-1e4, 0, 1e4])
        more = (np.vstack([rows, x]), np.append(labels, y))
        swapped = (np.vstack([rows, -x * (turn % 3 - 1)]), np.append(labels, y * (turn % 2 - 1)))
        other = (rows, labels) if relation is dp.ADD_REMOVE else swapped
        worst = max(worst, squared_mu(cls, relation, path, (more, other)))
    assert worst <= whole * (1 + 1e-6)
    assert worst >= whole / 4


class Pickling:
    """An executor that sends its work through pickle."""

    def __init__(self, threads):
        self.threads = threads

    def submit(self, work, *arguments):
        """As a process would see it."""
        return self.threads.submit(pickle.loads(pickle.dumps(work)), *arguments)


@ours
@relations
@intercepts
def test_it_finds_the_coefficients_in_their_own_units(cls, relation, intercept):
    """At a large epsilon, near least squares: exactly clipped records pull a little."""
    proof = dp.certify(cls(), target=TARGET, setting=setting(relation, intercept=intercept))
    X, y = table()
    got = dp.execute(proof.at(epsilon=20, delta="1e-6"), X, y, rng=1).output
    whole = np.column_stack([X, np.ones(len(y))]) if intercept else X
    want = np.linalg.lstsq(whole, y, rcond=None)[0]
    assert got.coefficients.shape == want.shape
    error = np.sqrt(np.mean((whole @ (got.coefficients - want)) ** 2))
    assert error < 0.25 * np.std(y)


@ours
def test_units_do_not_matter(cls):
    """A power of 2 in the units of X and y, and of their bounds, is a power of 2 in the answer."""
    X, y = table(2000)
    fits = []
    for unit in (1, 1024):
        at = setting(norm=10 * unit, bound=20 * unit**2, intercept=False)
        run = dp.certify(cls(), target=TARGET, setting=at).at(epsilon=3, delta="1e-6")
        fits.append(dp.execute(run, X * unit, y * unit**2, rng=4).output.coefficients / unit)
    assert np.allclose(*fits, rtol=1e-3, atol=1e-3)


def degenerate():
    """Tables that break careless code."""
    rng = np.random.default_rng(3)
    rows, labels = rng.normal(size=(50, 3)), rng.normal(size=50)
    huge = np.vstack([np.full((1, 3), 1e308), rows])
    return {
        "no rows": (rows[:0], labels[:0]),
        "one row": (rows[:1], labels[:1]),
        "zeros": (0 * rows, 0 * labels),
        "constant": (np.ones((50, 3)), np.ones(50)),
        "nearly constant": (1 + 1e-20 * rows, labels),
        "tiny": (1e-20 * rows, 1e-20 * labels),
        "a huge row": (huge, np.append(1e308, labels)),
        "duplicated columns": (rows[:, [0, 0, 0]], labels),
        "one column": (rows[:, :1], labels),
    }


@pytest.mark.some(1, most=0)
@ours
@intercepts
@pytest.mark.parametrize("name", degenerate())
def test_no_table_gives_what_is_not_finite(cls, intercept, name):
    """Under warnings as errors, at epsilons small and large, in units small and large."""
    X, y = degenerate()[name]
    for size in (10, "1e-9", "1e9"):
        at = setting(norm=size, bound=size, intercept=intercept)
        proof = dp.certify(cls(), target=TARGET, setting=at)
        for epsilon in ("0.001", 1000):
            got = dp.execute(proof.at(epsilon=epsilon, delta="1e-6"), X, y, rng=2).output
            assert np.isfinite(got.coefficients).all()
            assert len(got.coefficients) == X.shape[1] + intercept


@ours
def test_parts_of_the_table_may_be_read_elsewhere(cls):
    """Threads read parts; what is sent there can be pickled; sums on a grid have no order."""
    X, y = table(3000)
    run = dp.certify(cls(), target=TARGET, setting=setting()).at(epsilon=1, delta="1e-6")
    alone = dp.execute(run, X, y, rng=7).output.coefficients
    with ThreadPoolExecutor(2) as threads:
        shared = dp.execute(run, X, y, rng=7, executor=Pickling(threads)).output.coefficients
    assert np.array_equal(alone, shared)


# ------------------------------------------------------------------------------- post-processing
def test_scales_are_numpys_without_noise():
    """Means, deviations and quantiles of sums without noise."""
    X, _ = table(500)
    assert np.allclose(means(X.sum(axis=0), 500, 9), X.mean(axis=0))
    centre = X.mean(axis=0)
    assert np.allclose(spreads((X**2).sum(axis=0), 500, centre, 9, 0.001), X.std(axis=0))
    top = 8.0
    cuts = [float(cut.value) if hasattr(cut, "value") else float(cut) for cut in CUTS]
    bins = [np.histogram(np.abs(column) / top, bins=[-np.inf, *cuts, np.inf])[0] for column in X.T]
    found = cut_at(np.ravel(bins), 0.9, top, len(CUTS))
    for column, bound in zip(np.abs(X).T, found, strict=True):
        assert np.mean(column <= bound) >= 0.9 or bound == top
        assert np.mean(column <= bound / 2) < 0.9


@pytest.mark.parametrize("noisy", [0.0, -1e300, 1e300, -5.0])
def test_scales_are_inside_their_range_whatever_the_noise(noisy):
    """Finite, and of the range that is public."""
    sums = np.array([noisy, 1.0])
    for n in (-1e9, 0.0, 0.3, 1e9):
        assert np.all(np.abs(means(sums, n, 2.0)) <= 2)
        assert abs(mean(noisy, n, 2.0)) <= 2
        found = spreads(sums, n, 0.0, 2.0, 0.001)
        assert np.all((found >= 0.002) & (found <= 2))
        assert 0.002 <= spreads(noisy, n, 0.0, 2.0, 0.001) <= 2
    counts = np.full(24, noisy)
    found = cut_at(counts, 0.9, 2.0, 11)
    assert np.all((found >= 2.0**-9) & (found <= 2))


def test_coefficients_are_put_back():
    """Predictions on scaled records are those of the coefficients on records as they are."""
    rng = np.random.default_rng(9)
    X, scaled = rng.normal(size=(5, 3)), np.array([0.3, -2, 1])
    predicted = 4 + 0.5 * ((X - MEANS) / STDS @ scaled)
    back = in_own_units(Fit(scaled), MEANS, STDS, 4.0, 0.5, 2.0).coefficients
    assert np.allclose(np.column_stack([X, np.full(5, 2.0)]) @ back, predicted)
    plain = in_own_units(Fit(scaled), 0.0, STDS, 0.0, 0.5, 0.0).coefficients
    assert np.allclose(X @ plain, 0.5 * (X / STDS @ scaled))
