"""Intervals: by hand, and how often they hold a further run."""

import math

import numpy as np
import pytest
from scipy import stats

from dpframe.experiments.declared import Metric
from dpframe.experiments.estimates import Estimate, further

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
    assert math.isnan(median.half_width)
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


@pytest.mark.parametrize("theirs", [10, 10_000])
@pytest.mark.parametrize("heavy", [0.05, 0.3, 1.5])
def test_the_interval_holds_a_further_run(theirs, heavy):
    """In 95% of 1,000 experiments, for lognormal worlds with noise in each fit; in more where a
    published run of many fits has less noise than ours and worlds differ by less than the noise.
    """
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(1000):
        worlds = rng.lognormal(0, heavy, 13)
        values = worlds[:12, None] * rng.gamma(1, size=(12, 10))
        again = worlds[12] * rng.gamma(theirs) / theirs
        low, high = Estimate.of(values, MEAN).prediction(theirs)
        held += low <= again <= high
    assert held / 1000 > 0.92
    assert held / 1000 < 0.98 or (heavy < 0.3 and theirs > 10)


def test_without_noise_it_is_the_t_interval():
    """Which shrinks as noise is taken out."""
    whole = further(2.0, 0.0, 6)
    assert whole == pytest.approx(np.sqrt(2 * (1 + 1 / 6)) * stats.t.ppf(0.975, 5))
    assert further(2.0, 1e-6, 6, 4000) == pytest.approx(whole, rel=2e-2)
    widths = [further(2.0, noise, 6) for noise in (0.1, 0.5, 1)]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] < whole


def test_shares_of_zero_have_an_interval():
    """Where logarithms have none."""
    low, high = Estimate.of(np.array([[0.0], [1.0], [1.0]]), MEAN).prediction(1)
    assert low < 0
    assert high > 1


def test_of_our_own_runs_the_others_hold_as_many_as_they_should():
    """95% of lognormal runs, fewer where logarithms are skewed; nothing is said of two."""
    rng = np.random.default_rng(4)
    shares = {
        name: np.mean([Estimate.of(draw((6, 1)), MEAN).own for _ in range(300)])
        for name, draw in (
            ("lognormal", lambda size: rng.lognormal(0, 1, size)),
            ("twice", lambda size: np.exp(rng.exponential(size=size))),
        )
    }
    assert shares["lognormal"] == pytest.approx(0.95, abs=0.02)
    assert shares["twice"] < 0.94
    assert math.isnan(Estimate.of(np.ones((2, 1)), MEAN).own)


def test_outliers_are_beyond_the_whiskers():
    """By hand: a box from 2 to 7, whiskers from -5.5 to 14.5."""
    assert Estimate(np.array([*range(9), 14.6, -5.6, 14.4, 2.0])).outliers == 2
    assert Estimate(np.arange(9.0)).outliers == 0


def test_the_middle_is_a_geometric_mean():
    """Of the runs; a mean of many fits lies above by half of their variance in logarithms."""
    one = Estimate.of(np.array([[1.0, 3.0], [7.0, 9.0]]), MEAN)
    assert one.middle(2) == pytest.approx(4)
    assert one.middle(10**9) == pytest.approx(4 * math.exp(2 / 25 / 2 / 2), rel=1e-6)
