"""ObjPert.m and suffstats_perturb.m: the mu that tables approach, and when it is too large."""

import math

import numpy as np
import pytest

from docs.generate.refutations import (
    objpert_coded,
    objpert_refuted_above,
    suffstats_output,
    suffstats_refuted_above,
)
from dpframe.numerics import profile_delta, profile_epsilon

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
