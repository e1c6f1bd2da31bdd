"""Stationary points of penalised quadratics, convex or not. Oracles: all patterns of signs, the
minimiser of convex forms.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dpframe.literature.stationary import stationary, stationary_fit
from dpframe.regressions.penalised import Quadratic, penalised

PENALTIES = [(0.0, 0.0), (1.0, 0.0), (0.0, 0.5), (0.0, 3.0), (0.7, 0.7)]
penalties = pytest.mark.parametrize(("square", "absolute"), PENALTIES)


def forms(d, seed, *, convex):
    """Twenty random forms."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        A = rng.normal(size=(d, d))
        yield Quadratic(A @ A.T if convex else A + A.T, rng.normal(size=d) * 2)


def zeros_by_signs(form, square, absolute):
    """All zeros of b - H theta - absolute/2 sign(theta), by the 3^d patterns of signs."""
    d, half = len(form.b), absolute / 2
    H = form.A + square * np.eye(d)
    for signs in itertools.product((-1.0, 0.0, 1.0), repeat=d):
        s, theta = np.array(signs), np.zeros(d)
        on = s != 0
        theta[on] = np.linalg.solve(H[np.ix_(on, on)], (form.b - half * s)[on])
        rest = np.abs(form.b - H @ theta)[~on]
        if (theta[on] * s[on] > 0).all() and (rest <= half + 1e-12).all():
            yield theta


@penalties
@pytest.mark.parametrize("d", [1, 2, 4])
def test_it_is_one_of_the_zeros_of_an_indefinite_form(d, square, absolute):
    """There is always one, and it is found."""
    for form in forms(d, d, convex=False):
        found = stationary(form, square, absolute)
        known = list(zeros_by_signs(form, square, absolute))
        assert found is not None
        assert min(np.abs(found - one).max() / (1 + np.abs(one).max()) for one in known) < 1e-8


@penalties
@pytest.mark.parametrize("d", [1, 3, 8])
def test_of_a_convex_form_it_is_the_minimiser(d, square, absolute):
    """By another method."""
    for form in forms(d, 10 + d, convex=True):
        lam = square + absolute
        fit = penalised(form, lam, square / lam if lam else 1.0)
        assert np.allclose(stationary(form, square, absolute), fit.coefficients, atol=1e-7)


def test_without_the_absolute_penalty_it_is_a_linear_system():
    """Indefinite, singular, and beyond the doubles."""
    flat = np.array([1.0, 0.0, -1.0, -2.0, -4.0])  # A = diag(1, -1), b = (1, 2)
    fit = stationary_fit(flat, 1.0, 1.0, 0.0, 1.0)
    assert fit.solved
    assert fit.coefficients.tolist() == [1.0, -2.0]
    ridge = stationary_fit(flat, 1.0, 1.0, 0.5, 1.0)
    assert np.allclose(ridge.coefficients, [1 / 1.5, 2 / -0.5])
    assert not stationary_fit(flat, 1.0, 1.0, 1.0, 1.0).solved  # a ridge of 1: singular
    assert stationary_fit(flat, 1.0, 1.0, 1.0, 1.0).coefficients.tolist() == [0.0, 0.0]
    for wild in (np.inf, np.nan, 1e308):
        fit = stationary_fit(np.where(flat, flat + wild, 0.0), 1.0, 1.0, 0.5, 0.5)
        assert np.isfinite(fit.coefficients).all()
