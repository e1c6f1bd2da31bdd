"""Noise has the law it claims, in every size, on the quick way and on the slow one."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special

import dpframe as dp
from dpframe import randomness
from dpframe.randomness import SimulatedBits, laws, points
from dpframe.randomness.laws import Cells, bernoulli_exp
from dpframe.randomness.strips import Exponential, Normal, strips
from tests.randomness.fits import (
    LEAST,
    chances,
    counted,
    discrete_laplace,
    discrete_normal,
    edges,
    fit,
    real_laplace,
    real_normal,
)

N = 400_000
SIZES = [0.3, 1.0, 3.7, 1000.1, 2.0**20 + 0.3, 2.0**40, Fraction(10, 3), 1.7 * 2.0**80]
WRONG = Fraction(102, 100)


def bits(seed):
    """Fair bits that repeat."""
    return SimulatedBits(np.random.default_rng(seed))


def half(cdf):
    """P[round(X) <= x] of a real X: a cell ends at x + 1/2."""
    return lambda x: cdf(mpmath.mpf(x) + mpmath.mpf(1) / 2)


def exact(size):
    """A size as mpmath has it, exactly."""
    size = Fraction(size)
    return mpmath.mpf(size.numerator) / size.denominator


LAWS = {
    "rounded gaussian": (randomness.rounded_gaussian, lambda s: half(real_normal(s))),
    "rounded laplace": (randomness.rounded_laplace, lambda s: half(real_laplace(s))),
    "discrete laplace": (randomness.discrete_laplace, discrete_laplace),
}
every = pytest.mark.parametrize("name", LAWS)


def judged(draws, size, law, factor=1):
    """The p-value of draws against the law of a size times `factor`, in bins of about a fifth of
    the size (single cells where that is less than 1), the tails beyond 4.2 sizes among them.
    """
    cuts = edges(max(float(size), 1.0))
    with mpmath.workdps(50):
        return fit(counted(draws, cuts), chances(cuts, law(exact(Fraction(size) * factor))))


@every
@pytest.mark.parametrize("size", SIZES, ids=float)
def test_draws_have_their_law(name, size):
    """Chi-square against cells at 50 digits; a size 2% too large or too small is noticed."""
    sample, law = LAWS[name]
    draws = sample(bits(31), size, N)
    assert draws.shape == (N,)
    assert draws.dtype == (object if size > 2**50 else np.int64)
    assert judged(draws, size, law) > LEAST
    assert judged(draws, size, law, WRONG) < LEAST
    assert judged(draws, size, law, 1 / WRONG) < LEAST


@pytest.mark.parametrize("size", [0.3, 1.0, 3.7, 40.1], ids=float)
def test_discrete_gaussian_draws_have_their_law(size):
    """The same, against sums of 50-digit chances."""
    draws = randomness.discrete_gaussian(bits(32), size, N)
    law = lambda s: discrete_normal(s, 50 + 20 * math.ceil(size))  # noqa: E731
    assert judged(draws, size, law) > LEAST
    assert judged(draws, size, law, WRONG) < LEAST
    assert judged(draws, size, law, 1 / WRONG) < LEAST


@pytest.mark.parametrize("size", [1000.1, 2.0**40, 1.7 * 2.0**80], ids=float)
def test_wide_discrete_gaussian_draws(size):
    """Where cells are narrow the discrete law is the rounded one to e^(-2 pi^2 size^2)."""
    draws = randomness.discrete_gaussian(bits(33), size, N)
    _, law = LAWS["rounded gaussian"]
    assert judged(draws, size, law) > LEAST
    assert judged(draws, size, law, WRONG) < LEAST


def test_rounded_and_discrete_are_different_laws():
    """At size 0.6 a test tells them apart: each law is checked, not one for both."""
    rounded = randomness.rounded_gaussian(bits(34), 0.6, N)
    assert judged(rounded, 0.6, LAWS["rounded gaussian"][1]) > LEAST
    assert judged(rounded, 0.6, lambda s: discrete_normal(s, 60)) < LEAST


@pytest.mark.some(3)
@every
@pytest.mark.parametrize("size", [1000.1, 2.0**40, 1.7 * 2.0**80], ids=float)
def test_far_tails(name, size):
    """Beyond 3, 3.5 and 4 sizes, on both sides: as many draws as 50 digits say, by Poisson's law;
    twice as many would be noticed.
    """
    sample, law = LAWS[name]
    draws = np.abs(np.concatenate([sample(bits(35 + i), size, N) for i in range(3)]))
    for widths in (3, 3.5, 4):
        cut = int(widths * size)
        with mpmath.workdps(50):
            want = float(2 * (1 - law(exact(size))(cut))) * len(draws)
        found = int(np.sum(draws > cut))
        for mean, right in ((want, True), (2 * want, False)):
            two_sided = 2 * min(special.pdtr(found, mean), special.pdtrc(found - 1, mean))
            assert bool(two_sided > 1e-5) is right


@every
@pytest.mark.parametrize("size", [2.0**40, 2.0**40 / 3, 2.0**49 + 0.25], ids=float)
def test_low_bits_are_uniform(name, size):
    """At sizes far above a cell the lowest 6 bits are fair, to a part in 2^20000; and bits that are
    not (those of even numbers) are noticed.
    """
    draws = LAWS[name][0](bits(36), size, N)

    def p(values):
        counts = np.bincount(values & 63, minlength=64)
        return special.gammaincc(63 / 2, ((counts - N / 64) ** 2 / (N / 64)).sum() / 2)

    assert p(draws) > LEAST
    assert p(2 * (draws // 2)) < LEAST


CAUTIOUS = 0.02
SLOW = {
    "rounded gaussian": (Normal(), laws.rounded, LAWS["rounded gaussian"][1]),
    "rounded laplace": (Exponential(), laws.rounded, LAWS["rounded laplace"][1]),
    "discrete laplace": (Exponential(), laws.two_sided, discrete_laplace),
    "discrete gaussian": (
        Exponential(),
        laws.discrete_gaussian_draws,
        lambda s: discrete_normal(s, 200),
    ),
}


def counting(function):
    """The function, and a list that grows by its calls."""
    calls = []

    def inside(*args):
        calls.append(1)
        return function(*args)

    return inside, calls


@pytest.mark.parametrize("name", SLOW)
def test_forced_onto_the_slow_way_draws_have_the_same_law(name, monkeypatch):
    """Enclosures that are 2% wider each way send 2% and more of the decisions (which candidate
    counts, which cell it is) to balls and Python integers. The law stays; a slow way that takes
    cell 0 is noticed.
    """
    shape, sample, law = SLOW[name]
    table, n, size = strips(shape, CAUTIOUS), 30_000, Fraction(37, 10)
    (judge, judged_slowly), (find, found_slowly) = map(counting, (points._below, Cells.exactly))
    monkeypatch.setattr(points, "_below", judge)
    monkeypatch.setattr(Cells, "exactly", find)
    assert judged(sample(table, bits(38), size, n), size, law) > LEAST
    assert min(len(judged_slowly), len(found_slowly)) > 0.02 * n
    monkeypatch.setattr(Cells, "exactly", lambda *args: 0)
    assert judged(sample(table, bits(38), size, n), size, law) < LEAST


def upper_share(shape, cdf):
    """The chance that z lies in the upper half of its strip."""
    with mpmath.workdps(50):
        width = mpmath.mpf(2) ** -shape.fine
        return float(
            mpmath.fsum(cdf((b + 1) * width) - cdf((b + 0.5) * width) for b in range(40 * 32))
        )


def off(table, n, share):
    """By how many standard deviations the found share of upper halves differs from `share`."""
    found = points.points(table, bits(39), n)
    upper = (found.first >> np.uint64(54)) & np.uint64(1)
    return abs(upper.mean() - share) * 2 * math.sqrt(n)


@pytest.mark.parametrize("shape", [Normal(), Exponential()], ids=repr)
def test_points_fall_inside_their_strips(shape):
    """Inside a strip the density falls as it should: heights are judged right. Candidates that all
    count, whose halves are alike, would be noticed.
    """
    cdf = (
        (lambda z: mpmath.erf(z / mpmath.sqrt(2)))
        if shape == Normal()
        else (lambda z: -mpmath.expm1(-z))
    )
    share, n = upper_share(shape, cdf), 6_000_000
    assert off(strips(shape), n, share) < 4
    assert off(strips(shape), n, 0.5) > 5


@pytest.mark.slow
def test_points_judged_by_balls_fall_inside_their_strips(monkeypatch):
    """The same where every candidate that is not sure to count is judged by balls; and a judge who
    lets all of them count is noticed.
    """
    table, n = strips(Exponential(), 0.035), 1_000_000
    share = upper_share(Exponential(), lambda z: -mpmath.expm1(-z))
    judge, calls = counting(points._below)
    monkeypatch.setattr(points, "_below", judge)
    assert off(table, n, share) < 4
    assert len(calls) > 0.03 * n
    monkeypatch.setattr(points, "_below", lambda *args: True)
    assert off(table, n, share) > 5


class FineNormal(Normal):
    """Strips of 1/256, so that the tail begins at 2."""

    fine = 8

    def slope(self, b):
        """b w^2."""
        return b * 2.0**-16

    @property
    def bend(self):
        """w^2/2."""
        return 2.0**-17


class FineExponential(Exponential):
    """Strips of 1/512, so that the tail begins at 1."""

    fine = 9

    def slope(self, b):
        """w."""
        return 2.0**-9


TAILS = {"rounded gaussian": FineNormal(), "rounded laplace": FineExponential()}


@pytest.mark.some(1)
@pytest.mark.parametrize("name", TAILS)
def test_the_tail_has_its_law(name, monkeypatch):
    """With finer strips more than 4% of all draws come from the tail, in several parts; a tail of
    one part only is noticed.
    """
    table, law = strips(TAILS[name]), LAWS[name][1]
    n = 60_000 if name == "rounded gaussian" else 20_000
    found = points.points(table, bits(43), n)
    far = [prefix.whole >> prefix.bits for prefix in found.longer.values()]
    assert len(far) > 0.04 * n
    assert len(set(far)) > 2
    assert judged(laws.rounded(table, bits(44), Fraction(7), n), 7, law) > LEAST
    part = points._place

    def first_part(table, source, b, place):
        while True:
            found = part(table, source, b, place)
            if found[0] == 0:
                return found

    monkeypatch.setattr(points, "_place", first_part)
    assert judged(laws.rounded(table, bits(44), Fraction(7), n), 7, law) < LEAST


@pytest.mark.some(1)
@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(3, 2), Fraction(7, 2)])
def test_coins_from_the_tail(x):
    """e^-x where the point is often in the tail."""
    found = bernoulli_exp(bits(45), x, 20_000, strips(FineExponential()))
    for y, right in ((x, True), (x * 6 / 5, False)):
        p = math.exp(-y)
        assert bool(abs(found.mean() - p) < 5 * math.sqrt(p * (1 - p) / 20_000)) is right


@pytest.mark.parametrize("size", [Fraction(1, 2**400), 1e-9, 2.0**-60])
@pytest.mark.parametrize("name", [*LAWS, "discrete gaussian"])
def test_tiny_noise_is_zero(name, size):
    """A size far below a cell."""
    sample = getattr(randomness, name.replace(" ", "_"))
    assert not sample(bits(40), size, 300).any()


@pytest.mark.parametrize("name", [*LAWS, "discrete gaussian"])
def test_no_draws_and_the_largest_size(name):
    """n = 0 gives none; 2^400 has its spread."""
    sample = getattr(randomness, name.replace(" ", "_"))
    assert sample(bits(41), 3, 0).shape == (0,)
    wide = sample(bits(41), 2**400, 400)
    assert 0.6 < np.sqrt(np.mean((wide / 2**400).astype(float) ** 2)) < 1.8


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("name", [*LAWS, "discrete gaussian"])
@pytest.mark.parametrize(
    "bad", [0, -1, math.nan, math.inf, True, "1", None, 2**401, Fraction(1, 2**401)], ids=repr
)
def test_a_size_that_is_none_is_refused(name, bad):
    """By name, before anything is drawn."""
    sample = getattr(randomness, name.replace(" ", "_"))
    with pytest.raises(dp.InvalidArgument, match=r"std|scale|sigma"):
        sample(bits(1), bad, 3)


@pytest.mark.parametrize("bad", [-1, 2.0, True, "3", None], ids=repr)
def test_a_number_of_draws_is_whole(bad):
    """At least 0."""
    with pytest.raises(dp.InvalidArgument, match="n must"):
        randomness.rounded_gaussian(bits(1), 1, bad)


MECHANISMS = {
    dp.Gaussian: "rounded gaussian",
    dp.mechanisms.MirroredGaussian: "rounded gaussian",
    dp.mechanisms.FullGaussian: "rounded gaussian",
    dp.Laplace: "rounded laplace",
    dp.DiscreteLaplace: "discrete laplace",
}


@pytest.mark.parametrize("cls", [*MECHANISMS, dp.DiscreteGaussian], ids=lambda cls: cls.__name__)
def test_mechanisms_draw_their_law_on_a_grid(cls):
    """`on_grid` has the law of the mechanism's noise, at a size of 3.7 steps; so has `sample` where
    that law is one of whole numbers.
    """
    found = [cls.on_grid(Fraction(37, 10), N, bits(42))]
    if cls in {dp.DiscreteLaplace, dp.DiscreteGaussian}:
        found.append(cls.sample(3.7, (N,), bits(42), symmetric=False))
    law = LAWS[MECHANISMS[cls]][1] if cls in MECHANISMS else lambda s: discrete_normal(s, 200)
    assert cls.exact
    for draws in found:
        assert draws.dtype == np.int64
        assert judged(draws, 3.7, law) > LEAST
        assert judged(draws, 3.7, law, WRONG) < LEAST


def test_noise_in_doubles_is_not_drawn_on_a_grid():
    """L2 noise is not exact, and says so."""
    assert not dp.L2Laplace.exact
    with pytest.raises(dp.InvalidArgument, match="exact on a grid"):
        dp.L2Laplace.on_grid(Fraction(1), 3, bits(1))
