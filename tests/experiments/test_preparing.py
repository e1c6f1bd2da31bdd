"""The preparations of the thesis, by hand; the synthetic worlds, by their moments."""

import numpy as np
import pytest

from dpframe.experiments.data import DataSet, prepared
from dpframe.experiments.worlds import (
    PENALTIES,
    PIAZZA,
    PREPARATIONS,
    UNIT,
    WANG_CODED,
    WANG_PRINTED,
    Preparation,
    _chosen,
    clipped,
    prepared_split,
    scaled_columns,
    standardised,
)

RNG = np.random.default_rng(0)
TABLE = DataSet("t", RNG.normal(size=(30, 3)) * [1, 5, 20] + [0, 3, -4], RNG.normal(size=30) * 7)
TRAIN, TEST = np.arange(20), np.arange(20, 30)


def split(how):
    """One split of the table."""
    return prepared_split(TABLE, TRAIN, TEST, how, UNIT)


def test_row_norms_before_are_those_of_wang():
    """The same as his preparation of the whole table."""
    ready, one = prepared(TABLE), split(PREPARATIONS["row norms, before"])
    assert one.X == pytest.approx(ready.X[TRAIN])
    assert one.y == pytest.approx(ready.y[TRAIN])
    assert one.rows == pytest.approx(ready.X[TEST])
    assert one.labels == pytest.approx(ready.y[TEST])


@pytest.mark.parametrize("name", PREPARATIONS)
def test_training_rows_are_within_their_bounds(name):
    """|x| <= 1, |y| <= 1, as the regressions declare."""
    one = split(PREPARATIONS[name])
    assert np.linalg.norm(one.X, axis=1).max() <= 1 + 1e-12
    assert np.abs(one.y).max() <= 1 + 1e-12
    if not PREPARATIONS[name].before:
        assert np.abs(one.y).max() == pytest.approx(1)


def test_the_maximum_norm_by_hand():
    """Statistics of the training rows, test rows by the same. [Thesis, Eq. 3.5]"""
    one = split(PREPARATIONS["maximum norm"])
    mean, std = TABLE.X[TRAIN].mean(axis=0), TABLE.X[TRAIN].std(axis=0)
    rows = (TABLE.X - mean) / std
    largest = np.linalg.norm(rows[TRAIN], axis=1).max()
    assert one.X == pytest.approx(rows[TRAIN] / largest)
    assert one.rows == pytest.approx(rows[TEST] / largest)
    assert one.labels == pytest.approx(TABLE.y[TEST] / np.abs(TABLE.y[TRAIN]).max())
    with_one = split(PREPARATIONS["maximum norm, intercept"])
    assert with_one.X.shape == (20, 4)
    assert len(set(with_one.X[:, 3])) == 1
    assert with_one.X[0, 3] == pytest.approx(1 / np.sqrt(largest**2 + 1))


def test_labels_over_row_norms_are_put_back():
    """The error is that of labels over the largest. [Thesis, Eq. 3.4]"""
    one = split(PREPARATIONS["row norms, y included"])
    plain = split(PREPARATIONS["row norms"])
    assert one.X == pytest.approx(plain.X)
    assert one.labels * np.sqrt(one.weights) == pytest.approx(plain.labels)


def test_clips_are_on_the_upper_side():
    """Of training rows, or of test rows too, by mean + c std of the training rows. [Eq. 3.8]"""
    upper = TABLE.X[TRAIN].mean(axis=0) + TABLE.X[TRAIN].std(axis=0)
    found = clipped(TABLE.X, TRAIN, 1.0, TRAIN, None)
    assert np.array_equal(found[TEST], TABLE.X[TEST])
    assert np.array_equal(found[TRAIN], np.minimum(TABLE.X[TRAIN], upper))
    both = clipped(TABLE.X, TRAIN, 1.0, TRAIN, TEST)
    assert np.array_equal(both, np.minimum(TABLE.X, upper))
    assert np.any(split(Preparation("max", clip=1.0)).X != split(Preparation("max")).X)


def test_constant_columns():
    """Become zeros, in every preparation."""
    X = np.column_stack([np.full(5, 0.1), np.arange(5.0)])
    assert np.all(standardised(X, np.arange(5))[:, 0] == 0)
    assert scaled_columns(X)[:, 0].tolist() == [0] * 5
    assert scaled_columns(X)[:, 1].tolist() == [-1, -0.5, 0, 0.5, 1]


@pytest.mark.parametrize("world", [WANG_CODED, WANG_PRINTED, PIAZZA])
def test_synthetic_worlds(world):
    """Rows of length at most 1, labels of at most 1; least squares finds the truth, and its squared
    distance is that of the papers' units: d std^2/n by the noise that they add, d/n where rows have
    length 1 and entries of variance 1/d.
    """
    n = 20_000
    point = {"n": n, "splits": 1}
    (one,) = world.splits(point, np.random.default_rng(1), None)
    assert np.linalg.norm(one.X, axis=1).max() <= 1 + 1e-12
    assert np.abs(one.y).max() <= 1
    assert len(one.labels) == n // 10
    theta = np.linalg.lstsq(one.X, one.y, rcond=None)[0]
    distance = one.factor * np.sum((theta - one.truth) ** 2)
    variance = {WANG_CODED: 0.01 / 12, PIAZZA: 0.01}.get(world)
    want = 10 * 10 * variance / (0.9 * n) if variance else 10 / (0.9 * n)
    assert 0.2 * want < distance < 4 * want


def test_the_penalty_is_the_best_of_its_list():
    """No penalty for many records, a large one for few with much noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (3000, 3))
    assert _chosen(X, X @ [0.2, 0.1, -0.3], 1.0) == PENALTIES[0]
    noise = rng.normal(size=40)
    assert _chosen(X[:40], noise, 1.0) >= 10
