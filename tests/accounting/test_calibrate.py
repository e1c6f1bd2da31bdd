"""Calibrated parameters meet their target at either end of the bracket."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import mpmath
import pytest

import dpframe as dp
from dpframe.accountants import ACCOUNTANTS

DELTA = Fraction(1, 10**6)
BOUNDS = [one for one in ACCOUNTANTS if one.name in ("basic", "zcdp", "rdp")]
MIXES = {
    "one Laplace": (dp.Laplace(scale=1),),
    "integers and reals": (dp.DiscreteLaplace(scale=1), dp.Laplace(scale=3)),
    "Gaussian and Laplace": (dp.Gaussian(std=1), dp.Laplace(scale=2)),
}


def kept(found, epsilon):
    """Whether both upper ends are inside (epsilon, DELTA)."""
    whole = found.composition
    return whole.epsilon(DELTA).upper <= epsilon and whole.delta(epsilon).upper <= DELTA


@pytest.mark.parametrize("name", MIXES)
def test_both_upper_ends_are_inside_the_target(name):
    """For mixes whose profiles are smooth, and for those whose are not."""
    target = dp.ApproxDP("0.7", DELTA)
    assert kept(dp.calibrate(*MIXES[name], target=target), Fraction(7, 10))


@pytest.mark.parametrize("accountant", BOUNDS, ids=lambda one: one.name)
def test_every_accountant_keeps_it(accountant):
    """Those that bound from above, too."""
    target, things = dp.ApproxDP(1, DELTA), ((dp.Laplace(scale=2), 3), dp.Laplace(scale=1))
    assert kept(dp.calibrate(*things, target=target, accountant=accountant), Fraction(1))


def test_parts_without_noise_may_cost_all_of_delta():
    """The double above delta is then the least answer."""
    target = dp.ApproxDP(1, DELTA)
    found = dp.calibrate(dp.Laplace(scale=1), dp.ApproxDP("0.1", DELTA), target=target)
    assert found.composition.epsilon(DELTA).upper <= 1


def near_the_top(scales, epsilon):
    """The profile of Laplace noises where epsilon is less than any of their losses below the sum
    of these: a loss is its top with probability 1/2, and y below it with density e^(-y/2)/4.
    """
    room = sum(1 / scale for scale in scales) - epsilon
    assert 0 < room < min(2 / scale for scale in scales)
    t, count = mpmath.mpf(room.numerator) / room.denominator, len(scales)
    found = -mpmath.expm1(-t) / 2**count
    for k in range(1, count + 1):
        share = mpmath.quad(
            lambda y, k=k: y ** (k - 1) * mpmath.exp(-y / 2) * -mpmath.expm1(y - t), [0, t]
        )
        found += comb(count, k) * share / (mpmath.factorial(k - 1) * mpmath.mpf(2) ** (count + k))
    return found


@pytest.mark.slow
def test_the_least_factor_of_laplaces_is_that_of_their_closed_form():
    """A billionth less noise misses the target."""
    found = dp.calibrate(
        (dp.Laplace(scale=2), 3), dp.Laplace(scale=1), target=dp.ApproxDP(1, DELTA)
    )

    def exact(factor):
        return near_the_top([2 * factor] * 3 + [factor], Fraction(1))

    with mpmath.workdps(40):
        stated = found.composition.delta(1)
        assert kept(found, Fraction(1))
        assert stated.lower <= exact(found.factor) <= stated.upper
        assert exact(found.factor) <= mpmath.mpf(1) / 10**6
        assert exact(found.factor * (1 - Fraction(1, 10**9))) > mpmath.mpf(1) / 10**6
