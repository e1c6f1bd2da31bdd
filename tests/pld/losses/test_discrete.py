"""Losses of noises on the integers, and of k-ary responses, against their laws by summation."""

from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.numerics import working
from tests.support.oracles import mpf

DIGITS = 80


def laplace_law(rate, shift):
    """The loss and its mass, summed over the integers; what lies beyond is below 1e-100."""
    reach = shift + int(240 / rate) + 2
    b, masses = mpf(rate), {}
    norm = mpmath.tanh(b / 2)  # (1 - a)/(1 + a)
    for x in range(-reach, reach + 1):
        loss = abs(x - shift) - abs(x)
        masses[loss] = masses.get(loss, 0) + norm * mpmath.exp(-b * abs(x))
    yield from ((b * loss, mass) for loss, mass in masses.items())


def gaussian_law(variance, shift, tilt=4):
    """The same for discrete Gaussian noise, wide enough for E e^(zL) at Re z <= tilt."""
    v = mpf(variance)
    reach = int(24 * mpmath.sqrt(v)) + (tilt + 1) * shift + 12
    weights = {x: mpmath.exp(-mpf(x * x) / (2 * v)) for x in range(-reach, reach + 1)}
    total = mpmath.fsum(weights.values())
    for x, weight in weights.items():
        yield mpf((x - shift) ** 2 - x * x) / (2 * v), weight / total


def response_law(odds, k):
    """Truth, the neighbour's truth, and k - 2 answers that say nothing."""
    total = odds + k - 1
    yield mpmath.log(odds), odds / total
    yield -mpmath.log(odds), 1 / total
    yield mpmath.mpf(0), mpf(k - 2) / total


LAWS = [
    *(
        (dp.pld.DiscreteLaplaceLoss(Fraction(r), s), lambda r=Fraction(r), s=s: laplace_law(r, s))
        for r, s in (("1/7", 1), ("1/30", 25), (1, 1), ("3/2", 4), ("5/2", 2), (9, 1), (2, 30))
    ),
    *(
        (dp.pld.DiscreteGaussianLoss(Fraction(v), s), lambda v=Fraction(v), s=s: gaussian_law(v, s))
        for v, s in (
            ("1/50", 1),
            ("1/9", 2),
            ("0.159", 1),
            ("0.16", 1),
            ("1/3", 3),
            (2, 1),
            (9, 5),
            (400, 1),
            (400, 30),
        )
    ),
    *(
        (
            dp.pld.CategoricalLoss(Fraction(e), k),
            lambda e=Fraction(e), k=k: response_law(mpmath.exp(mpf(e)), k),
        )
        for e, k in (("1e-5", 2), ("1/3", 5), (1, 2), (2, 40), (12, 3))
    ),
    *(
        (dp.pld.OddsLoss(Fraction(x), k), lambda x=Fraction(x), k=k: response_law(mpf(1 + x), k))
        for x, k in (("1e-5", 2), ("1/3", 5), (2, 2), (99, 40))
    ),
]
every = pytest.mark.parametrize(("loss", "law"), LAWS, ids=[str(loss) for loss, _ in LAWS])


def summed(law, z):
    """E e^(zL) by its definition."""
    return mpmath.fsum(mass * mpmath.exp(z * loss) for loss, mass in law)


def turned(gap):
    """A complex gap modulo 2 pi i."""
    return abs(
        mpmath.mpc(gap.real, gap.imag - 2 * mpmath.pi * mpmath.nint(gap.imag / 2 / mpmath.pi))
    )


@every
def test_the_cumulant_is_the_log_of_the_sum(loss, law):
    """|cumulant - log sum| <= error <= 1e-12 (1 + its size) at 12 random points with Re z < 4."""
    rng = np.random.default_rng(5)
    z = rng.uniform(0, 4, 12) + 1j * 10 ** rng.uniform(-3, 1, 12)
    z[0], z[1] = 0.5, 7j
    value, error = loss.cumulants(loss.stack([loss]), z)
    with mpmath.workdps(DIGITS):
        atoms = list(law())
        for point, got, bound in zip(z, value[0], error[0], strict=True):
            gap = mpmath.log(summed(atoms, mpmath.mpmathify(point))) - mpmath.mpmathify(got)
            assert turned(gap) <= bound
            assert bound <= 1e-12 * (1 + abs(got)) * (1 + abs(point) ** 2)


@every
def test_the_law_is_a_privacy_loss(loss, law):
    """E[1] = E[e^-L] = 1, by summation and by enclosure; `largest` is the largest value."""
    with mpmath.workdps(DIGITS), working(256):
        atoms = list(law())
        assert abs(summed(atoms, 0) - 1) < 1e-60
        assert abs(summed(atoms, -1) - 1) < 1e-60
        for z in (0, -1):
            one = loss.enclosure(flint.acb(z))
            assert one.contains(1)
            assert one.real.rad() < 1e-60
        if loss.largest is not None:
            top = max(value for value, mass in atoms if mass)
            assert 0 <= mpf(loss.largest) / top - 1 < 1e-15
        else:
            assert isinstance(loss, dp.pld.DiscreteGaussianLoss)


def step_of(loss):
    """The distance of neighbouring values of the loss."""
    match loss:
        case dp.pld.DiscreteLaplaceLoss(rate, _):
            return 2 * float(rate)
        case dp.pld.DiscreteGaussianLoss(variance, shift):
            return float(shift / variance)
    return float(loss.largest)


def advantage(losses, masses, epsilon):
    """E (1 - e^(epsilon - L))_+ of a law."""
    return float(masses @ -np.expm1(np.minimum(epsilon - losses, 0)))


@every
def test_the_masses_come_back_from_the_cumulant(loss, law):
    """The profile by summation is that of the law which a discrete Fourier transform of e^cumulant
    on the imaginary axis finds.
    """
    with mpmath.workdps(DIGITS):
        law = [(float(value), float(mass)) for value, mass in law() if mass > 1e-20]
    values, masses = (np.array(column) for column in zip(*law, strict=True))
    step, least = step_of(loss), values.min()
    size = round((values.max() - least) / step) + 8
    t = 2 * np.pi / (size * step) * np.arange(size)
    value, error = loss.cumulants(loss.stack([loss]), 1j * t)
    spectrum = np.where(np.isfinite(error[0]), np.exp(value[0]), 0)
    back = np.fft.fft(spectrum * np.exp(-1j * t * (least - 4 * step))).real / size
    places = least + step * np.arange(-4, size - 4)
    for epsilon in (0.0, 0.1, 0.7, 2.0):
        found = advantage(places, back, epsilon)
        assert abs(found - advantage(values, masses, epsilon)) < 1e-11


EXTREMES = [
    *(
        dp.pld.DiscreteLaplaceLoss(Fraction(r), s)
        for r, s in (
            ("1e-100", 1),
            ("1e-9", 10**9),
            ("1e-15", 2**53),
            ("1e-3", 1000),
            ("1e-3", 7),
            (3, 100),
            (700, 1),
            ("1/3", 2),
        )
    ),
    *(
        dp.pld.DiscreteGaussianLoss(Fraction(v), s)
        for v, s in (
            ("1e-6", 1),
            ("1e-2", 50),
            ("0.159", 2),
            (10**12, 10**6),
            (10**30, 2**53),
            (9, 3),
            (100, 1000),
        )
    ),
    *(
        dp.pld.CategoricalLoss(Fraction(e), k)
        for e, k in (("1e-100", 2), ("1/2", 2**53), (700, 2**53), (36, 2**53), (5, 149))
    ),
    *(dp.pld.OddsLoss(Fraction(x), k) for x, k in (("1e-100", 3), (10**140, 2**53), ("1/7", 9))),
]


def gap(loss, z, got):
    """|cumulant - log enclosure| modulo 2 pi i, rounded up; infinite where the ball holds 0."""
    truth = loss.enclosure(flint.acb(float(z.real), float(z.imag)))
    if truth.contains(0):
        return np.inf
    off = flint.acb(float(got.real), float(got.imag)) - truth.log()
    turn = 2 * flint.arb.pi()
    off -= flint.acb(0, 1) * turn * (off.imag / turn + 0.5).mid().floor()
    return float(abs(off).upper())


@pytest.mark.parametrize("loss", EXTREMES, ids=str)
def test_extreme_parameters(loss):
    """Within the error, without a warning, at 120 points from tiny to huge; rarely nothing."""
    rng = np.random.default_rng(6)
    z = 10 ** rng.uniform(-6, 6, 120) + 1j * 10 ** rng.uniform(-6, 4, 120)
    value, error = loss.cumulants(loss.stack([loss]), z)
    with working(1100):
        gaps = [gap(loss, *pair) for pair in zip(z, value[0], strict=True)]
    assert (np.array(gaps) <= error[0]).all()
    assert np.isfinite(error).mean() > 0.9


NEAR_ZEROS = [
    *(
        (dp.pld.DiscreteGaussianLoss(Fraction(v), s), 0.5 / s)
        for v in ("0.15", "1/5", 3)
        for s in (1, 2)
    ),
    *((dp.pld.DiscreteLaplaceLoss(Fraction("1e-6"), s), 0.0) for s in (1, 2, 9)),
    (dp.pld.CategoricalLoss(Fraction(1, 1000), 2), 0.0),
    (dp.pld.ResponseLoss(Fraction(1, 1000)), 0.0),
    *((dp.pld.ResponseLoss(Fraction(k, 10**16)), 0.0) for k in (1, 5)),
    (dp.pld.LaplaceLoss(Fraction(1, 10**5)), 0.0),
]


@pytest.mark.parametrize(("loss", "c"), NEAR_ZEROS, ids=str)
def test_near_a_zero_the_error_is_honest(loss, c):
    """Where |E e^(zL)| is least on a line, the error holds, or is infinite."""
    scale = {
        dp.pld.DiscreteGaussianLoss: lambda: np.pi * float(loss.variance / loss.shift),
        dp.pld.DiscreteLaplaceLoss: lambda: np.pi / 2 / float(loss.rate * loss.shift),
    }.get(type(loss), lambda: np.pi / 2 / float(loss.parameters[0]))()
    near = scale * (1 + np.array([0, 1e-16, 1e-14, 1e-12, 1e-9, -1e-9, 1e-6, 1e-3]))
    z = c + 1j * np.concatenate([near, 3 * near, 2 * near])
    value, error = loss.cumulants(loss.stack([loss]), z)
    with working(600):
        gaps = np.array([gap(loss, *pair) for pair in zip(z, value[0], strict=True)])
    assert (gaps <= error[0]).all()
    assert np.isfinite(error[0]).any()


def profile(P, Q, epsilon):
    """sup_S P(S) - e^epsilon Q(S) of two arrays of masses."""
    return float(np.maximum(P - np.exp(epsilon) * Q, 0).sum())


X = np.arange(-90, 91)


def bells(s):
    """Discrete Gaussian masses with 2 variance = 5, moved by s."""
    return np.exp(-((X - s) ** 2) / 5) / np.exp(-(X**2) / 5).sum()


NOISES = {
    "laplace": lambda s: np.tanh(0.3) * np.exp(-0.6 * np.abs(X - s)),
    "gaussian": bells,
}
EPSILONS = np.linspace(0, 12, 61)


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("moves", [(1, 1), (2, 1), (3, 2), (-2, 2), (0, 3)])
def test_a_vector_costs_no_more_than_one_shift(noise, moves):
    """docs/proofs/shifts.md, S3: two coordinates that move by s and t against one by |s| + |t|."""
    s, t = moves
    P = np.outer(noise(0), noise(0)).ravel()
    Q = np.outer(noise(s), noise(t)).ravel()
    for epsilon in EPSILONS:
        one = profile(noise(0), noise(abs(s) + abs(t)), epsilon)
        assert profile(P, Q, epsilon) <= one + 1e-13
        assert profile(Q, P, epsilon) <= one + 1e-13


def test_two_categories_are_a_response():
    """k = 2 is ResponseLoss, and odds 1 + x are epsilon = log(1 + x)."""
    z = np.array([0.3, 2 + 5j, 1e-4 + 1e3j, 50.0 + 0j])
    for epsilon in (Fraction(1, 10**6), Fraction(1, 2), Fraction(6)):
        pair = (dp.pld.CategoricalLoss(epsilon, 2), dp.pld.ResponseLoss(epsilon))
        (a, off), (b, more) = (loss.cumulants(loss.stack([loss]), z) for loss in pair)
        assert (np.abs(np.exp(a - b) - 1) <= 1.01 * (off + more)).all()
    three = Fraction(mpmath.nstr(mpmath.log(3), 15))
    pair = (dp.pld.OddsLoss(2, 7), dp.pld.CategoricalLoss(three, 7))
    (a, _), (b, _) = (loss.cumulants(loss.stack([loss]), z[:2]) for loss in pair)
    assert np.allclose(a, b, rtol=1e-12)


BAD = [0, -1, float("nan"), float("inf"), True, "one", None, Fraction(1, 2**501), Fraction(2**501)]
BAD_SHIFTS = [0, -1, 1.5, Fraction(1, 2), True, "one", None, 2**53 + 1]


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("bad", BAD, ids=str)
@pytest.mark.parametrize(
    "cls",
    [
        dp.pld.DiscreteLaplaceLoss,
        dp.pld.DiscreteGaussianLoss,
        dp.pld.CategoricalLoss,
        dp.pld.OddsLoss,
    ],
)
def test_a_parameter_that_is_no_positive_number_is_refused(cls, bad):
    """Signs, text, bool, nan and sizes whose squares are no doubles."""
    with pytest.raises(dp.InvalidArgument):
        cls(bad)


@pytest.mark.parametrize("bad", BAD_SHIFTS, ids=str)
def test_a_shift_or_a_number_of_categories_is_whole(bad):
    """From 1, or 2, to 2^53."""
    for cls in (
        dp.pld.DiscreteLaplaceLoss,
        dp.pld.DiscreteGaussianLoss,
        dp.pld.CategoricalLoss,
        dp.pld.OddsLoss,
    ):
        with pytest.raises(dp.InvalidArgument):
            cls(1, bad)
    with pytest.raises(dp.InvalidArgument):
        dp.pld.CategoricalLoss(1, 1)
