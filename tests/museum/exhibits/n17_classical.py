"""The classical constant of the Gaussian mechanism, outside its theorem."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def classical(epsilon, delta):
    """sqrt(2 log(1.25/delta))/epsilon."""
    return dp.sqrt(2 * dp.log(dp.constant("1.25") / delta)) / epsilon


def moment(X, y, budget, *, std):
    """X'y, which one record moves by 1."""
    noise = dp.Gaussian(std=std(budget.epsilon, budget.delta))
    return dp.release(X.T @ y, noise, budget.split(1)[0], name="moment")


def put(std):
    """For every epsilon and delta."""
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    return certified(partial(moment, std=std), target=target, setting=TABLE)


EXHIBIT = Exhibit(
    number=17,
    name="A theorem for small epsilon",
    system="Many libraries; each release of dp-statsmodels, `DPOLS`",
    source="MaxGhenis/dp-statsmodels, `dp_statsmodels/models/ols.py`",
    claim="sigma = Delta sqrt(2 log(1.25/delta))/epsilon, for every epsilon of a release.",
    fact="The theorem is for epsilon below 1. For some larger epsilon the noise is too small "
    "for one release. This does not refute dp-statsmodels as a whole: it splits a budget "
    "40/40/20, and all three releases together satisfy it up to epsilon = 24.65 at delta "
    "= 1e-6, with n public ([the dossier](dossier.md)).",
    port="X'y, one release with the whole budget, for all epsilon > 0 and delta in (0, 1).",
    wrong=partial(put, classical),
    mended=partial(put, dp.analytic_sigma),
    repair="The exact constant, `dp.analytic_sigma`.",
    shows=("the exact Gaussian privacy profile", "counterexample at delta"),
)
