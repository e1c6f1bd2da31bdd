"""Where labels and residuals are clipped, by hand."""

import attrs
import numpy as np
import pytest

from dpframe.inference.evidence import Evidence, Seen
from dpframe.inference.shrinkage import Prior, posterior
from dpframe.inference.widths import (
    count_of,
    counted_squares,
    label_level,
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


@pytest.mark.parametrize(
    ("noise", "expected"),
    [(33, 1), (34, 0.5), (183, 0.5), (184, 0.25), (6_533, 0.25), (6_534, 0.125), (1e6, 2.0**-7)],
)
def test_level_makes_intervals_a_quarter_longer_at_most(noise, expected):
    """By hand: clips take 25 at 1/2, 100 at 1/4, 1350 at 1/8."""
    assert level(COUNTS, noise=noise) == expected


def test_level_takes_little_off_labels_where_noise_is_small_for_predictions():
    """By hand: of those above."""
    assert level(COUNTS, noise=83, columns=0.0) == 1.0
    assert level(COUNTS, noise=84, columns=0.0) == 0.5
    # (0.75 50 - 25)^2 + (d 30/2)^2 against (d 30)^2: 12.5^2 below 26^2 d^2 for d = 1
    assert level(COUNTS, noise=1.96 * 30, columns=1.0) == 0.5
    assert level(COUNTS, noise=1.96 * 30, columns=0.1) == 1.0


def test_level_counts_what_noise_on_counts_hides():
    """By hand: 25 and 1.2 times 50 at 1/2, 100 and 1.2 times 79 at 1/4."""
    assert level(COUNTS, std=100.0, noise=113) == 1.0
    assert level(COUNTS, std=100.0, noise=114) == 0.5
    assert level(COUNTS, std=100.0, noise=236) == 0.5
    assert level(COUNTS, std=100.0, noise=237) == 0.25


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
        first = Seen(moment, off, np.zeros(d), 1.0)
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
    first = Seen(gram @ theta, 1e-3, np.zeros(1), 1.0)
    seen = Evidence(gram, 1e-3, (first,), squares, 1e-6, n, 0.0)
    fit = attrs.evolve(posterior(seen, 1.0, Prior()), mean=theta)
    left = squares - 2 * 0.4 * 2000 + 0.16 * 5000
    narrow = 0.3 * np.sqrt(left / n)
    assert residual_width(seen, fit, 1.0, 1e-12) == pytest.approx(narrow, rel=1e-3)
    wide = (0.3 + 0.27 * 8) * np.sqrt(left / n)
    assert residual_width(seen, fit, 1.0, 64 / n) == pytest.approx(wide, rel=1e-3)
    slow = (3 + 0.45 * np.log(3000)) * np.sqrt(left / n)
    assert residual_width(seen, fit, 1.0, 3000 / n) == pytest.approx(min(slow, 1.4), rel=1e-3)
    assert residual_width(seen, fit, 2.0, 1e-12) == pytest.approx(narrow / 2, rel=1e-3)
    huge = attrs.evolve(seen, squares=1e9)
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
    whole = Seen(np.array([40.0, 10.0]), 20.0, np.zeros(2), 1.0)
    half = Seen(np.array([20.0, 5.0]), 10.0, np.zeros(2), 1.0, kept=0.5)
    one, other = (
        posterior(Evidence(gram, 5.0, (seen,), 300.0, 1.0, 1300.0, 1.0), 1.0, Prior()).mean
        for seen in (whole, half)
    )
    assert one == pytest.approx(other)


def test_the_deviation_of_residuals_counts_what_a_fit_followed_in_every_round():
    """As above, with a sum of residuals beside X'y. By hand: D = 100 - 2 30 + 20 = 60 leaves what
    the posterior expects, 80, within two stds of 2 5 |theta|, and no more than these.
    """
    theta, count = np.array([2.0, 0.0]), 100.0
    gram, moment = np.diag([5.0, 5.0]), np.array([15.0, 0.0])
    first = Seen(moment, 5.0, np.zeros(2), 1.0)
    residuals = Seen(np.zeros(2), 1.0, np.zeros(2), 0.1)
    seen = Evidence(gram, 1e-9, (first, residuals), 100.0, 1e-9, count, 0.0)
    fit = posterior(seen, 1.0, Prior())
    assert fit.followed == 0
    fit = attrs.evolve(fit, mean=theta)
    assert residual_deviation(seen, fit) == pytest.approx(np.sqrt(80 / count), rel=1e-4)
    quiet = attrs.evolve(seen, moments=(attrs.evolve(first, std=0.5), residuals))
    assert residual_deviation(quiet, fit) == pytest.approx(np.sqrt((60 + 4) / count), rel=1e-4)
