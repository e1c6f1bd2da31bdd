"""Eigenvalues of X'X from noisy ones: laws that hold exactly, and simulation."""

import itertools

import numpy as np
import pytest

from dpframe.inference.spectrum import increasing, noise_left, nonnegative, shrunken, spectrum


def symmetric(d, rng):
    """Noise with variance 1 on the diagonal and 1/2 off it, drawn from its definition."""
    noise = np.zeros((d, d))
    for i, j in itertools.combinations_with_replacement(range(d), 2):
        noise[i, j] = noise[j, i] = rng.normal() * (1 if i == j else np.sqrt(0.5))
    return noise


def test_shrunken_by_hand():
    """Two and three eigenvalues."""
    assert shrunken(np.array([0.0, 2.0]), 1.0) == pytest.approx([0.5, 1.5])
    moved = shrunken(np.array([0.0, 1.0, 4.0]), 0.5)
    assert moved == pytest.approx(
        [0 + 0.25 * (1 + 1 / 4), 1 - 0.25 * (1 - 1 / 3), 4 - 0.25 * (1 / 4 + 1 / 3)]
    )


def test_shrunken_keeps_the_sum_and_follows_units():
    """Corrections cancel in pairs."""
    values = np.sort(np.random.default_rng(0).normal(size=7))
    assert shrunken(values, 0.3).sum() == pytest.approx(values.sum())
    assert shrunken(10 * values, 3.0) == pytest.approx(10 * shrunken(values, 0.3))


def test_equal_eigenvalues_stay_finite():
    """No gap, no infinity."""
    assert np.all(np.isfinite(increasing(shrunken(np.array([1.0, 1.0, 2.0]), 1.0))))


def test_increasing_is_the_nearest_by_brute_force():
    """Among sequences on a grid."""
    values = np.array([1.0, 0.2, 0.5, 3.0])
    grid = np.linspace(0, 3, 31)
    best = min(
        (np.sum((np.array(one) - values) ** 2), one)
        for one in itertools.combinations_with_replacement(grid, 4)
    )
    found = increasing(values)
    assert np.all(np.diff(found) >= 0)
    assert np.sum((found - values) ** 2) <= best[0] + 1e-9
    assert found == pytest.approx([17 / 30, 17 / 30, 17 / 30, 3.0])


@pytest.mark.parametrize("values", [[-1.0, 2.0, 3.0], [5.0], [-0.5, -0.2, 4.0, 0.1]])
def test_nonnegative_is_the_projection_onto_its_simplex(values):
    """By its optimality conditions."""
    values = np.array(values)
    kept = nonnegative(values)
    assert np.all(kept >= 0)
    assert kept.sum() == pytest.approx(values.sum())
    slack = values - kept  # optimality: equal where kept is positive, no larger elsewhere
    level = slack[kept > 0]
    assert np.ptp(level) <= 1e-12
    assert np.all(slack[kept == 0] <= level.max() + 1e-12)


def test_no_positive_sum_leaves_nothing():
    """All zero."""
    assert np.array_equal(nonnegative(np.array([-3.0, 1.0])), [0, 0])


@pytest.mark.parametrize("truth", [np.full(10, 30.0), 2.0 ** np.arange(10)])
def test_it_is_nearer_than_the_noisy_matrix(truth):
    """Equal eigenvalues gain most."""
    rng = np.random.default_rng(3)
    true = np.diag(truth)
    raw, better = 0.0, 0.0
    for _ in range(200):
        noisy = true + 8 * symmetric(10, rng)
        raw += np.sum((noisy - true) ** 2)
        better += np.sum((spectrum(noisy, 8.0, 0.0).matrix - true) ** 2)
    assert better < (0.35 if np.ptp(truth) == 0 else 0.95) * raw


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("d", [3, 10, 40])
@pytest.mark.parametrize("kind", ["equal", "geometric", "factor"])
@pytest.mark.parametrize("std", [3.0, 30.0, 150.0])
def test_the_noise_that_shrinking_leaves(d, kind, std):
    """Of X'X less its estimate, in the directions of the estimate, over that of the noise: on
    average not above what is said, but for a tenth; and of 40 equal eigenvalues a seventh at most.
    """
    truths = {
        "equal": np.full(d, 100.0),
        "geometric": 200 * np.geomspace(1, 0.1, d),
        "factor": np.append(np.full(d - 1, 20.0), 2000.0),
    }
    rng, found, said = np.random.default_rng(d), [], []
    for _ in range(30):
        turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
        true = (turn * truths[kind]) @ turn.T
        observed = spectrum(true + std * symmetric(d, rng), std, 0.5)
        off = observed.vectors.T @ (true - observed.matrix) @ observed.vectors
        found.append(np.mean(off**2) / (std**2 / 2 * (1 + 1 / d)))
        said.append(noise_left(observed.values, std, 2.0))
    assert 0 <= np.min(said) <= np.max(said) <= 1
    assert np.mean(found) <= 1.1 * np.mean(said)
    if kind == "equal" and d == 40:
        assert np.mean(said) < 0.15


def test_all_noise_is_left_where_eigenvalues_are_clear():
    """Gaps beyond std sqrt(d/2); without noise, too; and of one column."""
    assert noise_left(np.array([1.0, 10.0, 30.0]), 1.0, 2.0) == pytest.approx(np.ones(3))
    assert noise_left(np.array([1.0, 10.0, 30.0]), 0.0, 2.0) == pytest.approx(np.ones(3))
    assert noise_left(np.array([5.0]), 2.0, 2.0) == pytest.approx([1.0])
    # 8 alike: 2 (0 + 2)/8 among them
    assert noise_left(np.full(8, 5.0), 1.0, 2.0) == pytest.approx(np.full(8, 0.5))


def test_floor():
    """Half a std."""
    assert spectrum(np.zeros((4, 4)), 2.0, 0.5).values == pytest.approx(np.ones(4))


def test_it_turns_with_the_columns():
    """Rotated data give a rotated estimate."""
    rng = np.random.default_rng(5)
    noisy = 20 * np.eye(5) + symmetric(5, rng)
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    assert spectrum(turn @ noisy @ turn.T, 1.0, 0.1).matrix == pytest.approx(
        turn @ spectrum(noisy, 1.0, 0.1).matrix @ turn.T
    )
