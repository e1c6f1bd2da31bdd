"""Bounds on delta of several releases against sums and integrals over their privacy losses."""

from fractions import Fraction

import mpmath
import pytest

from dpframe.exact.interval import Unbounded
from dpframe.exact.profile import ContourLine, Draws, composed, profile
from tests.pld.composition import truths

LINES = [ContourLine(Fraction(c), Fraction(1, 16), 400) for c in ("1/4", "2", "7")]


def gaussian(e):
    """delta(e) of a Gaussian loss of mu^2 = 1/2, for e of either sign."""
    return truths.gaussian(1 / mpmath.sqrt(2), e)


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
        true = truths.after_responses(mpmath.mpf(1) / 4, n, gaussian, mpmath.mpf(1))
    close(composed(Fraction(1), Fraction(1, 2), [Draws(False, Fraction(1, 4), n)], line), true)


@pytest.mark.parametrize("x", ["1/10", "1", "6"])
@pytest.mark.parametrize("line", LINES[:2], ids=str)
@pytest.mark.some(3)
def test_a_draw_of_laplace_noise_is_an_integral_over_its_loss(x, line):
    """mpmath's quadrature over the density, and the two atoms."""
    at = Fraction(x)
    with mpmath.workdps(60):
        true = truths.after_laplace(truths.exact(at), gaussian, mpmath.mpf(1), [1])
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
        true = truths.after_laplace(mpmath.mpf(1) / 3, gaussian, mpmath.mpf(1), [1])
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
