"""The ends of the domain: nothing raises or warns, and what is said there is true."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import pytest

from dpframe.errors import InvalidArgument
from dpframe.pld.composition import delta_interval, epsilon_interval, total_loss
from dpframe.pld.losses import GaussianLoss, LaplaceLoss, ResponseLoss
from tests.pld.composition import truths

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
