"""diffprivlib clips only where it fits an intercept."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

BOUNDED = dp.Setting(X=dp.Rows(box=1), relation=dp.REPLACE_ONE)


def gram(X, _, budget, *, clipped):
    """X'X, of the rows as they are bounded or as they come."""
    rows = X if clipped else X.origin
    noise = dp.Laplace(scale=X.columns * (X.columns + 1) / budget.epsilon)
    return dp.release(rows.T @ rows, noise, budget.split(1)[0], name="gram")


def put(*, clipped):
    """Noise for entries in [-1, 1], of rows that are or are not put there."""
    return certified(partial(gram, clipped=clipped), target=dp.PureDP(dp.EPSILON), setting=BOUNDED)


EXHIBIT = Exhibit(
    number=3,
    name="Bounds without clipping",
    system="diffprivlib 0.6.6, `LinearRegression(fit_intercept=False)`",
    source="found by running it; no issue is known. `linear_regression.py`, `_preprocess_data`",
    claim="Rows are bounded by `bounds_X`.",
    fact="The bounds determine the noise, but rows are clipped only if an intercept is fitted:"
    " with bounds of 100, one row of 10^9 is released as 10^18.",
    port="X'X of rows without a clip, with noise for entries in [-1, 1]. A clip is a node of "
    "the graph, so rows without one are unbounded, regardless of the setting.",
    wrong=partial(put, clipped=False),
    mended=partial(put, clipped=True),
    repair="The same release of the clipped rows.",
    shows=("X'X is unbounded", "one row of norm M"),
)
