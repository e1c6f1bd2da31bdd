"""The mu that tables approach, what the attacks are made of, and the page of records."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from docs.generate.refutations import (
    REFUTATIONS,
    objpert_coded,
    objpert_refuted_above,
    refutations,
    refutations_of,
    suffstats_output,
    suffstats_refuted_above,
)
from docs.generate.refutations.half_planes import best, enclosed, on_lines
from docs.generate.refutations.means import mean_at_least
from docs.generate.refutations.page import PAGE, page
from docs.generate.refutations.published import REGRESSIONS
from docs.generate.refutations.samplers import Law, posterior, transposed
from docs.generate.refutations.tables import Pair, Sums, at, circle
from dpframe import literature
from dpframe.numerics import profile_delta, profile_epsilon
from dpframe.numerics.fast import gaussian_delta
from dpframe.numerics.profile import ball

# ----------------------------------- ObjPert.m and suffstats_perturb.m: the mu that tables approach
DELTA = 1e-6


@pytest.mark.parametrize(
    ("epsilon", "found"), [(0.1, 0.00573), (1, 0.8054), (3, 8.968), (10, 224.0)]
)
def test_objpert(epsilon, found):
    """The epsilon of mu = 3/std."""
    record = objpert_coded(epsilon, DELTA)
    std = 2 * math.sqrt(4 * math.log(2 / DELTA) + 2 * epsilon) / epsilon**2
    assert record.found == pytest.approx(profile_epsilon(DELTA, 3 / std), rel=1e-9)
    assert record.found == pytest.approx(found, rel=2e-3)
    assert record.refuted == (epsilon > 1.21)


@pytest.mark.parametrize(("epsilon", "found"), [(0.1, 0.1342), (1, 1.587), (3, 5.381), (10, 23.18)])
def test_suffstats(epsilon, found):
    """The epsilon of mu = sqrt(2)/s: the output alone, at every epsilon of the grid."""
    record = suffstats_output(epsilon, DELTA)
    assert record.found == pytest.approx(found, rel=1e-3)
    assert record.refuted


def test_from_where_on():
    """Refuted at the threshold, not refuted just below it."""
    for above, record, value in (
        (objpert_refuted_above, objpert_coded, 1.2099),
        (suffstats_refuted_above, suffstats_output, 0.0031328),
    ):
        threshold = above(DELTA)
        assert threshold == pytest.approx(value, rel=1e-4)
        assert record(threshold * (1 + 1e-6), DELTA).refuted
        assert not record(threshold * (1 - 1e-6), DELTA).refuted


def test_objpert_moves_by_three():
    """A replay in one dimension: the share of outputs below a threshold, under either table."""
    rng, epsilon, n = np.random.default_rng(3), 3.0, 10**8
    std = 2 * math.sqrt(4 * math.log(2 / DELTA) + 2 * epsilon) / epsilon**2
    ridge, kept = 2 / epsilon**2, 1e-6  # theta_0 is 1 - kept

    def outputs(gram, moment):
        theta = (moment - std * rng.standard_normal(10**5)) / (gram + ridge) / 2
        return np.clip(theta, -1, 1)

    gram = n / 4
    moment = 2 * (gram + ridge) * (1 - kept)
    first, second = outputs(gram, moment), outputs(gram + 1, moment - 1)
    assert 0 < np.mean(first == 1) + 1e-9 < 0.01
    t = (np.median(first) + np.median(second)) / 2
    shift = 2 * gram * (np.mean(first) - np.mean(second))
    assert shift == pytest.approx(3, abs=0.1)
    gain = np.mean(first > t) - np.mean(second > t)
    assert gain == pytest.approx(profile_delta(0, 3 / std), abs=0.02)


def test_suffstats_moves_by_two():
    """A replay of the output in one dimension."""
    rng, n, std = np.random.default_rng(4), 10**7, math.sqrt(math.log(4 / DELTA))

    def outputs(rows, moment):
        noise = std * rng.standard_normal((2, 10**5))
        return n * ((moment + noise[0]) / (rows + 1 + noise[1]) - 1)

    first, second = outputs(n, n), outputs(n + 1, n - 1)
    assert np.mean(first) - np.mean(second) == pytest.approx(2, abs=0.15)
    assert np.std(first) == pytest.approx(math.sqrt(2) * std, rel=0.02)


# --------------------------------------------------- Tables, samplers, half-planes, bounds on means
PAIR = Pair(20, at(0.7), at(0.3), at(1.2))


def explicit(pair):
    """Both tables, row by row."""

    def point(t):
        return np.array([float(value) for value in circle(t)])

    u, lean, row = point(pair.turn), point(pair.lean), point(pair.angle)
    v = np.array([-u[1], u[0]])
    base = [sign * lean[0] * u + lean[1] * v for sign in (1, -1) for _ in range(pair.rows // 2)]
    one = row[0] * u + row[1] * v
    first = [(x, 1) for x in base] + ([(one, 1)] if pair.replaced else [])
    second = [(x, 1) for x in base] + [(one, -1)]
    return [(np.array([x for x, _ in t]), np.array([y for _, y in t])) for t in (first, second)]


@pytest.mark.parametrize("replaced", [False, True])
def test_tables_are_their_rows(replaced):
    """The sums of both tables, and rows of norm 1."""
    pair = Pair(PAIR.rows, PAIR.turn, PAIR.lean, PAIR.angle, replaced)
    for (X, y), sums in zip(explicit(pair), pair.tables(float), strict=True):
        gram, moment = X.T @ X, X.T @ y
        expected = (gram[0, 0], gram[0, 1], gram[1, 1], *moment, len(y))
        assert sums == pytest.approx(expected, abs=1e-12)
        assert np.linalg.norm(X, axis=1) == pytest.approx(1, abs=1e-15)


def test_samplers_are_what_the_factor_does():
    """Against numpy's Cholesky: R'R = H, and (R')^-1 z or R^-1 z."""
    table = PAIR.tables(float)[1]
    ridge, root_gamma = 3.0, 0.7
    gram = np.array([[table.first, table.mixed], [table.mixed, table.second]])
    upper = np.linalg.cholesky(gram + (1 + ridge) * np.eye(2)).T
    theta = np.linalg.solve(gram + (1 + ridge) * np.eye(2), [table.left, table.right])
    for sampler, factor in ((posterior, upper), (transposed, upper.T)):
        law, half = sampler(table, ridge, root_gamma), np.linalg.inv(factor) / root_gamma
        covariance = half @ half.T
        assert (law.left, law.right) == pytest.approx(theta)
        expected = (covariance[0, 0], covariance[0, 1], covariance[1, 1])
        assert (law.first, law.mixed, law.second) == pytest.approx(expected)


def by_grid(p, q, epsilon):
    """delta(epsilon) of two laws in the plane, by the midpoint rule."""
    cells = np.linspace(-9, 9, 1201)
    x, y = np.meshgrid(cells, cells)

    def density(law):
        det = law.first * law.second - law.mixed**2
        a, b = x - law.left, y - law.right
        square = law.second * a * a - 2 * law.mixed * a * b + law.first * b * b
        return np.exp(-square / det / 2) / (2 * math.pi * math.sqrt(det))

    gap = density(p) - math.exp(epsilon) * density(q)
    return float(np.sum(np.maximum(gap, 0))) * (cells[1] - cells[0]) ** 2


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_half_planes_are_below_the_profile(epsilon):
    """And reach it where the covariances are one, at the Mahalanobis distance."""
    p, q = Law(0.3, -0.2, 1.2, 0.5, 0.7), Law(-0.9, 0.4, 0.9, 0.4, 0.8)
    gain = best(p, q, epsilon).gain
    exact = by_grid(p, q, epsilon)
    assert 0.8 * exact < gain <= exact + 1e-4
    same = q._replace(first=1.2, mixed=0.5, second=0.7)
    covariance = np.array([[1.2, 0.5], [0.5, 0.7]])
    shift = np.array([-1.2, 0.6])
    mu = math.sqrt(shift @ np.linalg.solve(covariance, shift))
    assert best(p, same, epsilon).gain == pytest.approx(gaussian_delta(epsilon, mu), rel=1e-4)


def test_a_threshold_is_the_best_of_its_line():
    """No other t does better, wider or narrower; a law against itself gives nothing."""
    rng = np.random.default_rng(4)
    for p, q, epsilon in zip(
        rng.uniform(0.3, 3, 50), rng.uniform(0.3, 3, 50), rng.uniform(0, 2, 50), strict=True
    ):
        line, other = (0.0, p), (-1.0, q)
        gain, t = on_lines(line, other, epsilon)
        for shifted in (t - 0.01, t + 0.01):
            upper = [math.erfc((shifted - m) / math.sqrt(2 * v)) / 2 for m, v in (line, other)]
            assert upper[0] - math.exp(epsilon) * upper[1] <= gain + 1e-12
    assert on_lines((0.0, 1.0), (0.0, 1.0), 0.5)[0] <= 0


def test_the_enclosure_is_the_gain_rounded_down():
    """The laws by balls, the half-plane that doubles found."""
    first, second = ([sampler_law(t, to) for t in PAIR.tables(to)] for to in (float, ball))
    found = best(*first, 0.5)
    proved = enclosed(*second, arb("0.5"), found.event)
    assert proved == pytest.approx(found.gain, rel=1e-9)


def sampler_law(table: Sums, to) -> Law:
    """A ridge of 2, gamma of 1/4."""
    return transposed(table, to(Fraction(2)), to(Fraction(1, 2)))


def test_a_bound_on_a_mean_is_one():
    """Below the mean in every one of many samples; not far below in a large one; cut above."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        assert mean_at_least(rng.uniform(0, 0.2, 500), 0.0, 1.0) < 0.1
    assert 0.098 < mean_at_least(rng.uniform(0, 0.2, 10**6), 0.0, 0.2) < 0.1
    assert mean_at_least(np.array([0.0] * 999 + [1e9]), 0.0, 1.0) < 0.001
    assert mean_at_least(np.full(10**6, -1.0), -2.0, 1.0) < -1


# --------------------------------------------------- All records in order, their text, and the page
@pytest.fixture(scope="module")
def records():
    """Of epsilon = 1 at ten thousand rows."""
    return refutations(1, rows=10**4)


def test_every_file_is_refuted_and_no_control_is(records):
    """But ObjPert.m, which is refuted from epsilon = 1.21 on; the order is that of the names."""
    assert records == tuple(r for name in REFUTATIONS for r in refutations_of(name, 1, rows=10**4))
    assert [r.what for r in records if not r.control and not r.refuted] == ["ObjPert.m"]
    assert not any(r.refuted for r in records if r.control)
    assert sum(r.control for r in records) == 9
    assert all(r.refuted for r in refutations_of("ObjPert.m", 3))
    assert refutations_of("AdaSSP") == ()


def test_declarations_are_refuted_by_their_names():
    """Each names a file, and is a class of dpframe.literature."""
    assert set(REGRESSIONS) <= set(literature.__all__)
    assert sorted(REGRESSIONS.values()) == sorted(REFUTATIONS)
    assert refutations_of("ObjPertCoded", 3) == refutations_of("ObjPert.m", 3)


def test_the_same_seed_gives_the_same_records(records):
    """Bit by bit."""
    assert refutations(1, rows=10**4) == records


@pytest.mark.page
@pytest.mark.slow
def test_the_page_is_fresh():
    """docs/refutations.md is what `python -m docs.generate.refutations.page` writes."""
    assert PAGE.read_text() == page(), "stale: run python -m docs.generate.refutations.page"
