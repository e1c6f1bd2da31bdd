"""Google's boosted adaSSP takes clip norms as arguments, and 1 for the sensitivity."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

C = dp.parameter("clip_norm", 0)
TABLE = dp.Setting(X=dp.Rows(norm=C), relation=dp.ADD_REMOVE)


def gram(X, _, budget, *, power):
    """X'X with noise for C^power."""
    std = dp.analytic_sigma(budget.epsilon, budget.delta) * C**power
    return dp.release(X.T @ X, dp.Gaussian(std=std), budget.split(1)[0], name="gram")


def put(power):
    """For every clip norm, epsilon and delta."""
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    return certified(partial(gram, power=power), target=target, setting=TABLE)


EXHIBIT = Exhibit(
    number=22,
    name="A sensitivity of 1 for every clip norm",
    system="google-research, `private_kendall/boosted_adassp.py`",
    source="google-research/google-research, `boosted_adassp(..., feature_clip_norm, ...)`",
    claim="(epsilon, delta)-differential privacy for any clip norms chosen by the caller.",
    fact="`gaussian_mechanism(clipped_xtx, 1, split_mu)`: the sensitivity of X'X is "
    "feature_clip_norm^2.",
    port="X'X of rows of norm C, for every C > 0, with noise for 1.",
    wrong=partial(put, 0),
    mended=partial(put, 2),
    repair="Noise for C^2.",
    shows=("L2 sensitivity clip_norm^2", "counterexample at clip_norm"),
)
