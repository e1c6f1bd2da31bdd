"""DPrivStats sizes its noise by the private data."""

from functools import partial

from gates import VERIFIER, certified
from museum import REFUSED, Exhibit

import dpframe as dp

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
RIDGE = dp.constant(10)


def private(X, _):
    """The smallest eigenvalue of X'X itself."""
    return 1 + dp.lambda_min(X.T @ X)


def public(X, _):
    """A public ridge in its place."""
    return RIDGE


def coefficients(X, y, budget, *, floor):
    """The minimiser of a ridge regression, with noise of std C D/floor."""
    theta = dp.argmin(X, y, dp.Squared(), RIDGE, radius=1)
    largest_slope = 4 * X.radius * (y.radius + X.radius)
    std = dp.analytic_sigma(budget.epsilon, budget.delta) * largest_slope / floor(X, y)
    return dp.release(theta, dp.Gaussian(std=std), budget.split(1)[0], name="theta")


def put(floor):
    """At (1, 1e-6) and a ridge of 10."""
    target = dp.ApproxDP(1, "1e-6")
    return certified(partial(coefficients, floor=floor), target=target, setting=TABLE)


EXHIBIT = Exhibit(
    number=18,
    name="The curvature of private data",
    system="DPrivStats 0.1.0 (R), `dp_lm`",
    source="vignette of the package on CRAN, Sept 2026",
    claim="OLS coefficients have sensitivity C D/lambda_min(X'X).",
    fact="lambda_min(X'X) is that of the private data. One record moves it, so the size of the "
    "noise leaks, and neighbours have other sensitivities.",
    port="The coefficients of a ridge regression with noise whose std reads 1 + lambda_min(X'X).",
    gate=VERIFIER,
    verdict=REFUSED,
    wrong=partial(put, private),
    mended=partial(put, public),
    repair="The curvature of a public ridge.",
    shows=("std must be public, but it reads the data", "lambda_min(X'X) is private"),
)
