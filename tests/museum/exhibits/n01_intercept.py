"""diffprivlib pays for two means out of one share."""

from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

BOX = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)


def regression(X, y, budget, *, means):
    """The means of X and of y, then the coefficients of the centred objective."""
    gamma = 1 / (X.columns + 1)
    for_x, for_y, rest = budget.split(gamma / means, gamma / means, 1 - gamma)
    return (
        dp.release(dp.total(X), dp.Laplace.pure, for_x, name="x_offset"),
        dp.release(dp.total(y), dp.Laplace.pure, for_y, name="y_offset"),
        dp.release(
            dp.graph.sufficient_statistics(X, y), dp.Laplace.pure, rest, name="coefficients"
        ),
    )


def put(means):
    """At 1 as in the code: each mean takes all of gamma."""
    target = dp.PureDP(dp.EPSILON)
    return certified(partial(regression, means=means), target=target, setting=BOX)


EXHIBIT = Exhibit(
    number=1,
    name="An intercept without its own share",
    system="diffprivlib 0.6.6, `LinearRegression(fit_intercept=True)`",
    source="IBM/differential-privacy-library#104, `linear_regression.py`",
    claim="The whole fit costs epsilon; the accountant is charged 1.0.",
    fact="The mean of X has the share gamma epsilon, the mean of y too, and the objective (1 -"
    " gamma) epsilon, with gamma = 1/(p + 1): (p + 2)/(p + 1) in all, which is 1.5 for "
    "one feature.",
    port="Three releases with these shares; the number of features is a symbol, d.",
    wrong=partial(put, 1),
    mended=partial(put, 2),
    repair="The two means share gamma: gamma/2 each.",
    shows=("x_offset: epsilon/(1 + d)", "y_offset: epsilon/(1 + d)", "the shares sum to 4/3"),
)
