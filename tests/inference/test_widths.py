"""Where labels and residuals are clipped, by hand."""

import attrs
import numpy as np
import pytest
from scipy.stats import norm

from dpframe.inference.evidence import Evidence, NoisySum
from dpframe.inference.shrinkage import Prior, posterior
from dpframe.inference.spread import Spread
from dpframe.inference.widths import (
    count_of,
    counted_squares,
    label_level,
    lengths_of,
    loss_std,
    lost_to_clips,
    residual_deviation,
    residual_width,
    share_kept,
)

COUNTS = np.array([0.0, 0, 0, 0, 0, 9700, 250, 50])  # of |y| in (1/8, 1/4], (1/4, 1/2], (1/2, 1]


def level(counts, std=1e-9, noise=200.0, n=None, columns=1e6):
    """Of labels, with `noise` on X'y as wide as intervals have it; as narrow as may be with many
    columns.
    """
    return label_level(counts, std, n, noise / 1.96, columns)


def test_lengths_of_intervals_count_clips_and_noise():
    """Clips take 25 off all labels at 1/2 and 100 at 1/4. In the population, by hand: at most 1/2
    and 3/4 off each label, so that the score intervals of 25 and 100 end at 32.95 and 118.5, with
    stds of 4.06 and 9.43, which count twice. Bias and noise add up as they do in any interval.
    """
    unclipped, half, quarter = lengths_of(COUNTS, 1e-9, np.array([1, 0.5, 0.25]), 1000 / 1.96)
    assert unclipped == pytest.approx(1000, rel=1e-4)
    s = 500 / 1.96
    assert norm.sf((half - 25) / s) + norm.sf((half + 25) / s) == pytest.approx(0.05, abs=1e-4)
    assert quarter == pytest.approx(100 + 1.645 * np.hypot(250 / 1.96, 2 * 9.43), rel=1e-3)
    noisy = lengths_of(COUNTS, 100.0, np.array([0.25]), 1000 / 1.96)
    tau = 100 * np.hypot(0.75, 0.25)
    most = 100 + 1.44 + np.sqrt(1.44**2 + 3.84 * (tau**2 + 75))
    counted = 2 * np.hypot(tau, np.sqrt(0.75 * most))
    assert noisy == pytest.approx(100 + 1.645 * np.hypot(250 / 1.96, counted), rel=1e-3)


@pytest.mark.parametrize("noise", [30, 40, 200, 250, 3_000, 5_000, 8_000, 1e6])
@pytest.mark.parametrize("std", [1e-9, 100.0])
def test_no_level_makes_intervals_much_longer(noise, std):
    """At most 2.5 times the shortest. With more columns noise costs predictions more."""
    levels = 2.0 ** -np.arange(8)
    lengths = lengths_of(COUNTS, std, levels, noise / 1.96)
    allowed = lengths <= 2.5 * lengths.min()
    chosen = [level(COUNTS, std=std, noise=noise, columns=10.0**k) for k in range(-2, 9)]
    assert chosen == sorted(chosen, reverse=True)
    assert set(chosen) <= set(levels[allowed])
    worth = np.where(allowed, lengths * levels**0.4, np.inf)  # 0.2 of the power of noise squared
    assert chosen[-1] == levels[np.argmin(worth)]


def test_level_follows_the_noise():
    """From the bound of labels to the smallest cut; with noisy counts a clip costs more."""
    assert [level(COUNTS, noise=noise) for noise in (33, 34, 213, 214)] == [1, 0.5, 0.5, 0.25]
    assert [level(COUNTS, noise=noise) for noise in (4_000, 1e6)] == [0.25, 2.0**-7]
    assert level(COUNTS, std=100.0, noise=154) == 1.0
    assert level(COUNTS, std=100.0, noise=155) == 0.5
    assert level(COUNTS, std=100.0, noise=493) == 0.5
    assert level(COUNTS, std=100.0, noise=494) == 0.25


def test_level_takes_little_off_labels_where_noise_is_small_for_predictions():
    """Clips take (0.75 - 0.5) 50 off labels for predictions, noise its std times d."""
    assert level(COUNTS, noise=42, columns=1.0) == 1.0
    assert level(COUNTS, noise=43, columns=1.0) == 0.5
    assert level(COUNTS, noise=99, columns=0.1) == 1.0
    assert level(COUNTS, noise=100, columns=0.1) == 0.5


@pytest.mark.parametrize(
    ("profile", "std", "moment_std", "columns"),
    [
        ([0, 16_370, 0, 0, 0, 0, 0, 15.8], 12.6, 6.3, 30),
        ([0, 0, 2_729, 0, 0, 0, 0, 9.5], 5.9, 5.9, 2),
        ([1_165, 0, 602, 2_214, 202, 2_113, 0.4, 238], 23.4, 93.5, 2),
    ],
)
def test_intervals_hold_though_the_same_counts_choose_the_clip(profile, std, moment_std, columns):
    """Where clips move an estimate as far as they can. Of 400 drawn profiles these are among the
    worst; of the second 8.6% are missed where the noise counts once.
    """
    rng, missed = np.random.default_rng(0), []
    for _ in range(1500):
        counts = rng.poisson(profile) + std * rng.standard_normal(8)
        chosen = label_level(counts, std, None, moment_std, columns)
        bias, s = lost_to_clips(np.array(profile), 0.0, chosen)[0], moment_std * chosen
        lost, noise, _ = lost_to_clips(counts, std, chosen)
        variance = np.array([s**2])
        spread = Spread(variance, variance, variance, np.zeros(1))
        half = spread.biased(1.96, lost, loss_std(lost, noise, 1 - chosen))[0]
        missed.append(norm.sf((half - bias) / s) + norm.sf((half + bias) / s))
    assert np.mean(missed) < 0.058


def test_level_is_the_bound_where_the_number_of_records_is_not_clear():
    """Unless n is public."""
    assert level(COUNTS, std=2000.0, noise=1e4) == 1.0  # 10,000 of noise 2000 sqrt(8)
    assert level(COUNTS, std=2000.0, noise=1e4, n=10_000.0) == 2.0**-7


def test_level_of_tiny_labels():
    """The smallest cut."""
    assert level(np.array([10_000.0, 0, 0, 0, 0, 0, 0, 0])) == 2.0**-7


@pytest.mark.parametrize("counts", [-COUNTS, np.full(8, -1e9), np.full(8, 1e9)])
def test_level_is_in_its_range_for_any_noise(counts):
    """Whatever is released."""
    assert 2.0**-7 <= level(counts) <= 1
    assert 2.0**-7 <= level(counts, n=100.0) <= 1


def test_the_deviation_of_residuals_counts_what_a_fit_followed():
    """40 columns, noise on X'y nearly as large as X'y, on X'X larger than its eigenvalues: the fit
    explains noise. On average the deviation is no smaller than what its residuals have by known
    truth (0.8 of it where the noise that was followed counts as explained), and no quarter larger.
    """
    rng, d, n, value, std, off = np.random.default_rng(2), 40, 10_000.0, 120.0, 25.0, 20.0
    ratios = []
    for _ in range(40):
        theta = 0.4 * rng.standard_normal(d)
        noise = rng.standard_normal((d, d)) * std / 2
        gram = value * np.eye(d) + noise + noise.T
        moment = value * theta + off * rng.standard_normal(d)
        left = 100.0  # of y'y, about the regression
        squares = value * theta @ theta + left
        first = NoisySum(moment, off, np.zeros(d), 1.0)
        found = Evidence(gram, std, (first,), squares, 1.0, n, 1.0)
        fit = posterior(found, 1.0, Prior())
        true = np.sqrt((left + value * np.sum((theta - fit.mean) ** 2)) / n)
        ratios.append(residual_deviation(found, fit) / true)
    assert 0.97 < np.mean(ratios) < 1.25


def test_count():
    """The sum of the bins."""
    assert count_of(COUNTS, 3.0, None) == pytest.approx((10_000, 3 * np.sqrt(8)))
    assert count_of(COUNTS, 3.0, 123.0) == (123.0, 0.0)


def test_counted_squares_of_labels_that_are_uniform_between_cuts():
    """By simulation."""
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.uniform(0.5, 1, 40_000), rng.uniform(0, 2.0**-7, 60_000)])
    counts = np.array([60_000.0, 0, 0, 0, 0, 0, 0, 40_000])
    total, std = counted_squares(counts, 10.0, 1.0)
    assert total == pytest.approx(np.sum(y**2), rel=0.01)
    sizes = [4.0**-7 / 3, *(4.0 ** -np.arange(6, -1, -1.0) * 7 / 12)]
    assert std == pytest.approx(10 * np.sqrt(np.sum(np.square(sizes))))
    assert counted_squares(counts, 10.0, 0.25)[0] == pytest.approx(40_000 / 16, rel=0.01)


def test_residual_width():
    """By hand: few deviations, more for small noise, never more than possible."""
    n, theta = 10_000.0, np.array([0.4])
    gram, squares = np.array([[5000.0]]), 1000.0
    first = NoisySum(gram @ theta, 1e-3, np.zeros(1), 1.0)
    observed = Evidence(gram, 1e-3, (first,), squares, 1e-6, n, 0.0)
    fit = attrs.evolve(posterior(observed, 1.0, Prior()), mean=theta)
    left = squares - 2 * 0.4 * 2000 + 0.16 * 5000
    narrow = 0.3 * np.sqrt(left / n)
    assert residual_width(observed, fit, 1.0, 1e-12) == pytest.approx(narrow, rel=1e-3)
    wide = (0.3 + 0.27 * 8) * np.sqrt(left / n)
    assert residual_width(observed, fit, 1.0, 64 / n) == pytest.approx(wide, rel=1e-3)
    slow = (3 + 0.45 * np.log(3000)) * np.sqrt(left / n)
    assert residual_width(observed, fit, 1.0, 3000 / n) == pytest.approx(min(slow, 1.4), rel=1e-3)
    assert residual_width(observed, fit, 2.0, 1e-12) == pytest.approx(narrow / 2, rel=1e-3)
    huge = attrs.evolve(observed, squares=1e9)
    most = 1 + 2 * np.sqrt(0.16 * 5000 / n)
    assert residual_width(huge, fit, 1.0, 1e-9) == pytest.approx(most, rel=1e-3)


def test_share_kept():
    """By simulation."""
    rng = np.random.default_rng(0)
    normal = 0.3 * rng.normal(size=200_000)
    assert share_kept(0.39, 0.3) == pytest.approx(np.mean(abs(normal) < 0.39), abs=0.005)
    assert share_kept(1e-9, 0.3) == 0.4
    assert share_kept(1.0, 0.0) == 1.0


def test_moments_that_are_kept_in_part_count_in_full():
    """Half of a moment with half the noise is the moment."""
    gram = np.diag([400.0, 900.0])
    whole = NoisySum(np.array([40.0, 10.0]), 20.0, np.zeros(2), 1.0)
    half = NoisySum(np.array([20.0, 5.0]), 10.0, np.zeros(2), 1.0, kept=0.5)
    one, other = (
        posterior(Evidence(gram, 5.0, (observed,), 300.0, 1.0, 1300.0, 1.0), 1.0, Prior()).mean
        for observed in (whole, half)
    )
    assert one == pytest.approx(other)


def test_the_deviation_of_residuals_counts_what_a_fit_followed_in_every_round():
    """As above, with a sum of residuals beside X'y. By hand: D = 100 - 2 30 + 20 = 60 leaves what
    the posterior expects, 80, within two stds of 2 5 |theta|, and no more than these.
    """
    theta, count = np.array([2.0, 0.0]), 100.0
    gram, moment = np.diag([5.0, 5.0]), np.array([15.0, 0.0])
    first = NoisySum(moment, 5.0, np.zeros(2), 1.0)
    residuals = NoisySum(np.zeros(2), 1.0, np.zeros(2), 0.1)
    observed = Evidence(gram, 1e-9, (first, residuals), 100.0, 1e-9, count, 0.0)
    fit = posterior(observed, 1.0, Prior())
    assert fit.followed == 0
    fit = attrs.evolve(fit, mean=theta)
    assert residual_deviation(observed, fit) == pytest.approx(np.sqrt(80 / count), rel=1e-4)
    quiet = attrs.evolve(observed, moments=(attrs.evolve(first, std=0.5), residuals))
    assert residual_deviation(quiet, fit) == pytest.approx(np.sqrt((60 + 4) / count), rel=1e-4)
