"""Which pair dominates a subsampled sum: every small table, by integrals of normal mixtures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import ndtr


def hockey_stick(p, q, log_alpha):
    """sup over sets of P - alpha Q, for the normal mixtures p, q = [(weight, mean), ...], std 1."""
    x = np.linspace(-14, 14, 56001)

    def law(parts):
        return sum(w * np.exp(-((x - m) ** 2) / 2) for w, m in parts) / np.sqrt(2 * np.pi)

    return float(np.maximum(law(p) - np.exp(log_alpha) * law(q), 0).sum() * (x[1] - x[0]))


def profile(mu, q, epsilon):
    """q delta(log(1 + (e^epsilon - 1)/q)) for epsilon >= 0, by duality below."""
    if epsilon < 0:
        return 1 - np.exp(epsilon) + np.exp(epsilon) * profile(mu, q, -epsilon)
    inner = np.log1p(np.expm1(epsilon) / q)
    return q * (ndtr(mu / 2 - inner / mu) - np.exp(inner) * ndtr(-mu / 2 - inner / mu))


@pytest.mark.parametrize("q", [0.05, 0.5, 0.95])
def test_both_is_the_larger_of_the_two_directions(q):
    """The formula for `both` is the pointwise maximum, at epsilon of either sign."""
    for mu in (0.3, 1.0, 3.0):
        p, base = [(1 - q, 0.0), (q, mu)], [(1.0, 0.0)]
        for epsilon in (-2.0, -0.3, -0.01, 0.0, 0.01, 0.3, 2.0):
            two = hockey_stick(p, base, epsilon), hockey_stick(base, p, epsilon)
            assert abs(max(two) - profile(mu, q, epsilon)) < 1e-7
            assert max(two) == pytest.approx(two[0 if epsilon >= 0 else 1], abs=1e-9)


def poisson(values, q):
    """The mixture of normals with the sums of a Poisson subsample."""
    parts = []
    for coins in itertools.product((0, 1), repeat=len(values)):
        weight = np.prod([q if coin else 1 - q for coin in coins])
        parts.append((weight, float(np.dot(coins, values)) if values else 0.0))
    return parts


def chosen(values, m):
    """The mixture of normals with the sums of m of the values."""
    sums = [float(sum(subset)) for subset in itertools.combinations(values, m)]
    return [(1 / len(sums), total) for total in sums]


EPSILONS = (-1.5, -0.4, 0.0, 0.2, 0.7, 1.5, 3.0)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.some(1)
def test_poisson_sampling_is_dominated_in_each_direction(q):
    """All tables of up to 3 other rows in {-1, 1/2, 1}, and a row in {-1, 1}: sums with std 1."""
    for others in itertools.chain.from_iterable(
        itertools.combinations_with_replacement((-1.0, 0.5, 1.0), k) for k in range(4)
    ):
        for row in (-1.0, 1.0):
            without, with_row = poisson(others, q), poisson((*others, row), q)
            pair = [(1 - q, 0.0), (q, 1.0)], [(1.0, 0.0)]
            for epsilon in EPSILONS:
                removal = hockey_stick(with_row, without, epsilon)
                addition = hockey_stick(without, with_row, epsilon)
                assert removal <= hockey_stick(*pair, epsilon) + 1e-8
                assert addition <= hockey_stick(*pair[::-1], epsilon) + 1e-8


@pytest.mark.parametrize("m", [1, 2, 3])
def test_sampling_without_replacement_is_dominated_by_both(m):
    """m of 4 rows in [0, 1], one replaced: sums with std 1 move by 1; q = m/4."""
    for others in itertools.combinations_with_replacement((0.0, 0.4, 1.0), 3):
        for one, other in ((0.0, 1.0), (1.0, 0.0), (0.4, 1.0)):
            p, q = chosen((*others, one), m), chosen((*others, other), m)
            for epsilon in EPSILONS:
                assert hockey_stick(p, q, epsilon) <= profile(1.0, m / 4, epsilon) + 1e-8


def test_neither_direction_alone_dominates_sampling_without_replacement():
    """So `both` is needed: a replaced row exceeds the removal profile below epsilon = 0, and the
    addition profile above it.
    """
    p, q = chosen((0.0, 0.0, 0.0, 1.0), 2), chosen((0.0, 0.0, 0.0, 0.0), 2)
    pair = [(0.5, 0.0), (0.5, 1.0)], [(1.0, 0.0)]
    assert hockey_stick(q, p, -0.3) > hockey_stick(*pair, -0.3) + 1e-3
    assert hockey_stick(p, q, 0.3) > hockey_stick(*pair[::-1], 0.3) + 1e-3


def cells(mu, q, step):
    """(r, mass under N(0, 1)) of cells of the line."""
    x = np.arange(-9, 9 + mu, step)
    return 1 - q + q * np.exp(mu * x - mu * mu / 2), np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * step


def spent(p, q, alpha):
    """sum (P - alpha Q)_+ for two independent releases with the laws p = (p1, p2) against q."""
    return float(np.maximum(np.outer(*p) - alpha * np.outer(*q), 0).sum())


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_two_of_both_dominate_replacements_in_any_two_directions(q):
    """The law of `both` on cells, squared: not less than two removals, two additions, one each."""
    r, bell = cells(2.0, q, 0.02)
    above = r > 1
    law = np.concatenate([(bell * r)[above], bell[above], [1.0]])
    base = np.concatenate([bell[above], (bell * r)[above], [1.0]])
    law[-1] = base[-1] = 1 - law[:-1].sum()
    for epsilon in (0.05, 0.2, 0.5, 1.0, 2.0):
        alpha = np.exp(epsilon)
        removals = spent((bell * r, bell * r), (bell, bell), alpha)
        additions = spent((bell, bell), (bell * r, bell * r), alpha)
        mixed = spent((bell * r, bell), (bell, bell * r), alpha)
        assert max(mixed, removals, additions) <= spent((law, law), (base, base), alpha) + 1e-6
