"""What clips may have moved: against integration, and against laws of labels."""

import attrs
import numpy as np
import pytest
from scipy.stats import norm

from dpframe.inference.clipping import TwoSums, hypotheses, left_by, non_normal_share
from dpframe.inference.evidence import Counts, Evidence, NoisySum
from dpframe.inference.shrinkage import Prior, posterior

BOTH = TwoSums(
    labels=np.array([3.0]),
    of_labels=np.array([[4.0]]),
    residuals=np.array([[1.0]]),
    of_residuals=np.array([[0.25]]),
    shared=np.array([[0.5]]),
    signal=np.array([[2.0]]),
    moves=np.array([[[9.0]]]),
)


def summed(move):
    """The chance, mean and variance of A theta by sums over a grid, for moves of this variance."""
    b = np.linspace(-12, 12, 4001)  # A theta and the noise that both share
    like = norm.pdf(b, 0, np.sqrt(2.5)) * norm.pdf(3, b, 2) * norm.pdf(1, b, np.sqrt(0.25 + move))
    share = 2.0 / 2.5  # of b that is A theta
    chance, mean = like.sum(), (like @ b) / like.sum()
    var = share**2 * ((like @ b**2) / like.sum() - mean**2) + 2.0 * 0.5 / 2.5
    return chance, share * mean, var / 2.0


def test_hypotheses_against_integration():
    """None, half of them by a variance of 9."""
    found = hypotheses(BOTH, np.array([0.5, 0.25, 0.25]))
    (free, mean, left), (some, other, more) = summed(0.0), summed(9.0)
    odds = some / (some + free)
    assert found.moved.item() == pytest.approx(odds, rel=1e-6)
    ratio = np.exp(found.chances[1] - found.chances[0]).item()
    assert ratio == pytest.approx(0.5 * (free + some) / 2 / free, rel=1e-6)
    means = [mean, odds * other + (1 - odds) * mean]
    assert found.means[:2].ravel() == pytest.approx(means, rel=1e-6)
    shares = [left, odds * more + (1 - odds) * left]
    assert found.left[:2].ravel() == pytest.approx(shares, rel=1e-6)
    assert left_by(BOTH, found.moved) == pytest.approx(found.left)


def test_residuals_whose_root_is_zero_say_nothing():
    """The third hypothesis: labels alone, residuals about 0."""
    found = hypotheses(BOTH, np.array([0.5, 0.25, 0.25]))
    assert found.means[2].item() == pytest.approx(3 * 2 / 6.5)
    alone = norm.logpdf(3, 0, np.sqrt(6.5)) + norm.logpdf(1, 0, 0.5)
    none = np.log(summed(0.0)[0] * 24 / 4000)
    ratio = found.chances[2] - found.chances[0]
    assert ratio.item() == pytest.approx(np.log(0.5) + alone - none, abs=1e-4)


def counted(y, std=1.0):
    """Released counts of labels in [-1, 1], and y'y."""
    cuts = [0.0, *(2.0 ** np.arange(-7, 1))]
    observed = np.histogram(np.abs(y), cuts)[0].astype(float)
    first = NoisySum(np.zeros(1), 1.0, np.zeros(1), 1.0)
    square = float(y @ y)
    counts = Counts(observed, std, 1.0)
    return Evidence(np.eye(1), 1.0, (first,), square, 1.0, len(y), 0.0, counts=counts)


@pytest.mark.parametrize("explained", [0.0, 0.3, 0.9])
def test_no_normal_label_is_misplaced(explained):
    """Whatever part predictions explain, if they are normal."""
    y = np.clip(0.2 * np.random.default_rng(0).normal(size=20_000), -1, 1)
    assert non_normal_share(counted(y), 0.04, 0.04 * explained) < 0.01


def test_nor_one_about_a_mean_far_from_zero():
    """Whose size is known to some error."""
    y = 0.3 + 0.05 * np.random.default_rng(0).normal(size=20_000)
    square = float(np.mean(y**2))
    assert non_normal_share(counted(y), square, 0.09) < 0.01
    assert non_normal_share(counted(y), square, 0.085, 1e-4) < 0.01
    assert non_normal_share(counted(y), square, 0.0) > 0.3


def test_most_labels_of_other_laws_are_misplaced():
    """Zeros, ones, and two clusters; but not where noise on counts hides them."""
    rng = np.random.default_rng(1)
    zeros = (rng.random(20_000) < 0.03).astype(float)
    signs = rng.choice([-1.0, 1.0], 20_000)
    clusters = 0.3 * signs + 0.02 * rng.normal(size=20_000)
    for y, share in ((zeros, 0.9), (signs, 0.3), (clusters, 0.3)):
        square = float(np.mean(y**2))
        assert non_normal_share(counted(y), square, 0.0) > share
        assert non_normal_share(counted(y, std=1e5), square, 0.0) < 0
    assert non_normal_share(attrs.evolve(counted(zeros), counts=None), 0.03, 0.0) == 0.0


def two(moved, biased):
    """The estimate of A theta = 200, observed as 200 by labels, and off by `moved` by residuals."""
    first = NoisySum(np.array([200.0]), 5.0, np.zeros(1), 1.0)
    second = NoisySum(np.array([moved]), 1.0, np.array([0.5]), 0.1)
    observed = Evidence(np.array([[400.0]]), 1e-6, (first, second), 300.0, 1e-6, 1e6, 1e-6)
    found = posterior(observed, 1.0, Prior(biased=biased), left=3)
    return 400 * float(found.mean[0]), found


def test_residuals_count_until_labels_refute_them():
    """By 1 std of the difference they lead, by 20 labels do; and then labels are to be summed."""
    near, so = two(5.0, 0.01)
    assert near == pytest.approx(205, abs=1)
    far, then = two(100.0, 0.01)
    assert far == pytest.approx(200, abs=3)
    assert so.error_with_residuals < so.error_with_labels
    assert then.error_with_labels < then.error_with_residuals
    assert two(100.0, 0.0)[0] > 250  # nothing else would have noticed


def test_what_clips_moved_does_not_depend_on_units():
    """Labels and counts times 2: the same share of them is misplaced."""
    y = (np.random.default_rng(2).random(5000) < 0.1) * 0.4
    plain = counted(y)
    double = attrs.evolve(plain, counts=attrs.evolve(plain.counts, bound=2.0))
    share = non_normal_share(plain, float(np.mean(y**2)), 0.0)
    assert non_normal_share(double, float(np.mean((2 * y) ** 2)), 0.0) == pytest.approx(share)
