"""dp-statsmodels multiplies rows by weights after their bounds were used."""

from functools import partial

from gates import VERIFIER, certified
from museum import REFUSED, Exhibit

import dpframe as dp

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
WEIGHT = dp.parameter("w", 0)  # the largest weight of a record


def after(X):
    """Rows of norm 1, times the root of the weight."""
    return X.scaled(1 / dp.sqrt(WEIGHT))


def before(X):
    """Bounded once they are weighed."""
    return after(X.origin).clip(norm=1)


def gram(X, _, budget, *, rows):
    """X'X with noise for rows of norm 1."""
    noise = dp.Gaussian(std=dp.analytic_sigma(budget.epsilon, budget.delta))
    return dp.release(rows(X).T @ rows(X), noise, budget.split(1)[0], name="gram")


def put(rows):
    """For every weight."""
    return certified(partial(gram, rows=rows), target=dp.ApproxDP(1, "1e-6"), setting=TABLE)


EXHIBIT = Exhibit(
    number=16,
    name="Weights after the bounds",
    system="dp-statsmodels, `DPOLS.fit(weights=...)`",
    source="MaxGhenis/dp-statsmodels, `dp_statsmodels/models/ols.py`",
    claim="Weighted least squares at the same epsilon, with the noise of `bounds_X`.",
    fact="Rows are multiplied by sqrt(weight) and the sensitivity stays that of the bounds: a "
    "weight of 100 moves X'X 100 times as far.",
    port="Rows of norm 1 times sqrt(w), for every w > 0, with noise for rows of norm 1.",
    gate=VERIFIER,
    verdict=REFUSED,
    wrong=partial(put, after),
    mended=partial(put, before),
    repair="The weighted rows are clipped.",
    shows=("L2 sensitivity w", "counterexample at w"),
)
