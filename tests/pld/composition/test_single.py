"""One release in closed form: against integrals at 60 digits, and against the contour."""

import random
from fractions import Fraction

import flint
import mpmath
import mpmath as mp
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.numerics import ball, working
from dpframe.pld.composition import delta_interval, epsilon_interval, total_loss
from dpframe.pld.losses import GaussianLoss, LaplaceLoss, ResponseLoss
from tests.pld.composition import truths
from tests.pld.composition.truths import delta_ball

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


# ------------------------------------------------------------------------- Balls around the profile
def number(value):
    """An mpf as a ball of 1e-80 relatively."""
    return flint.arb(mp.nstr(value, 90)) * (1 + flint.arb(0, 1e-80))


@pytest.mark.parametrize("mu", [Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(20)])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 100), Fraction(3)])
@pytest.mark.parametrize("bits", [64, 200])
def test_a_gaussian_is_its_closed_form(mu, epsilon, bits):
    """[BalleW18, Thm 8] at 1,000 digits, and the ball is as sharp as asked."""
    epsilon = min(epsilon, 30 * mu)
    with mp.workdps(1000), working(600):
        truth = number(truths.gaussian(truths.exact(mu), truths.exact(epsilon)))
        found = delta_ball({GaussianLoss(mu): 1}, epsilon, bits=bits)
        assert found.overlaps(truth)
        assert found.rad() <= abs(found.mid()) * flint.arb(2) ** (-bits // 2)


@pytest.mark.parametrize("seed", range(8))
def test_a_laplace_and_a_gaussian_by_quadrature(seed):
    """Over the law of the Laplace loss."""
    rng = random.Random(seed)
    epsilon = Fraction(rng.randint(1, 400), 100)
    mu, at = epsilon * Fraction(rng.randint(3, 30), 10), epsilon * Fraction(rng.randint(0, 20), 10)
    with mp.workdps(50), working(300):
        wide = truths.exact(mu)
        truth = truths.after_laplace(
            truths.exact(epsilon),
            lambda y: truths.gaussian(wide, y),
            truths.exact(at),
            [j * wide for j in range(-8, 9, 4)],
        )
        found = delta_ball({GaussianLoss(mu): 1, LaplaceLoss(epsilon): 1}, at)
        assert abs(found / flint.arb(mp.nstr(truth, 45)) - 1) < 1e-30


@pytest.mark.some(1, most=15)
@pytest.mark.parametrize("seed", range(60))
def test_intervals_of_doubles_hold_the_ball(seed):
    """Random mixes of all three kinds, counts up to 1e6, parameters over six decades."""
    rng = random.Random(seed)
    counts = {GaussianLoss(Fraction(10 ** rng.uniform(-2, 1))): rng.choice([1, 5])}
    for _ in range(rng.choice([1, 2, 6])):
        count = rng.choice([1, 20, 10**6])
        size = Fraction(10 ** rng.uniform(-3, 0.7)) / Fraction(count**0.5)
        lost = Fraction(10 ** rng.uniform(-30, -3)) / count
        loss = rng.choice([LaplaceLoss(size), GaussianLoss(size), ResponseLoss(size, lost)])
        counts[loss] = count
    total, delta = (
        total_loss(counts),
        Fraction(10 ** rng.choice([-300, -30, -9, -6, -3, -0.5, -0.01])),
    )
    found = epsilon_interval(total, delta)
    with working(200):
        if 0 < found.lower < float("inf"):
            assert not delta_ball(counts, Fraction(found.lower)) < ball(delta) * (1 - 1e-30)
        if found.upper < float("inf"):
            assert not delta_ball(counts, Fraction(found.upper)) > ball(delta) * (1 + 1e-30)
        point = Fraction(rng.choice([0.0, 0.5, 2.0]))
        known, truth = delta_interval(total, point), delta_ball(counts, point)
        assert not truth < ball(Fraction(known.lower)) * (1 - 1e-30)
        assert not truth > ball(Fraction(known.upper)) * (1 + 1e-30)


def test_an_atom_at_infinity_is_added():
    """delta = 1 - (1 - d)^n + (1 - d)^n times the finite part."""
    with working(200):
        lost, count, at = Fraction(1, 1000), 3, Fraction(2)
        plain = delta_ball(
            {GaussianLoss(Fraction(1)): 1, ResponseLoss(Fraction(1), Fraction(0)): count}, at
        )
        found = delta_ball(
            {GaussianLoss(Fraction(1)): 1, ResponseLoss(Fraction(1), lost): count}, at
        )
        kept = ball((1 - lost) ** count)
        assert abs(found - (1 - kept + kept * plain)) < 1e-30


def test_without_a_gaussian_it_refuses():
    """Nothing bounds what is left out; the way out names the accountant."""
    with pytest.raises(InvalidArgument, match="NumericAccountant"):
        delta_ball({LaplaceLoss(Fraction(1)): 3}, Fraction(1))
