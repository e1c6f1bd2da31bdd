"""Certified composition: every interval around an independent truth, to the ends of the domain."""

import math
import random
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.pld.composition import delta_interval, epsilon_interval, total_loss
from dpframe.pld.losses import GaussianLoss, LaplaceLoss, ResponseLoss
from tests.pld.composition import truths

# ---------------------------------------------------------------------------- Certified composition
SLACK = mp.mpf(10) ** -25  # of the quadrature


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(truths.DIGITS):
        yield


def mix(k):
    """k distinct losses, Gaussian and Laplace in turn, with scales around sqrt(k)."""
    scales = math.sqrt(k) * np.linspace(0.7, 1.5, k)
    kinds = (GaussianLoss, LaplaceLoss)
    return {kinds[i % 2](1 / Fraction(float(scale))): 1 for i, scale in enumerate(scales)}


def holds_epsilon(interval, delta, profile):
    """profile(upper) <= delta <= profile(lower), unless the ends are trivial."""
    d = truths.exact(delta)
    if 0 < interval.lower < math.inf:
        assert profile(mp.mpf(interval.lower)) >= d * (1 - SLACK)
    if interval.upper < math.inf:
        assert profile(mp.mpf(interval.upper)) <= d * (1 + SLACK)


def holds_delta(interval, truth):
    """lower <= truth <= upper."""
    assert mp.mpf(interval.lower) <= truth * (1 + SLACK)
    assert truth * (1 - SLACK) <= mp.mpf(interval.upper)


@pytest.mark.parametrize(
    ("k", "delta", "figure"),
    [
        (3, Fraction(1, 10**6), "4.798233499"),
        (100, Fraction(1, 10**6), "4.660961280"),
        (1000, Fraction(1, 10**6), "4.7329690"),
        (10000, Fraction(1, 10**6), "4.747636937"),
    ],
)
def test_known_mixes(k, delta, figure):
    """Figures made apart from this code, in 400-bit ball arithmetic with proved remainders."""
    found = epsilon_interval(total_loss(mix(k)), delta)
    places = len(figure.split(".")[1])
    assert round(found.upper, places) == round(found.lower, places) == float(figure)


@pytest.mark.parametrize("k", [3, 100, 1000, 10000])
@pytest.mark.parametrize("digits", [6, 12, 30])
def test_a_mix_is_sharp(k, digits):
    """Width at most 1e-12 down to delta = 1e-30."""
    assert epsilon_interval(total_loss(mix(k)), Fraction(1, 10**digits)).width <= 1e-12


def test_the_mix_of_three_against_quadrature_on_another_line():
    """delta(epsilon) from a Gauss-Legendre contour at c = 1.25, where ours is elsewhere."""
    losses = mix(3)
    factors = [
        (truths.gaussian_moment(truths.exact(loss.mu)), 1)
        if isinstance(loss, GaussianLoss)
        else (truths.laplace_moment(truths.exact(loss.epsilon)), 1)
        for loss in losses
    ]
    found = epsilon_interval(total_loss(losses), Fraction(1, 10**6))
    assert found.width <= 1e-12
    with mp.workdps(32):
        holds_epsilon(
            found, Fraction(1, 10**6), lambda x: truths.contour(factors, x, mp.mpf("1.25"), 18)
        )


@pytest.mark.parametrize(
    ("mu", "count", "digits", "figure"),
    [
        (1, 10, 3, "14.08"),
        (1, 10, 6, "19.42"),
        (1, 10, 9, "23.41"),
        (1, 1, 6, "4.88655"),
        (2, 1, 6, "10.99715"),
    ],
)
def test_gaussians(mu, count, digits, figure):
    """Equal Gaussians are one with sqrt(count) mu: the closed form."""
    found = epsilon_interval(
        total_loss({GaussianLoss(Fraction(mu)): count}), Fraction(1, 10**digits)
    )
    assert f"{found.upper:.{len(figure.split('.')[1])}f}" == figure
    one = mp.sqrt(count) * mu
    holds_epsilon(found, Fraction(1, 10**digits), lambda x: truths.gaussian(one, x))
    assert found.width < 1e-12


def test_ten_thousand_losses_are_summed_block_by_block(monkeypatch):
    """No temporary holds more than 2^16 numbers, or one for each node, whatever the losses are."""
    sizes = []

    def noting(original):
        def cumulants(cls, parameters, z):
            sizes.append((len(parameters) * len(z), len(z)))
            return original(parameters, z)

        return classmethod(cumulants)

    for kind in (GaussianLoss, LaplaceLoss):
        monkeypatch.setattr(kind, "cumulants", noting(kind.cumulants))
    epsilon_interval(total_loss(mix(10000)), Fraction(1, 10**6))
    assert len(sizes) > 10
    assert all(size <= max(2**16, nodes) for size, nodes in sizes)


def drawn(rng, low, high):
    """Log-uniform, exactly the double."""
    return Fraction(10 ** rng.uniform(low, high))


def some_delta(rng):
    """From 1e-200 to almost 1."""
    return rng.choice([drawn(rng, -12, -1), drawn(rng, -200, -12), 1 - drawn(rng, -6, -0.5)])


@pytest.mark.some(1, most=10)
@pytest.mark.parametrize("seed", range(40))
def test_gaussians_and_responses_by_conditioning(seed):
    """A binomial mixture of the Gaussian closed form, for random parameters."""
    rng = random.Random(seed)
    mu, count = drawn(rng, -3, 2), rng.choice([1, 3, 100, 10**6])
    epsilon, answers = mu * drawn(rng, -2, 1.3), rng.choice([1, 2, 9])
    lost = rng.choice([Fraction(0), drawn(rng, -14, -1)])
    total = total_loss({GaussianLoss(mu): count, ResponseLoss(epsilon, lost): answers})
    one, size = truths.exact(mu) * mp.sqrt(count), truths.exact(epsilon)
    kept = (1 - truths.exact(lost)) ** answers

    def profile(x):
        smooth = lambda y: truths.gaussian(one, y)  # noqa: E731
        return (1 - kept) + kept * truths.after_responses(size, answers, smooth, x)

    delta = some_delta(rng)
    found = epsilon_interval(total, delta)
    if kept == 1:
        assert found.upper == 0 or found.width < 1e-6 * found.upper
    holds_epsilon(found, delta, profile)
    point = Fraction(rng.choice([0.5, 0.9, 1.0])) * Fraction(
        found.upper if found.upper < math.inf else 1
    )
    holds_delta(delta_interval(total, point), profile(truths.exact(point)))


@pytest.mark.some(1, most=8)
@pytest.mark.parametrize("seed", range(25))
def test_a_laplace_and_a_gaussian_by_quadrature(seed):
    """Over the law of the Laplace loss, of the Gaussian closed form."""
    rng = random.Random(seed)
    epsilon = drawn(rng, -6, 1.3)
    mu = epsilon * drawn(rng, -0.7, 1.5)
    total = total_loss({LaplaceLoss(epsilon): 1, GaussianLoss(mu): 1})
    wide, size = truths.exact(mu), truths.exact(epsilon)
    turns = [wide**2 / 2 + j * wide for j in range(-10, 22, 4)]

    def profile(x):
        return truths.after_laplace(size, lambda y: truths.gaussian(wide, y), x, turns)

    delta = some_delta(rng)
    found = epsilon_interval(total, delta)
    assert found.upper == 0 or found.width < 1e-6 * found.upper
    holds_epsilon(found, delta, profile)


@pytest.mark.parametrize("seed", range(8))
def test_laplaces_alone(seed):
    """One or two Laplace losses: the closed form, and a quadrature of it."""
    rng = random.Random(seed)
    first, second = drawn(rng, -8, 2), drawn(rng, -2, 1)
    pair = rng.random() < 0.5
    losses = [LaplaceLoss(first), LaplaceLoss(second)] if pair else [LaplaceLoss(first)]
    total = total_loss(dict.fromkeys(losses, 1))
    one, two = truths.exact(first), truths.exact(second)

    def profile(x):
        if not pair:
            return truths.laplace(one, x)
        return truths.after_laplace(one, lambda y: truths.laplace(two, y), x, [two, -two])

    delta = some_delta(rng)
    found = epsilon_interval(total, delta)
    holds_epsilon(found, delta, profile)
    assert found.upper == 0 or found.lower > 0.9 * found.upper or delta > Fraction(1, 10)


def test_compose_gives_the_same():
    """The facade asks the same sum."""
    one = dp.compose((dp.Gaussian(std=4), 8), dp.Laplace(scale=10)).epsilon(1e-6)
    other = epsilon_interval(
        total_loss({GaussianLoss(Fraction(1, 4)): 8, LaplaceLoss(Fraction(1, 10)): 1}),
        Fraction(1, 10**6),
    )
    assert one == other


# --------------------------------------------------------------------------- The ends of the domain
SIZES = (Fraction(1, 10**320), Fraction(1, 10**12), Fraction(10**6), Fraction(10**200))
DELTAS = (Fraction(1, 10**320), Fraction(1, 10**6), 1 - Fraction(1, 10**18))
LOSSES = (GaussianLoss, LaplaceLoss, ResponseLoss)


@pytest.mark.parametrize("kind", LOSSES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{float(size):.0e}")
def test_no_parameter_is_too_small_or_too_large(kind, size):
    """Every answer is an interval of nonnegative numbers, and delta falls with epsilon."""
    total = total_loss({kind(size): 2})
    for delta in DELTAS:
        found = epsilon_interval(total, delta)
        assert 0 <= found.lower <= found.upper
    last = 1.0
    for epsilon in (Fraction(0), size, 2 * size, Fraction(10**400)):
        found = delta_interval(total, epsilon)
        assert 0 <= found.lower <= found.upper <= 1
        assert found.lower <= last
        last = found.upper


@pytest.mark.parametrize("count", [10**12, 2**53 + 1, 10**18])
def test_counts_beyond_exact_doubles(count):
    """count Gaussians of mu are one of sqrt(count) mu; the closed form."""
    mu = Fraction(1, 10**6)
    found = delta_interval(total_loss({GaussianLoss(mu): count}), Fraction(1))
    with mp.workdps(80):
        truth = truths.gaussian(mp.sqrt(count) * truths.exact(mu), mp.mpf(1))
        assert mp.mpf(found.lower) <= truth <= mp.mpf(found.upper)
    assert found.width < 1e-9


def test_a_count_beyond_doubles_is_refused():
    """Not rounded, not an OverflowError."""
    with pytest.raises(InvalidArgument, match="losses"):
        total_loss({GaussianLoss(Fraction(1)): 10**400})
    with pytest.raises(InvalidArgument, match="losses"):
        total_loss({GaussianLoss(Fraction(10**400)): 1})


def test_the_mass_at_infinity_is_rounded_outward():
    """1/3 is no double: both neighbours are given where only the atom is left."""
    total = total_loss({ResponseLoss(Fraction(1), Fraction(1, 3)): 1})
    found = delta_interval(total, Fraction(2))
    assert Fraction(found.lower) < Fraction(1, 3) < Fraction(found.upper)
    assert found.upper == math.nextafter(found.lower, 1)


@pytest.mark.parametrize("count", [1, 100])
def test_delta_at_the_atom_exactly_and_around(count):
    """At P[L = infinity] the answer is the largest loss; below it none is enough."""
    lost = Fraction(1, 1000)
    total = total_loss({ResponseLoss(Fraction(1), lost): count})
    atom = 1 - (1 - lost) ** count
    assert epsilon_interval(total, atom * Fraction(999, 1000)).lower == math.inf
    at = epsilon_interval(total, atom)
    assert at.lower <= count <= at.upper
    assert epsilon_interval(total, atom * Fraction(1001, 1000)).upper <= count
    if count == 1:
        assert at.width < 1e-12


def test_far_left_of_the_mean_nothing_is_trivial():
    """mu = 100: at epsilon = 1 delta is 1 - 1e-500 or so, and 1 - 1e-9 has its epsilon."""
    total = total_loss({GaussianLoss(Fraction(100)): 1})
    assert delta_interval(total, Fraction(1)).lower > 1 - 1e-12
    found = epsilon_interval(total, 1 - Fraction(1, 10**9))
    assert found.width < 1e-3 * found.upper
    with mp.workdps(60):
        for end, sign in ((found.lower, 1), (found.upper, -1)):
            gap = truths.gaussian(mp.mpf(100), mp.mpf(end)) - (1 - mp.mpf(10) ** -9)
            assert gap * sign >= 0


def test_the_top_of_bounded_losses():
    """Two Laplace losses at delta = 1e-100 cost their sum, to the last bits."""
    found = epsilon_interval(total_loss({LaplaceLoss(Fraction(1)): 2}), Fraction(1, 10**100))
    assert found.lower <= 2 <= found.upper
    assert found.width < 1e-15


def test_nothing_costs_nothing():
    """No loss at all, or none of one: epsilon = 0 and delta = 0."""
    for counts in ({}, {GaussianLoss(Fraction(1)): 0}):
        total = total_loss(counts)
        assert epsilon_interval(total, Fraction(1, 10)).upper == 0
        assert delta_interval(total, Fraction(0)).upper == 0


def test_many_rationals_add_in_no_time():
    """2,000 Laplace losses whose denominators share nothing."""
    total = total_loss({LaplaceLoss(Fraction(1, 10007 + 2 * k)): 1 for k in range(2000)})
    assert total.largest >= sum(float(Fraction(1, 10007 + 2 * k)) for k in range(2000)) - 1e-12
