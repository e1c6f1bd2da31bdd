"""One guarantee as (epsilon, delta): against closed forms in mpmath; which ends are exact."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from dpframe.accountants import parts_of
from dpframe.accountants.conversions import delta_of, epsilon_of
from dpframe.privacy import Guarantee
from tests.support.oracles import delta_of as gaussian_delta
from tests.support.oracles import mpf

MILLIONTH = Fraction(1, 10**6)


def one_response(epsilon, own, at):
    """own + (1 - own)(e^epsilon0 - e^epsilon)_+/(1 + e^epsilon0): the worst (epsilon0, own)-DP."""
    with mpmath.workdps(60):
        e, d, x = mpf(epsilon), mpf(own), mpf(at)
        return d + (1 - d) * max(mpmath.exp(e) - mpmath.exp(x), 0) / (1 + mpmath.exp(e))


@pytest.mark.parametrize("own", [Fraction(0), MILLIONTH, Fraction(1, 3)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(1), Fraction(20)])
def test_pure_and_approximate_are_exact(epsilon, own):
    """A double wide, around the closed form of one response."""
    guarantee = dp.ApproxDP(epsilon, own) if own else dp.PureDP(epsilon)
    for at in (Fraction(0), epsilon / 3, epsilon, 2 * epsilon):
        found = delta_of(guarantee, at)
        assert mpf(found.lower) <= one_response(epsilon, own, at) <= mpf(found.upper)
        assert found.upper <= math.nextafter(found.lower, 1)
    for delta in (MILLIONTH, Fraction(1, 100), Fraction(1, 2)):
        found = epsilon_of(guarantee, delta)
        if delta < own:
            assert found.lower == math.inf
            continue
        assert one_response(epsilon, own, Fraction(found.upper)) <= mpf(delta)
        if found.lower:
            below = Fraction(math.nextafter(found.lower, 0))
            assert one_response(epsilon, own, below) > mpf(delta)


def test_epsilon_is_rounded_up():
    """1/3 is no double: the answer at delta near 0 is at least it."""
    found = epsilon_of(dp.PureDP("1/3"), Fraction(1, 10**40))
    assert Fraction(found.lower) <= Fraction(1, 3) <= Fraction(found.upper)
    accountant = dp.accountants.BasicAccountant()
    for tenths in range(1, 40):
        upper = accountant.epsilon(parts_of((dp.ApproxDP("1/10", "1e-9"), tenths)), 1e-9 * tenths)
        assert Fraction(upper.upper) >= Fraction(tenths, 10) or math.isfinite(upper.upper)


@pytest.mark.parametrize("squared", [2, 3, "1/7", "1e-9", 10**6, 4])
def test_irrational_mu_after_composition(squared):
    """GaussianDP(sqrt(q)): what q unit releases are; against the profile at 50 digits."""
    guarantee = dp.GaussianDP(dp.sqrt(Fraction(squared)))
    with mpmath.workdps(50):
        mu = mpmath.sqrt(mpf(Fraction(squared)))
        found = epsilon_of(guarantee, MILLIONTH)
        assert gaussian_delta(found.upper, mu) <= mpf(MILLIONTH)
        if found.lower:
            assert gaussian_delta(found.lower * (1 - 1e-15), mu) > mpf(MILLIONTH)
        deltas = delta_of(guarantee, Fraction(1, 2))
        assert mpf(deltas.lower) <= gaussian_delta(Fraction(1, 2), mu) <= mpf(deltas.upper)
        assert deltas.upper <= 2e-323 or deltas.width <= 4e-16 * deltas.upper


@pytest.mark.parametrize("rho", ["1e-10", "1/100", 1, 50])
def test_zcdp_between_gaussian_noise_and_bun_steinke(rho):
    """At least what Gaussian noise with this rho needs; at most rho + 2 sqrt(rho log(1/delta))."""
    guarantee = dp.ZeroConcentratedDP(rho)
    for delta in (Fraction(1, 10), MILLIONTH, Fraction(1, 10**20)):
        found = epsilon_of(guarantee, delta)
        with mpmath.workdps(50):
            r, mu = mpf(Fraction(rho)), mpmath.sqrt(2 * mpf(Fraction(rho)))
            assert mpf(found.upper) <= r + 2 * mpmath.sqrt(-r * mpmath.log(mpf(delta)))
            assert gaussian_delta(found.upper, mu) <= mpf(delta)
            if found.lower:
                assert gaussian_delta(found.lower * (1 - 1e-15), mu) > mpf(delta)
        deltas = delta_of(guarantee, Fraction(1))
        assert mpf(deltas.lower) <= gaussian_delta(1, mu) <= mpf(deltas.upper)


def test_an_unknown_guarantee_is_refused_with_a_way_out():
    """Not a TypeError."""

    class Other(Guarantee):
        kind = "other"
        currency = parameters = ()
        amounts = ()

    for answer in (epsilon_of, delta_of):
        with pytest.raises(dp.InvalidArgument, match="privacy loss"):
            answer(Other(), MILLIONTH)


def test_a_lower_end_is_claimed_only_where_parts_may_need_it():
    """Basic composition of several parts is not tight: 0 below; of one, or of Gaussians, it is."""
    basic, zcdp = dp.accountants.BasicAccountant(), dp.accountants.ConcentratedAccountant()
    assert basic.epsilon(parts_of((dp.PureDP(1), 100)), MILLIONTH).lower == 0
    assert basic.epsilon(parts_of((dp.PureDP(1), 100)), MILLIONTH).upper > 99.9
    assert basic.epsilon(parts_of(dp.PureDP(1)), MILLIONTH).lower > 0.9
    assert (
        dp.accountants.GaussianAccountant()
        .epsilon(parts_of((dp.GaussianDP(1), 2)), MILLIONTH)
        .lower
        > 7
    )
    assert zcdp.epsilon(parts_of(dp.PureDP(1)), MILLIONTH).lower == 0
    assert zcdp.epsilon(parts_of((dp.ZeroConcentratedDP(1), 3)), MILLIONTH).lower > 10


def test_deltas_that_reach_one_guarantee_nothing():
    """(1, 1/2)-DP three times: no epsilon by basic composition, and no error."""
    parts = parts_of((dp.ApproxDP(1, "1/2"), 3))
    assert dp.accountants.BasicAccountant().epsilon(parts, MILLIONTH).upper == math.inf
    assert dp.accountants.BasicAccountant().delta(parts, 1).upper == 1


def test_a_billion_parts_are_one_multiplication():
    """times(g, n) is total([g] * n); and n = 10^9 has the closed form."""
    for accountant, guarantee in (
        (dp.accountants.BasicAccountant(), dp.ApproxDP("1/7", "1e-9")),
        (dp.accountants.BasicAccountant(), dp.PureDP("1/7")),
        (dp.accountants.GaussianAccountant(), dp.GaussianDP("1/7")),
        (dp.accountants.ConcentratedAccountant(), dp.ZeroConcentratedDP("1/7")),
    ):
        for n in (1, 2, 7):
            assert accountant.times(guarantee, n) == accountant.total([guarantee] * n)
    many = parts_of((dp.GaussianDP("1e-4"), 10**9))
    one = dp.accountants.GaussianAccountant().epsilon(
        parts_of(dp.GaussianDP(dp.sqrt(10))), MILLIONTH
    )
    assert dp.accountants.GaussianAccountant().epsilon(many, MILLIONTH) == one
