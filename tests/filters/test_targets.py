"""Ceilings inside (epsilon, delta), and what an odometer says: against mpmath and simulation."""

import math
from fractions import Fraction

import mpmath
import pytest
from mpmath import mp, mpf

import dpframe as dp
from tests.support.oracles import delta_of

TARGETS = [("1", "1e-6"), ("0.01", "1e-10"), ("8", "1e-5"), ("1e-4", "0.1"), ("100", "1e-40")]


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mp.workdps(60):
        yield


def number(text):
    """The exact decimal at the working precision."""
    fraction = Fraction(text)
    return mpf(fraction.numerator) / fraction.denominator


def least_delta(rho, epsilon):
    """min over orders a of the bound from Renyi moments, E[(1 - e^(epsilon - L))+] <=
    max_l (1 - e^(epsilon-l)) e^(-(a-1) l) e^((a-1) a rho), both extrema searched by mpmath.
    """

    def log_bound(log_beyond):
        b = mpmath.exp(log_beyond)  # a - 1
        last = mpmath.log(b / (1 + b))  # the largest l has e^(epsilon-l) = b/a
        return b * ((1 + b) * rho - epsilon + last) - mpmath.log(1 + b)

    low, high = mpf(-60), mpf(60)
    for _ in range(300):
        third = (high - low) / 3
        if log_bound(low + third) < log_bound(high - third):
            high -= third
        else:
            low += third
    return mpmath.exp(log_bound((low + high) / 2))


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
def test_the_largest_rho(epsilon, delta):
    """Inside at rho and outside just above; noise of exactly that rho is private by its profile."""
    gate = dp.Filter(dp.ApproxDP(epsilon, delta), by=dp.ZeroConcentratedDP)
    assert gate.target == dp.ApproxDP(epsilon, delta)
    rho, wanted = number(gate.ceiling.rho.value), number(delta)
    assert (
        least_delta(rho, number(epsilon))
        <= wanted
        < least_delta(rho * (1 + mpf("1e-14")), number(epsilon))
    )
    assert delta_of(number(epsilon), mpmath.sqrt(2 * rho)) <= wanted
    surprise = -mpmath.log(wanted)  # never less than the simple conversion admits
    simple = (mpmath.sqrt(surprise + number(epsilon)) - mpmath.sqrt(surprise)) ** 2
    assert rho >= simple * (1 - mpf("1e-14"))


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
def test_the_largest_mu(epsilon, delta):
    """Its profile is at most delta, and above it just beyond."""
    gate = dp.Filter(dp.ApproxDP(epsilon, delta), by=dp.GaussianDP)
    mu, wanted = number(gate.ceiling.mu.value), number(delta)
    assert (
        delta_of(number(epsilon), mu) <= wanted < delta_of(number(epsilon), mu * (1 + mpf("1e-14")))
    )


def test_a_filter_inside_a_target_says_so_and_survives():
    """The printed filter names its target; a ceiling outside it is refused when read."""
    gate = dp.Filter(dp.ApproxDP(1, "1e-6"), by=dp.GaussianDP)
    assert "inside (1, 1e-6)-differential privacy" in repr(gate)
    restored = dp.Filter.from_json(gate.to_json())
    assert (restored.target, restored.ceiling) == (gate.target, gate.ceiling)


@pytest.mark.parametrize("by", [dp.PureDP, dp.ApproxDP, "zcdp", dp.Guarantee])
def test_by_is_concentrated_or_gaussian(by):
    """Anything else is refused, and so is a target that is no (epsilon, delta)."""
    with pytest.raises(dp.InvalidArgument):
        dp.Filter(dp.ApproxDP(1, "1e-6"), by=by)
    with pytest.raises(dp.InvalidArgument):
        dp.Filter(dp.PureDP(1), by=dp.ZeroConcentratedDP)
    with pytest.raises(dp.InvalidArgument):
        dp.Filter(dp.ApproxDP(dp.EPSILON, "1e-6"), by=dp.GaussianDP)


def odometer_of(*costs, kind=dp.ZeroConcentratedDP):
    """An odometer after these costs."""
    odometer = dp.Odometer(kind)
    for cost in costs:
        odometer.spend(cost)
    return odometer


@pytest.mark.parametrize("aim", ["1/100", "1", "25"])
@pytest.mark.parametrize("delta", ["1e-6", "0.1"])
def test_the_line_of_all_times(aim, delta):
    """rho + rho s + log(1/delta)/s at s = sqrt(log(1/delta)/aim), from above and within 1e-12."""
    odometer = odometer_of(dp.ZeroConcentratedDP("0.3"), dp.GaussianDP("0.4"), dp.PureDP("0.6"))
    rho = mpf(3) / 10 + mpf(8) / 100 + mpf(18) / 100
    surprise = -mpmath.log(number(delta))
    slope = mpmath.sqrt(surprise / number(aim))
    exact = rho + rho * slope + surprise / slope
    found = odometer.epsilon_at_all_times(Fraction(delta), aim=Fraction(aim))
    # any slope is a theorem, and near the best one the bound is flat: above it, or as near as 1e-14
    assert exact * (1 - mpf("1e-14")) <= found <= exact * (1 + mpf("1e-12"))


def test_where_the_total_is_the_aim_nothing_is_lost():
    """At rho = aim the line is rho + 2 sqrt(rho log(1/delta)), and `epsilon` is at most that."""
    odometer = odometer_of(dp.ZeroConcentratedDP("0.5"))
    simple = mpf("0.5") + 2 * mpmath.sqrt(mpf("0.5") * mpmath.log(10**6))
    everywhere = odometer.epsilon_at_all_times(Fraction(1, 10**6), aim=Fraction(1, 2))
    assert abs(everywhere - simple) <= 1e-14 * simple
    assert odometer.epsilon(Fraction(1, 10**6)).upper <= float(simple) * (1 + 1e-15)


def test_other_currencies_at_all_times():
    """Pure: the sum with certainty. Gaussian: as rho = mu^2/2. Approximate: refused."""
    pure = odometer_of(dp.PureDP("0.1"), dp.PureDP("0.2"), kind=dp.PureDP)
    upper = Fraction(pure.epsilon_at_all_times(0.5, aim=1))
    assert Fraction(3, 10) <= upper <= Fraction(3, 10) * (1 + Fraction(1, 10**15))
    gaussian = odometer_of(dp.GaussianDP("0.6"), kind=dp.GaussianDP)
    same = odometer_of(dp.ZeroConcentratedDP("0.18"))
    assert gaussian.epsilon_at_all_times(0.01, aim=2) == same.epsilon_at_all_times(0.01, aim=2)
    assert dp.Odometer(dp.GaussianDP).epsilon_at_all_times(0.01, aim=2) == 0
    assert dp.Odometer(dp.GaussianDP).epsilon(0.01) == dp.Odometer(dp.PureDP).epsilon(0.01)
    with pytest.raises(dp.errors.OutsideTheorem, match="Fix a ceiling"):
        dp.Odometer(dp.ApproxDP).epsilon_at_all_times(0.5, aim=1)
    for bad in ({"aim": 0}, {"aim": -1}, {"aim": True}, {"aim": math.nan}):
        with pytest.raises(dp.InvalidArgument):
            gaussian.epsilon_at_all_times(0.01, **bad)


def test_deltas_that_reach_one_guarantee_nothing():
    """The sum is still there, and `total` refuses to call it a guarantee."""
    odometer = odometer_of(*[dp.ApproxDP("0.1", "1/2")] * 2, kind=dp.ApproxDP)
    assert odometer.spent.delta == dp.constant(1)
    with pytest.raises(dp.InvalidArgument):
        _ = odometer.total
