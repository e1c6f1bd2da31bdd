"""Depths among models: counts, draws and distances against enumeration of every point."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import mpmath
import numpy as np
import pytest

from dpframe.numerics.blocks.depths import Depths, base_of, distance, reach_of, whole
from dpframe.randomness import as_bits

HALF = Fraction(3, 2)


def depth(point, models):
    """By definition: the least count over both sides of every coordinate."""
    sides = [
        (sum(z[j] <= x for z in models), sum(z[j] >= x for z in models))
        for j, x in enumerate(point)
    ]
    return min(min(pair) for pair in sides)


def cube(reach, d):
    """Every point."""
    return list(product(range(-reach, reach + 1), repeat=d))


def tables(seed, count, d, reach, sizes):
    """Models of many kinds: spread, in clusters, all equal."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        m = int(rng.choice(sizes))
        width = int(rng.integers(0, reach + 1))
        yield rng.integers(-width, width + 1, size=(m, d))


CASES = [*tables(0, 40, 1, 5, range(1, 9)), *tables(1, 40, 2, 3, range(1, 9))]


@pytest.mark.some(1, most=20)
@pytest.mark.parametrize("models", CASES)
def test_points_of_every_depth_are_counted(models):
    """Those of the boxes, the deepest, and the weights, by enumeration."""
    reach, d = 5, models.shape[1]
    found = Depths(models, reach, HALF)
    depths = [depth(point, models.tolist()) for point in cube(reach, d)]
    for k in range(-1, len(models) + 2):
        assert found.points(k) == sum(one >= k for one in depths)
    assert found.deepest == max(depths)
    for k in range(max(depths) + 1):
        weight = sum(HALF ** (one - k) for one in depths if one >= k)
        scaled = int(weight)  # the least whole number of points that is not outweighed
        assert found.outweighs(k, scaled, Fraction(1))
        assert not found.outweighs(k, scaled + 1, Fraction(1))
        assert found.outweighs(k, 1, 1 / weight)
        assert not found.outweighs(k, 1, 1 / weight * Fraction(999, 1000))
    assert not found.outweighs(max(depths) + 1, 0, Fraction(1))


@pytest.mark.some(1)
@pytest.mark.parametrize("least", [0, 1, 2])
@pytest.mark.parametrize("d", [1, 2])
def test_the_law_of_the_draw(d, least):
    """Chances proportional to base^depth among points of depth `least` or more: every point's
    frequency within 5 stds, and the whole by chi-squared.
    """
    rng = np.random.default_rng(3)
    models = rng.integers(-2, 3, size=(6, d))
    found, n = Depths(models, 3, HALF), 20_000
    weights = {p: HALF**k for p in cube(3, d) if (k := depth(p, models.tolist())) >= least}
    total = float(sum(weights.values()))
    draws = Counter(map(tuple, found.drawn(least, as_bits(rng), n).tolist()))
    assert set(draws) <= set(weights)
    expected = {p: n * float(w) / total for p, w in weights.items()}
    scores = [(draws[p] - e) / np.sqrt(e) for p, e in expected.items()]
    assert max(map(abs, scores)) < 5
    freedom = len(scores) - 1
    assert abs(sum(s * s for s in scores) - freedom) < 5 * np.sqrt(2 * freedom) + 1


def test_uniform_where_the_base_is_one():
    """All points of the least depth, uniformly."""
    models, rng = np.array([[-1], [0], [2]]), np.random.default_rng(0)
    found = Depths(models, 9, Fraction(1))
    draws = Counter(found.drawn(1, as_bits(rng), 4000).ravel().tolist())
    assert set(draws) == {-1, 0, 1, 2}
    assert all(abs(count - 1000) < 150 for count in draws.values())


@pytest.mark.parametrize("rate", [0.0, 1e-12, 1e-3, 0.25, 1.0, 1.5, 7.3, 30.0])
def test_the_base_is_below_the_exponential(rate):
    """And near it; larger rates count as 30."""
    with mpmath.workdps(50):
        true = mpmath.exp(mpmath.mpf(rate))
        base = mpmath.mpf(base_of(rate).numerator) / base_of(rate).denominator
        assert 1 <= base <= true
        assert base >= true * (1 - mpmath.mpf(2) ** -50)
    assert 2**64 % base_of(rate).denominator == 0
    assert base_of(1e9) == base_of(30.0)


def safe(models, reach, least, changed, ratio):
    """By definition, from enumerated depths, at the base 2."""
    depths = [depth((point,), [[z] for z in models]) for point in range(-reach, reach + 1)]
    weight = sum(2 ** (one - least) for one in depths if one >= least)
    outside = sum(one >= least - changed for one in depths)
    return weight > 0 and outside <= ratio * weight


@pytest.mark.parametrize(("changed", "some"), [(1, 4), (2, 3)])
def test_the_distance_is_of_safe_tables_and_moves_by_one(changed, some):
    """All tables of 12 models on 5 points: at least 0 exactly where safe; any one changed model
    moves it by at most 1.
    """
    reach, least, ratio = 2, 3, Fraction(1, 4)
    points, found = range(-reach, reach + 1), {}
    for models in combinations_with_replacement(points, 12):
        array = np.array(models)[:, None]
        found[models] = distance(Depths(array, reach, Fraction(2)), least, changed, ratio)
    assert len(set(found.values())) >= some
    for models, own in found.items():
        assert (own >= 0) == safe(models, reach, least, changed, ratio)
        moved = {(*models[:i], *models[i + 1 :], z) for i in range(12) for z in points}
        assert all(abs(own - found[tuple(sorted(other))]) <= 1 for other in moved)


def test_models_are_put_on_the_grid():
    """The nearest point, inside the cube; 0 for what is no number; the cube is at least 1 wide."""
    model = np.array([0.26, -0.24, np.nan, np.inf, -1e300])
    assert whole(model, 0.1, 7).tolist() == [3, -2, 0, 7, -7]
    assert reach_of(100, 1e-4) == 1_000_000
    assert reach_of(1e-9, 1) == 1
    assert reach_of(1e300, 1e-300) == 2**52
