"""DPrivStats returns noisy coefficients, and with them what is left of every label."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
RIDGE = dp.constant(10)


def coefficients(X, y, budget):
    """The minimiser of a ridge regression on a ball, with noise for its derived sensitivity."""
    theta = dp.graph.argmin(X, y, dp.graph.Squared(), RIDGE, radius=1)
    return dp.release(theta, dp.Gaussian.analytic, budget.split(1)[0], name="theta")


def with_residuals(X, y, budget):
    """And y less what they predict, without noise."""
    return dp.post(residuals, coefficients(X, y, budget), X, y)


def alone(X, y, budget):
    """The coefficients."""
    return coefficients(X, y, budget)


def residuals(theta, X, y):
    """y - X theta."""
    return theta, y - X @ theta


def put(declare):
    """At (1, 1e-6)."""
    return certified(declare, target=dp.ApproxDP(1, "1e-6"), setting=TABLE)


EXHIBIT = Exhibit(
    number=18,
    name="Residuals without noise",
    system="DPrivStats 0.1.0 (R), `dp_lm`",
    source="MukulBijalwan/DPrivStats, `R/dp_regression.R`: residuals = resid, model = mf",
    claim="(epsilon, delta)-differential privacy of labels, for a public design; residuals and "
    "fitted values are `computed from the private fit`.",
    fact="`residuals` are the clipped labels minus the fitted values, without noise. Added to "
    "`fitted.values`, which is returned too, they give the labels. `model` is the data "
    "frame itself. The coefficients alone satisfy the claim: the sensitivity is correct "
    "for a public design.",
    port="The coefficients of a ridge regression with noise, together with y - X theta.",
    wrong=partial(put, with_residuals),
    mended=partial(put, alone),
    repair="The coefficients alone; residuals are not released.",
    shows=(
        "must read released values only, but private data reaches it without noise",
        "residuals",
    ),
)
