"""The same code pays the whole epsilon for each of its statistics."""

from fractions import Fraction
from functools import partial

import dpframe as dp
from tests.museum.gates import certified
from tests.museum.museum import Exhibit

TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)


def statistics(X, y, budget, *, weight):
    """X'X, X'y and y'y at one weight each."""
    asked = {"gram": X.T @ X, "moment": X.T @ y, "squares": y @ y}
    (share,) = budget.split(weight)
    return tuple(dp.release(one, dp.Laplace.pure, share, name=name) for name, one in asked.items())


def put(weight):
    """For every epsilon."""
    declare = partial(statistics, weight=weight)
    return certified(declare, target=dp.PureDP(dp.EPSILON), setting=TABLE)


EXHIBIT = Exhibit(
    number=20,
    name="The whole epsilon for each release",
    system="PB-DP-CIs, code of Ferrando et al. (AISTATS 2022)",
    source="ceciliaferrando/PB-DP-CIs, `OLSfunctions.py`, `compute_dp_noise`, `private_OLS`",
    claim="epsilon-differential privacy.",
    fact="X'X, X'y and the residual variance each get noise for the whole epsilon (and so does"
    " every entry): three shares, which sum to 3 epsilon.",
    port="Three releases with the whole budget each.",
    wrong=partial(put, 1),
    mended=partial(put, Fraction(1, 3)),
    repair="A third of epsilon each, and noise for the L1 norm of all entries.",
    shows=("sum = 3*epsilon",),
)
