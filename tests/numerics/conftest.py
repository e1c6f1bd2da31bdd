"""Oracles for the Gaussian privacy profile, in mpmath; they share no code with dpframe."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from flint import arb

Oracle = Callable[[Fraction, Fraction], mpmath.mpf]


@pytest.fixture(scope="session")
def profile_oracle() -> Oracle:
    """delta(epsilon; mu) by its definition, at 450 digits (most may cancel)."""

    def delta(epsilon: Fraction, mu: Fraction) -> mpmath.mpf:
        with mpmath.workdps(450):
            eps, shift = (mpmath.mpf(x.numerator) / x.denominator for x in (epsilon, mu))
            near, far = eps / shift - shift / 2, eps / shift + shift / 2
            root = mpmath.sqrt(2)
            return (mpmath.erfc(near / root) - mpmath.exp(eps) * mpmath.erfc(far / root)) / 2

    return delta


@pytest.fixture(scope="session")
def integral_oracle() -> Oracle:
    """delta(epsilon; mu) = int_t^oo phi(u) (1 - u / sqrt(u^2 + 2 epsilon)) du, by quadrature.

    This is int_0^mu phi(x/2 - epsilon/x) dx with u = epsilon/x - x/2 and t = epsilon/mu - mu/2:
    nothing cancels between two tails.
    """

    def delta(epsilon: Fraction, mu: Fraction) -> mpmath.mpf:
        with mpmath.workdps(60):
            eps, shift = (mpmath.mpf(x.numerator) / x.denominator for x in (epsilon, mu))
            start, kink = eps / shift - shift / 2, mpmath.sqrt(2 * eps)
            pieces = [start + 2**k / max(1, start) for k in range(-2, 9)]
            pieces += [x for x in (-4 * kink, -kink, 0, kink, 4 * kink) if start < x < pieces[-1]]
            scale = mpmath.npdf(max(start, 0))  # quad's tolerance is absolute
            return scale * mpmath.quad(
                lambda u: mpmath.npdf(u) / scale * (1 - u / mpmath.sqrt(u * u + 2 * eps)),
                [start, *sorted(pieces)],
            )

    return delta


@pytest.fixture(scope="session")
def ends() -> Callable[[arb], tuple[mpmath.mpf, mpmath.mpf]]:
    """The two ends of a ball in mpmath, at 400 digits and for any exponent."""

    def mpf_ends(ball: arb) -> tuple[mpmath.mpf, mpmath.mpf]:
        with mpmath.workdps(400):
            mid, rad = (
                mpmath.ldexp(mpmath.mpf(int(man)), int(exp))
                for man, exp in (ball.mid().man_exp(), ball.rad().man_exp())
            )
            return mid - rad, mid + rad

    return mpf_ends
