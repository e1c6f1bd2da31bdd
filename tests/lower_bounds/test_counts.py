"""Bounds from counts, by the binomial sums that define them, at 50 digits."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import binomial, mp, mpf

from dpframe.audits.lower_bounds.threshold_events import at_least, at_most

CASES = [(0, 10), (1, 10), (5, 10), (10, 10), (3, 1000), (480, 1000), (999, 1000), (7000, 20000)]


def tail(hits, draws, p):
    """P[Binomial(draws, p) >= hits]."""
    with mp.workdps(50):
        return mp.fsum(
            binomial(draws, k) * p**k * (1 - p) ** (draws - k) for k in range(hits, draws + 1)
        )


@pytest.mark.parametrize(("hits", "draws"), CASES[:-1])
@pytest.mark.parametrize("failing", [0.05, 1e-6])
def test_the_lower_bound_is_the_binomial_inverse(hits, draws, failing):
    """At the bound, so many hits or more have probability `failing`, from below."""
    bound = float(at_least(hits, draws, failing))
    if hits == 0:
        assert bound == 0
        return
    with mp.workdps(50):
        assert tail(hits, draws, mpf(bound)) <= failing
        assert tail(hits, draws, mpf(bound) + mpf("1e-8")) > failing


@pytest.mark.parametrize(("hits", "draws"), CASES)
def test_the_upper_bound_mirrors_the_lower(hits, draws):
    """Misses are hits of the complement; the bounds enclose the share."""
    low, high = float(at_least(hits, draws, 0.01)), float(at_most(hits, draws, 0.01))
    assert low <= hits / draws <= high
    assert high == pytest.approx(1 - float(at_least(draws - hits, draws, 0.01)), abs=1e-15)


def test_coverage():
    """Of 20,000 binomials, no more than 5% and a little have a bound above the truth."""
    rng = np.random.default_rng(1)
    for p in (0.003, 0.2, 0.9):
        bounds = at_least(rng.binomial(200, p, 20_000), 200, 0.05)
        assert np.mean(bounds > p) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 20_000)
