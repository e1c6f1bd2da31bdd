"""Google's adaSSP baseline takes its bounds from the data."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def of_the_data(X):
    """The largest norm of a row."""
    return dp.graph.aggregate("max_norm", X) + 0


def of_the_codebook(X):
    """The declared one."""
    return X.radius


def moment(X, y, budget, *, bound):
    """X'y with noise for rows of this norm."""
    unit = dp.sqrt(dp.log(6 / budget.delta)) / (budget.epsilon / 3)
    noise = dp.Gaussian(std=unit * bound(X) * y.radius)
    return dp.release(X.T @ y, noise, name="moment")


def put(bound):
    """At (1, 1e-6)."""
    target = dp.ApproxDP(1, "1e-6")
    return certified(partial(moment, bound=bound), target=target, setting=TABLE)


EXHIBIT = Exhibit(
    number=23,
    name="Bounds computed from the data",
    system="google-research, `dp_regression/baselines.py`",
    source='google-research/google-research, `adassp`: "data-dependent and not dp"',
    claim="(epsilon, delta)-differential privacy, according to the docstring.",
    fact="bound_x and bound_y are maxima of the private data, as a comment in the code admits.",
    port="X'y with a std that reads the largest norm of a row.",
    wrong=partial(put, of_the_data),
    mended=partial(put, of_the_codebook),
    repair="Bounds of a codebook.",
    shows=("std must be public, but it reads the data", "max_norm"),
)
