"""One release in closed form: against integrals at 60 digits, and against the contour."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

import dpframe as dp
from dpframe.pld.composition import delta_interval, epsilon_interval, total_loss

EPSILONS = [Fraction(0), Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(3)]


def by_definition(loss, epsilon):
    """sup_S P[S] - e^epsilon Q[S], by integrating max(0, p - e^epsilon q)."""
    with mpmath.workdps(40):
        scale = mpmath.e ** mpmath.mpf(epsilon)
        if isinstance(loss, dp.pld.LaplaceLoss):
            x = mpmath.mpf(loss.epsilon)
            # P has its mode at 0, Q at x; P - scale Q is positive left of (x - epsilon)/2
            edge = (x - mpmath.mpf(epsilon)) / 2
            if edge <= 0:
                return mpmath.mpf(0)
            return 1 - mpmath.exp(-edge) / 2 - scale * mpmath.exp(edge - x) / 2
        mu, q = mpmath.mpf(loss.mu), mpmath.mpf(loss.rate)

        def base(x):
            return mpmath.npdf(x)

        def mixed(x):
            return (1 - q) * mpmath.npdf(x) + q * mpmath.npdf(x - mu)

        p, other = (base, mixed) if loss.direction == "addition" else (mixed, base)
        points = mpmath.linspace(-14, 14 + int(mu), 57)
        return mpmath.quad(lambda x: max(mpmath.mpf(0), p(x) - scale * other(x)), points)


LOSSES = [
    dp.pld.LaplaceLoss(Fraction(1, 2)),
    dp.pld.LaplaceLoss(4),
    dp.pld.SubsampledGaussianLoss(1, Fraction(1, 10)),
    dp.pld.SubsampledGaussianLoss(2, Fraction(1, 2), "addition"),
    dp.pld.SubsampledGaussianLoss(1, Fraction(1, 10), "both"),
]


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_the_profile_is_that_of_the_definition(loss, epsilon):
    """Within what quadrature of a kinked integrand can tell; exactly for Laplace."""
    found = delta_interval(total_loss({loss: 1}), epsilon)
    truth = by_definition(loss, epsilon)
    assert found.lower <= truth + mpmath.mpf("1e-6") * truth + mpmath.mpf("1e-7")
    assert found.upper >= truth - mpmath.mpf("1e-6") * truth - mpmath.mpf("1e-7")
    assert found.width <= 1e-15
    if isinstance(loss, dp.pld.LaplaceLoss):
        assert abs(found.upper - truth) <= 1e-15


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("loss", LOSSES[:4], ids=str)
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**30)])
def test_epsilon_is_enclosed_to_the_last_double(loss, delta):
    """Neighbouring doubles; the profile is at most delta at one and above it at the other."""
    total = total_loss({loss: 1})
    found = epsilon_interval(total, delta)
    assert found.width <= 2e-15 * max(1.0, found.upper)
    assert delta_interval(total, Fraction(found.upper)).lower <= delta
    if found.lower > 0:
        assert delta_interval(total, Fraction(found.lower)).upper >= delta


def test_laplace_alone_is_a_formula():
    """epsilon_0 + 2 log(1 - delta)."""
    found = epsilon_interval(total_loss({dp.pld.LaplaceLoss(1): 1}), Fraction(1, 10**6))
    with mpmath.workdps(30):
        truth = 1 + 2 * mpmath.log(1 - mpmath.mpf(10) ** -6)
    assert found.lower <= truth <= found.upper


def test_two_releases_are_no_longer_one():
    """The closed form is not used beyond one release: two cost more."""
    loss = dp.pld.SubsampledGaussianLoss(1, Fraction(1, 10))
    one, two = (epsilon_interval(total_loss({loss: k}), Fraction(1, 10**6)) for k in (1, 2))
    assert one.upper < two.lower


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("digits", [3, 8, 13, 17, 20, 25])
@pytest.mark.parametrize("loss", [LOSSES[0], LOSSES[2], LOSSES[3]], ids=str)
def test_a_delta_close_below_the_profile_at_0(loss, digits):
    """However near to epsilon = 0 the answer lies, it is found at once, and as sharply."""
    total = total_loss({loss: 1})
    with mpmath.workdps(60):
        if isinstance(loss, dp.pld.LaplaceLoss):
            most = 1 - mpmath.exp(-mpmath.mpf(loss.epsilon) / 2)
        else:
            most = mpmath.mpf(loss.rate) * mpmath.erf(mpmath.mpf(loss.mu) / mpmath.sqrt(8))
        delta = Fraction(mpmath.nstr(most - mpmath.mpf(10) ** -digits, 40))
    found = epsilon_interval(total, delta)
    assert 0 < found.lower <= found.upper < 10 ** (2.0 - digits)
    assert found.width <= 1e-12 * found.upper
