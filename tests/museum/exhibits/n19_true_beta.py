"""The code of a bootstrap paper sizes noise by the true coefficients and the largest label."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)


def coefficients(X, y):
    """The regression that is being estimated."""
    return dp.graph.argmin(X, y, dp.graph.Squared(), 1, radius=1) + 2


def largest(_, y):
    """max(y)."""
    return dp.graph.aggregate("maximum", y) + 2


def declared(X, y):
    """What the codebook says."""
    return 2 * X.columns * X.radius * y.radius


def moment(X, y, budget, *, sensitivity):
    """X'y with Laplace noise."""
    noise = dp.Laplace(scale=sensitivity(X, y) / budget.epsilon)
    return dp.release(X.T @ y, noise, budget.split(1)[0], name="moment")


def put(sensitivity):
    """For every epsilon."""
    declare = partial(moment, sensitivity=sensitivity)
    return certified(declare, target=dp.PureDP(dp.EPSILON), setting=TABLE)


EXHIBIT = Exhibit(
    number=19,
    name="The true coefficients in the sensitivity",
    system="PB-DP-CIs, code of Ferrando et al. (AISTATS 2022)",
    source="ceciliaferrando/PB-DP-CIs, `OLSfunctions.py`, `private_OLS`",
    claim="Delta(X'y) = beta gamma^2 + 2 gamma delta; sigma^2 from max(y).",
    fact="beta is the true coefficient vector (a comment asks whether that is acceptable), and"
    " max(y) is the private maximum.",
    port="X'y with a noise scale that reads the coefficients of the same regression. The same "
    "gate refuses a scale that reads max(y).",
    wrong=partial(put, coefficients),
    mended=partial(put, declared),
    repair="The bounds of the codebook.",
    shows=("scale must be public, but it reads the data", "argmin"),
)
