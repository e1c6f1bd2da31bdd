"""Calibrated parameters meet their target at either end of the bracket."""

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


@pytest.mark.parametrize("accountant", dp.accountants.ACCOUNTANTS, ids=lambda one: one.name)
def test_accountants_by_name(accountant):
    """As the accountant itself, in dp.compose, dp.calibrate, dp.compare and dp.certify; "auto" is
    the numeric one in the first three.
    """
    noise = dp.Laplace(scale=4) if accountant.name in {"basic", "optimal"} else dp.Gaussian(std=4)
    target = dp.ApproxDP(1, "1e-6")
    for given in (accountant, accountant.name):
        assert dp.compose((noise, 3), accountant=given) == dp.compose(
            (noise, 3), accountant=accountant
        )
        assert dp.calibrate((noise, 3), target=target, accountant=given) == dp.calibrate(
            (noise, 3), target=target, accountant=accountant
        )
    assert dp.compose(noise, accountant="auto") == dp.compose(noise)
    assert dp.compare(times=3, accountant=accountant.name).records() == (
        dp.compare(times=3, accountant=accountant).records()
    )


SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("gausian", "Did you mean 'gaussian'?"),
        (dp.accountants.GaussianAccountant, "Call it: dp.accountants.GaussianAccountant()."),
        (3, "'auto', one of 'basic', 'gaussian'"),
    ],
    ids=str,
)
def test_what_is_no_accountant_is_answered_alike(given, says):
    """By all four."""
    target, noise = dp.ApproxDP(1, "1e-6"), dp.Gaussian(std=1)
    calls = (
        lambda: dp.compose(noise, accountant=given),
        lambda: dp.calibrate(noise, target=target, accountant=given),
        lambda: dp.compare(times=2, accountant=given),
        lambda: dp.certify(dp.SSP(), target=target, setting=SETTING, accountant=given),
    )
    for call in calls:
        with pytest.raises(dp.InvalidArgument) as caught:
            call()
        assert caught.value.name == "accountant"
        assert says in str(caught.value)


@pytest.mark.parametrize("noise", [dp.Gaussian(std=3), dp.Laplace(scale=3), dp.L2Laplace(scale=3)])
def test_other_sensitivities(noise):
    """Twice the sensitivity costs as half the noise, and needs twice the factor."""
    half, target = noise.scaled(dp.constant("1/2")), dp.ApproxDP(1, "1e-6")
    twice = dp.compose((noise, 4), sensitivity=2)
    assert twice.epsilon("1e-6") == dp.compose((half, 4)).epsilon("1e-6")
    one, two = (dp.calibrate((noise, 4), target=target, sensitivity=size).factor for size in (1, 2))
    assert float(two / one) == pytest.approx(2, rel=1e-9)
    for size in (0, -1, "x", float("nan")):
        with pytest.raises(dp.InvalidArgument, match="sensitivity"):
            dp.compose(noise, sensitivity=size)


@pytest.mark.parametrize("thing", [dp.Gaussian, dp.Gaussian.analytic, "gaussian"], ids=str)
def test_a_class_of_noise_is_answered_with_what_to_write(thing):
    """Noise has a size."""
    with pytest.raises(dp.InvalidArgument, match=r"Such as dp.Gaussian\(std=1\)"):
        dp.calibrate(thing, target=dp.ApproxDP(1, "1e-6"))
    with pytest.raises(dp.InvalidArgument, match="part must be"):
        dp.compose(thing)
