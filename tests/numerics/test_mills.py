"""The normal tail and its Mills ratio are enclosed, near and far."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import pytest
from flint import arb

from dpframe.numerics import working
from dpframe.numerics.profile import mills, upper_tail

Ends = Callable[[arb], tuple[mpmath.mpf, mpmath.mpf]]

NEAR = [0.0, 1e-20, 0.7, 8.0, 40.0, 500.0, 511.9999, 512.0, 512.0001, 3e3, 1e6]
FAR = [1e9, 2.0**40, 1e14, 1e40]  # at 2^40 no rounding hides the remainder of the series


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("bits", [128, 1024])
@pytest.mark.parametrize("x", NEAR + FAR)
def test_mills_ratio(x: float, bits: int, ends: Ends) -> None:
    """R(x) = sqrt(pi/2) e^(x^2/2) erfc(x/sqrt 2) lies in a sharp enclosure."""
    with working(bits):
        ball = mills(arb(x))
    assert ball.rel_accuracy_bits() > bits - 40
    with mpmath.workdps(400):
        far = mpmath.mpf(x)
        true = (
            mpmath.sqrt(mpmath.pi / 2) * mpmath.exp(far**2 / 2) * mpmath.erfc(far / mpmath.sqrt(2))
        )
        low, high = ends(ball)
        assert low <= true <= high


@pytest.mark.some(1, most=0)
@pytest.mark.parametrize("x", [*NEAR, *(-x for x in NEAR), *FAR])
def test_upper_tail(x: float, ends: Ends) -> None:
    """1 - Phi(x) lies in an enclosure that is sharp on both sides of zero and far out."""
    with working(512):
        ball = upper_tail(arb(x))
    assert ball.rel_accuracy_bits() > 128
    with mpmath.workdps(400):
        low, high = ends(ball)
        assert low <= mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2)) / 2 <= high


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 3), (500, 520), (512, 9000), (1e5, 1e9)])
def test_wide_arguments(low: float, high: float) -> None:
    """Over a wide ball the enclosure holds the value at each of its points."""
    with working(128):
        wide = arb(low).union(high)
        for k in range(11):
            point = low + (high - low) * k / 10
            assert mills(wide).contains(mills(arb(point)))
            assert upper_tail(wide).contains(upper_tail(arb(point)))


@pytest.mark.parametrize("x", [arb("inf"), arb("nan"), arb(0, "inf")])
def test_unbounded_arguments_end(x: arb) -> None:
    """Infinite arguments neither loop nor give a wrong number."""
    with working(128):
        assert not mills(x) < 0
        assert not mills(x) > 0
        assert upper_tail(x).contains(0) or not upper_tail(x).is_finite()
