"""The last bits of what is released tell nothing: an attack on noise in doubles, tried on ours."""

import numpy as np
import pytest

from dpframe.randomness import SimulatedBits, rounded_gaussian, rounded_laplace

N, STEP = 20_000, 2.0**-20


def porous(values):
    """The share of values below 1/2 in size that are no multiples of 2^-53: a double near 0 has
    finer bits, but x + noise for x = 1 is rounded to multiples of 2^-53 first.
    """
    return np.mean((np.abs(values) < 0.5) & (np.mod(values * 2.0**53, 1) != 0))


DOUBLES = {
    "normal": lambda rng: rng.normal(0.0, 1.0, N),
    "laplace": lambda rng: rng.laplace(0.0, 1.0, N),
}
LAWS = {"normal": rounded_gaussian, "laplace": rounded_laplace}


@pytest.mark.parametrize("law", DOUBLES)
def test_noise_in_doubles_is_told_apart_by_its_low_bits(law):
    """The attack works: an event of probability above 0.2 at x = 0 never happens at x = 1."""
    noise = DOUBLES[law](np.random.default_rng(81))
    assert porous(0.0 + noise) > 0.2
    assert porous(1.0 + noise) == 0


@pytest.mark.parametrize("law", LAWS)
def test_noise_on_a_grid_is_not(law):
    """Every value is a multiple of the step, whatever x on the grid: the event never happens."""
    bits = SimulatedBits(np.random.default_rng(82))
    for x in (0, 2**20, 2**20 - 1):
        whole = x + LAWS[law](bits, 2**20, N)
        values = whole * STEP
        assert porous(values) == 0
        assert np.array_equal(values / STEP, whole)


@pytest.mark.parametrize("law", LAWS)
def test_low_bits_have_one_law_whatever_the_value(law):
    """The lowest 4 bits at x = 0 and at x = 1 (in steps) by chi-square of two samples; noise in
    steps of 2, which keeps the lowest bit of x, is noticed.
    """

    def statistic(draw):
        counts = [np.bincount((x + draw()) & 15, minlength=16) for x in (0, 1)]
        total = counts[0] + counts[1]
        return float(np.sum((counts[0] - counts[1]) ** 2 / np.maximum(total, 1)))

    bits = SimulatedBits(np.random.default_rng(83))
    assert statistic(lambda: LAWS[law](bits, 2**20, N)) < 45  # 15 degrees of freedom: p = 1e-4
    assert statistic(lambda: 2 * LAWS[law](bits, 2**19, N)) > 1000
