"""Losses: what is said of their slopes and curvatures, and that nothing overflows."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import procedure as ob
from dpframe.symbols import constant
from tests.support import samples
from tests.support.oracles import value

LOSSES = samples.final_subclasses(ob.Objective)
every = pytest.mark.parametrize("loss", [samples.OBJECTIVES[cls] for cls in LOSSES], ids=str)
B, Y, R = 1.5, 2.0, 3.0
BOUNDS = ob.Bounds(*map(constant, ("3/2", 2, 3)))
FORMULAS = {  # by definition, at 50 digits
    "squared": lambda t, y: (t - y) ** 2 / 2,
    "logistic": lambda t, y: mpmath.log(1 + mpmath.exp(-y * t)),
    "huber": lambda t, y: (t - y) ** 2 / 2 if abs(t - y) <= 1 else abs(t - y) - mpmath.mpf(1) / 2,
}


def number(formula):
    """The value of a formula."""
    return float(value(formula, {}))


def at(loss, margins, labels):
    """The three arrays."""
    return loss.at(np.asarray(margins, dtype=float), np.asarray(labels, dtype=float), number)


def grid():
    """Margins and labels within the bounds, ends included."""
    margins, labels = np.meshgrid(np.linspace(-B * R, B * R, 181), np.linspace(-Y, Y, 41))
    return margins.ravel(), labels.ravel()


def test_every_loss_is_exported_and_has_a_sample():
    """Walking the package finds nothing that is not listed."""
    assert samples.complaints(LOSSES, samples.OBJECTIVES, dp.graph) == []
    assert set(samples.OBJECTIVES) == set(LOSSES)


@every
def test_value_slope_and_curvature_fit_together(loss):
    """The value is the formula's, its derivative the slope, whose derivative is the curvature."""
    formula = FORMULAS[loss.kind]
    rng = np.random.default_rng(1)
    for t, y in zip(rng.uniform(-4.5, 4.5, 60), rng.uniform(-2, 2, 60), strict=True):
        got = [float(part[0]) for part in at(loss, [t], [y])]
        with mpmath.workdps(50):
            label, margin = mpmath.mpf(float(y)), mpmath.mpf(float(t))
            want = [mpmath.diff(lambda s, v=label: formula(s, v), margin, k) for k in (0, 1, 2)]
        assert np.allclose(got, [float(part) for part in want], rtol=1e-12, atol=1e-12)


@every
def test_slopes_and_curvatures_reach_their_bounds_and_stay_inside(loss):
    """Over the whole rectangle: never above, and within a tenth somewhere."""
    _, slopes, curvatures = at(loss, *grid())
    steepest, bent = number(loss.slope(BOUNDS)), number(loss.curvature(BOUNDS))
    assert 0.9 * steepest <= np.abs(slopes).max() <= steepest * (1 + 1e-12)
    assert 0.9 * bent <= curvatures.max() <= bent * (1 + 1e-12)
    assert curvatures.min() >= 0


@every
def test_nothing_overflows(loss):
    """Huge margins, zero and one or no record: finite values of the right shapes."""
    for margins in ([0.0], [1e6, -1e6, 1e-300], []):
        parts = at(loss, margins, np.full(len(margins), 2.0))
        assert all(part.shape == (len(margins),) for part in parts)
        assert all(np.isfinite(part).all() for part in parts)


@every
def test_without_a_radius_a_slope_is_a_true_bound_or_none(loss):
    """Margins of any size: the squared loss has no bound, the others keep theirs."""
    free = ob.Bounds(BOUNDS.row, BOUNDS.label)
    slope, moves = (
        loss.slope(free),
        (loss.added(free, constant(1)), loss.replaced(free, constant(1))),
    )
    assert (slope is None) is (moves == (None, None)) is (loss.kind == "squared")
    if slope is not None:
        assert np.abs(at(loss, [1e9, -1e9], [2.0, 2.0])[1]).max() <= number(slope)
