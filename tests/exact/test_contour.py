"""Bounds on delta of several releases against sums and integrals over their privacy losses."""

import math
from fractions import Fraction

import mpmath
import pytest

from dpframe.exact.interval import Unbounded
from dpframe.exact.profile import ContourLine, Draws, composed, profile

LINES = [ContourLine(Fraction(c), Fraction(1, 16), 400) for c in ("1/4", "2", "7")]


def gaussian(e, square):
    """delta(e) of a Gaussian loss, for e of either sign."""
    mu = mpmath.sqrt(square)
    return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


def responses(e, square, x, n):
    """With n randomised responses, each e = x: a sum over how many were true."""
    p = 1 / (1 + mpmath.exp(-x))
    return sum(
        math.comb(n, j) * p**j * (1 - p) ** (n - j) * gaussian(e - (2 * j - n) * x, square)
        for j in range(n + 1)
    )


def laplace(e, square, x):
    """With one draw of Laplace noise, whose loss is x or -x, or has a density between."""
    ends = gaussian(e - x, square) / 2 + mpmath.exp(-x) / 2 * gaussian(e + x, square)
    between = mpmath.quad(
        lambda y: mpmath.exp((y - x) / 2) / 4 * gaussian(e - y, square), [-x, 0, x]
    )
    return ends + between


def close(bound, value):
    """Above the value by no more than the aliases: 1e-20 of it with these lines."""
    value = Fraction(*map(int, mpmath.libmp.to_rational(value._mpf_)))
    assert value * (1 - Fraction(1, 10**30)) <= bound
    assert bound <= value * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("e", ["0", "1/2", "3"])
@pytest.mark.some(4)
def test_a_gaussian_alone_has_its_profile(e, line):
    """On a line near the saddle and on others."""
    bound = composed(Fraction(e), Fraction(1), [], line)
    low, _ = profile(Fraction(e), Fraction(1))
    assert low <= bound
    assert bound <= low * (1 + Fraction(1, 10**8))


@pytest.mark.parametrize("n", [1, 5, 40])
@pytest.mark.parametrize("line", LINES[:2], ids=str)
@pytest.mark.some(3)
def test_randomised_responses_are_a_binomial_sum(n, line):
    """Draws of any pure mechanism but Laplace noise."""
    with mpmath.workdps(60):
        true = responses(mpmath.mpf(1), mpmath.mpf(1) / 2, mpmath.mpf(1) / 4, n)
    close(composed(Fraction(1), Fraction(1, 2), [Draws(False, Fraction(1, 4), n)], line), true)


@pytest.mark.parametrize("x", ["1/10", "1", "6"])
@pytest.mark.parametrize("line", LINES[:2], ids=str)
@pytest.mark.some(3)
def test_a_draw_of_laplace_noise_is_an_integral_over_its_loss(x, line):
    """mpmath's quadrature over the density, and the two atoms."""
    at = Fraction(x)
    with mpmath.workdps(60):
        true = laplace(mpmath.mpf(1), mpmath.mpf(1) / 2, mpmath.mpf(at.numerator) / at.denominator)
    close(composed(Fraction(1), Fraction(1, 2), [Draws(True, at, 1)], line), true)


def test_laplace_draws_and_responses_together():
    """Each factor is raised to its own number of draws; the order does not matter."""
    parts = [Draws(True, Fraction(1, 3), 2), Draws(False, Fraction(1, 5), 3)]
    line, e, square = LINES[1], Fraction(1), Fraction(1, 2)

    def one(draws):
        return composed(e, square, draws, line)

    apart = [*[Draws(True, Fraction(1, 3), 1)] * 2, *[Draws(False, Fraction(1, 5), 1)] * 3]
    assert abs(one(parts) - one(apart)) <= Fraction(1, 10**35)
    assert abs(one(parts) - one(parts[::-1])) <= Fraction(1, 10**35)
    assert one(parts[:1]) < one(parts)


@pytest.mark.parametrize("n", [2, 3, 10, 50])
@pytest.mark.parametrize("h", ["1/100", "1", "5", "40"])
@pytest.mark.parametrize("c", ["1/1000", "1", "50"])
@pytest.mark.some(12, most=0)
def test_every_line_and_every_number_of_nodes_gives_a_bound(c, h, n):
    """Coarse steps alias and short sums leave a rest; both only add."""
    line = ContourLine(Fraction(c), Fraction(h), n)
    with mpmath.workdps(60):
        true = laplace(mpmath.mpf(1), mpmath.mpf(1) / 2, mpmath.mpf(1) / 3)
        true = Fraction(*map(int, mpmath.libmp.to_rational(true._mpf_)))
    bound = composed(Fraction(1), Fraction(1, 2), [Draws(True, Fraction(1, 3), 1)], line)
    assert bound >= true * (1 - Fraction(1, 10**30))


@pytest.mark.parametrize("line", [ContourLine(*map(Fraction, at[:2]), at[2]) for at in (
    (0, 1, 9), (-1, 1, 9), (1, 0, 9), (1, -1, 9), (1, 1, 1), (1, 1, 0)
)], ids=str)  # fmt: skip
@pytest.mark.some(6)
def test_a_line_outside_the_half_plane_is_refused(line):
    """The identity wants c, h > 0, and the rest two nodes."""
    with pytest.raises(Unbounded):
        composed(Fraction(1), Fraction(1), [], line)


@pytest.mark.parametrize(
    ("square", "draws"),
    [
        (Fraction(0), []),
        (Fraction(-1), []),
        (Fraction(1), [Draws(True, Fraction(-1), 1)]),
        (Fraction(1), [Draws(True, Fraction(1), 0)]),
        (Fraction(1), [Draws(False, Fraction(1), -2)]),
    ],
    ids=str,
)
@pytest.mark.some(5)
def test_releases_of_no_size_are_refused(square, draws):
    """Without a Gaussian the integral does not converge as the bound on the rest says."""
    with pytest.raises(Unbounded):
        composed(Fraction(1), square, draws, LINES[0])
