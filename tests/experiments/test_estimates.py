"""Intervals: by hand, and how often they hold a further run."""

import math

import numpy as np
import pytest
from scipy import stats

from dpframe.experiments.declared import Metric
from dpframe.experiments.estimates import Estimate

MEAN = Metric("m", lambda *_: 0.0)


def test_by_hand():
    """The mean of runs, half of its 95% interval, stds and quantiles."""
    one = Estimate.of(np.array([[1.0, 3.0], [5.0, 7.0]]), MEAN)
    assert one.runs.tolist() == [2, 6]
    assert one.value == 4
    assert one.half_width == pytest.approx(stats.t.ppf(0.975, 1) * np.sqrt(8) / np.sqrt(2))
    assert one.std == 2
    assert one.within == 2
    assert one.quantiles(0, 1) == (2, 6)
    median = Estimate.of(np.array([[1.0], [2.0], [9.0]]), Metric("m", MEAN.of, outer="median"))
    assert median.value == 2
    assert Estimate.of(np.ones((2, 3)), Metric("m", MEAN.of, "std")).value == 0


def test_one_run_says_nothing_of_another():
    """No width, and infinite ends."""
    one = Estimate.of(np.ones((1, 5)), MEAN)
    assert math.isnan(one.half_width)
    assert one.prediction(5) == (-math.inf, math.inf)


def test_over_another_method():
    """Ratios of the means of a repeat."""
    one = Estimate.of(np.array([[2.0, 4.0], [9.0, 9.0]]), MEAN, np.array([[1.0, 1.0], [3.0, 3.0]]))
    assert one.runs.tolist() == [3, 3]


@pytest.mark.parametrize(("theirs", "fits"), [(10, 10), (10_000, 10)])
@pytest.mark.parametrize("heavy", [0.3, 1.5])
def test_the_interval_holds_a_further_run(theirs, fits, heavy):
    """In 95% of 2,000 experiments, within five standard errors or above, for lognormal worlds with
    noise in each; a published run with many more fits has less noise than ours.
    """
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(2000):
        worlds = rng.lognormal(0, heavy, 9)
        values = worlds[:8, None] * (1 + 0.3 * rng.standard_normal((8, fits)))
        again = worlds[8] * (1 + 0.3 * rng.standard_normal() / math.sqrt(theirs))
        low, high = Estimate.of(values, MEAN).prediction(theirs)
        held += low <= again <= high
    assert held / 2000 > 0.95 - 5 * math.sqrt(0.05 * 0.95 / 2000)
    assert held / 2000 < 0.99


def test_shares_of_zero_have_an_interval():
    """Where logarithms have none."""
    low, high = Estimate.of(np.array([[0.0], [1.0], [1.0]]), MEAN).prediction(1)
    assert low < 0
    assert high > 1
