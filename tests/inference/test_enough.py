"""Where sampling takes far more than noise: against simulated errors, and by hand."""

import attrs
import numpy as np
import pytest

from dpframe.inference.evidence import Evidence, NoisySum
from dpframe.inference.shrinkage import Prior, posterior
from dpframe.inference.widths import LITTLE, residual_variance, sampling_rules

D, COUNT, NOISE = 5, 1e5, 0.2
THETA = np.array([0.6, -0.4, 0.3, 0.0, 0.2])
GRAM = COUNT / D * np.diag([1.6, 1.2, 1.0, 0.8, 0.4])


def evidence(gram_std, moment_std, rng=None):
    """What is released about rows with that X'X, with noise where there is a generator."""
    rng = rng or np.random.default_rng(0)
    noise = rng.normal(0, gram_std, (D, D))
    moment = GRAM @ THETA + rng.normal(0, moment_std, D)
    return Evidence(
        gram=GRAM + (noise + noise.T) / 2,
        gram_std=gram_std,
        moments=(NoisySum(moment, moment_std, np.zeros(D), 1.0),),
        squares=float(THETA @ GRAM @ THETA + NOISE**2 * COUNT),
        squares_std=1.0,
        count=COUNT,
        count_std=1.0,
    )


def sampling_dominates(found, gained=1.0):
    """Whether sampling rules at the fit."""
    return sampling_rules(found, posterior(found, 1.0, Prior()), gained)


def excess(gram_std, moment_std, seed):
    """The mean over simulations of the squared error that noise makes, over d variance."""
    errors, rng = [], np.random.default_rng(seed)
    for _ in range(400):
        observed = evidence(gram_std, moment_std, rng)
        away = np.linalg.solve(observed.gram, observed.moments[0].moment) - THETA
        errors.append(away @ GRAM @ away)
    return np.mean(errors) / (D * NOISE**2)


@pytest.mark.parametrize("parts", [(1, 0), (0, 1), (1, 1)], ids=str)
def test_it_says_so_where_simulated_errors_are_little(parts):
    """And not where they are more, by a tenth for the simulation's own error and the 2 stds."""
    stds = np.array(parts, dtype=float) * (9.0, 6.0) + 1e-3
    size = np.sqrt(LITTLE / excess(*stds, seed=3))
    assert sampling_dominates(evidence(*(0.9 * size * stds)))
    assert not sampling_dominates(evidence(*(1.1 * size * stds)))


def test_looks_again_divide_the_noise_on_the_moment():
    """A variance nine times as large, and nine looks."""
    std = 5.0
    assert sampling_dominates(evidence(0.1, std))
    assert not sampling_dominates(evidence(0.1, 3 * std))
    assert sampling_dominates(evidence(0.1, 3 * std), gained=9.0)


def test_directions_that_noise_hides_need_more_looks():
    """However little the noise on them would make of the small coefficients that are observed."""
    observed = evidence(20.0, 0.1)
    flat = attrs.evolve(observed, moments=(attrs.evolve(observed.moments[0], moment=np.zeros(D)),))
    assert sampling_dominates(flat)
    assert not sampling_dominates(
        attrs.evolve(flat, gram=flat.gram - 0.998 * np.diag([0, 0, 0, 0, 8000.0]))
    )


def test_residuals_that_noise_hides_need_more_looks():
    """An exact fit."""
    observed = evidence(1.0, 1.0)
    exact = attrs.evolve(observed, squares=float(THETA @ GRAM @ THETA))
    assert sampling_dominates(observed)
    assert not sampling_dominates(exact)
    still = attrs.evolve(posterior(exact, 1.0, Prior()), mean=np.zeros(D))
    tiny = (NoisySum(np.zeros(D), 1e-170, np.zeros(D), 1.0),)
    # its variance is 0 in doubles, like what noise takes
    assert not sampling_rules(attrs.evolve(exact, moments=tiny, squares=0.0), still, 1.0)


def test_residual_variance_by_hand():
    """y'y - 2 theta'b + theta'A theta, less 2 stds of the noise of each."""
    observed = Evidence(
        gram=np.array([[4.0]]),
        gram_std=0.3,
        moments=(NoisySum(np.array([6.0]), 0.2, np.zeros(1), 1.0),),
        squares=20.0,
        squares_std=0.6,
        count=10.0,
        count_std=0.0,
    )
    left = 20 - 2 * 1.5 * 6 + 1.5**2 * 4
    noise = np.sqrt(0.6**2 + (2 * 1.5 * 0.2) ** 2 + (1.5**2 * 0.3) ** 2)
    assert residual_variance(observed, np.array([1.5]), 10.0) == pytest.approx(
        (left - 2 * noise) / 10
    )
    assert residual_variance(observed, np.array([30.0]), 1e9) >= 0


def test_labels_summed_again_are_pooled_by_precision():
    """By hand: variances 4 and 1, and the same again."""
    first = evidence(1.0, 2.0)
    first = attrs.evolve(first, moments=(NoisySum(np.full(D, 10.0), 2.0, np.zeros(D), 0.5),))
    both = first.with_labels_again(np.full(D, 5.0), 1.0)
    assert len(both.moments) == 1
    np.testing.assert_allclose(both.moments[0].moment, 10 / 5 + 5 * 4 / 5)
    assert both.moments[0].std == pytest.approx(np.sqrt(4 / 5))
    assert both.moments[0].width == 0.5
    three = both.with_labels_again(np.full(D, 5.0), 1.0)
    assert three.moments[0].std == pytest.approx(np.sqrt(4 / 9))
