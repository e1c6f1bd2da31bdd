"""Subsampled Gaussian losses, against mpmath, ball arithmetic and the definition of domination."""

import itertools
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from mpmath import mp, mpc, mpf
from scipy.special import ndtr

import dpframe as dp
from dpframe.accountants import parts_of
from dpframe.numerics import working
from dpframe.pld.losses import SubsampledGaussianLoss
from tests.support.oracles import mpf as exactly

DIRECTIONS = ("removal", "addition", "both")
every_direction = pytest.mark.parametrize("direction", DIRECTIONS)


def ratio(x, mu, q):
    """r(x) = dP/dQ."""
    return 1 - q + q * mp.exp(mu * x - mu * mu / 2)


def density(x):
    """That of N(0, 1)."""
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def moment(loss, z):
    """E e^(zL) by mpmath's quadrature of its definition."""
    mu, q, z = exactly(loss.mu), exactly(loss.rate), mpc(z)

    def integral(power, start):
        far = abs(power.real) * mu + 20
        cuts = int(far - start) + 1
        points = [start + (far - start) * mpf(k) / cuts for k in range(cuts + 1)]
        return mp.quad(lambda x: density(x) * mp.exp(power * mp.log(ratio(x, mu, q))), points)

    low = -abs(z.real) * mu - 20
    if loss.direction == "removal":
        return integral(z + 1, low)
    if loss.direction == "addition":
        return integral(-z, low)
    # removal above 0, addition below 0, and an atom
    above, below = integral(mpc(1), mu / 2), integral(mpc(0), mu / 2)
    return 1 - above - below + integral(z + 1, mu / 2) + integral(-z, mu / 2)


def off(value, error, truth):
    """|truth/e^value - 1| and what the error allows of it."""
    return abs(truth / mp.exp(mpc(complex(value))) - 1), mp.expm1(mpf(float(error)))


def cumulant(loss, points):
    """(value, error), each of shape (n,)."""
    value, error = loss.cumulants(loss.stack([loss]), np.array(points, dtype=complex))
    return value[0], error[0]


def some_losses(direction, count, seed):
    """Random losses: q from 1e-6 to 1, some near 1; mu from 0.01 to 10."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        mu, q = Fraction(10 ** rng.uniform(-2, 1)), Fraction(10 ** rng.uniform(-6, 0))
        yield SubsampledGaussianLoss(mu, 1 - q if k % 5 == 4 else q, direction), rng


@every_direction
@pytest.mark.some(1)
def test_the_cumulant_is_that_of_the_definition(direction):
    """Within its error of 50-digit quadrature, which is small where |E e^(zL)| is not."""
    with mp.workdps(50):
        for loss, rng in some_losses(direction, 2, 1):
            z = complex(round(10 ** rng.uniform(-1, 0.7), 3), round(10 ** rng.uniform(-1, 0.7), 3))
            (value,), (error,) = cumulant(loss, [z])
            gap, allowed = off(value, error, moment(loss, z))
            assert gap <= allowed
            assert error < 1e-12 * (1 + abs(value))


@pytest.mark.some(1)
@every_direction
def test_the_cumulant_is_within_its_error(direction):
    """Of the ball integral at c up to 200 and t up to 300, at one point and at many."""
    for loss, rng in some_losses(direction, 16, 2):
        z = 10 ** rng.uniform(-2, 2.3) + 1j * 10 ** rng.uniform(-2, 2.5)
        points = [z.real, z, z.conjugate(), z + 1]
        value, error = cumulant(loss, points)
        alone, bound = cumulant(loss, [z])
        with working(256):
            truths = [loss.enclosure(flint.acb(float(p.real), float(p.imag))) for p in points[:2]]
            for v, e, truth in zip(value, error, truths, strict=False):
                found = flint.acb(float(v.real), float(v.imag)).exp()
                assert np.isfinite(e)
                assert abs(truth / found - 1) <= flint.arb(float(e)).expm1()
        if error.max() < 1:
            assert abs(np.expm1(value[1] - alone[0])) <= 2 * (error[1] + bound[0])
            assert abs(np.expm1(value[1] - value[2].conjugate())) <= 2 * error[1]


@every_direction
def test_a_rare_sample_loses_no_digits(direction):
    """log E is of the order of q^2; its error is relative to that, not to 1."""
    for q in ("1e-3", "1e-5", "1e-6"):
        loss = SubsampledGaussianLoss(Fraction(1), Fraction(q), direction)
        value, error = cumulant(loss, [0.5, 8.0, 8 + 3j])
        assert (np.abs(value) < 1e5 * float(loss.rate) ** 1).all()
        assert (error < 3e-12 * np.abs(value)).all()


@every_direction
def test_points_out_of_reach_are_told(direction):
    """Where |E e^(zL)| is lost the error says so and the value is about that of the rounding; where
    the nodes are too many it is infinite; nothing warns.
    """
    loss = SubsampledGaussianLoss(Fraction(1, 24), Fraction(3, 4), direction)
    value, error = cumulant(loss, [1.0, 1 + 1e9j, 1 + 400j, 1e12])
    assert error[0] < 1e-11
    assert not np.isnan(value).any()
    assert error[3] == np.inf
    if direction == "removal":
        assert 1 < error[2] < 2
        assert value[2].real < value[0].real - 25


@every_direction
def test_no_subsampling_is_the_gaussian_loss(direction):
    """q = 1: z (z + 1) mu^2/2 in every direction, and the Gaussian envelope."""
    loss, plain = SubsampledGaussianLoss(Fraction(2), 1, direction), dp.pld.GaussianLoss(2)
    points = np.array([0.1, 3 + 2j, 40j])
    value, _ = cumulant(loss, points)
    assert np.allclose(value, points * (points + 1) * 2, rtol=1e-14)
    rows = loss.stack([loss]), plain.stack([plain])
    assert loss.envelope(rows[0], 1.0, 2.0) == plain.envelope(rows[1], 1.0, 2.0)
    with working(128):
        assert abs(loss.enclosure(flint.acb(1)) / flint.arb(4).exp() - 1) < 1e-30


def test_a_rate_near_1_is_near_the_gaussian_loss():
    """1 - q = 1e-25 is kept apart from 0: with c = 10, mu = 3 addition still sees it."""
    near = SubsampledGaussianLoss(3, 1 - Fraction("1e-25"), "addition")
    (value,), (error,) = cumulant(near, [10.0])
    assert value.real < 10 * 11 * 4.5 - 80
    with working(256):
        truth = near.enclosure(flint.acb(10)) / flint.acb(float(value.real), 0).exp()
        assert abs(truth - 1) <= flint.arb(float(error)).expm1()
        assert error < 1e-9


@every_direction
def test_both_laws_are_laws(direction):
    """E_P 1 = E_P e^-L = 1, and the reverse has E_P'[e^(zL')] = E_P[e^(-(1 + z)L)]."""
    with working(300):
        for loss, rng in some_losses(direction, 4, 3):
            assert abs(loss.enclosure(flint.acb(0)) - 1) < 1e-60
            assert abs(loss.enclosure(flint.acb(-1)) - 1) < 1e-60
            z = flint.acb(float(rng.uniform(-2, 2)), float(rng.uniform(-5, 5)))
            there, back = loss.enclosure(-1 - z), loss.reverse().enclosure(z)
            assert abs(there - back) <= 1e-50 * (1 + abs(there))
        assert loss.reverse().reverse() == loss


@every_direction
def test_the_envelope_bounds_the_rest_of_the_line(direction):
    """|E e^((c + is)L)| <= e^envelope E e^(cL) for sampled s >= t; it never increases in t."""
    for loss, rng in some_losses(direction, 12, 4):
        table, c = loss.stack([loss]), float(10 ** rng.uniform(-1, 1.7))
        times = np.sort(10 ** rng.uniform(-2, 3, 40))
        bounds = np.array([loss.envelope(table, c, float(t))[0] for t in times])
        assert (bounds <= 0).all()
        assert (np.diff(bounds) <= 0).all()
        value, error = cumulant(loss, c + 1j * np.concatenate([[0.0], times]))
        seen = np.isfinite(error[1:])
        seen &= error[1:] < 1
        least = value[1:].real - error[1:] - value[0].real - error[0]
        assert (least[seen] <= bounds[seen]).all()
        assert not 0.0 < loss.envelope(table, c, 0.0)[0]


def test_the_envelope_falls():
    """It is no trivial bound: at the median of ordinary losses it is below e^-1 at t = 100."""
    loss = SubsampledGaussianLoss(1, Fraction(1, 2))
    assert loss.envelope(loss.stack([loss]), 2.0, 100.0)[0] < -3
    assert loss.envelope(loss.stack([loss]), 2.0, 0.1)[0] < -0.001


def lattice(mu, q, h, *, up):
    """The law of L for removal on h Z by its distribution function, every L moved up or down."""
    edges = np.arange(-0.25, 4.0 + h / 2, h)
    with np.errstate(all="ignore"):
        x = (np.log((np.exp(edges) - 1 + q) / q) + mu * mu / 2) / mu
    below = (1 - q) * ndtr(x) + q * ndtr(x - mu)
    below[np.isnan(below)] = 0.0
    mass = np.concatenate([np.diff(below), [0.0]])
    return edges, np.roll(mass, 1) if up else mass, 1 - below[-1]


def test_a_composition_lies_between_two_discretisations():
    """200 releases at q = 1/20: L rounded to a lattice from below and from above, self-convolved
    by FFT, are two independent bounds on delta.
    """
    mu, q, k, h, epsilon = 1.0, 0.05, 200, 2e-4, 2.0
    size = 1 << 19
    bounds = []
    for up in (False, True):
        edges, mass, beyond = lattice(mu, q, h, up=up)
        spread = np.fft.irfft(np.fft.rfft(mass, size) ** k, size)
        total = k * edges[0] + h * np.arange(size)
        kept = total > epsilon
        bounds.append(float((spread[kept] * -np.expm1(epsilon - total[kept])).sum()))
        bounds[-1] += k * beyond if up else 0.0
    loss = SubsampledGaussianLoss(1, Fraction(1, 20))
    found = dp.accountants.NumericAccountant().delta(parts_of((loss, k)), Fraction(2))
    assert bounds[0] - 1e-11 <= found.upper
    assert found.lower <= bounds[1] + 1e-11
    assert bounds[1] < 1.1 * bounds[0]


@pytest.mark.parametrize("wrong", [0, -1, 2, "half", True, float("nan"), float("inf"), None, 1e-99])
def test_a_rate_out_of_range_is_refused(wrong):
    """Of a loss, which takes exact numbers in [2^-200, 1]."""
    with pytest.raises(dp.InvalidArgument, match="rate"):
        SubsampledGaussianLoss(1, wrong)


@pytest.mark.parametrize("wrong", [0, -1, "one", True, float("nan"), float("inf"), None, 1e99])
def test_a_mu_out_of_range_is_refused(wrong):
    """And so is a direction that is none."""
    with pytest.raises(dp.InvalidArgument, match="mu"):
        SubsampledGaussianLoss(wrong, Fraction(1, 2))
    with pytest.raises(dp.InvalidArgument, match="direction"):
        SubsampledGaussianLoss(1, Fraction(1, 2), wrong)


def test_the_three_directions_are_three_losses():
    """Equal by value, unlike each other, and one direction back is the loss itself."""
    losses = {SubsampledGaussianLoss(1, 0.5, direction) for direction in DIRECTIONS}
    assert len(losses) == 3
    assert SubsampledGaussianLoss(1.0, Fraction(1, 2)) in losses
    both = SubsampledGaussianLoss(1, 0.5, "both")
    assert both.reverse() is both
    assert mpmath.mpf(both.parameters[1] + both.parameters[2]) == 1


# ------------------------------------------------------------ Which pair dominates a subsampled sum
def hockey_stick(p, q, log_alpha):
    """sup over sets of P - alpha Q, for the normal mixtures p, q = [(weight, mean), ...], std 1."""
    x = np.linspace(-14, 14, 56001)

    def law(parts):
        return sum(w * np.exp(-((x - m) ** 2) / 2) for w, m in parts) / np.sqrt(2 * np.pi)

    return float(np.maximum(law(p) - np.exp(log_alpha) * law(q), 0).sum() * (x[1] - x[0]))


def profile(mu, q, epsilon):
    """q delta(log(1 + (e^epsilon - 1)/q)) for epsilon >= 0, by duality below."""
    if epsilon < 0:
        return 1 - np.exp(epsilon) + np.exp(epsilon) * profile(mu, q, -epsilon)
    inner = np.log1p(np.expm1(epsilon) / q)
    return q * (ndtr(mu / 2 - inner / mu) - np.exp(inner) * ndtr(-mu / 2 - inner / mu))


def poisson(values, q):
    """The mixture of normals with the sums of a Poisson subsample."""
    parts = []
    for coins in itertools.product((0, 1), repeat=len(values)):
        weight = np.prod([q if coin else 1 - q for coin in coins])
        parts.append((weight, float(np.dot(coins, values)) if values else 0.0))
    return parts


def chosen(values, m):
    """The mixture of normals with the sums of m of the values."""
    sums = [float(sum(subset)) for subset in itertools.combinations(values, m)]
    return [(1 / len(sums), total) for total in sums]


EPSILONS = (-1.5, -0.4, 0.0, 0.2, 0.7, 1.5, 3.0)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.some(1)
def test_poisson_sampling_is_dominated_in_each_direction(q):
    """All tables of up to 3 other rows in {-1, 1/2, 1}, and a row in {-1, 1}: sums with std 1."""
    for others in itertools.chain.from_iterable(
        itertools.combinations_with_replacement((-1.0, 0.5, 1.0), k) for k in range(4)
    ):
        for row in (-1.0, 1.0):
            without, with_row = poisson(others, q), poisson((*others, row), q)
            pair = [(1 - q, 0.0), (q, 1.0)], [(1.0, 0.0)]
            for epsilon in EPSILONS:
                removal = hockey_stick(with_row, without, epsilon)
                addition = hockey_stick(without, with_row, epsilon)
                assert removal <= hockey_stick(*pair, epsilon) + 1e-8
                assert addition <= hockey_stick(*pair[::-1], epsilon) + 1e-8


@pytest.mark.parametrize("m", [1, 2, 3])
def test_sampling_without_replacement_is_dominated_by_both(m):
    """m of 4 rows in [0, 1], one replaced: sums with std 1 move by 1; q = m/4."""
    for others in itertools.combinations_with_replacement((0.0, 0.4, 1.0), 3):
        for one, other in ((0.0, 1.0), (1.0, 0.0), (0.4, 1.0)):
            p, q = chosen((*others, one), m), chosen((*others, other), m)
            for epsilon in EPSILONS:
                assert hockey_stick(p, q, epsilon) <= profile(1.0, m / 4, epsilon) + 1e-8
