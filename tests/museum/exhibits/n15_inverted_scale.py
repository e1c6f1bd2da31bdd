"""Google's Tukey regression inverts the scale of its test."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)


def checked(X, _, budget, *, scale):
    """A whole number that one record moves by 1, as a distance to instability; half of epsilon."""
    (half,) = budget.split("1/2")
    return dp.release(dp.count(X), dp.Laplace(scale(half.epsilon)), half, name="distance")


def put(scale):
    """For every epsilon."""
    declare = partial(checked, scale=scale)
    return certified(declare, target=dp.PureDP(dp.EPSILON), setting=TABLE)


EXHIBIT = Exhibit(
    number=15,
    name="An inverted noise scale",
    system="google-research, `dp_regression/tukey.py`",
    source="google-research/google-research, `dp_tukey`: np.random.laplace(scale=split_epsilon)",
    claim="The propose-test-release check costs epsilon/2.",
    fact="Noise of scale s costs 1/s, here 2/epsilon. At epsilon = 1 that is 2 instead of 0.5,"
    " and the ratio grows as epsilon decreases.",
    port="A count, which like the distance changes by 1 with one record, with that noise.",
    wrong=partial(put, lambda epsilon: epsilon),
    mended=partial(put, lambda epsilon: 1 / epsilon),
    repair="scale = 1/(epsilon/2).",
    shows=("2/epsilon-differential privacy", "privacy loss 2 > 0.5"),
)
